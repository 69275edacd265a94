"""Growing: bins that only grow, a state that follows from the tells, searches that nothing stops, and its quality.

The quality here is a floor that a broken search falls through; benchmarks/quality.py holds the real numbers.
"""

import math
import pickle
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import pdist

from rembo import (
    Bool,
    Box,
    Categorical,
    Float,
    GaussianEmbedding,
    Growing,
    Growth,
    Integer,
    Point,
    Space,
    TreeEmbedding,
    TrialState,
)
from rembo.optimizer.growing import TrustRegion
from rembo.problems import Branin

BILLION = 10**9
DIMS = pytest.mark.parametrize("ambient_dim", [1, 2, 3, 25, BILLION])


def bowl(x):
    """Lowest where the first and the last coordinate are 0.3 and -0.4, whatever the others are."""
    return (x[0] - 0.3) ** 2 + (x[-1] + 0.4) ** 2


def searched(f, n, ambient_dim=25, seed=3, **settings):
    """An optimizer after n trials of f."""
    optimizer = Growing(Box(ambient_dim), seed=seed, **settings)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.x))
    return optimizer


@cache
def on_the_bowl(ambient_dim):
    """An optimizer after 40 trials on the bowl, to be read and not to be changed."""
    return searched(bowl, 40, ambient_dim)


def bins_of(optimizer):
    """How many bins each trial was asked in."""
    return [trial.point.embedding.embedding_dim for trial in optimizer.trials]


def asked(optimizer):
    """All that was asked, as lists."""
    return [(trial.point.embedding.depths, trial.y.tolist()) for trial in optimizer.trials]


@DIMS
def test_first_trial_is_the_middle_of_the_space(ambient_dim):
    x = Growing(Box(ambient_dim, low=-2.0, high=6.0), seed=1).ask().x
    assert_array_equal(x[[0, ambient_dim - 1]], [2.0, 2.0])


@DIMS
def test_first_bins_are_four_or_one_per_coordinate(ambient_dim):
    assert Growing(Box(ambient_dim), seed=1).ask().point.embedding.embedding_dim == min(4, ambient_dim)


@DIMS
def test_bins_never_become_fewer(ambient_dim):
    assert np.all(np.diff(bins_of(on_the_bowl(ambient_dim))) >= 0)


@pytest.mark.parametrize("ambient_dim", [25, BILLION])
def test_bins_become_more_when_the_trust_region_is_exhausted(ambient_dim):
    assert bins_of(on_the_bowl(ambient_dim))[-1] > 4


@pytest.mark.parametrize("most_bins", [4, 7])
def test_bins_never_exceed_the_most(most_bins):
    assert bins_of(searched(bowl, 40, growth=Growth(most_bins=most_bins, patience=0)))[-1] == most_bins


@pytest.mark.parametrize("ambient_dim", [5, 9])
def test_bins_never_exceed_the_coordinates(ambient_dim):
    assert bins_of(searched(bowl, 40, ambient_dim, growth=Growth(patience=0)))[-1] == ambient_dim


def test_search_starts_with_as_many_bins_as_asked():
    assert bins_of(searched(bowl, 3, growth=Growth(bins=9)))[0] == 9


def test_each_tree_grew_out_of_the_one_before():
    first, last = (on_the_bowl(BILLION).trials[number].point for number in (3, 39))
    inherited = Point(last.embedding, first.y[last.embedding.ancestors(first.embedding)])
    assert_array_equal(inherited[[0, 17, BILLION - 1]], first[[0, 17, BILLION - 1]])


@pytest.mark.parametrize("number", [0, 5, 20, 39])
def test_state_keeps_every_point_that_was_told(number):
    optimizer = on_the_bowl(25)
    kept = Point(optimizer.state.tree, optimizer.state.data.Y[number])
    assert_array_equal(kept[:], optimizer.trials[number].point[:])


@DIMS
def test_trials_lie_in_the_region(ambient_dim):
    assert max(np.abs(trial.y).max() for trial in on_the_bowl(ambient_dim).trials) <= 1.0


# with one coordinate both terms pull at it: at -0.05 the bowl is lowest, 2 x 0.35^2
@pytest.mark.parametrize(("ambient_dim", "lowest"), [(1, 0.245), (2, 0.0), (3, 0.0), (25, 0.0), (BILLION, 0.0)])
def test_search_comes_close_to_the_bottom_of_a_bowl(ambient_dim, lowest):
    assert on_the_bowl(ambient_dim).best_trial.value - lowest < 0.01


