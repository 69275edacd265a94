"""Laws of every optimizer, on spaces that are continuous, mixed, categorical and whole-numbered."""

import math
import pickle
from functools import cache
from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import pdist

from rembo import (
    CMAES,
    BayesOpt,
    BestOf,
    Bool,
    Box,
    Categorical,
    Direct,
    Float,
    Growing,
    HashEmbedding,
    Image,
    Integer,
    Interleaved,
    Matern52,
    Point,
    Portfolio,
    RandomSearch,
    Rembo,
    Space,
    ThompsonSampling,
    TrialState,
    UpperConfidenceBound,
    baselines,
)
from rembo.embedding import IdentityEmbedding
from rembo.optimizer import Origin, Suggestion

SPACES = {
    "box": Box(10, low=-2.0, high=3.0),
    "mixed": Space(
        {
            "rate": Float(1e-4, 1.0, log=True),
            "layers": Integer(1, 8),
            "solver": Categorical(["adam", "sgd", "lbfgs"]),
            "weights": Box(4, low=0.0, high=1.0),
        }
    ),
    "categories": Space({"a": Categorical(["r", "g", "b"]), "b": Bool(), "c": Categorical([1, 2, 3, 4])}),
    "integers": Space({"a": Integer(0, 9), "b": Integer(1, 1000, log=True), "c": Integer(-3, 3)}),
}

EMBEDDED = {
    "Rembo": lambda space, seed: Rembo(space, embedding_dim=2, seed=seed),
    "Rembo of two runs": lambda space, seed: Rembo(space, embedding_dim=3, runs=2, seed=seed),
    "Rembo by hashing": lambda space, seed: Rembo(space, 2, embedding=HashEmbedding, seed=seed),
    "Rembo on the image": lambda space, seed: Rembo(space, 2, kernel=Matern52(on=Image()), seed=seed),
    "Rembo with a portfolio": lambda space, seed: Rembo(space, 2, acquisition=Portfolio(), seed=seed),
    "Rembo with Thompson": lambda space, seed: Rembo(space, 2, acquisition=ThompsonSampling(), seed=seed),
    "Rembo with a bound": lambda space, seed: Rembo(space, 2, acquisition=UpperConfidenceBound(), seed=seed),
    "Rembo with the paper's search": lambda space, seed: Rembo(
        space, 2, maximizer=BestOf(Direct(50), CMAES(50)), seed=seed
    ),
    "BayesOpt": lambda space, seed: BayesOpt(space, seed=seed),
}
FOREIGN = {  # package: the optimizers that need it
    "optuna": {"TPE": lambda space, seed: baselines.TPE(space, seed=seed)},
    "smac": {"SMAC": lambda space, seed: baselines.SMAC(space, seed=seed)},
}
BASELINES = {
    "ParamILS": lambda space, seed: baselines.ParamILS(space, seed=seed),
    "CMA-ES": lambda space, seed: baselines.CMAES(space, seed=seed),
    "HDBO": lambda space, seed: baselines.HDBO(space, seed=seed),
    "SIBO": lambda space, seed: baselines.SIBO(space, 2, bases=2, directions=2, seed=seed),
    **{name: make for package, found in FOREIGN.items() if find_spec(package) for name, make in found.items()},
}
OPTIMIZERS = (
    EMBEDDED
    | BASELINES
    | {
        "Growing": lambda space, seed: Growing(space, seed=seed),
        "RandomSearch": lambda space, seed: RandomSearch(space, seed=seed),
        "Interleaved": lambda space, seed: Interleaved([Rembo(space, 2, seed=seed), RandomSearch(space, seed=seed)]),
    }
)
REAL_NUMBERS_ALONE = ["HDBO", "SIBO"]
REFUSED = {  # errors of their own: distance on the image needs a number, and two baselines need nothing but real ones
    ("Rembo on the image", "categories"),
    *((kind, space) for kind in REAL_NUMBERS_ALONE for space in SPACES if space != "box"),
}
OF_ITS_OWN = ["Rembo", "BayesOpt", "Growing", "RandomSearch", *BASELINES]

