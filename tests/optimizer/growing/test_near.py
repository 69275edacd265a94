"""The default near a user's default: where most parameters are discrete, the first points change few of them."""

import pytest

from rembo import Bool, Box, Categorical, Float, Growing, Growth, Integer, Space
from rembo.optimizer import Suggestion

PARAMETERS = {
    **{f"int{number}": Integer(0, 100) for number in range(1200)},
    **{f"flag{number}": Bool() for number in range(840)},
    **{f"real{number}": Float(0.0, 1.0) for number in range(560)},
    **{f"letter{number}": Categorical(list("abcd")) for number in range(40)},
}
DEFAULT = {name: {"i": 10, "f": False, "r": 0.5, "l": "a"}[name[0]] for name in PARAMETERS}
SOFTWARE = Space(PARAMETERS, default=DEFAULT)
FLAGS = Space({f"flag{number}": Bool() for number in range(100)}, default={f"flag{n}": False for n in range(100)})


def changed(x):
    return sum(value != pytest.approx(DEFAULT[name]) for name, value in x.items())


def flags(x):
    """The first three flags help, each of the others costs a little."""
    return sum(x.values()) - 10.0 * (x["flag0"] + x["flag1"] + x["flag2"])


def searched(space, n, f=flags, **settings):
    optimizer = Growing(space, seed=1, **settings)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.x))
    return optimizer


def near(optimizer):
    return bool(optimizer.ask().point.embedding.near)


def test_first_points_near_a_default_change_few_of_2640_parameters():
    optimizer = Growing(SOFTWARE, seed=0)
    counts = [changed(trial.x) for trial in optimizer.ask(8)]
    assert counts[0] == 0
    assert max(counts) < 0.05 * 2640
    assert min(counts[1:]) > 0


def test_first_points_change_many_parameters_together_when_near_is_zero():
    optimizer = Growing(SOFTWARE, seed=0, growth=Growth(near=0.0))
    assert min(changed(trial.x) for trial in optimizer.ask(8)[1:]) > 0.3 * 2640


@pytest.mark.parametrize(
    ("space", "x0", "expected"),
    [
        (FLAGS, None, True),
        (Space(FLAGS.parameters), None, False),
        (Space(FLAGS.parameters), dict.fromkeys(FLAGS.parameters, True), True),
        (Box(100), [0.3] * 100, False),
        (Space({"flag": Bool(), "weights": Box(100)}, default={"flag": True, "weights": [0.3] * 100}), None, False),
    ],
    ids=["default", "no default", "x0", "numbers", "most are numbers"],
)
def test_search_is_near_a_default_where_most_parameters_are_discrete(space, x0, expected):
    assert near(Growing(space, x0=x0, seed=0)) is expected


def test_search_near_a_default_finds_the_few_flags_that_matter():
    best = searched(FLAGS, 120).best_trial
    assert best.value < -20.0


def test_search_near_a_default_asks_again_identically():
    first, second = (searched(FLAGS, 20) for _ in range(2))
    assert [trial.x for trial in first.trials] == [trial.x for trial in second.trials]


def test_search_that_an_earlier_version_began_goes_on_as_it_was_begun():
    before, after = searched(FLAGS, 20, growth=Growth(near=0.0)), Growing(FLAGS, seed=1)
    for trial in before.trials:
        after.tell(after.recall(Suggestion.of(trial)), trial.value)
    assert not near(after)
    assert after.trials[-1].x == before.ask().x