@pytest.mark.parametrize("ambient_dim", [25, BILLION])
def test_replayed_search_continues_identically(ambient_dim):
    replayed = Growing(Box(ambient_dim), seed=3)
    for trial in on_the_bowl(ambient_dim).trials[:25]:
        replayed.tell(replayed.ask(), trial.value)
    continued = [replayed.tell(trial := replayed.ask(), bowl(trial.x)) for _ in range(15)]
    assert len(continued) == 15
    assert asked(replayed) == asked(on_the_bowl(ambient_dim))


def test_asking_without_telling_leaves_the_state():
    optimizer = searched(bowl, 20)
    before = optimizer.state
    optimizer.ask(2)
    assert optimizer.state is before


def test_reading_the_state_changes_no_ask():
    read, unread = searched(bowl, 0), searched(bowl, 0)
    for _ in range(12):
        assert read.state.data.values.shape == (sum(trial.value is not None for trial in read.trials),)
        read.tell(trial := read.ask(), bowl(trial.x))
        unread.tell(trial := unread.ask(), bowl(trial.x))
    assert asked(read) == asked(unread)


def test_travelled_optimizer_continues_identically():
    home = searched(bowl, 15)
    abroad = pickle.loads(pickle.dumps(home))
    home.ask(3), abroad.ask(3)
    assert asked(abroad) == asked(home)


@pytest.mark.parametrize("told", [0, 12])
@pytest.mark.parametrize("size", [8, 64])
def test_batch_has_distinct_points(size, told):
    batch = searched(bowl, told, BILLION).ask(size)
    finest = batch[-1].point.embedding
    Y = np.array([trial.y[finest.ancestors(trial.point.embedding)] for trial in batch])
    assert pdist(Y).min() > 1e-6


def test_batches_may_be_told_in_any_order():
    optimizer, order = Growing(Box(25), seed=3), np.random.default_rng(0).permutation(8)
    for _ in range(5):
        batch = optimizer.ask(8)
        told = [optimizer.tell(batch[i], bowl(batch[i].x)) for i in order]
    assert [trial.number % 8 for trial in told] == order.tolist()
    assert optimizer.best_trial.value < 0.05  # a quarter of the value in the middle, 0.25


def test_trial_of_a_coarser_tree_may_be_told_last():
    optimizer = Growing(Box(25), seed=3)
    late = optimizer.ask()
    for _ in range(40):
        optimizer.tell(trial := optimizer.ask(), bowl(trial.x))
    optimizer.tell(late, bowl(late.x))
    assert_array_equal(Point(optimizer.state.tree, optimizer.state.data.Y[-1])[:], late.point[:])


def test_search_survives_failures_at_first():
    optimizer = Growing(Box(25), seed=0)
    failed = [optimizer.fail(optimizer.ask(), "no luck").state for _ in range(10)]
    told = [optimizer.tell(trial := optimizer.ask(), bowl(trial.x)).state for _ in range(40)]
    assert failed + told == 10 * [TrialState.FAIL] + 40 * [TrialState.COMPLETE]
    assert optimizer.best_trial.value < 0.25  # better than the middle, which failed


def test_search_survives_nothing_but_failures():
    optimizer = Growing(Box(BILLION), seed=3)
    failed = [optimizer.fail(optimizer.ask(), "no luck") for _ in range(40)]
    assert len(failed) == 40
    assert np.isnan(optimizer.state.data.values).all()


FUNCTIONS = {
    "constant": lambda x: 0.1,
    "corner": lambda x: x[0] - x[-1],
    "heavy tails": lambda x: 10.0 ** (12.0 * abs(x[0])),
    "huge": lambda x: 1e308 * x[0],
    "tiny": lambda x: 1e-308 * x[0],
    "plateau": lambda x: float(x[0] > 0.0),
    "far from zero": lambda x: 1e9 + bowl(x),
}


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_search_goes_on_whatever_the_function(f):
    assert len(searched(f, 40, BILLION).trials) == 40


def test_search_goes_on_when_the_first_half_is_equal():
    optimizer = searched(lambda x: 1.0, 20)
    told = [optimizer.tell(trial := optimizer.ask(), bowl(trial.x)).value for _ in range(20)]
    assert optimizer.best_trial.value == min(told) < 0.25  # better than the middle


def test_search_finds_an_optimum_in_a_corner():
    assert searched(FUNCTIONS["corner"], 40, BILLION, seed=0).best_trial.value < -1.9  # of -2


