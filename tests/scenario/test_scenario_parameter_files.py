"""Parameter files of irace, ParamILS, SMAC and ConfigSpace, as people have them."""

import sys

import pytest

from rembo import Categorical, Float, Integer, Ordinal, Space
from rembo.scenario import Scenario, ScenarioError

IRACE = """\
## Ants on a tour.
# name       switch            type   values
algorithm    "--"              c      (as, mmas, "eas")   # which ants
localsearch  "--localsearch "  c      ("0", "1", '2', "very # low")
ants         "--ants "         i,log  (5, 100)
rho          "--rho="          r      (0.01, 1.00)
q0           "--q0 "           r,log  (1e-3, 1)
level        "--level "        o      ("none", "very low", "high")
tries        "--tries "        c      (1)

[forbidden]
# (algorithm == "as") & (ants > 50)

[global]
digits = 4
"""

PCS_OLD = """\
# SAPS, and some more
alpha {1.01, 1.066, 1.126} [1.066]
rho [0, 1] [0.5]            # a probability
ps [0.001, 0.2] [0.05]l
restarts[1,1000][10]il
sp-learned {yes,no} [yes]
@1:heuristic {a, b} [b]
fixed {3} [3]

Conditionals:
Forbidden:
"""

PCS_NEW = """\
preprocessing categorical {None, pca} [None]
level ordinal {low, middle, high} [middle]
neighbours integer [1, 100] [10] log
gamma real [3.0e-5, 8] [0.1] log
degree integer [-2, 5] [3]
shift real [-1, 1] [0]
"""


@pytest.fixture
def tuned_by(tmp_path, program):
    """Reads a scenario whose parameters stand in a file."""

    def read(text, name="parameters.txt", command="./program {parameters}"):
        (tmp_path / name).write_text(text)
        (tmp_path / "scenario.toml").write_text(f"command = '{command}'\nn_trials = 3\nparameters = '{name}'\n")
        return Scenario.read(tmp_path / "scenario.toml")

    return read


def test_irace_parameters_become_a_space(tuned_by):
    assert tuned_by(IRACE).space == Space(
        {
            "algorithm": Categorical(["as", "mmas", "eas"]),
            "localsearch": Categorical(["0", "1", "2", "very # low"]),
            "ants": Integer(5, 100, log=True),
            "rho": Float(0.01, 1.0),
            "q0": Float(1e-3, 1.0, log=True),
            "level": Ordinal(["none", "very low", "high"]),
        }
    )


def test_irace_switches_pass_the_values(tuned_by):
    values = {"algorithm": "as", "localsearch": "1", "ants": 7, "rho": 0.5, "q0": 0.25, "level": "very low"}
    assert tuned_by(IRACE).commands(values)[0][1:] == [
        "--as", "--localsearch", "1", "--ants", "7", "--rho=0.5", "--q0", "0.25", "--level", "very low", "--tries", "1",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["saps.pcs", "saps-params.txt"])
def test_old_pcs_parameters_become_a_space_with_its_defaults(tuned_by, name):
    assert tuned_by(PCS_OLD, name).space == Space(
        {
            "alpha": Categorical(["1.01", "1.066", "1.126"]),
            "rho": Float(0.0, 1.0),
            "ps": Float(0.001, 0.2, log=True),
            "restarts": Integer(1, 1000, log=True),
            "sp-learned": Categorical(["yes", "no"]),
            "@1:heuristic": Categorical(["a", "b"]),
        },
        {"alpha": "1.066", "rho": 0.5, "ps": 0.05, "restarts": 10, "sp-learned": "yes", "@1:heuristic": "b"},
    )


def test_old_pcs_parameters_are_passed_after_their_names(tuned_by):
    made = tuned_by(PCS_OLD)
    assert made.commands(made.space.default)[0][1:] == [
        "-alpha", "1.066", "-rho", "0.5", "-ps", "0.05", "-restarts", "10",
        "-sp-learned", "yes", "-@1:heuristic", "b", "-fixed", "3",
    ]  # fmt: skip


def test_name_with_a_colon_can_be_used_in_a_command(tuned_by):
    made = tuned_by(PCS_OLD, command="./program {@1:heuristic} {@1:heuristic:>3}")
    assert made.commands(made.space.default)[0][1:] == ["b", "  b"]


def test_new_pcs_parameters_become_a_space_with_its_defaults(tuned_by):
    assert tuned_by(PCS_NEW).space == Space(
        {
            "preprocessing": Categorical(["None", "pca"]),
            "level": Ordinal(["low", "middle", "high"]),
            "neighbours": Integer(1, 100, log=True),
            "gamma": Float(3e-5, 8.0, log=True),
            "degree": Integer(-2, 5),
            "shift": Float(-1.0, 1.0),
        },
        {"preprocessing": "None", "level": "middle", "neighbours": 10, "gamma": 0.1, "degree": 3, "shift": 0.0},
    )


