"""SI-BO: the plan of its differences, the subspace that follows from them, and the search within it."""

import pickle
from itertools import cycle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import subspace_angles

from rembo import Bool, Box, Categorical, Float, Integer, Space
from rembo.baselines.si_bo import SIBO, OrthonormalEmbedding
from rembo.problems import Branin, Hartmann6, Noisy, Padded, Subspace

ALONG = np.array([3.0, 0.0, 4.0, 0.0, 0.0, 0.0]) / 5.0  # the one direction that matters to `ridge`


def ridge(x):
    """A function of one direction among six, lowest where it is 0.4."""
    return float((ALONG @ np.asarray(x) - 0.4) ** 2)


def search(optimizer, f, n_trials):
    """Ask and tell one at a time; what was asked."""
    return [optimizer.tell(trial := optimizer.ask(), f(trial.x)) for _ in range(n_trials)]


def small(**settings):
    """An identification of 2 base points with 6 steps each in six dimensions: 14 evaluations."""
    return SIBO(Box(6), 1, bases=2, directions=6, seed=3, **settings)


def identified(f=ridge, **settings):
    optimizer = small(**settings)
    search(optimizer, f, 14)
    return optimizer


def angle(optimizer, directions):
    """The largest angle between the subspace found and the span of the directions, (d, D), in degrees."""
    return np.degrees(subspace_angles(optimizer.basis, np.asarray(directions).T).max())


@pytest.mark.parametrize("seed", range(3))
def test_rotated_subspace_is_found_to_within_a_degree(seed):
    problem = Subspace(Branin(), 25, seed)
    optimizer = SIBO(problem.space, 2, seed=seed)
    search(optimizer, problem, 88)
    assert angle(optimizer, problem.directions) < 1.0  # measured over five seeds: 0.12 at most


def test_subspace_of_six_dimensions_is_found():
    problem = Subspace(Hartmann6(), 25, seed=0)
    optimizer = SIBO(problem.space, 6, seed=0)
    search(optimizer, problem, 12 * 25)
    assert angle(optimizer, problem.directions) < 5.0


def test_fewer_slopes_than_gradients_have_entries_are_enough():
    problem = Subspace(Branin(), 40, seed=1)
    optimizer = SIBO(problem.space, 2, bases=4, directions=32, seed=1)
    search(optimizer, problem, 4 * 33)
    assert angle(optimizer, problem.directions) < 1.0


@pytest.mark.parametrize("kind", [Subspace, Padded])
def test_hidden_branin_is_minimised_in_two_hundred_evaluations(kind):
    problem = kind(Branin(), 25, seed=2)
    optimizer = SIBO(problem.space, 2, seed=2)
    search(optimizer, problem, 200)
    assert optimizer.best_trial.value - problem.optimum < 0.01  # measured over five seeds: 0.0016 at most


def test_longer_step_finds_the_subspace_under_noise():
    problem = Noisy(Subspace(Branin(), 25, seed=1), std=0.1)
    optimizer = SIBO(problem.space, 2, step=0.1, seed=1)
    search(optimizer, problem, 88)
    assert angle(optimizer, problem.problem.directions) < 30.0  # measured: 10; with the default step 87


@pytest.mark.parametrize(("D", "d", "evaluations"), [(25, 2, 4 * 22), (6, 1, 2 * 7), (10, 3, 6 * 11)])
def test_identification_takes_as_many_evaluations_as_documented(D, d, evaluations):
    optimizer = SIBO(Box(D), d, seed=0)
    search(optimizer, lambda x: float(np.sum(np.sin(np.asarray(x)))), evaluations - 1)
    before = optimizer.basis
    search(optimizer, lambda x: 0.0, 1)
    assert before is None
    assert optimizer.basis.shape == (D, d)


def test_basis_is_orthonormal_and_steepest_first():
    optimizer = SIBO(Box(6), 2, seed=0)
    search(optimizer, lambda x: 10.0 * x[4] + 0.1 * x[1] ** 2, 28)
    assert_allclose(optimizer.basis.T @ optimizer.basis, np.eye(2), atol=1e-12)
    assert abs(optimizer.basis[4, 0]) > 0.999


@pytest.mark.parametrize("step", [0.02, 1.0])
def test_steps_have_the_length_that_was_set(step):
    base, *ends = [np.asarray(trial.x) for trial in small(step=step).ask(7)]  # none is cut short by the box
    assert_allclose(np.linalg.norm(np.array(ends) - base, axis=1), step)


def test_search_after_identification_stays_in_the_subspace_or_at_the_edge_of_the_box():
    optimizer = identified()
    Y, X = zip(*((trial.y, np.asarray(trial.x)) for trial in optimizer.ask(5)), strict=True)
    assert_allclose(X, np.clip(np.array(Y) @ optimizer.basis.T, -1.0, 1.0), atol=1e-12)