of_every_kind = pytest.mark.parametrize("kind", OPTIMIZERS)
on_every_space = pytest.mark.parametrize(
    ("kind", "space"), [pair for pair in product(OPTIMIZERS, SPACES) if pair not in REFUSED]
)


def make(kind, space="box", seed=7):
    return OPTIMIZERS[kind](SPACES[space], seed)


def value_at(trial, space):
    """A bowl around a point off the centre, the same for every x that f cannot tell apart."""
    return float(((SPACES[space].encode(trial.x) - 0.3) ** 2).sum())


def search(optimizer, space, rounds):
    """So many rounds of a batch of two, of which the later is told first, and of one more."""
    for _ in range(rounds):
        for trial in [*reversed(optimizer.ask(2)), optimizer.ask()]:
            optimizer.tell(trial, value_at(trial, space))
    return optimizer


@cache
def searched(kind, space):
    """An optimizer after nine trials, to be read and not to be changed."""
    return search(make(kind, space), space, rounds=3)


@on_every_space
def test_optimizer_asks_only_legal_values(kind, space):
    positions = [SPACES[space].encode(trial.x) for trial in searched(kind, space).trials]  # raises at an illegal one
    assert np.abs(positions).max() <= 1.0


@pytest.mark.parametrize(("kind", "space"), [pair for pair in product(EMBEDDED, SPACES) if pair not in REFUSED])
def test_optimizer_asks_only_in_the_region(kind, space):
    optimizer = searched(kind, space)
    assert all(optimizer.runs[trial.run].region.contains(trial.y) for trial in optimizer.trials)


@on_every_space
def test_same_seed_and_same_tells_give_the_same_asks(kind, space):
    again = search(make(kind, space), space, rounds=3)
    assert [trial.y.tolist() for trial in again.trials] == [trial.y.tolist() for trial in searched(kind, space).trials]


def equal_to(optimizer):
    """An optimizer made from another's settings; a composite one from runs that are made so."""
    if isinstance(optimizer, Interleaved):
        return Interleaved(runs=[equal_to(run) for run in optimizer.settings["runs"]])
    return type(optimizer)(optimizer.space, **optimizer.settings, seed=optimizer.seed)


def places(trials):
    return [(trial.run, trial.point.embedding, trial.y.tolist()) for trial in trials]


@on_every_space
def test_equal_settings_and_seed_give_the_same_asks(kind, space):
    again = search(equal_to(searched(kind, space)), space, rounds=2)
    assert places(again.trials) == places(searched(kind, space).trials[:6])


@pytest.mark.parametrize("kind", [kind for kind in OPTIMIZERS if kind != "Interleaved"])  # runs are not compared
def test_equal_optimizer_has_equal_settings(kind):
    assert equal_to(make(kind)).settings == make(kind).settings


@of_every_kind
def test_another_seed_gives_other_asks(kind):
    other = search(make(kind, seed=8), "box", rounds=2)
    ours = searched(kind, "box").trials[: len(other.trials)]
    assert [list(trial.x) for trial in other.trials] != [list(trial.x) for trial in ours]


@pytest.mark.parametrize("kind", ["Rembo of two runs", *OF_ITS_OWN])
def test_optimizer_draws_a_seed_that_can_be_used_again(kind):
    first = search(make(kind, seed=None), "box", rounds=1)
    again = search(make(kind, seed=first.seed), "box", rounds=1)
    assert [list(trial.x) for trial in first.trials] == [list(trial.x) for trial in again.trials]


@on_every_space
def test_batch_may_be_told_in_any_order(kind, space):
    optimizer = make(kind, space)
    batch = optimizer.ask(4)
    told = [optimizer.tell(batch[i], value_at(batch[i], space)) for i in (2, 0, 3, 1)]
    assert [trial.number for trial in told] == [2, 0, 3, 1]
    assert optimizer.pending == ()


@of_every_kind
def test_asks_are_numbered_in_order(kind):
    assert [trial.number for trial in searched(kind, "box").trials] == list(range(9))


@of_every_kind
def test_batch_on_a_continuum_has_distinct_points(kind):
    points = np.array([[*trial.point, trial.run] for trial in make(kind).ask(6)])
    assert len(np.unique(points, axis=0)) == 6


