"""REMBO itself: its settings, its runs, the points a user brings, and noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import (
    Bool,
    Box,
    Categorical,
    Embedded,
    Float,
    GaussianEmbedding,
    Hamming,
    HashEmbedding,
    Image,
    Integer,
    LogExpectedImprovement,
    Matern52,
    Point,
    Product,
    Region,
    Rembo,
    Space,
    SquaredExponential,
)
from rembo.optimizer.rembo import paper_kernel

BOX = Box(10)


def search(optimizer, value_at, n):
    """n trials, one after the other."""
    return [optimizer.tell(trial := optimizer.ask(), value_at(trial)) for _ in range(n)]


def value_of_y(trial):
    return float(trial.y @ trial.y)


# Settings


@pytest.mark.parametrize("embedding_dim", [0, 11])
def test_embedding_dim_outside_one_to_ambient_dim_is_an_error(embedding_dim):
    with pytest.raises(ValueError, match=f"embedding_dim {embedding_dim} must lie between 1 and ambient_dim 10"):
        Rembo(BOX, embedding_dim)


def test_embedding_dim_that_is_a_fraction_is_an_error():
    with pytest.raises(TypeError, match=r"embedding_dim must be a whole number, not 2\.5"):
        Rembo(BOX, 2.5)


@pytest.mark.parametrize("runs", [0, -1])
def test_less_than_one_run_is_an_error(runs):
    with pytest.raises(ValueError, match=f"runs {runs} must be at least 1"):
        Rembo(BOX, 2, runs=runs)


def test_a_fraction_of_a_run_is_an_error_that_names_it():
    with pytest.raises(TypeError, match=r"runs .*1\.5"):
        Rembo(BOX, 2, runs=1.5)


def test_region_of_another_dimension_is_an_error():
    with pytest.raises(ValueError, match=r"Region\(dim=3, half_width=1\.0\) must have as many dimensions .*, 2"):
        Rembo(BOX, 2, region=Region(3, 1.0))


@pytest.mark.parametrize("noise", ["loud", -0.1, np.inf, np.nan, None])
def test_noise_that_is_no_variance_is_an_error(noise):
    with pytest.raises(ValueError, match=f"noise must be 'learn' or a variance, .* not {noise!r}"):
        Rembo(BOX, 2, noise=noise)


def test_no_projection_on_a_named_space_is_an_error():
    with pytest.raises(ValueError, match="projection=False evaluates f outside its box, which only a Box allows"):
        Rembo(Space({"rate": Float(0.0, 1.0), "weights": BOX}), 2, projection=False)


def test_image_of_a_space_without_numbers_is_an_error():
    with pytest.raises(ValueError, match=r"this space has none: use Hamming\(\)"):
        Rembo(Space({"a": Bool(), "b": Bool()}), 2, kernel=Matern52(on=Image()))


def test_asks_keep_to_a_region_of_ones_own():
    trials = search(Rembo(BOX, 2, region=Region(2, 0.1), seed=0), lambda trial: float(trial.y.sum()), 6)
    assert max(np.abs(trial.y).max() for trial in trials) == pytest.approx(0.1)


def test_default_region_is_the_papers():
    assert Rembo(BOX, 4).runs[0].region == Region(4, 2.0)


def test_hash_embedding_brings_its_own_region():
    assert Rembo(BOX, 4, embedding=HashEmbedding).runs[0].region == Region(4, 1.0)


def test_kernel_on_a_continuum_measures_distance_on_y():
    assert paper_kernel(Space({"rate": Float(0.0, 1.0), "weights": BOX})) == SquaredExponential(on=Embedded())


def test_kernel_on_categories_counts_differences():
    assert paper_kernel(Space({"a": Bool(), "b": Categorical([1, 2, 3])})) == Hamming()


def test_kernel_on_whole_numbers_measures_distance_on_the_image():
    assert paper_kernel(Space({"a": Integer(1, 9), "b": Float(0.0, 1.0)})) == SquaredExponential(on=Image())


def test_kernel_on_a_mixed_space_is_a_product():
    kernel = paper_kernel(Space({"a": Bool(), "b": Float(0.0, 1.0)}))
    assert isinstance(kernel, Product)
    assert kernel.factors == (SquaredExponential(on=Image()), Hamming())


# Runs


def test_runs_have_embeddings_of_their_own():
    first, second = (run.embedding for run in Rembo(BOX, 2, runs=2, seed=0).runs)
    assert isinstance(first, GaussianEmbedding)
    assert first != second


def test_runs_take_even_turns():
    optimizer = Rembo(BOX, 2, runs=3, seed=0)
    assert [trial.run for trial in optimizer.ask(7)] == [0, 1, 2, 0, 1, 2, 0]


def test_asks_of_a_run_do_not_depend_on_values_of_another():
    def asks_of_run_0(told_to_run_1):
        optimizer = Rembo(BOX, 2, runs=2, seed=0)
        trials = search(optimizer, lambda trial: told_to_run_1 if trial.run else value_of_y(trial), 10)
        return [trial.y.tolist() for trial in trials if trial.run == 0]

    assert asks_of_run_0(told_to_run_1=-5.0) == asks_of_run_0(told_to_run_1=100.0)


def test_asks_of_a_run_depend_on_its_own_values():
    def last_ask(value_at):
        return search(Rembo(BOX, 2, seed=0), value_at, 6)[-1].y.tolist()

    assert last_ask(lambda trial: trial.y[0]) != last_ask(lambda trial: -trial.y[0])


def test_first_run_is_the_same_whatever_the_number_of_runs():
    alone, together = Rembo(BOX, 2, seed=0), Rembo(BOX, 2, runs=3, seed=0)
    assert alone.runs[0].embedding == together.runs[0].embedding


# Projection


def test_without_projection_f_is_evaluated_outside_the_box():
    trials = Rembo(BOX, 2, projection=False, seed=0).ask(4)
    assert max(np.abs(trial.x).max() for trial in trials) > 1.0


def test_with_projection_f_is_evaluated_at_the_nearest_point_of_the_box():
    inside, outside = (Rembo(BOX, 2, projection=on, seed=0).ask(4)[3] for on in (True, False))
    assert_array_equal(inside.y, outside.y)
    assert_array_equal(np.asarray(inside.x), np.clip(outside.x, -1.0, 1.0))


# Points that the user brings


def test_own_point_is_told_at_its_y():
    optimizer = Rembo(BOX, 2, seed=0)
    mine = Point(optimizer.runs[0].embedding, [0.3, -1.2])
    assert_array_equal(optimizer.tell(mine, 1.0).y, mine.y)


def test_own_point_goes_to_the_run_whose_embedding_it_has():
    optimizer = Rembo(BOX, 2, runs=3, seed=0)
    assert optimizer.adopt(Point(optimizer.runs[2].embedding, [0.3, -1.2])).run == 2


def test_own_point_of_a_billion_coordinates_can_be_told():
    optimizer = Rembo(Box(10**9), 2, runs=2, seed=0)
    mine = Point(optimizer.runs[1].embedding, [0.3, -1.2])
    assert_array_equal(optimizer.tell(mine, 1.0).y, mine.y)


def test_array_in_the_subspace_is_told_at_its_y():
    optimizer = Rembo(BOX, 2, seed=0)
    x = np.asarray(Point(optimizer.runs[0].embedding, [0.1, -0.2]))  # too short to be clipped
    assert_allclose(optimizer.tell(x, 1.0).y, [0.1, -0.2], atol=1e-12)


def test_array_on_the_border_of_the_region_is_told_at_its_y():
    optimizer = Rembo(Box(3), 2, seed=8)  # where least squares gives a y that is one rounding beyond the border
    border = [2.0**0.5, 0.0]
    assert_allclose(optimizer.tell(optimizer.runs[0].embedding.rows(np.arange(3)) @ border, 1.0).y, border, atol=1e-12)


def test_dict_in_the_subspace_is_told_at_its_y():
    optimizer = Rembo(Space({"a": Float(0.0, 1.0), "b": Float(1e-3, 1.0, log=True), "c": Float(0.0, 9.0)}), 2, seed=0)
    x = optimizer.space.decode(Point(optimizer.runs[0].embedding, [0.1, -0.2]))
    assert_allclose(optimizer.tell(x, 1.0).y, [0.1, -0.2], atol=1e-12)


def test_array_outside_the_subspace_is_an_error_that_names_the_cure():
    with pytest.raises(ValueError, match=r"away from this random 2-dimensional subspace of 10 .* BayesOpt takes any"):
        Rembo(BOX, 2, seed=0).tell(np.linspace(-1.0, 1.0, 10), 1.0)


def test_array_outside_the_box_is_an_error():
    with pytest.raises(ValueError, match=r"coordinate 4 is 1\.5, outside \[-1\.0, 1\.0\]"):
        Rembo(BOX, 2, seed=0).tell(np.eye(10)[4] * 1.5, 1.0)


def test_point_outside_the_region_is_an_error():
    optimizer = Rembo(BOX, 2, region=Region(2, 0.5), seed=0)
    with pytest.raises(ValueError, match=r"lies outside the region \[-0\.5, 0\.5\]"):
        optimizer.tell(Point(optimizer.runs[0].embedding, [0.0, 0.6]), 1.0)


def test_point_of_a_foreign_embedding_is_an_error_at_a_billion_dimensions():
    foreign = Rembo(Box(10**9), 2, seed=1).ask(3)[2].x
    with pytest.raises(ValueError, match="1000000000"):
        Rembo(Box(10**9), 2, seed=0).tell(foreign, 1.0)


def test_point_in_the_units_of_another_box_is_not_taken_for_an_own_one():
    brought = Rembo(Box(10, low=-1.0, high=1.0), 2, seed=0).ask().x  # zeros: a corner of the box [0, 1]^10
    with pytest.raises(ValueError, match="subspace"):
        Rembo(Box(10, low=0.0, high=1.0), 2, seed=0).adopt(brought)


def test_refused_point_leaves_no_trial_behind():
    optimizer = Rembo(BOX, 2, seed=0)
    with pytest.raises(ValueError, match="subspace"):
        optimizer.tell(np.linspace(-1.0, 1.0, 10), 1.0)
    assert optimizer.trials == ()


def test_adopted_trial_takes_no_turn():
    asked, adopting = Rembo(BOX, 2, runs=2, seed=0), Rembo(BOX, 2, runs=2, seed=0)
    adopting.adopt(Point(adopting.runs[0].embedding, [0.3, -1.2]))
    assert adopting.ask().run == asked.ask().run == 0


def test_origin_is_not_asked_when_it_was_brought():
    optimizer = Rembo(BOX, 2, seed=0)
    optimizer.tell(Point(optimizer.runs[0].embedding, [0.0, 0.0]), 1.0)
    assert optimizer.ask().y.any()


def test_asks_depend_on_points_that_were_brought():
    knowing, ignorant = Rembo(BOX, 2, seed=0), Rembo(BOX, 2, seed=0)
    knowing.tell(Point(knowing.runs[0].embedding, [0.5, -0.5]), -10.0)
    assert search(knowing, value_of_y, 3)[-1].y.tolist() != search(ignorant, value_of_y, 3)[-1].y.tolist()


# Noise


class Recording:
    """Log expected improvement that remembers what it was told is best."""

    def __init__(self):
        self.best = []

    def score(self, posterior, best, region, rng):
        self.best.append(best)
        return LogExpectedImprovement().score(posterior, best, region, rng)


def noisy(rng):
    return lambda trial: float((trial.x[3] - 0.4) ** 2 + 0.1 * rng.standard_normal())


def test_incumbent_under_noise_is_the_best_posterior_mean():
    recording = Recording()
    optimizer = Rembo(BOX, 2, noise="learn", acquisition=recording, seed=0)
    search(optimizer, noisy(np.random.default_rng(0)), 12)
    optimizer.ask()
    run = optimizer.runs[0]
    assert recording.best[-1] == pytest.approx(run.state.posterior(run.state.data.Y).mean.min())


def test_incumbent_without_noise_is_the_best_value():
    recording = Recording()
    optimizer = Rembo(BOX, 2, acquisition=recording, seed=0)
    search(optimizer, lambda trial: float(trial.x[3]), 6)
    optimizer.ask()
    assert recording.best[-1] == optimizer.runs[0].state.posterior.values.min()


def test_noise_is_learned_when_there_is_some():
    optimizer, rng = Rembo(BOX, 2, noise="learn", seed=0), np.random.default_rng(0)
    corners = [Point(optimizer.runs[0].embedding, y) for y in ([1, 1], [1, -1], [-1, 1], [-1, -1])]
    told = [optimizer.tell(point, rng.standard_normal()) for point in 5 * corners]
    # different values at the same points: whatever the length scale, noise is most of their variance
    assert optimizer.runs[0].state.learned.noise > 0.3, told


def test_rembo_finds_the_valley_of_a_noisy_quadratic():
    optimizer = Rembo(BOX, 2, noise="learn", seed=0)
    search(optimizer, noisy(np.random.default_rng(0)), 40)
    run = optimizer.runs[0]
    best = run.state.data.Y[np.argmin(run.state.posterior(run.state.data.Y).mean)]
    # noise of 0.1 on 40 values leaves a valley of (x - 0.4)^2 within about 0.1 unresolved, which is 0.3 in x
    assert abs(run.point(best)[3] - 0.4) <= 0.3
