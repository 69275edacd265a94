"""The 47 parameters of lp_solve, and the file that it reads them from."""

import re
import subprocess
from collections import Counter

import pytest

from rembo import Bool, Categorical
from rembo.problems.lpsolve import LP_SOLVE, SPACE, parameter_text

needs_lp_solve = pytest.mark.skipif(not LP_SOLVE.available, reason=LP_SOLVE.absence)


def keys(text):
    """What a parameter file says: the words of each key."""
    return {
        key.strip(): set(re.split(r"[\s+]+", words.strip())) for key, words in re.findall(r"(?m)^(\w+)=(.*)$", text)
    }


@pytest.fixture
def written_back(tmp_path):
    """The parameters that lp_solve has after it has read a file, or without one."""

    def read(*arguments):
        (tmp_path / "model.lp").write_text("max: x; x <= 1;")
        subprocess.run(["lp_solve", "-S1", "model.lp", *arguments, "-wpar", "out.ini"], cwd=tmp_path, check=True)
        return keys((tmp_path / "out.ini").read_text().replace(";obj_in_basis", "obj_in_basis"))

    return read


def test_space_has_40_bits_and_7_categories():
    assert Counter(type(parameter) for parameter in SPACE.parameters.values()) == {Bool: 40, Categorical: 7}


def test_categories_have_as_many_choices_as_in_the_paper():
    assert [parameter.levels for parameter in SPACE.parameters.values()][:7] == [7, 3, 3, 4, 4, 2, 2]


@needs_lp_solve
def test_defaults_are_those_of_lp_solve(written_back):
    own = written_back()
    mine = keys(parameter_text(SPACE.default)) | {"presolve": {"PRESOLVE_NONE"}}
    assert {key: words - {"IMPROVE_NONE", "ANTIDEGEN_NONE"} for key, words in mine.items()} == {
        key: own[key] for key in mine
    }


BITS = [name for name, parameter in SPACE.parameters.items() if isinstance(parameter, Bool)]
CHOICES = [
    (name, choice)
    for name, parameter in SPACE.parameters.items()
    if isinstance(parameter, Categorical) and name != "simplextype"  # which lp_solve obeys, but writes wrongly
    for choice in parameter.choices
]


@needs_lp_solve
@pytest.mark.parametrize("bit", BITS)
def test_lp_solve_reads_each_bit_and_no_other(bit, written_back, tmp_path):
    (tmp_path / "in.ini").write_text(parameter_text(SPACE.default | dict.fromkeys(BITS, False) | {bit: True}))
    words = set().union(*written_back("-rpar", "in.ini").values())
    assert words & set(BITS) == {bit}


@needs_lp_solve
@pytest.mark.parametrize(("key", "choice"), CHOICES)
def test_lp_solve_reads_each_choice(key, choice, written_back, tmp_path):
    (tmp_path / "in.ini").write_text(parameter_text(SPACE.default | {key: choice}))
    assert choice in written_back("-rpar", "in.ini")[key]


def test_every_key_stands_in_the_file_whatever_is_set():
    nothing = parameter_text(SPACE.default | dict.fromkeys(BITS, False))
    assert set(keys(nothing)) == set(keys(parameter_text(SPACE.default)))
    assert len(keys(nothing)) == 11


def test_configuration_that_lacks_a_parameter_is_an_error():
    with pytest.raises(ValueError, match="must be a dict of"):
        parameter_text({"bb_rule": "NODE_FIRSTSELECT"})


def test_unknown_choice_is_an_error_that_names_those_that_there_are():
    with pytest.raises(ValueError, match=r"'NODE_BEST' is none of the choices \['NODE_FIRSTSELECT'"):
        parameter_text(SPACE.default | {"bb_rule": "NODE_BEST"})