def test_search_finds_the_lowest_point_of_a_ridge():
    optimizer = identified()
    search(optimizer, ridge, 12)
    assert optimizer.best_trial.value < 1e-6


def test_optimum_at_a_corner_of_the_box_is_reached():
    optimizer = identified(lambda x: -float(ALONG @ np.asarray(x)))
    search(optimizer, lambda x: -float(ALONG @ np.asarray(x)), 10)
    assert optimizer.best_trial.value == pytest.approx(-1.4, abs=1e-3)  # x_0 = x_2 = 1


def test_named_floats_are_searched_in_their_own_units():
    space = Space({"rate": Float(1e-4, 1.0, log=True), "shift": Float(2.0, 6.0), "rest": Box(4)})
    optimizer = SIBO(space, 1, seed=0)
    search(optimizer, lambda x: (x["shift"] - 3.0) ** 2, 30)
    assert optimizer.best_trial.x["shift"] == pytest.approx(3.0, abs=1e-2)


def test_asks_beyond_the_plan_are_new_points_while_values_are_awaited():
    points = np.array([np.asarray(trial.x) for trial in small().ask(30)])
    assert len(np.unique(points, axis=0)) == 30


def test_search_waits_for_the_last_slope():
    optimizer = small()
    *told, last = optimizer.ask(14)
    reported = [optimizer.tell(trial, ridge(trial.x)) for trial in told]
    assert (len(reported), optimizer.basis) == (13, None)
    optimizer.tell(last, ridge(last.x))
    assert angle(optimizer, [ALONG]) < 1.0


def test_slopes_that_come_back_in_another_order_find_the_same_subspace():
    optimizer = small()
    told = [optimizer.tell(trial, ridge(trial.x)) for trial in reversed(optimizer.ask(14))]
    assert len(told) == 14
    assert_array_equal(np.abs(optimizer.basis), np.abs(identified().basis))


def test_late_slopes_leave_the_subspace_as_it_is():
    optimizer = small()
    *planned, late = optimizer.ask(15)
    reported = [optimizer.tell(trial, ridge(trial.x)) for trial in planned]
    found = optimizer.basis
    optimizer.tell(late, 100.0)
    assert len(reported) == 14
    assert_array_equal(optimizer.basis, found)


def test_pending_points_of_the_search_are_not_asked_again():
    optimizer = identified()
    search(optimizer, ridge, 5)
    shadows = [float(ALONG @ np.asarray(trial.x)) for trial in optimizer.ask(4)]
    assert np.ptp(shadows) > 0.01  # asks that knew nothing of each other would all go to the one best place


def test_failed_step_is_left_out():
    optimizer = small()
    optimizer.tell(optimizer.ask(), ridge(optimizer.trials[0].x))
    optimizer.fail(optimizer.ask(), "no luck")
    search(optimizer, ridge, 12)
    assert angle(optimizer, [ALONG]) < 1.0


def test_failed_base_point_is_replaced():
    optimizer = small()
    optimizer.fail(optimizer.ask(), "no luck")
    search(optimizer, ridge, 13)
    before = optimizer.basis
    search(optimizer, ridge, 1)
    assert before is None
    assert angle(optimizer, [ALONG]) < 1.0


def test_base_point_whose_steps_all_fail_is_replaced():
    optimizer = small()
    search(optimizer, ridge, 1)
    failed = [optimizer.fail(optimizer.ask(), "no luck") for _ in range(6)]
    search(optimizer, ridge, 13)
    assert (len(failed), optimizer.basis) == (6, None)
    search(optimizer, ridge, 1)
    assert angle(optimizer, [ALONG]) < 1.0


def test_search_goes_on_when_everything_fails():
    optimizer = small()
    failed = [optimizer.fail(optimizer.ask(), "no luck") for _ in range(60)]
    assert optimizer.ask().number == len(failed)


def test_failed_part_of_the_subspace_is_avoided():
    optimizer = identified()
    failed = [optimizer.fail(optimizer.adopt(0.9 * side * ALONG), "no luck") for side in (1.0, 0.9, 0.8)]
    search(optimizer, lambda x: float((ALONG @ np.asarray(x) + 0.4) ** 2), 10)
    shadows = [float(ALONG @ np.asarray(trial.x)) for trial in optimizer.trials[17:]]
    assert len(failed) == 3
    assert np.median(shadows) < 0.0


@pytest.mark.parametrize("value", [0.0, 7.0])
def test_flat_function_is_searched_along_a_random_direction(value):
    optimizer = identified(lambda x: value)
    assert np.abs(optimizer.basis).max() < 0.99  # no axis