@pytest.mark.parametrize("seed", [3, 9])
def test_search_parts_coordinates_that_cancel_within_a_bin(seed):
    """At these seeds both coordinates share one of the first four bins with one sign: f is 0 until that bin splits."""
    assert searched(FUNCTIONS["corner"], 80, BILLION, seed).best_trial.value < -0.5


def test_bins_that_nothing_tells_apart_grow_evenly():
    sizes = searched(lambda x: 0.0, 60, BILLION, growth=Growth(patience=0, most_bins=16)).state.tree.sizes
    assert sizes.max() <= 4 * sizes.min()  # evenly, up to one round of splits


def test_search_sees_a_valley_among_heavy_tails():
    assert searched(lambda x: 10.0 ** (12.0 * abs(x[0] - 0.3)), 40, BILLION).best_trial.value < 10.0  # of 1 to 10^15


def test_learned_noise_is_that_of_a_noisy_bowl():
    rng = np.random.default_rng(0)
    optimizer = searched(lambda x: bowl(x) + 0.05 * rng.standard_normal(), 40, noise="learn")
    # the values' spread is a few tenths: the noise is a visible part of it, and not the whole
    assert 1e-4 < optimizer.state.far.learned.noise < 0.9
    assert bowl(optimizer.best_trial.x) < 0.1  # 0.25 in the middle, with errors of 0.05


def test_known_noise_stays_as_it_was_given():
    assert searched(bowl, 10, noise=0.01).state.near.learned.noise == 0.01


def test_own_point_of_an_earlier_tree_can_be_told():
    optimizer = searched(bowl, 40)
    early = optimizer.trials[2]
    told = optimizer.tell(early.x, 0.5)
    assert (told.value, told.number) == (0.5, 40)
    assert_array_equal(Point(optimizer.state.tree, optimizer.state.data.Y[-1])[:], early.point[:])


def test_array_of_an_earlier_tree_can_be_told():
    optimizer = searched(bowl, 40)
    x = np.asarray(optimizer.trials[2].x)
    assert_array_equal(optimizer.tell(x, 0.5).x, x)


def test_values_of_a_space_can_be_told():
    space = Space({"rate": Float(1e-4, 1.0, log=True), "weights": Box(20, low=0.0, high=1.0)})
    optimizer = Growing(space, seed=3)
    x = Growing(space, seed=3).ask(3)[2].x
    assert optimizer.tell(x, 0.5).x["rate"] == pytest.approx(x["rate"])


def test_search_of_a_named_space_goes_on():
    space = Space({"rate": Float(1e-4, 1.0, log=True), "weights": Box(20, low=0.0, high=1.0)})
    optimizer = Growing(space, seed=3)
    told = [optimizer.tell(trial := optimizer.ask(), math.log10(trial.x["rate"]) ** 2) for _ in range(25)]
    assert min(trial.value for trial in told) < 0.1  # 4 in the middle, 0 at the border


def test_array_outside_the_embedding_is_refused():
    with pytest.raises(ValueError, match=r"bins differ by .* in x: only points of this embedding can be told"):
        searched(bowl, 3).tell(np.linspace(-1.0, 1.0, 25), 0.5)


def test_point_of_another_embedding_is_refused():
    with pytest.raises(ValueError, match="only points of this embedding can be told"):
        searched(bowl, 3).tell(Point(GaussianEmbedding(25, 2), np.array([0.1, 0.2])), 0.5)


def test_point_of_another_seeds_tree_is_refused():
    with pytest.raises(ValueError, match="only points of this embedding can be told"):
        searched(bowl, 3, seed=3).tell(searched(bowl, 3, seed=4).trials[2].x, 0.5)


def test_refused_point_leaves_the_book_alone():
    optimizer = searched(bowl, 3)
    with pytest.raises(ValueError, match="can be told"):
        optimizer.tell(np.linspace(-1.0, 1.0, 25), 0.5)
    assert len(optimizer.trials) == 3


def test_point_of_a_tree_that_grew_elsewhere_is_refused():
    optimizer = searched(bowl, 3)
    tree = optimizer.trials[0].point.embedding
    optimizer.tell(Point(tree.split([0]), np.linspace(-0.5, 0.5, 5)), 0.5)
    with pytest.raises(ValueError, match="can be told"):
        optimizer.tell(Point(tree.split([3]), np.linspace(-0.5, 0.5, 5)), 0.5)


