"""One restart: its design, its forests, which step comes next, and when it learns."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from states import FOREST, SPACE

from rembo import Box, Categorical, Growth, Point, Space, Trial
from rembo.embedding import Forest, Layout
from rembo.gp import Noise
from rembo.optimizer import Origin
from rembo.optimizer.growing import Restart
from rembo.optimizer.growing.model import Modelling

NOISELESS = Noise(1e-8, 1e-8)
ALONE = Forest.planted(Layout.numbers(4), 4, seed=1)  # nothing to split


def restart(forest=FOREST, space=SPACE, noise=NOISELESS):
    return Restart(space, forest, Growth(), noise, seed=3)


def told(ours, n, f, pending=()):
    """The restart after so many of its own suggestions, and the origin of each."""
    origins = []
    for number in range(n):
        if (asked := ours.suggest(number, pending)) is None:
            break
        origins.append(asked.origin)
        ours.observe(Trial(number, None, asked.point, value=f(asked.point), origin=asked.origin))
    return ours, origins


def valley(point):
    """A function of two of forty coordinates."""
    return (point[3] - 0.5) ** 2 + (point[17] + 0.3) ** 2


# The design


def test_design_is_longer_where_many_bins_are_to_be_told_apart():
    designs = [restart(Forest.planted(Layout.numbers(40), bins, seed=1)).design for bins in (2, 4, 8, 40)]
    assert designs == sorted(designs)
    assert designs[0] >= 2
    assert designs[-1] >= 40 // 3


def test_first_point_of_a_restart_is_the_centre():
    assert_array_equal(restart().suggest(0, []).point.y, FOREST.origin)


def test_design_of_a_restart_has_distinct_points():
    asked = [tuple(restart().suggest(turn, []).point.y) for turn in range(restart().design)]
    assert len(set(asked)) == restart().design


def test_design_goes_on_with_distinct_points_for_as_long_as_need_be():
    asked = {tuple(restart().suggest(turn, []).point.y) for turn in range(100)}
    assert len(asked) == 100


def test_design_takes_values_from_all_of_the_range_of_each_bin():
    first = np.array([restart().suggest(turn, []).point.y for turn in range(1, restart().design + 1)])
    assert (first.min(axis=0) < -0.3).all()
    assert (first.max(axis=0) > 0.3).all()


CHOICES = Space({name: Categorical(range(9)) for name in "abcd"})
A_BIN_EACH = Forest.planted(Layout.of(CHOICES), 4, seed=1, choices=4)


def next_origin(ours, *values):
    """Why the next point is asked, after these values, of which NaN is a failure."""
    for number, value in enumerate(values):
        asked = ours.suggest(number, [])
        ours.observe(Trial(number, None, asked.point, value=None if math.isnan(value) else value, origin=asked.origin))
    return ours.suggest(len(values), []).origin


DESIGN = restart(A_BIN_EACH, CHOICES).design
DISTINCT = [float(value) for value in range(DESIGN, 0, -1)]


@pytest.mark.parametrize(
    ("values", "more"),
    [
        (DISTINCT, False),
        ([9.0, 9.0, *DISTINCT[2:]], True),
        ([9.0, math.nan, *DISTINCT[2:]], True),
        ([9.0, 9.0, *DISTINCT[2:], 5.1], True),
        ([9.0, 9.0, *DISTINCT[2:], 5.1, 5.2], False),
    ],
    ids=["all tell", "two are the worst", "one failed", "one more", "two more"],
)
def test_design_among_choices_goes_on_until_as_many_values_tell_something(values, more):
    assert (next_origin(restart(A_BIN_EACH, CHOICES), *values) is Origin.DESIGN) is more


@pytest.mark.parametrize(("count", "more"), [(4 * DESIGN - 1, True), (4 * DESIGN, False)])
def test_design_of_values_that_tell_nothing_ends(count, more):
    values = [2.0, 1.0, *[3.0] * (count - 2)]
    assert (next_origin(restart(A_BIN_EACH, CHOICES), *values) is Origin.DESIGN) is more


def test_design_among_numbers_does_not_wait_for_values_that_tell_something():
    assert next_origin(restart(), *[9.0] * (restart().design - 2), 2.0, 1.0) is not Origin.DESIGN


def test_design_goes_on_while_everything_fails():
    assert next_origin(restart(), *[math.nan] * 12) is Origin.DESIGN


# The steps


def test_restart_says_which_step_asked():
    ours, origins = told(restart(), 40, valley)
    assert origins[: ours.design] == [Origin.DESIGN] * ours.design
    assert set(origins[ours.design :]) <= {Origin.POLISH, Origin.EXPLORE, Origin.EXPLOIT, Origin.GROW}


MIXED = Space({"a": Categorical(range(9)), "b": Categorical(range(9)), "u": Box(2)})


def asked_of_a_sum(space, margin, n):
    """The first points that are asked, (n, d), with this margin, of a sum in steps that is soon at its lowest."""
    forest = Forest.planted(Layout.of(space), 4, seed=1, choices=4)  # a bin each
    ours = Restart(space, forest, Growth(margin=margin), NOISELESS, seed=3)
    asked = []
    for number in range(n):
        asked.append(ours.suggest(number, []))
        y = asked[-1].point.y
        value = 0.3 * abs(round(4.5 * y[2]) - 2) + 0.1 * abs(round(4.5 * y[3]) + 2)
        ours.observe(Trial(number, None, asked[-1].point, value=value, origin=asked[-1].origin))
    return np.array([suggestion.point.y for suggestion in asked])


@pytest.mark.parametrize("space", [MIXED, CHOICES], ids=["with numbers", "categoricals alone"])
def test_margin_is_demanded_among_categoricals_where_progress_stalls(space):
    before = DESIGN + 2 * Growth().patience
    none, some = (asked_of_a_sum(space, margin, before + 30) for margin in (0.0, 1.0))
    assert_array_equal(none[:before], some[:before])
    assert not np.array_equal(none[before:], some[before:])


def test_margin_is_not_demanded_among_numbers():
    assert_array_equal(asked_of_a_sum(Box(4), 0.0, 24), asked_of_a_sum(Box(4), 1.0, 24))


def test_step_that_grows_is_asked_in_a_finer_forest():
    ours, seen = restart(), []
    for number in range(48):  # rounding decides which kind of step comes when
        before, asked = ours.catch_up().dim, ours.suggest(number, [])
        if asked is None:
            break
        seen.append((asked.origin is Origin.GROW, asked.point.embedding.embedding_dim > before))
        ours.observe(Trial(number, None, asked.point, value=valley(asked.point), origin=asked.origin))
    assert any(grown for grown, _ in seen)
    assert all(grown == finer for grown, finer in seen)


def test_step_is_never_polishing_under_noise():
    rng = np.random.default_rng(0)
    noisy = restart(ALONE, Box(4), noise=Noise(1e-8, 1.0))
    _, origins = told(noisy, 16, lambda point: float((point[:] ** 2).sum()) + 0.1 * rng.standard_normal())
    assert Origin.POLISH not in origins


def test_bowl_of_all_numbers_is_polished():
    ours, origins = told(restart(ALONE, Box(4)), 40, lambda point: float(((point[:] - 0.2) ** 2).sum()))
    assert Origin.POLISH in origins
    assert ours.catch_up().best < 1e-6  # of 0.16 in the middle


@pytest.mark.parametrize("values", [[1.0] * 8, [3.0, 1.0, 2.0, 1.5, 4.0, 5.0, 0.5, 2.5]], ids=["flat", "rough"])
def test_suggestion_is_a_function_of_what_was_told(values):
    first, second = restart(), restart()
    for number, value in enumerate(values):
        y = np.random.default_rng(number).uniform(-1.0, 1.0, 4)
        for each in (first, second):
            each.observe(Trial(number, None, Point(FOREST, y), value=value))
        first.suggest(number + 1, [])  # only the first one is asked in between
    assert first.suggest(9, []).point == second.suggest(9, []).point


def test_pending_trials_are_not_asked_again():
    ours, _ = told(restart(), 12, valley)
    first = ours.suggest(12, [])
    pending = Trial(12, None, first.point, origin=first.origin)
    assert ours.suggest(13, [pending]).point != first.point


# Forests


def pending_in(*forests):
    return [Trial(n, None, Point(forest, np.zeros(forest.embedding_dim))) for n, forest in enumerate(forests)]


def test_newest_forest_is_the_finest_of_the_pending_trials():
    finer, finest = FOREST.split([0]), FOREST.split([0, 1])
    assert restart().newest_forest(pending_in(finer, finest, FOREST)) == finest


def test_suggestion_is_made_in_the_finest_forest_of_the_pending_trials():
    ours, _ = told(restart(), 8, valley)
    finer = ours.catch_up().forest.split([0])
    assert ours.suggest(8, pending_in(finer)).point.embedding.refines(finer)


def test_pending_trials_do_not_change_the_state():
    ours, _ = told(restart(), 8, valley)
    state, model = ours.catch_up(), ours.model()
    ours.suggest(8, pending_in(state.forest.split([0])))
    assert ours.catch_up() is state
    assert ours.model() is model


def test_trial_of_a_coarser_forest_may_be_told_last():
    ours = restart()
    ours.observe(replace(pending_in(FOREST.split([0]))[0], value=1.0))
    late = Trial(1, None, Point(FOREST, np.array([0.1, 0.2, 0.3, 0.4])), value=2.0)
    ours.observe(late)
    state = ours.catch_up()
    assert_array_equal(Point(state.forest, state.data.Y[-1])[:], late.point[:])


# When it learns


def observing(ours, numbers, origin):
    """A restart that is told of random points of this origin."""
    rng = np.random.default_rng(0)
    for number in numbers:
        point = Point(FOREST, rng.uniform(-1.0, 1.0, 4))
        ours.observe(Trial(number, None, point, value=float(point.y[0] ** 2), origin=origin))
    return ours


def test_model_is_not_learned_again_from_hurried_trials():
    ours = observing(restart(), range(8), Origin.EXPLOIT)
    learned = ours.model()
    assert observing(ours, range(8, 38), Origin.HURRIED).model() is learned


def test_model_is_learned_again_at_the_first_ask_after_hurried_trials():
    ours = observing(restart(), range(42), Origin.HURRIED)
    assert observing(ours, [42], Origin.EXPLOIT).model().seen == 43


def test_model_of_a_restart_that_saw_nothing_is_the_one_expected():
    ours = restart()
    assert ours.model().seen == 0
    assert len(set(ours.model().in_force.lengths)) == 1


def test_posterior_of_a_restart_that_saw_nothing_has_no_observations():
    assert len(restart().posterior()) == 0


def test_posterior_is_conditioned_on_all_that_was_told():
    assert len(observing(restart(), range(9), Origin.EXPLOIT).posterior()) == 9


def test_being_told_learns_nothing(monkeypatch):
    monkeypatch.setattr(Modelling, "learned", lambda *_: pytest.fail("a model was learned"))
    assert observing(restart(), range(30), Origin.EXPLOIT).design < 30


def test_state_is_the_same_whenever_it_catches_up():
    often, once = restart(), restart()
    for number in range(12):
        observing(often, [number], Origin.EXPLOIT).catch_up()
        observing(once, [number], Origin.EXPLOIT)
    assert_array_equal(often.model().in_force.lengths, once.model().in_force.lengths)
    assert often.catch_up().since_progress == once.catch_up().since_progress
