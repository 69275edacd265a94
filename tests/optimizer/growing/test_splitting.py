"""Which bins are split, by what the model says of f, and when all are."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from states import directions, model_of, state_of

from rembo import Box, Growth
from rembo.embedding import Forest, Layout
from rembo.optimizer.growing.splitting import Splitting

MANY = Forest.planted(Layout.numbers(4000), 4, seed=1)  # too many coordinates for a bin each
SPLITTING = Splitting(Growth(), most_bins=64)
FLAT = 1e3  # a length scale of what does not matter


def model(lengths, forest=MANY):
    return model_of(state_of([1.0], forest, Box(forest.ambient_dim)), lengths)


# What is dense


@pytest.mark.parametrize(
    ("lengths", "dense"), [([1.0] * 4, True), ([1.0, 1.0, 1.0, FLAT], False), ([FLAT] * 4, False)], ids=str
)
def test_function_is_dense_when_nearly_all_bins_matter(lengths, dense):
    assert SPLITTING.dense(model(lengths)) is dense


def test_function_of_few_directions_is_not_dense():
    assert not SPLITTING.dense(model_of(state_of([1.0]), directions=directions(), advantage=1.0))


def test_function_is_dense_when_directions_are_not_in_force():
    assert SPLITTING.dense(model_of(state_of([1.0]), directions=directions(), advantage=-1.0))


# Which bins are split


def split(found, forest=MANY):
    """The leaves that are no longer whole."""
    return sorted(set(np.flatnonzero(np.bincount(found.ancestors(forest)) > 1).tolist()))


def test_bins_that_matter_are_split():
    assert split(SPLITTING.finer(model([1.0, FLAT, 2.0, FLAT]))) == [0, 2]


def test_lone_bin_that_matters_is_split():
    assert split(SPLITTING.finer(model([FLAT, FLAT, FLAT, 1.0]))) == [3]


def test_three_splits_are_made_of_a_lone_bin_that_matters():
    assert SPLITTING.finer(model([FLAT, FLAT, FLAT, 1.0])).embedding_dim == 7


def test_any_bin_may_be_split_where_none_matters():
    assert SPLITTING.finer(model([FLAT] * 4)).embedding_dim == 7


def test_every_bin_is_split_where_all_matter():
    assert_array_equal(np.bincount(SPLITTING.finer(model([1.0] * 4)).ancestors(MANY)), [2, 2, 2, 2])


def test_bins_are_not_split_beyond_the_most():
    assert Splitting(Growth(bins=4, most_bins=4), most_bins=4).finer(model([1.0, FLAT, FLAT, FLAT])) is None


def test_bins_that_hardly_hide_another_coordinate_stay_whole():
    forest = Forest.planted(Layout.numbers(4000), 4, seed=1)
    while forest.sizes.max() > 32:  # 2 of 128 bins matter, and each holds one in 128 of the coordinates
        forest = forest.split(np.flatnonzero(forest.sizes > 32).tolist())
    lengths = np.full(forest.embedding_dim, FLAT)
    lengths[:2] = 1.0
    assert Splitting(Growth(), most_bins=1000).finer(model(lengths, forest)) is None


# Where parameters are few

FEW = Forest.planted(Layout.numbers(40), 4, seed=1)


def test_each_of_few_coordinates_gets_a_bin_where_all_bins_matter():
    assert_array_equal(SPLITTING.finer(model([1.0] * 4, FEW)).sizes, np.ones(40))


def test_each_of_few_coordinates_gets_a_bin_where_those_that_matter_are_single():
    forest = FEW
    while forest.sizes[0] > 1:
        forest = forest.split([0])
    lengths = np.full(forest.embedding_dim, FLAT)
    lengths[:2] = 1.0
    assert_array_equal(SPLITTING.finer(model(lengths, forest)).sizes, np.ones(40))


def test_nothing_is_split_where_each_coordinate_has_a_bin():
    assert SPLITTING.finer(model([1.0] * 40, FEW.resolved)) is None


# What matters


def sloping(c, a, b):
    """A model of a line along the first bin: its length scale is long, and its variance makes up for that."""
    before = model([50.0, FLAT, FLAT, FLAT])
    return replace(
        before, axes=replace(before.axes, kernel=before.axes.kernel.with_scales([50.0, FLAT, FLAT, FLAT, c, a, b]))
    )


@pytest.mark.parametrize(("c", "a", "b"), [(3.0, 0.4, 1e-3), (0.5, 100.0, 1e-3), (1.0, 1e-3, 10.0)])
def test_span_is_how_far_a_line_changes_by_a_standard_deviation(c, a, b):
    kernel = sloping(c, a, b).in_force.kernel
    Z = kernel.features(np.array([[0.0, 0.0, 0.0, 0.0], [0.01, 0.0, 0.0, 0.0]]))
    change = np.sqrt([1.0, -1.0] @ kernel.covariance(Z, Z) @ [1.0, -1.0])  # of f between them, its standard deviation
    assert change / 0.01 == pytest.approx(
        np.sqrt(5.0 / 3.0) / sloping(c, a, b).in_force.spans[0], rel=0.02
    )  # Matern's slope


def test_line_matters_however_long_its_length_scale():
    assert (
        sloping(0.5, 100.0, 1e-3).in_force.spans[0] < Growth().relevant < sloping(0.5, 100.0, 1e-3).in_force.lengths[0]
    )


def test_length_scale_of_directions_is_how_far_f_changes():
    turned = model_of(state_of([1.0]), directions=directions(), advantage=1.0)
    assert_array_equal(turned.in_force.spans, turned.in_force.lengths)
