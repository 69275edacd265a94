"""Where distance is measured: on y, on its image, or on its rounded image."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.embedding import GaussianEmbedding, HashEmbedding, IdentityEmbedding, Point
from rembo.kernel import SAMPLED, Embedded, Image, Rounded
from rembo.space import Bool, Box, Categorical, Float, Integer, Space

Y = np.random.default_rng(5).uniform(-1.7, 1.7, size=(30, 3))
WHOLE = Space({"depth": Integer(1, 4), "width": Integer(1, 1000, log=True)})
MIXED = Space({"rates": Box(4), "solver": Categorical(["a", "b", "c"]), "layers": Integer(1, 8), "on": Bool()})
CROWDED = Space({"first": Box(1000), "rate": Float(0.0, 1.0), "layers": Integer(1, 8), "last": Box(500)})
CROWDED_STARTS = [0, 1000, 1001, 1002]


def line_through(index, dim, at):
    """Points of R^dim that are zero but for one coordinate."""
    points = np.zeros((len(at), dim))
    points[:, index] = at
    return points


def test_embedded_features_are_the_points_themselves():
    features = Embedded().bind(Box(1000), GaussianEmbedding(1000, 3), projected=True)
    assert_array_equal(features(Y), Y)


def test_embedded_gradients_pass_unchanged():
    features = Embedded().bind(Box(1000), GaussianEmbedding(1000, 3), projected=True)
    assert_array_equal(features.pull_back(Y, 2.0 * Y), 2.0 * Y)


@pytest.mark.parametrize("embedding", [GaussianEmbedding(100, 3, seed=2), HashEmbedding(100, 3, seed=2)])
def test_image_is_what_the_function_gets(embedding):
    features = Image().bind(Box(100), embedding, projected=True)
    assert_allclose(features(Y), [Point(embedding, y)[:] for y in Y], rtol=0.0, atol=1e-12)


def test_image_without_projection_leaves_the_box():
    embedding = GaussianEmbedding(100, 3, seed=2)
    features = Image().bind(Box(100), embedding, projected=False)
    assert_allclose(features(Y), Y @ embedding.rows(np.arange(100)).T, rtol=0.0, atol=1e-12)


def test_image_is_measured_on_the_cube_whatever_the_bounds():
    embedding = GaussianEmbedding(20, 3, seed=2)
    wide, unit = (Image().bind(box, embedding, projected=True) for box in (Box(20, 5.0, 900.0), Box(20)))
    assert_array_equal(wide(Y), unit(Y))


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_integers_snap_to_the_middle_of_their_shares(depth):
    features = Image().bind(WHOLE, IdentityEmbedding(2), projected=True)
    within_share = -1.0 + (depth - np.array([0.99, 0.5, 0.01])) / 2.0  # each of four numbers has a share of 1/2
    assert_allclose(features(line_through(0, 2, within_share))[:, 0], -1.0 + (depth - 0.5) / 2.0)


@pytest.mark.parametrize("u", [-1.0, -0.7, 0.0, 0.4, 1.0])
def test_log_integers_snap_to_the_position_of_their_value(u):
    width = WHOLE.parameters["width"]
    features = Image().bind(WHOLE, IdentityEmbedding(2), projected=True)
    assert_allclose(features(np.array([[0.0, u]]))[0, 1], width.position(width.value(u)))


def test_image_leaves_categories_out():
    features = Image().bind(MIXED, IdentityEmbedding(MIXED.size), projected=True)
    along_solver = features(line_through(4, MIXED.size, at=[-0.9, 0.0, 0.9]))
    assert_array_equal(along_solver, np.tile(along_solver[0], (3, 1)))


def test_image_measures_every_number_of_a_small_space():
    features = Image().bind(MIXED, IdentityEmbedding(MIXED.size), projected=True)
    assert features(np.zeros((1, MIXED.size))).shape == (1, 5)


def test_image_of_a_billion_coordinates_is_that_of_a_thousand():
    thousand, billion = (Image().bind(Box(D), GaussianEmbedding(D, 3, seed=2), True) for D in (10**3, 10**9))
    assert_array_equal(billion(Y), thousand(Y))


@pytest.mark.parametrize("D", [SAMPLED, SAMPLED + 1, 10**9])
def test_image_of_a_large_box_has_as_many_features_as_allowed(D):
    features = Image().bind(Box(D), GaussianEmbedding(D, 3), projected=True)
    assert features(Y).shape == (30, SAMPLED)


@pytest.mark.parametrize("start", CROWDED_STARTS)
def test_sample_keeps_every_parameter_in_play(start):
    features = Image(at_most=16).bind(CROWDED, IdentityEmbedding(CROWDED.size), projected=True)
    here, there = features(line_through(start, CROWDED.size, at=[-0.9, 0.9]))
    assert not np.array_equal(here, there)


@pytest.mark.parametrize("at_most", [4, 16, 128])
def test_sample_of_many_parameters_stays_within_its_limit(at_most):
    features = Image(at_most).bind(CROWDED, GaussianEmbedding(CROWDED.size, 3), projected=True)
    assert features(Y).shape[1] <= at_most


def test_sample_of_more_parameters_than_allowed_spans_them():
    space = Space({f"rate {i}": Float(0.0, 1.0) for i in range(301)})
    features = Image(at_most=4).bind(space, IdentityEmbedding(301), projected=True)
    assert_allclose(features(np.linspace(0.0, 1.0, 301)[None, :]), [[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]])


def test_image_gradient_is_that_of_the_clipped_product():
    embedding = GaussianEmbedding(20, 3, seed=2)
    A, G = embedding.rows(np.arange(20)), np.random.default_rng(6).standard_normal((30, 20))
    features = Image().bind(Box(20), embedding, projected=True)
    assert_allclose(features.pull_back(Y, G), np.where(np.abs(Y @ A.T) < 1.0, G, 0.0) @ A)


def test_image_gradient_passes_everywhere_without_projection():
    embedding = GaussianEmbedding(20, 3, seed=2)
    A, G = embedding.rows(np.arange(20)), np.random.default_rng(6).standard_normal((30, 20))
    features = Image().bind(Box(20), embedding, projected=False)
    assert_allclose(features.pull_back(Y, G), G @ A)


def test_image_gradient_ignores_whole_numbers():
    features = Image().bind(WHOLE, GaussianEmbedding(2, 1, seed=2), projected=True)
    assert_array_equal(features.pull_back(np.full((5, 1), 0.1), np.ones((5, 2))), np.zeros((5, 1)))


def test_rounded_features_are_level_numbers():
    features = Rounded().bind(MIXED, IdentityEmbedding(MIXED.size), projected=True)
    values = {"rates": np.zeros(4), "solver": "c", "layers": 5, "on": True}
    assert_array_equal(features(MIXED.encode(values)[None, :]), [[2.0, 1.0]])


def test_rounded_features_are_whole_numbers_without_categories():
    features = Rounded().bind(WHOLE, IdentityEmbedding(2), projected=True)
    assert_array_equal(features(WHOLE.encode({"depth": 3, "width": 70})[None, :]), [[2.0, 69.0]])


@pytest.mark.parametrize("projected", [True, False])
def test_rounded_features_clip_before_they_round(projected):
    features = Rounded().bind(Categorical(["a", "b", "c"]), IdentityEmbedding(1), projected)
    assert_array_equal(features(np.array([[-7.0], [0.0], [7.0]])), [[0.0], [1.0], [2.0]])


def test_rounded_features_stay_within_their_limit():
    space = Space({f"flag {i}": Bool() for i in range(300)})
    assert Rounded().bind(space, GaussianEmbedding(300, 3), projected=True)(Y).shape == (30, SAMPLED)


def test_rounded_gradient_is_zero():
    features = Rounded().bind(WHOLE, GaussianEmbedding(2, 1), projected=True)
    assert_array_equal(features.pull_back(np.full((5, 1), 0.1), np.ones((5, 2))), np.zeros((5, 1)))


def test_image_of_a_space_without_numbers_is_refused():
    with pytest.raises(ValueError, match=r"this space has none: use Hamming\(\) for its categories"):
        Image().bind(Space({"a": Bool(), "b": Bool()}), IdentityEmbedding(2), projected=True)


def test_rounding_of_a_space_without_choices_is_refused():
    with pytest.raises(ValueError, match=r"counts choices and this space has none: use SquaredExponential\(\)"):
        Rounded().bind(Box(3), IdentityEmbedding(3), projected=True)


@pytest.mark.parametrize("features", [Image, Rounded])
def test_sample_of_no_coordinates_is_refused(features):
    with pytest.raises(ValueError, match="at_most 0 must be at least 1"):
        features(at_most=0)


def test_large_part_gets_what_small_parts_leave_of_the_sample():
    space = Space({"a": Float(0.0, 1.0), "weights": Box(10**9)})
    image = Image(at_most=16).bind(space, GaussianEmbedding(space.size, 2), projected=True)
    assert image(np.zeros((1, 2))).shape == (1, 16)
