"""The problem of tuning the forest: deterministic, cheap to send, and clear about what it needs."""

import pickle
import subprocess
import sys

import pytest

from rembo.problems import BodyParts
from rembo.problems.bodyparts import Seconds, Size, Stream, Work

SIZE = Size(pictures=5, pixels_per_label=20, judged_pixels=500)


def small(seed=0):
    return BodyParts(seed, SIZE, Work(100_000))


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


@pytest.fixture
def needs_numba():
    pytest.importorskip("numba", reason="the forest needs numba")


@pytest.mark.usefixtures("needs_numba")
def test_value_is_the_share_of_validation_pixels_with_a_wrong_label():
    problem = small()
    pixels = problem.judged(Stream.VALIDATION)
    wrong = problem.forest(problem.space.default).classify(pixels) != pixels.label
    assert problem(problem.space.default) == pytest.approx(wrong.mean())


@pytest.mark.usefixtures("needs_numba")
def test_value_depends_on_seed_and_parameters_alone():
    default = BodyParts().space.default
    values = [small(seed)(default) for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


@pytest.mark.usefixtures("needs_numba")
def test_problem_is_small_to_send_after_it_was_evaluated():
    problem = small()
    value = problem(problem.space.default)
    sent = pickle.dumps(problem)
    assert len(sent) < 1000
    assert pickle.loads(sent)(problem.space.default) == value


@pytest.mark.usefixtures("needs_numba")
def test_configuration_outside_the_space_is_an_error():
    with pytest.raises(ValueError, match="must be a dict of"):
        small()({"max_depth": 3})


def test_test_pictures_are_others_than_validation_pictures():
    validation, test = (small().judged(stream) for stream in (Stream.VALIDATION, Stream.TEST))
    assert (validation.depth != test.depth).any()


def test_error_rate_is_compared_with_none():
    assert small().optimum == 0.0


def test_size_and_budget_of_the_paper_can_be_had():
    problem = BodyParts.as_in_the_paper(seed=3)
    assert (problem.seed, problem.size, problem.budget) == (3, Size(500, 25_000, None), Seconds(300.0))


def test_seed_below_zero_is_an_error():
    with pytest.raises(ValueError, match="seed -1 must be at least 0"):
        BodyParts(-1)


def test_missing_numba_is_a_sentence_that_names_the_cure():
    done = run(
        "import sys; sys.modules['numba'] = None; from rembo.problems import bodyparts; "
        "f = bodyparts.BodyParts(0, bodyparts.Size(1, 1, 1)); f(f.space.default)"
    )
    cure = "ModuleNotFoundError: the forest of BodyParts needs numba: pip install 'numba>=0.61'"
    assert cure in done.stderr


def test_importing_the_problems_does_not_load_numba():
    assert run("import rembo.problems, sys; print('numba' in sys.modules)").stdout == "False\n"
