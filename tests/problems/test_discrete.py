"""Discrete problems: exact optimum, exact standardisation, and which parameters matter."""

from itertools import product

import numpy as np
import pytest

from rembo import Bool, Categorical, IdentityEmbedding, Point
from rembo.problems import BinaryQuadratic, CategoryTable, SparseBits

SMALL = [
    BinaryQuadratic(10, seed=1),
    BinaryQuadratic(13, seed=2, reach=3),
    BinaryQuadratic(2, seed=3),
    SparseBits(8, 6, seed=1),
    SparseBits(5, 1, seed=2),
    CategoryTable(5, 4, seed=0),
    CategoryTable(6, 3, active=5, seed=1),
    CategoryTable(6, 3, active=1, seed=2),
]
LARGE = [BinaryQuadratic(), SparseBits(), CategoryTable(), CategoryTable(active=4)]

of_every_small = pytest.mark.parametrize("problem", SMALL, ids=str)
of_every_large = pytest.mark.parametrize("problem", LARGE, ids=str)


def settings(space):
    levels = [range(parameter.levels) for parameter in space.parameters.values()]
    return [dict(zip(space.parameters, setting, strict=True)) for setting in product(*levels)]


def sample(problem, number):
    D = problem.space.size
    positions = np.random.default_rng(0).uniform(-1.0, 1.0, size=(number, D))
    return [problem.space.decode(Point(IdentityEmbedding(D), u)) for u in positions]


def changed(x, name):
    """The same setting with one parameter changed."""
    return x | {name: not x[name] if isinstance(x[name], bool) else (x[name] + 1) % 3}


@of_every_small
def test_optimum_is_the_lowest_of_all_settings(problem):
    assert problem.optimum == pytest.approx(min(map(problem, settings(problem.space))))


@of_every_small
def test_values_of_all_settings_are_standardised(problem):
    values = np.array([problem(x) for x in settings(problem.space)])
    assert (values.mean(), values.std()) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.0))


@of_every_large
def test_values_of_random_settings_are_standardised(problem):
    values = np.array([problem(x) for x in sample(problem, 2000)])
    # standard errors are 0.022 and about 0.04: within four of them
    assert abs(values.mean()) < 0.09
    assert abs(values.var() - 1.0) < 0.16


@of_every_large
def test_random_settings_do_not_beat_the_optimum(problem):
    assert min(problem(x) for x in sample(problem, 2000)) >= problem.optimum - 1e-12


@of_every_large
def test_values_depend_on_the_seed_alone(problem):
    kind, x = type(problem), sample(problem, 1)[0]
    values = [kind(seed=seed)(x) for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


@of_every_large
def test_values_are_read_by_name(problem):
    x = sample(problem, 1)[0]
    assert problem(dict(reversed(x.items()))) == problem(x)


@pytest.mark.parametrize("problem", [BinaryQuadratic(), CategoryTable()], ids=str)
def test_every_parameter_matters_without_structure(problem):
    X = sample(problem, 40)
    effects = [np.mean([abs(problem(changed(x, name)) - problem(x)) for x in X]) for name in problem.space.parameters]
    # the spread of all values is 1; shared evenly, a change of one of 50 bits would move them by 2 / sqrt(50) = 0.28
    assert min(effects) > 0.05


@pytest.mark.parametrize("problem", [SparseBits(), CategoryTable(active=4)], ids=str)
def test_only_active_parameters_change_the_value(problem):
    X = sample(problem, 40)
    moved = {name for name in problem.space.parameters if any(problem(changed(x, name)) != problem(x) for x in X)}
    assert moved == {f"x{i}" for i in problem.coordinates}


@pytest.mark.parametrize(
    ("problem", "number"), [(SparseBits(), 6), (CategoryTable(active=4), 4), (CategoryTable(), 20)]
)
def test_active_parameters_are_as_many_as_asked_for(problem, number):
    assert len(set(problem.coordinates)) == len(problem.coordinates) == number


def test_bits_act_together():
    table = SparseBits(seed=0).table
    main = sum((table.mean(axis=tuple(set(range(6)) - {i}), keepdims=True) for i in range(6)), np.zeros(table.shape))
    # what main effects leave unexplained has weights of variance 1/4 per pair: 15 pairs beside 6 bits and more sets
    assert (table - main).var() > 0.1


def test_quadratic_is_the_quadratic_form_up_to_scale_and_offset():
    problem = BinaryQuadratic(6, seed=5)
    X = np.array([list(x.values()) for x in settings(problem.space)], dtype=float)
    terms = np.column_stack([np.ones(len(X)), *(X[:, i] * X[:, j] for i in range(6) for j in range(i + 1))])
    values = [problem(x) for x in settings(problem.space)]
    assert np.linalg.lstsq(terms, values)[1].item() == pytest.approx(0.0, abs=1e-20)


def test_bits_out_of_reach_do_not_touch():
    problem = BinaryQuadratic(6, seed=5, reach=2)
    x = dict.fromkeys(problem.space.parameters, False)
    both = problem(x | {"x0": True, "x3": True}) + problem(x)
    assert both == pytest.approx(problem(x | {"x0": True}) + problem(x | {"x3": True}))


def test_spaces_are_bits_and_categories():
    assert set(BinaryQuadratic().space.parameters.values()) == {Bool()}
    assert set(SparseBits().space.parameters.values()) == {Bool()}
    assert set(CategoryTable().space.parameters.values()) == {Categorical([0, 1, 2, 3, 4])}


def test_drawn_problems_are_frozen():
    assert [problem.optimum for problem in LARGE] == pytest.approx(
        [-6.679628613023115, -2.7122854783821944, -6.5642274507773735, -2.9240057230388556]
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BinaryQuadratic(1), "dim 1 must be at least 2"),
        (lambda: BinaryQuadratic(reach=0), "reach 0 must lie between 1 and 20"),
        (lambda: BinaryQuadratic(reach=21), "reach 21 must lie between 1 and 20"),
        (lambda: BinaryQuadratic(decay=0.0), r"decay 0\.0 must be above 0"),
        (lambda: SparseBits(active=0), "active 0 must lie between 1 and 20"),
        (lambda: SparseBits(active=21), "active 21 must lie between 1 and 20"),
        (lambda: SparseBits(dim=5), "dim 5 must be at least 6"),
        (lambda: CategoryTable(choices=1), "choices 1 must lie between 2 and 30"),
        (lambda: CategoryTable(dim=0), "dim 0 must be at least 1"),
        (lambda: CategoryTable(active=21), "active 21 must lie between 1 and 20"),
    ],
)
def test_size_out_of_range_is_an_error(make, message):
    with pytest.raises(ValueError, match=message):
        make()