@pytest.mark.parametrize(
    "kind", [kind for kind in [*EMBEDDED, "Growing"] if kind != "Rembo with Thompson"]
)  # draws may agree
def test_batch_keeps_apart_where_one_place_looks_best(kind):
    optimizer = search(make(kind), "box", rounds=3)
    batch = np.array([[*trial.y, 100.0 * trial.run] for trial in optimizer.ask(6)])
    # asks that know nothing of each other all go to the one maximum of the acquisition, to within 2e-5
    assert pdist(batch).min() > 1e-3


@of_every_kind
def test_telling_twice_is_an_error_that_names_the_trial(kind):
    optimizer = make(kind)
    _, second = optimizer.ask(2)
    optimizer.tell(second, 0.25)
    with pytest.raises(ValueError, match=r"trial 1 was told already, with value 0\.25: each trial is told once"):
        optimizer.tell(second, 0.5)


@of_every_kind
def test_failing_a_told_trial_leaves_its_value(kind):
    optimizer = make(kind)
    trial = optimizer.ask()
    optimizer.tell(trial, 0.25)
    with pytest.raises(ValueError, match="trial 0 was told already"):
        optimizer.fail(trial, "too late")
    assert optimizer.trials[0].value == 0.25


@of_every_kind
def test_telling_a_failed_trial_is_an_error_that_names_the_reason(kind):
    optimizer = make(kind)
    trial = optimizer.ask()
    optimizer.fail(trial, "out of memory")
    with pytest.raises(ValueError, match="trial 0 was told already, with failure 'out of memory'"):
        optimizer.tell(trial, 1.0)


@of_every_kind
def test_trial_of_another_optimizer_is_an_error(kind):
    optimizer, other = make(kind, seed=1), make(kind, seed=2)
    optimizer.ask(4)
    foreign = other.ask(4)[3]
    with pytest.raises(ValueError, match="trial 3 was not asked by this optimizer: tell it to the one that asked"):
        optimizer.tell(foreign, 1.0)