def test_point_of_another_dimension_is_refused():
    optimizer = searched(bowl, 3)
    tree = optimizer.trials[0].point.embedding
    shorter = TreeEmbedding(20, tree.depths, tree.seed)
    with pytest.raises(ValueError, match=r"20|25"):
        optimizer.tell(Point(shorter, np.zeros(4)), 0.5)


def test_search_goes_on_after_a_point_beyond_the_region():
    optimizer = Growing(Box(25), seed=3)
    beyond = Point(optimizer.ask().point.embedding, np.full(4, 3.0))  # reads as a corner, since points are clipped
    optimizer.tell(beyond, -1.0)
    told = [optimizer.tell(trial := optimizer.ask(), bowl(trial.x)) for _ in range(12)]
    assert max(np.abs(trial.y).max() for trial in told) <= 1.0


@pytest.mark.parametrize(
    "space",
    [Categorical(["a", "b"]), Bool(), Integer(0, 9), Space({"a": Float(0.0, 1.0), "b": Integer(0, 9)})],
    ids=repr,
)
def test_space_with_levels_is_refused_with_the_cure(space):
    with pytest.raises(ValueError, match=r"continuous parameters \(Box, Float\) only: use Rembo for the others"):
        Growing(space)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"bins": 0}, "bins 0 must be at least 1"),
        ({"most_bins": 3}, "most_bins 3 must be at least 4"),
        ({"bins": 65}, "most_bins 64 must be at least 65"),
        ({"design": 0}, "design 0 must be at least 1"),
        ({"patience": -1}, "patience -1 must be at least 0"),
        ({"explore_every": 0}, "explore_every 0 must be at least 1"),
        ({"share": 0.0}, r"share 0\.0 .* must lie above 0 and not above 1"),
        ({"share": 1.5}, r"share 1\.5 .* must lie above 0 and not above 1"),
        ({"share": math.nan}, "share nan .* must lie above 0 and not above 1"),
        ({"exhausted": math.nan}, "exhausted nan"),
        ({"hopeless": math.nan}, "hopeless nan"),
    ],
    ids=str,
)
def test_growth_out_of_range_is_refused(settings, named):
    with pytest.raises(ValueError, match=named):
        Growth(**settings)


@pytest.mark.parametrize("name", ["bins", "most_bins", "design", "patience", "explore_every"])
def test_growth_that_is_no_whole_number_is_refused(name):
    with pytest.raises(TypeError, match=rf"{name} must be a whole number, not 8\.5"):
        Growth(**{name: 8.5})


def followed(outcomes, bins=4):
    """The trust region after a row of successes and failures."""
    trust = TrustRegion()
    for improved in outcomes:
        trust = trust.after(improved, bins)
    return trust


@pytest.mark.parametrize(
    ("outcomes", "half_width"),
    [([True] * 2, 0.8), ([True] * 3, 1.6), ([True] * 6, 1.6), ([True, True, False, True], 0.8)],
)
def test_three_successes_in_a_row_double_the_trust_region(outcomes, half_width):
    assert followed(outcomes).half_width == half_width


@pytest.mark.parametrize(("bins", "failures"), [(1, 4), (4, 4), (7, 7), (10, 10), (64, 10)])
def test_as_many_failures_as_bins_halve_the_trust_region(bins, failures):
    assert followed([False] * (failures - 1), bins).half_width == 0.8
    assert followed([False] * failures, bins).half_width == 0.4


def test_trust_region_starts_again_when_it_became_too_narrow():
    assert followed([False] * 16).half_width == 0.05
    assert followed([False] * 20).half_width == 0.8  # 0.025 would lie below 2^-5


def test_design_is_as_long_as_asked():
    longer, shorter = (searched(bowl, 8, growth=Growth(design=design)) for design in (8, 6))
    constant = searched(lambda x: 0.0, 8, growth=Growth(design=8))
    assert asked(longer) == asked(constant)
    assert asked(longer) != asked(shorter)


@cache
def branin_gap(seed):
    """How far above its lowest value Branin is after 60 trials at two of a billion coordinates."""
    optimizer = searched(lambda x: Branin()(x[[17, 999_999_998]]), 60, BILLION, seed)
    return optimizer.best_trial.value - Branin().optimum


def test_branin_at_two_of_a_billion_coordinates_is_solved():
    """A coarse floor: the median of five seeds was 1e-4 when this was written; the benchmark holds the numbers."""
    assert np.median([branin_gap(seed) for seed in range(5)]) < 0.05