@pytest.mark.parametrize("size", [1e-300, 1e160, 1e308])
def test_subspace_is_found_from_values_of_any_finite_size(size):
    assert angle(identified(lambda x: size * float(np.tanh(ALONG @ np.asarray(x)))), [ALONG]) < 1.0


def test_differences_of_the_largest_numbers_do_not_overflow():
    values = cycle([1e308, -1e308])
    optimizer = identified(lambda x: next(values))
    assert np.isfinite(optimizer.basis).all()


def test_own_points_do_not_count_as_slopes():
    optimizer = small()
    own = [optimizer.tell(np.full(6, level), 1.0) for level in np.linspace(-1.0, 1.0, 14)]
    search(optimizer, ridge, 13)
    assert (len(own), optimizer.basis) == (14, None)


@pytest.mark.parametrize("early", [True, False])
def test_search_learns_from_points_that_the_user_brings(early):
    optimizer = small() if early else identified()
    off_the_subspace = np.array([0.0, 0.9, 0.0, -0.9, 0.9, 0.9])
    own = [optimizer.tell(x, ridge(x)) for x in off_the_subspace + np.outer(np.linspace(-1.2, 1.2, 9), ALONG)]
    search(optimizer, ridge, 14 if early else 0)
    assert len(own) == 9
    assert ALONG @ np.asarray(optimizer.ask().x) == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize("x", [[0.2, 0.1], [1.0, 1.0], [-1.0, 0.7]])
def test_preimage_has_the_shadow_of_the_point(x):
    embedding = OrthonormalEmbedding(np.array([[0.6], [0.8]]))  # A A^T x leaves the box in the last two cases
    seen = np.clip(embedding.A @ embedding.preimage(np.array(x)), -1.0, 1.0)
    assert_allclose(embedding.A.T @ seen, embedding.A.T @ x)


@pytest.mark.parametrize("size", [1, 5])
def test_same_seed_and_same_tells_give_the_same_search(size):
    first, again = small(), small()
    rounds = [[opt.tell(t, ridge(t.x)).y.tolist() for _ in range(5) for t in opt.ask(size)] for opt in (first, again)]
    assert rounds[0] == rounds[1]


@pytest.mark.parametrize("told", [0, 14])
def test_pickled_trial_of_either_phase_can_be_told(told):
    optimizer = small()
    search(optimizer, ridge, told)
    travelled = pickle.loads(pickle.dumps(optimizer.ask()))
    assert optimizer.tell(travelled, 1.0).number == told


def test_whole_space_can_be_the_subspace():
    optimizer = SIBO(Box(2), 2, seed=0)
    search(optimizer, lambda x: (x[0] - 0.3) ** 2 + (x[1] + 0.2) ** 2, 40)
    assert optimizer.best_trial.value < 1e-3


@pytest.mark.parametrize(
    "parameter", [Integer(1, 5), Bool(), Categorical(["a", "b"])], ids=lambda parameter: type(parameter).__name__
)
def test_parameter_without_slopes_is_an_error_that_names_it(parameter):
    with pytest.raises(ValueError, match=rf"SIBO takes differences, which {type(parameter).__name__}.*or Rembo"):
        SIBO(Space({"rate": Float(0.0, 1.0), "other": parameter}), 1)


def test_too_many_dimensions_are_an_error_that_names_the_cure():
    with pytest.raises(ValueError, match="SIBO in 1001 dimensions is more than 1000: use Rembo"):
        SIBO(Box(1001), 2)


@pytest.mark.parametrize("embedding_dim", [0, 7])
def test_subspace_of_more_or_fewer_dimensions_than_the_space_is_an_error(embedding_dim):
    with pytest.raises(ValueError, match=f"embedding_dim {embedding_dim} must lie between 1 and 6"):
        SIBO(Box(6), embedding_dim)


def test_fewer_base_points_than_dimensions_are_an_error():
    with pytest.raises(ValueError, match="bases 1 must be at least 2"):
        SIBO(Box(6), 2, bases=1)


@pytest.mark.parametrize("directions", [0, 1001])
def test_impossible_number_of_directions_is_an_error(directions):
    with pytest.raises(ValueError, match=f"directions {directions} must lie between 1 and 1000"):
        SIBO(Box(6), 2, directions=directions)


@pytest.mark.parametrize("step", [0.0, -0.1, 1.5, np.nan, "long"])
def test_step_that_is_no_length_in_the_box_is_an_error(step):
    with pytest.raises(ValueError, match=r"step .* must be a length in \[-1,1\]\^D above 0 and at most 1"):
        SIBO(Box(6), 2, step=step)


def test_negative_beta_is_an_error():
    with pytest.raises(ValueError, match=r"beta -1\.0 must be finite and not negative"):
        SIBO(Box(6), 2, beta=-1.0)