IRACE_LINE = 'ants "--ants " i (5, 100)\n'
MISTAKES = [
    (IRACE_LINE + "[global]\nrepeats = 3", "only digits = ... is known in [global], not 'repeats = 3'"),
    (IRACE_LINE + 'rho "--rho " x (0, 1)', "not a parameter of irace"),
    (IRACE_LINE + 'rho "--rho " r (0, "2*ants")', "'2*ants' is not a number"),
    (IRACE_LINE + 'rho "--rho " i (0, 1.5)', "'1.5' is not a whole number"),
    (IRACE_LINE + 'rho "--rho " r (0, 1, 2)', "must be (lowest, highest), not (0, 1, 2)"),
    (IRACE_LINE + 'rho "--rho " r (1, 0)', "low 1.0 must be below high 0.0; swap them"),
    ("a {x,y} [x]\nb {x,y} [x] | a in {x}", "not a parameter of a PCS file"),
    ("a {x,y} [x]\nb {x,y}", "not a parameter of a PCS file: 'b {x,y}'; write: name {a, b} [a]"),
    ("a {x,y} [x]\nb {x,y} [z]", "'z' is none of the choices ['x', 'y']"),
    ("a {x,y} [x]\nb {x} [z]", "'z' is not the only choice 'x' of 'b'"),
    ("a {x,y} [x]\nb [0, 1] [2]", "2.0 does not lie in Float(low=0.0, high=1.0"),
    ("a {x,y} [x]\nb real [0, 1] [0.5] log", "a log scale needs low above 0"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[message[:40] for _, message in MISTAKES])
def test_line_that_is_not_understood_is_told(tuned_by, text, message):
    with pytest.raises(ScenarioError) as caught:
        tuned_by(text)
    assert caught.value.file.endswith("parameters.txt")
    assert caught.value.line == len(text.splitlines())
    assert message in caught.value.text


def test_parameter_that_stands_twice_is_refused(tuned_by):
    with pytest.raises(ScenarioError, match=r"scenario\.toml:3: the parameter 'a' stands more than once"):
        tuned_by("a {x,y} [x]\na {x,y} [y]")


def test_missing_parameter_file_is_told(tmp_path):
    (tmp_path / "scenario.toml").write_text("command = 'true'\nn_trials = 3\nparameters = 'none.pcs'\n")
    with pytest.raises(ScenarioError, match=r"scenario\.toml:3: parameter file '.*none\.pcs' cannot be read"):
        Scenario.read(tmp_path / "scenario.toml")


@pytest.fixture
def configuration_space():
    ConfigSpace = pytest.importorskip("ConfigSpace")
    space = ConfigSpace.ConfigurationSpace()
    space.add(
        ConfigSpace.Float("rate", (0.1, 1.0), log=True, default=0.2),
        ConfigSpace.Integer("depth", (1, 9), default=3),
        ConfigSpace.Categorical("level", ["low", "high"], ordered=True, default="high"),
        ConfigSpace.Categorical("warm", [True, False], default=False),
        ConfigSpace.Constant("version", 3),
    )
    return space


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_configspace_file_becomes_a_space_with_its_defaults(tuned_by, configuration_space, tmp_path, suffix):
    getattr(configuration_space, f"to_{suffix}")(tmp_path / "space")
    assert tuned_by((tmp_path / "space").read_text(), f"space.{suffix}").space == Space(
        {
            "depth": Integer(1, 9),
            "level": Ordinal(["low", "high"]),
            "rate": Float(0.1, 1.0, log=True),
            "warm": Categorical([True, False]),
        },
        {"rate": 0.2, "depth": 3, "level": "high", "warm": False},
    )


def test_configspace_options_are_passed_with_their_names(tuned_by, configuration_space, tmp_path):
    configuration_space.to_json(tmp_path / "space")
    made = tuned_by((tmp_path / "space").read_text(), "space.json")
    assert sorted(made.commands(made.space.default)[0][1:]) == [
        "--depth=3", "--level=high", "--rate=0.2", "--version=3", "--warm=false",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [("space.json", "{"), ("space.yaml", "a: ["), ("space.json", "[1]")])
def test_foreign_file_in_the_place_of_one_of_configspace_is_refused(tuned_by, name, text):
    with pytest.raises(ScenarioError, match="not a file of ConfigSpace"):
        tuned_by(text, name)


def test_missing_configspace_is_a_sentence_that_names_the_cure(tuned_by, monkeypatch):
    monkeypatch.setitem(sys.modules, "ConfigSpace", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs ConfigSpace: pip install 'configspace>=1.2' 'pyyaml>=6'"):
        tuned_by("{}", "space.json")
