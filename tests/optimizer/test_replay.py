"""A search brought back to where it was, and a search in a hurry: what the laws of all optimizers leave to say."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import (
    BayesOpt,
    BestOf,
    Bool,
    Box,
    Categorical,
    Direct,
    Float,
    GaussianEmbedding,
    Growing,
    Hamming,
    Interleaved,
    Portfolio,
    Product,
    RandomSearch,
    Rembo,
    Space,
    SquaredExponential,
    baselines,
)
from rembo.acquisition import ExpectedImprovement
from rembo.embedding import Region
from rembo.maximizer import CMAES
from rembo.optimizer import Growth, Origin, Suggestion
from rembo.optimizer.mutation import mutants
from rembo.problems import Branin, Padded

BOX = Box(20)
BITS = Space({name: Bool() for name in "abcdef"})
MIXED = Space({"rate": Float(0.0, 1.0), "solver": Categorical(["a", "b", "c"])})
HIDDEN = Padded(Branin(), 100)
EAGER = Growth(bins=4, alone=0, patience=1)  # it grows early


def bowl(trial):
    return float((np.asarray(trial.x) ** 2).sum())


def aside(trial):
    """A bowl around a point that is not the centre, where every search begins."""
    return float(((np.asarray(trial.x) - np.linspace(-0.5, 0.5, trial.x.size)) ** 2).sum())


def flat_bottom(trial):
    """A bowl of two coordinates cut off at 0.05: once that is reached there is no progress."""
    return max((trial.x[3] - 0.5) ** 2 + (trial.x[17] + 0.25) ** 2, 0.05)


def told(optimizer, n, value=bowl):
    return [optimizer.tell(trial := optimizer.ask(), value(trial)) for _ in range(n)]


def hurried(optimizer, n, value=bowl):
    return [optimizer.tell(trial := optimizer.hurry(), value(trial)) for _ in range(n)]


def recalled(optimizer, trials):
    """The optimizer after it recalled and was told trials, one after the other."""
    for trial in trials:
        optimizer.tell(optimizer.recall(Suggestion.of(trial)), trial.value)
    return optimizer


def test_settings_say_which_kernel_was_chosen():
    assert isinstance(Rembo(MIXED, 2, seed=0).settings["kernel"], Product)


def test_settings_keep_the_region_as_it_was_given():
    assert Rembo(BOX, 2, region=Region(2, 3.0), seed=0).settings["region"] == Region(2, 3.0)


def test_settings_name_the_class_of_the_embedding():
    assert Rembo(BOX, 2, seed=0).settings["embedding"] is GaussianEmbedding


def test_settings_of_the_default_keep_the_start_as_it_was_given():
    x0 = {"rate": 0.3, "solver": "b"}
    assert Growing(MIXED, x0=x0, noise="learn", seed=0).settings == {"x0": x0, "growth": Growth(), "noise": "learn"}


def test_settings_of_the_default_without_a_start_leave_it_open():
    assert Growing(MIXED, seed=0).settings["x0"] is None


def test_changing_what_settings_returned_does_no_harm():
    optimizer = Growing(BOX, seed=0)
    optimizer.settings["noise"] = "learn"
    assert optimizer.settings["noise"] == Growing(BOX).settings["noise"]


def test_settings_of_interleaved_runs_are_the_runs():
    runs = [RandomSearch(BOX, seed=1), RandomSearch(BOX, seed=2)]
    assert Interleaved(runs).settings == {"runs": runs}


@pytest.mark.parametrize(
    ("positional", "by_name"),
    [
        (Product(Hamming(), SquaredExponential()), Product(factors=[Hamming(), SquaredExponential()])),
        (BestOf(Direct(), CMAES()), BestOf(maximizers=[Direct(), CMAES()])),
        (Portfolio(ExpectedImprovement(), eta=2.0), Portfolio(members=[ExpectedImprovement()], eta=2.0)),
    ],
    ids=["Product", "BestOf", "Portfolio"],
)
def test_part_made_of_several_can_be_made_from_its_fields(positional, by_name):
    assert positional == by_name == type(positional)(**vars(positional))


def test_recalled_search_goes_through_growth():
    lived = Growing(BOX, growth=EAGER, seed=3)
    told(lived, 45)
    again = recalled(Growing(BOX, **lived.settings, seed=3), lived.trials)
    forest = lived.restarts[-1].catch_up().forest
    assert forest.embedding_dim > 4
    assert again.restarts[-1].catch_up().forest == forest
    assert again.ask().point == lived.ask().point


def test_recalled_search_goes_on_with_the_same_restart():
    lived = Growing(Box(100), growth=Growth(patience=1), seed=5)
    runs = [trial.run for trial in told(lived, 60, flat_bottom)]
    again = recalled(Growing(Box(100), **lived.settings, seed=5), lived.trials)
    assert max(runs) > 0
    assert again.ask().point == lived.ask().point


def test_recalled_portfolio_within_a_run_knows_its_gains():
    def make():
        return Interleaved([Rembo(BOX, 2, acquisition=Portfolio(), seed=1), RandomSearch(BOX, seed=2)])

    lived = make()
    again = recalled(make(), told(lived, 8))
    gains = lived.runs[0].runs[0].state.gains
    assert gains.any()
    assert_array_equal(again.runs[0].runs[0].state.gains, gains)


def test_recalled_trial_of_a_run_within_a_run_goes_to_it():
    def make():
        inner = Interleaved([Rembo(BOX, 2, runs=2, seed=1), BayesOpt(BOX, seed=2)])
        return Interleaved([RandomSearch(BOX, seed=3), inner])

    lived = make()
    told(lived, 12)
    again = recalled(make(), lived.trials)
    assert [trial.run for trial in again.runs[1].trials] == [trial.run for trial in lived.runs[1].trials]
    assert [trial.point for trial in again.ask(4)] == [trial.point for trial in lived.ask(4)]


def test_recalled_point_of_the_user_is_no_ask():
    optimizer = RandomSearch(BOX, seed=0)
    optimizer.recall(Suggestion(RandomSearch(BOX, seed=0).adopt(np.zeros(20)).point, origin=Origin.GIVEN))
    assert optimizer.ask().point == RandomSearch(BOX, seed=0).ask().point


def test_recalled_generations_continue():
    lived = baselines.CMAES(BOX, seed=5)
    told(lived, 40)
    assert recalled(baselines.CMAES(BOX, seed=5), lived.trials).ask().point == lived.ask().point


def test_library_that_suggests_another_point_than_before_is_an_error():
    foreign = baselines.CMAES(BOX, seed=6).ask()
    with pytest.raises(RuntimeError, match="cannot be recalled: asked again, the library suggests"):
        baselines.CMAES(BOX, seed=5).recall(Suggestion.of(foreign))


def test_hurried_trials_differ_from_asked_ones():
    optimizer, twin = Growing(BOX, seed=0), Growing(BOX, seed=0)
    told(optimizer, 3)
    told(twin, 3)
    assert optimizer.ask().point != twin.hurry().point


def regret(verb, make, seed):
    """How far above the optimum the best of 200 trials of hidden Branin lies."""
    optimizer = make(HIDDEN.space, seed=seed)
    verb(optimizer, 200, lambda trial: HIDDEN(trial.x))
    return optimizer.best_trial.value - HIDDEN.optimum


def test_hurried_trials_come_closer_to_a_hidden_optimum_than_random_ones():
    hasty = [regret(hurried, Growing, seed) for seed in range(5)]
    random = [regret(told, RandomSearch, seed) for seed in range(5)]
    assert np.median(hasty) < 0.1 * np.median(random)  # 0.001 and 0.3 are usual


def test_hurried_trials_stay_in_the_newest_forest():
    optimizer = Growing(BOX, growth=EAGER, seed=3)
    forest = told(optimizer, 40, aside)[-1].point.embedding
    assert forest.embedding_dim > 4
    assert optimizer.hurry().point.embedding == forest


def test_hurried_trials_change_few_bins_of_the_best():
    optimizer = Growing(Box(1000), growth=Growth(bins=64), seed=0)
    best = optimizer.tell(optimizer.ask(), -1.0)
    moved = [int((optimizer.hurry().y != best.y).sum()) for _ in range(40)]
    assert np.median(moved) <= 6


def test_hurried_trials_turn_to_every_run_now_and_then():
    optimizer = Rembo(BOX, 2, runs=2, seed=0)
    assert {trial.run for trial in hurried(optimizer, 60)} == {0, 1}


@pytest.mark.parametrize(
    "make", [lambda: Growing(BITS, seed=1), lambda: Rembo(BITS, 3, seed=1), lambda: baselines.ParamILS(BITS, seed=1)]
)
def test_hurried_trials_of_a_finite_space_are_new(make):
    trials = hurried(make(), 6, lambda trial: sum(trial.x.values()))
    assert len({tuple(trial.x.values()) for trial in trials}) == 6


def test_hurried_trials_go_on_when_every_choice_was_tried():
    trials = hurried(Growing(Bool(), seed=1), 5, lambda trial: float(trial.x))
    assert {trial.x for trial in trials} == {True, False}


def test_mutants_are_in_the_region():
    steps = mutants(np.array([2.0, -2.0, 0.0]), Region(3, 2.0), np.random.default_rng(0))
    assert np.abs([next(steps) for _ in range(200)]).max() <= 2.0


def test_mutants_differ_from_a_point_at_the_edge():
    corner = np.full(4, 1.0)
    steps = mutants(corner, Region(4, 1.0), np.random.default_rng(0))
    assert all((next(steps) != corner).any() for _ in range(200))


def test_mutants_lie_near_and_far():
    steps = mutants(np.zeros(5), Region(5, 1.0), np.random.default_rng(0))
    lengths = [np.abs(next(steps)).max() for _ in range(200)]
    assert min(lengths) < 0.01
    assert max(lengths) > 0.9


def test_mutants_of_no_point_fill_the_region():
    points = mutants(None, Region(2, 3.0), np.random.default_rng(0))
    sample = np.array([next(points) for _ in range(200)])
    assert (sample.min(axis=0) < -2.5).all()
    assert (sample.max(axis=0) > 2.5).all()
