"""What pictures and tables show of ordinals, and of parameters that are inactive."""

import pytest

from rembo import Bool, Box, Integer, Is, Ordinal, RandomSearch, Space, Study
from rembo.plot.data.coordinates import find_coordinate, positions

SPACE = Space(
    {"warm": Bool(), "steps": Integer(1, 40).when(Is("warm", True)), "weights": Box(2).when(Is("warm", True))},
    forbidden=[Is("steps", 40)],
)


@pytest.fixture
def trials():
    study = Study(SPACE, optimizer=RandomSearch(SPACE, seed=0))
    study.optimize(lambda x: x.get("steps", 0), 12)
    return study.trials


def test_inactive_parameters_have_no_position(trials):
    steps, weight = find_coordinate(SPACE, "steps"), find_coordinate(SPACE, "weights[1]")
    inactive = [u != u for u in positions(trials, [steps])[:, 0].tolist()]
    assert inactive == [not trial.x["warm"] for trial in trials]
    assert inactive == [u != u for u in positions(trials, [weight])[:, 0].tolist()]
    assert 0 < sum(inactive) < len(trials)


def test_positions_are_of_what_f_got(trials):
    steps = find_coordinate(SPACE, "steps")
    shown = [steps.value(u) for u in positions(trials, [steps])[:, 0].tolist() if u == u]
    assert shown == [trial.x["steps"] for trial in trials if trial.x["warm"]]


def test_words_are_shown_by_name_and_numbers_as_such():
    words, numbers = Ordinal(["none", "low", "middle", "high"]), Ordinal([1, 2, 5, 10, 20])
    space = Space({"level": words, "size": numbers})
    level, size = find_coordinate(space, "level"), find_coordinate(space, "size")
    assert (level.names, level.number(1.0), level.text(1.0)) == (words.values, 3.0, "high")
    assert (size.names, size.number(1.0), size.text(1.0)) == ((), 20.0, "20")
