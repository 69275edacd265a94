"""A point is an array for NumPy's users: what its array does, it does; beyond ten million coordinates it refuses."""

import copy
import json
import operator
import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Box, GaussianEmbedding, Growing, HashEmbedding, IdentityEmbedding, Point, Space

X = Point(HashEmbedding(100, 5, seed=3), np.linspace(-0.9, 0.8, 5), -1.0, 2.0)
A = np.asarray(X)
W = np.linspace(0.5, 1.5, 100)
BILLION = Point(GaussianEmbedding(10**9, 2, seed=3), np.array([0.3, -0.4]))
USES = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "max": lambda x: x.max(),
    "min": lambda x: x.min(),
    "std": lambda x: x.std(ddof=1),
    "argmin": lambda x: x.argmin(),
    "argsort": lambda x: x.argsort(),
    "cumsum": lambda x: x.cumsum(),
    "clip": lambda x: x.clip(0.0, 1.0),
    "round": lambda x: x.round(2),
    "any": lambda x: (x > 0.0).any() and x.any(),
    "dot": lambda x: x.dot(W),
    "tolist": lambda x: x.tolist(),
    "json": lambda x: json.dumps(x.tolist()),
    "astype": lambda x: x.astype(np.float32),
    "copy": lambda x: x.copy(),
    "reshape": lambda x: x.reshape(2, -1),
    "flatten": lambda x: x.flatten(),
    "transposed": lambda x: x.T @ np.outer(W, W) @ x,
    "item": lambda x: x.item(3),
    "power": lambda x: x**2,
    "reflected power": lambda x: 2.0**x,
    "twice": lambda x: 2 * x,
    "minus an array": lambda x: x - W,
    "an array minus": lambda x: W - x,
    "divided": lambda x: 1.0 / (x + 5.0),
    "a NumPy number times": lambda x: np.float64(2.0) * x,
    "itself": lambda x: x + x,
    "product": lambda x: x @ W,
    "reflected product": lambda x: W @ x,
    "matrix product": lambda x: np.outer(W, W) @ x,
    "negative": lambda x: -x,
    "absolute": abs,
    "above": lambda x: x > 0.0,
    "at most": lambda x: x <= W,
    "equal to a number": lambda x: x == 0.0,
    "unlike a list": lambda x: x != [0.5] * 100,
    "mask": lambda x: x[x > 0.0],
    "mask as a list": lambda x: x[(x > 0.0).tolist()],
    "new axis": lambda x: x[:, None] - x[None, :],
    "ellipsis": lambda x: x[...],
    "norm": np.linalg.norm,
    "np.sum": np.sum,
    "np.mean": np.mean,
    "np.median": np.median,
    "np.clip": lambda x: np.clip(x, -0.5, 0.5),
    "np.exp": np.exp,
    "np.where": lambda x: np.where(x > 0.0, x, 0.0),
    "np.concatenate": lambda x: np.concatenate([x, x]),
    "np.stack": lambda x: np.stack([x, 2.0 * x]),
    "np.add.reduce": np.add.reduce,
    "np.equal": lambda x: np.equal(x, x),
    "np.allclose": lambda x: np.allclose(x, x),
}
every_use = pytest.mark.parametrize("use", USES.values(), ids=USES)


@every_use
def test_point_does_what_its_array_does(use):
    assert_array_equal(use(X), use(A), strict=True)


@every_use
def test_billion_coordinates_refuse_what_needs_all_of_them_at_once(use):
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"more than 10000000: read the ones you need, x\[\[i, j\]\].*x\.blocks\(\)"):
        use(BILLION)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_series_of_pandas_holds_the_coordinates():
    pandas = pytest.importorskip("pandas")
    assert_array_equal(pandas.Series(X).to_numpy(), A)
    with pytest.raises(ValueError, match="more than 10000000"):
        pandas.Series(BILLION)


def test_shape_and_type_are_those_of_the_array():
    assert (X.shape, X.size, X.ndim, X.dtype) == (A.shape, A.size, A.ndim, A.dtype)


def test_size_of_a_billion_coordinates_is_known_without_reading():
    assert (BILLION.shape, BILLION.size, BILLION.ndim) == ((10**9,), 10**9, 1)


def test_two_points_are_compared_as_a_whole():
    assert (Point(X.embedding, X.y, -1.0, 2.0) == X) is True
    assert (Point(X.embedding, X.y, -1.0, 2.0) != X) is False
    assert (Point(BILLION.embedding, -BILLION.y) == BILLION) is False


@pytest.mark.parametrize("other", [None, "x", object(), {}], ids=lambda other: type(other).__name__)
def test_point_equals_nothing_that_is_no_number(other):
    assert (other == BILLION) is False
    assert (other != BILLION) is True


@pytest.mark.parametrize("passed_on", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copy_of_a_point_is_an_equal_point(passed_on):
    assert passed_on(X) == X


def test_copy_by_the_method_is_an_array_that_may_be_changed():
    changed = X.copy()
    changed[0] = 7.0
    assert (changed[0], X[0]) == (7.0, A[0])


@pytest.mark.parametrize("change", [operator.iadd, operator.imul, operator.ipow])
def test_point_is_not_changed_in_place(change):
    with pytest.raises(TypeError, match=r"a Point cannot be changed: write x = x \+ 1"):
        change(X, 2.0)


def test_coordinates_are_not_changed_through_a_ufunc():
    with pytest.raises(TypeError, match="a Point cannot be changed"):
        np.add.at(X, [0], 1.0)


def test_coordinate_is_not_assigned():
    with pytest.raises(TypeError, match=r"a Point cannot be changed: change a copy, a = x\.copy\(\)"):
        X[0] = 1.0


def test_ufunc_writes_into_an_array_of_the_users():
    out = np.empty(100)
    assert np.add(X, 1.0, out=out) is out
    assert_array_equal(out, A + 1.0)


@pytest.mark.parametrize("mask", [np.array([True]), [True, False], np.ones(101, dtype=bool)], ids=len)
def test_mask_of_another_length_is_refused(mask):
    with pytest.raises(IndexError, match=r"a mask of \d+ for a point that has 100 coordinates"):
        X[mask]


def test_point_that_carries_a_default_travels_and_reads_the_same():
    space = Space({"w": Box(10, 0.0, 1.0)}, {"w": np.arange(10) / 10.0 + 1e-3})
    x = Growing(space, seed=0).ask().x["w"]
    assert pickle.loads(pickle.dumps(x))[:].tolist() == space.default["w"].tolist()


@pytest.mark.parametrize(
    "x",
    [X, BILLION, Point(IdentityEmbedding(1), [0.5]), Growing(Box(10**6), x0=np.zeros(10**6), seed=0).ask().x],
    ids=["hash", "billion", "one", "forest with a centre"],
)
def test_repr_of_a_point_is_a_short_line(x):
    assert repr(x).startswith(f"Point({len(x)} coordinates in [")
    assert len(repr(x)) < 100
