"""Standard Bayesian optimization: every point is its own, dimensions are few, Branin is found."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import BayesOpt, Bool, Box, Categorical, Float, GaussianEmbedding, Hamming, Integer, Matern52, Point, Space
from rembo.problems import Branin


def test_any_array_in_the_box_can_be_told():
    x = np.linspace(2.0, 5.0, 7)
    optimizer = BayesOpt(Box(7, low=2.0, high=5.0), seed=0)
    assert_array_equal(np.asarray(optimizer.tell(x, 1.0).x), x)


def test_any_dict_of_the_space_can_be_told():
    space = Space({"rate": Float(0.0, 1.0), "layers": Integer(1, 8), "solver": Categorical(["a", "b"]), "warm": Bool()})
    x = {"rate": 0.25, "layers": 3, "solver": "b", "warm": True}
    assert BayesOpt(space, seed=0).tell(x, 1.0).x == x


def test_point_of_an_embedding_can_be_told():
    x = Point(GaussianEmbedding(10, 2, seed=3), [1.0, -1.0])
    assert_array_equal(np.asarray(BayesOpt(Box(10), seed=0).tell(x, 1.0).x), np.asarray(x))


@pytest.mark.parametrize("bad", [np.full(7, 9.0), np.zeros(6), [np.nan] * 7])
def test_array_that_is_not_in_the_box_is_an_error(bad):
    with pytest.raises(ValueError, match=r"outside \[-1\.0, 1\.0\]|must have shape \(7,\), not \(6,\)"):
        BayesOpt(Box(7), seed=0).tell(bad, 1.0)


def test_too_many_dimensions_are_an_error_that_names_the_cure():
    with pytest.raises(ValueError, match="BayesOpt in 10001 dimensions is more than 2000: use Rembo"):
        BayesOpt(Box(10_001))


def test_noise_that_is_no_variance_is_an_error():
    with pytest.raises(ValueError, match=r"noise must be 'learn' or a variance, .* not 'loud'"):
        BayesOpt(Box(2), noise="loud")


def test_distance_of_every_category_is_counted():
    space = Space({f"flag{i}": Bool() for i in range(200)})
    assert BayesOpt(space).runs[0].state.posterior.kernel.features(np.zeros((1, 200))).shape == (1, 200)


def test_kernel_of_ones_own_is_used():
    space = Space({"a": Bool(), "b": Bool(), "c": Float(0.0, 1.0)})
    kernel = BayesOpt(space, kernel=Hamming(scale=0.5)).runs[0].state.posterior.kernel
    assert kernel.features(np.zeros((1, 3))).shape == (1, 2)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_branin_is_found_in_forty_evaluations(seed):
    branin, optimizer = Branin(), BayesOpt(Box(2), seed=seed)
    values = [optimizer.tell(trial := optimizer.ask(), branin(trial.x)).value for _ in range(40)]
    # the worst of 20 seeds left 0.017 and the median 4e-5; random search left 1.3 in the median, once below 0.05
    assert min(values) - branin.optimum <= 0.05


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kernel": "matern"}, r"kernel must be an object such as rembo\.Matern52\(\), not 'matern'"),
        ({"kernel": ""}, r"kernel must be an object such as rembo\.Matern52\(\), not ''"),
        ({"acquisition": "ei"}, r"acquisition must be an object such as rembo\.LogExpectedImprovement\(\), not 'ei'"),
        ({"maximizer": "direct"}, r"maximizer must be an object such as rembo\.Ascent\(\), not 'direct'"),
        ({"learning": "map"}, r"learning must be an object such as rembo\.MaximumAPosteriori\(\), not 'map'"),
        ({"values": "log"}, r"values must be an object such as rembo\.LogTail\(\), not 'log'"),
        ({"learning": 3}, r"learning must be an object such as rembo\.MaximumAPosteriori\(\), not 3"),
        ({"kernel": Matern52}, r"kernel must be an object, Matern52\(\), not the class itself"),
    ],
    ids=str,
)
def test_part_that_is_no_object_is_refused_with_one_to_write(wrong, message):
    with pytest.raises(TypeError, match=message):
        BayesOpt(Box(3), **wrong)
