"""Test functions: their optimum is where they say, and nowhere is anything lower."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rembo import Box
from rembo.problems import Ackley, Branin, Hartmann6, Levy, Rastrigin, Rosenbrock

FUNCTIONS = [Branin(), Hartmann6(), Levy(1), Levy(4), Ackley(1), Ackley(5), Rosenbrock(2), Rosenbrock(4), Rastrigin(3)]

of_every_function = pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f"{type(f).__name__}{f.dim}")


@of_every_function
def test_function_has_its_optimum_at_its_optimizers(f):
    assert [f(place) for place in f.optimizers] == pytest.approx([f.optimum] * len(f.optimizers), abs=1e-12)


@of_every_function
def test_optimizers_lie_in_the_box(f):
    assert np.shape(f.optimizers)[1] == f.dim
    assert np.abs(f.optimizers).max() <= 1.0


@of_every_function
def test_random_points_are_not_below_the_optimum(f):
    X = np.random.default_rng(0).uniform(-1.0, 1.0, size=(2000, f.dim))
    assert min(map(f, X)) > f.optimum


@of_every_function
def test_random_points_outside_the_box_are_not_below_the_optimum(f):
    X = np.random.default_rng(1).uniform(-3.0, 3.0, size=(2000, f.dim))
    assert min(map(f, X)) > f.optimum


@of_every_function
def test_descent_from_beside_the_optimizer_ends_at_the_optimum(f):
    beside = np.array(f.optimizers[0]) + 1e-3 * np.random.default_rng(2).standard_normal(f.dim)
    found = minimize(f, beside, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxfev": 10_000}).fun
    # the optimum of Hartmann6 is given to 15 digits
    assert f.optimum - 1e-13 <= found <= f.optimum + 1e-8


@of_every_function
def test_function_takes_lists_and_arrays_alike(f):
    x = np.random.default_rng(3).uniform(-1.0, 1.0, size=f.dim)
    assert f(x) == f(x.tolist())
    assert type(f(x)) is float


@of_every_function
def test_function_knows_its_space_and_coordinates(f):
    assert (f.space, list(f.coordinates)) == (Box(f.dim), list(range(f.dim)))


@of_every_function
def test_every_coordinate_of_a_function_matters(f):
    x = np.random.default_rng(4).uniform(-0.5, 0.5, size=f.dim)
    moved = [f(x + 0.1 * axis) for axis in np.eye(f.dim)]
    assert f(x) not in moved


@pytest.mark.parametrize(
    ("f", "x", "value"),
    [
        (Levy(2), [-0.3, -0.3], 2.0 + 10.0 * np.sin(1.0) ** 2),  # w = (0, 0)
        (Ackley(2), [1.0 / 32.768, 1.0 / 32.768], 20.0 * (1.0 - np.exp(-0.2))),  # z = (1, 1)
        (Rosenbrock(3), [-1.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0], 2.0),  # z = (0, 0, 0)
        (Rosenbrock(2), [-1.0, 1.0], 100.0 * 15.0**2 + 36.0),  # z = (-5, 10)
        (Rastrigin(2), [0.5 / 5.12, 1.0 / 5.12], 0.25 + 20.0 + 1.0),  # z = (0.5, 1)
        (Hartmann6(), [-1.0] * 6, -0.00508911288366444),  # [0, ..., 0]
    ],
    ids=["Levy", "Ackley", "Rosenbrock at 0", "Rosenbrock in a corner", "Rastrigin", "Hartmann6"],
)
def test_function_has_the_value_that_its_formula_gives(f, x, value):
    assert f(x) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("kind", "least"), [(Levy, 1), (Ackley, 1), (Rosenbrock, 2), (Rastrigin, 1)])
def test_function_of_too_few_variables_is_an_error(kind, least):
    with pytest.raises(ValueError, match=f"{kind.__name__} dim {least - 1} must be at least {least}"):
        kind(least - 1)