@of_every_kind
def test_trial_that_was_not_asked_yet_is_an_error(kind):
    optimizer, ahead = make(kind), make(kind)
    with pytest.raises(ValueError, match="trial 1 was not asked by this optimizer"):
        optimizer.tell(ahead.ask(2)[1], 1.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
@of_every_kind
def test_value_that_is_not_finite_leaves_the_trial_pending(kind, value):
    optimizer = make(kind)
    trial = optimizer.ask()
    with pytest.raises(ValueError, match=rf"must be finite, not {value}: report a failure with fail\(trial, reason\)"):
        optimizer.tell(trial, value)
    assert optimizer.pending == (trial,)


@pytest.mark.parametrize("value", [None, "0.5", 1j, np.complex128(1.0), [0.5], np.ones(2)], ids=repr)
@of_every_kind
def test_value_that_is_no_number_leaves_the_trial_pending(kind, value):
    optimizer = make(kind)
    trial = optimizer.ask()
    with pytest.raises(TypeError, match="the value told must be a number, not"):
        optimizer.tell(trial, value)
    assert optimizer.pending == (trial,)


@of_every_kind
def test_trial_can_be_told_after_a_refused_value(kind):
    optimizer = make(kind)
    trial = optimizer.ask()
    with pytest.raises(ValueError, match="finite"):
        optimizer.tell(trial, math.nan)
    assert optimizer.tell(trial, 0.5).value == 0.5


@pytest.mark.parametrize("value", [3, True, np.float32(0.5), np.int64(-2)], ids=repr)
@of_every_kind
def test_any_real_number_may_be_told(kind, value):
    optimizer = make(kind)
    told = optimizer.tell(optimizer.ask(), value)
    assert told.value == float(value)
    assert type(told.value) is float


@of_every_kind
def test_failure_keeps_its_reason(kind):
    optimizer = make(kind)
    failed = optimizer.fail(optimizer.ask(), "the solver diverged")
    assert failed.failure == optimizer.trials[0].failure == "the solver diverged"
    assert failed.state is TrialState.FAIL
    assert failed.value is None


@on_every_space
def test_search_goes_on_after_failures(kind, space):
    optimizer = make(kind, space)
    failed = [optimizer.fail(trial, "no luck") for trial in optimizer.ask(3)]
    told = [optimizer.tell(trial, value_at(trial, space)) for trial in optimizer.ask(3)]
    assert len(optimizer.trials) == len(failed) + len(told) == 6
    assert optimizer.best_trial.number >= 3


@of_every_kind
def test_failing_what_is_no_trial_is_an_error(kind):
    with pytest.raises(TypeError, match=r"a trial made by ask\(\) is needed, not 3"):
        make(kind).fail(3, "no luck")


@on_every_space
def test_best_trial_has_the_lowest_value(kind, space):
    optimizer = searched(kind, space)
    assert optimizer.best_trial.value == min(trial.value for trial in optimizer.trials)


@of_every_kind
def test_best_trial_before_any_value_is_an_error(kind):
    optimizer = make(kind)
    optimizer.fail(optimizer.ask(), "no luck")
    with pytest.raises(ValueError, match="no trial is complete yet: tell a value first"):
        optimizer.best_trial  # noqa: B018


@of_every_kind
def test_trial_goes_from_running_to_complete(kind):
    optimizer = make(kind)
    asked = optimizer.ask()
    before = optimizer.trials[0].state
    optimizer.tell(asked, 1.0)
    assert (before, optimizer.trials[0].state) == (TrialState.RUNNING, TrialState.COMPLETE)


@of_every_kind
def test_pending_trials_are_those_not_told(kind):
    optimizer = make(kind)
    batch = optimizer.ask(3)
    optimizer.tell(batch[1], 1.0)
    assert [trial.number for trial in optimizer.pending] == [0, 2]


@on_every_space
def test_pickled_trial_can_be_told(kind, space):
    optimizer = make(kind, space)
    travelled = pickle.loads(pickle.dumps(optimizer.ask()))
    assert optimizer.tell(travelled, 1.0).number == 0


@pytest.mark.parametrize("number", [0, -1])
@of_every_kind
def test_batch_below_one_is_an_error(kind, number):
    with pytest.raises(ValueError, match=rf"number of trials .*{number} must be at least 1"):
        make(kind).ask(number)


def test_batch_of_a_fraction_is_an_error_that_names_it():
    with pytest.raises(TypeError, match=r"1\.5"):
        make("Rembo").ask(1.5)


@pytest.mark.parametrize("kind", [*EMBEDDED, "Growing"])
def test_first_ask_is_the_origin(kind):
    assert not make(kind).ask().y.any()


@of_every_kind
def test_own_point_can_be_adopted_and_told(kind):
    donor, optimizer = make(kind), make(kind)
    trial = optimizer.adopt(donor.ask().x)
    assert optimizer.tell(trial, 0.5).value == optimizer.best_trial.value == 0.5


@of_every_kind
def test_adopted_trial_reads_as_what_was_brought(kind):
    brought = make(kind).ask(3)[2].x
    assert_array_equal(make(kind).adopt(brought).x, brought)


@pytest.mark.parametrize("seed", ["a", 1.5])
@pytest.mark.parametrize("kind", OF_ITS_OWN)
def test_seed_that_is_no_whole_number_is_an_error(kind, seed):
    with pytest.raises(TypeError, match=rf"seed must be a whole number.* not {seed!r}"):
        make(kind, seed=seed)


@pytest.mark.parametrize("kind", OF_ITS_OWN)
def test_negative_seed_is_an_error(kind):
    with pytest.raises(ValueError, match="seed -1 must be at least 0"):
        make(kind, seed=-1)


@pytest.mark.parametrize("kind", OF_ITS_OWN)
def test_what_is_no_space_is_an_error(kind):
    with pytest.raises(TypeError, match=r"space must be a Box, a Space or a single parameter, not 10: e\.g\."):
        OPTIMIZERS[kind](10, 0)


@pytest.mark.parametrize("kind", [kind for kind in OPTIMIZERS if (kind, "categories") not in REFUSED])
def test_search_goes_on_when_every_choice_was_tried(kind):
    space = Space({"a": Bool(), "b": Bool(), "c": Bool()})
    optimizer = OPTIMIZERS[kind](space, 7)
    told = [optimizer.tell(trial := optimizer.ask(), sum(trial.x.values())) for _ in range(20)]
    assert len(told) == 20


@of_every_kind
def test_search_goes_on_when_one_point_is_told_many_times(kind):
    optimizer = make(kind)
    x = make(kind).ask().x
    told = [optimizer.tell(x, value) for value in (1.0, 1.0, 3.0, -2.0, 1.0)]
    assert optimizer.ask().number == len(told)


@of_every_kind
def test_search_goes_on_when_all_values_are_equal(kind):
    optimizer = make(kind)
    told = [optimizer.tell(optimizer.ask(), 0.1) for _ in range(7)]
    assert optimizer.ask().number == len(told)


@pytest.mark.parametrize("size", [1e-320, 1e160, 1e308])
@pytest.mark.parametrize("kind", ["Rembo with a portfolio", *OF_ITS_OWN])
def test_search_goes_on_after_values_of_any_finite_size(kind, size):
    optimizer = make(kind)
    told = [optimizer.tell(optimizer.ask(), size * sign) for sign in (1.0, -1.0, 0.5, -0.25)]
    assert optimizer.best_trial.number == 1
    assert optimizer.ask().number == len(told)


def report(optimizer, trial):
    """Fails where y_1 > 0; elsewhere a bowl with its lowest point in the middle of that half."""
    y = trial.y / optimizer.runs[trial.run].region.half_width
    if y[0] > 0.0:
        return optimizer.fail(trial, "no luck")
    return optimizer.tell(trial, (y[0] + 0.5) ** 2 + float((y[1:] ** 2).sum()))


def with_a_failing_half(kind):
    """An optimizer that was told of 32 points all over the region, half of which failed."""
    optimizer = OPTIMIZERS[kind](Box(3), 3)
    for run in optimizer.runs:
        for y in run.region.sobol(32, np.random.default_rng(0)):
            report(optimizer, optimizer.adopt(Point(run.embedding, y)))
    return optimizer


@pytest.mark.parametrize("kind", EMBEDDED)
def test_most_asks_avoid_a_half_where_all_evaluations_failed(kind):
    optimizer = with_a_failing_half(kind)
    later = [report(optimizer, optimizer.ask()).state for _ in range(24)]
    # a fair coin shows heads in two thirds of 24 throws with probability 0.08, for all nine kinds with 1e-10
    assert later.count(TrialState.COMPLETE) >= 16


EVENTS = (  # what happens to which trial, in an order that asynchronous workers make
    *[("ask", 0), ("ask", 1), ("hurry", 2), ("tell", 1), ("adopt", 3), ("fail", 0), ("ask", 4), ("tell", 2)],
    *[("ask", 5), ("hurry", 6), ("tell", 5), ("tell", 3), ("hurry", 7), ("tell", 7), ("ask", 8)],
)


def live(optimizer, space):
    """The events as they happen; trials 4, 6 and 8 are pending in the end."""
    for event, number in EVENTS:
        if event == "adopt" and space == "box":  # of other spaces an embedding holds hardly a point
            optimizer.adopt(equal_to(optimizer).ask(2)[1].x)
        elif event in ("ask", "adopt"):
            optimizer.ask()
        elif event == "hurry":
            optimizer.hurry()
        else:
            report_on(optimizer, event, optimizer.trials[number], space)
    return optimizer


def replay(optimizer, trials, space):
    """The same events in another process, which knows the trials."""
    for event, number in EVENTS:
        if event in ("ask", "hurry", "adopt"):
            optimizer.recall(Suggestion.of(trials[number]))
        else:
            report_on(optimizer, event, optimizer.trials[number], space)
    return optimizer


def report_on(optimizer, event, trial, space):
    if event == "fail":
        return optimizer.fail(trial, "no luck")
    return optimizer.tell(trial, value_at(trial, space))


@on_every_space
def test_recalled_trials_lead_to_the_same_asks(kind, space):
    lived = live(make(kind, space), space)
    recalled = replay(make(kind, space), lived.trials, space)
    next_asks = [[optimizer.ask(), optimizer.hurry(), optimizer.ask()] for optimizer in (lived, recalled)]
    assert places(next_asks[0]) == places(next_asks[1])


@of_every_kind
def test_recalled_trials_are_those_that_were_made(kind):
    lived = live(make(kind), "box")
    recalled = replay(make(kind), lived.trials, "box")
    assert places(recalled.trials) == places(lived.trials)
    assert [trial.origin for trial in recalled.trials] == [trial.origin for trial in lived.trials]


@of_every_kind
def test_recalling_what_is_no_suggestion_is_an_error(kind):
    with pytest.raises(TypeError, match=r"a Suggestion is needed, e\.g\. Suggestion\.of\(trial\), not 3"):
        make(kind).recall(3)


@of_every_kind
def test_recalling_a_point_of_another_space_is_an_error(kind):
    suggestion = Suggestion(Point(IdentityEmbedding(9), np.zeros(9)))
    with pytest.raises(ValueError, match="the point to recall has 9 coordinates, the space 10"):
        make(kind).recall(suggestion)


@on_every_space
def test_hurried_trials_are_legal(kind, space):
    optimizer = search(make(kind, space), space, rounds=1)
    positions = [SPACES[space].encode(optimizer.hurry().x) for _ in range(5)]  # raises at an illegal one
    assert np.abs(positions).max() <= 1.0


@pytest.mark.parametrize(("kind", "space"), [pair for pair in product(EMBEDDED, SPACES) if pair not in REFUSED])
def test_hurried_trials_are_in_the_region(kind, space):
    optimizer = search(make(kind, space), space, rounds=1)
    trials = [optimizer.hurry() for _ in range(10)]
    assert all(optimizer.runs[trial.run].region.contains(trial.y) for trial in trials)


@on_every_space
def test_same_seed_and_same_tells_give_the_same_hurried_trials(kind, space):
    twins = [search(make(kind, space), space, rounds=1) for _ in range(2)]
    hurried = [[twin.hurry() for _ in range(3)] for twin in twins]
    assert places(hurried[0]) == places(hurried[1])


@of_every_kind
def test_hurried_trials_on_a_continuum_are_distinct(kind):
    optimizer = search(make(kind), "box", rounds=1)
    points = np.array([[*optimizer.hurry().point] for _ in range(6)])
    assert len(np.unique(points, axis=0)) == 6


@of_every_kind
def test_hurried_trial_before_all_values_is_not_the_middle(kind):
    assert np.abs(np.asarray(make(kind).hurry().point)).max() > 0.0


@of_every_kind
def test_hurried_trial_counts_as_an_ask(kind):
    optimizer = make(kind)
    numbers = [optimizer.ask().number, optimizer.hurry().number, optimizer.ask().number]
    assert numbers == [0, 1, 2]
    asked = Origin.DESIGN if kind == "Growing" else Origin.ASKED  # the others do not say why
    assert [trial.origin for trial in optimizer.trials] == [asked, Origin.HURRIED, asked]


@on_every_space
def test_search_goes_on_after_hurried_trials(kind, space):
    optimizer = make(kind, space)
    hurried = [optimizer.tell(trial := optimizer.hurry(), value_at(trial, space)) for _ in range(8)]
    assert optimizer.best_trial.value == min(trial.value for trial in hurried)
    assert optimizer.ask().number == len(hurried)


@pytest.mark.parametrize("kind", [*EMBEDDED, "Growing", "CMA-ES"])
def test_value_of_a_hurried_trial_changes_what_is_asked_next(kind):
    first, second = make(kind), make(kind)
    told = [first.tell(first.hurry(), value) for value in (1.0, 3.0, 4.0, 2.0, 5.0, 6.0, 8.0, 7.0, 9.0, 10.0)]
    recalled = [second.recall(Suggestion.of(trial)) for trial in told]
    others = [second.tell(trial, -value) for trial, value in zip(recalled, range(10), strict=True)]
    assert places(told) == places(others)
    assert places(first.ask(3)) != places(second.ask(3))
