"""The lazy x: however a coordinate is read it is the same to the last bit, and reading is all that costs."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import GaussianEmbedding, HashEmbedding, IdentityEmbedding, Point
from rembo.embedding import Scatter

rng = np.random.default_rng(0)
POINTS = {
    "gaussian-1": Point(GaussianEmbedding(1000, 1, seed=3), rng.uniform(-1.0, 1.0, 1)),
    "gaussian-2": Point(GaussianEmbedding(1000, 2, seed=3), rng.uniform(-1.0, 1.0, 2)),
    "gaussian-20": Point(GaussianEmbedding(1000, 20, seed=2**64 - 1), rng.uniform(-4.0, 4.0, 20)),
    "hash": Point(HashEmbedding(1000, 5, seed=3), rng.uniform(-1.0, 1.0, 5)),
    "identity": Point(IdentityEmbedding(1000), rng.uniform(-1.0, 1.0, 1000)),
    "scatter": Point(Scatter(1000, seed=3), np.array([7.0])),
    "stretched": Point(GaussianEmbedding(1000, 2, seed=3), rng.uniform(-1.0, 1.0, 2), low=-5.0, high=10.0),
    "part": Point(GaussianEmbedding(10**9, 3, seed=3), rng.uniform(-1.0, 1.0, 3), start=10**8, stop=10**8 + 1000),
    "unprojected": Point(GaussianEmbedding(1000, 3, seed=3), rng.uniform(-1.0, 1.0, 3), projected=False),
}
BILLION = Point(GaussianEmbedding(10**9, 2, seed=3), np.array([0.3, -0.4]))
FIVE = Point(IdentityEmbedding(5), np.array([-1.0, -0.5, 0.0, 0.5, 1.0]))
every_point = pytest.mark.parametrize("x", POINTS.values(), ids=POINTS.keys())


@every_point
@pytest.mark.parametrize("i", [0, 1, 17, 998, 999])
def test_single_coordinate_is_that_of_the_array(x, i):
    assert x[i].hex() == np.asarray(x)[i].hex()


@every_point
@pytest.mark.parametrize("index", [[3], [17, 998], [998, 17, 17, 0], [-1, 5, -1000], []])
def test_list_of_coordinates_is_that_of_the_array(x, index):
    assert_array_equal(x[index], np.asarray(x)[np.array(index, dtype=int)])


@every_point
@pytest.mark.parametrize(
    "cut",
    [slice(None), slice(3, 9), slice(-3, None), slice(1, 900, 7), slice(None, None, -1), slice(20, 3, -4), slice(9, 3)],
    ids=str,
)
def test_slice_of_coordinates_is_that_of_the_array(x, cut):
    assert_array_equal(x[cut], np.asarray(x)[cut])


@every_point
@pytest.mark.parametrize("size", [1, 7, 999, 1000, 1001])
def test_blocks_put_together_are_the_array(x, size):
    assert_array_equal(np.concatenate(list(x.blocks(size))), np.asarray(x))


@every_point
def test_iteration_gives_the_array_as_floats(x):
    assert list(x) == np.asarray(x).tolist()


@every_point
def test_point_that_travelled_reads_the_same(x):
    assert_array_equal(np.asarray(pickle.loads(pickle.dumps(x))), np.asarray(x))


@every_point
def test_projected_coordinates_stay_within_their_bounds(x):
    boxed = np.asarray(Point(x.embedding, 10.0 * x.y, x.low, x.high, x.start, x.stop))
    assert boxed.min() >= x.low
    assert boxed.max() <= x.high


def test_blocks_are_at_most_as_long_as_asked():
    assert [len(block) for block in POINTS["hash"].blocks(300)] == [300, 300, 300, 100]


def test_length_is_the_ambient_dimension():
    assert len(BILLION) == 10**9


@pytest.mark.parametrize("index", [4, np.int32(4), np.uint64(4), np.array(4), -(10**9) + 4])
def test_whole_numbers_of_any_type_read_one_float(index):
    assert type(BILLION[index]) is float
    assert BILLION[index] == BILLION[[4]][0]


@pytest.mark.parametrize("index", [[17, 5], (17, 5), np.array([17, 5], dtype=np.uint8), np.array([17, 5 - 10**9])])
def test_sequences_of_any_type_read_an_array(index):
    assert BILLION[index].tolist() == [BILLION[17], BILLION[5]]


@pytest.mark.parametrize("index", [-1, -2, -(10**9)])
def test_negative_index_counts_from_the_end(index):
    assert BILLION[index] == BILLION[10**9 + index]


def test_coordinate_is_its_row_times_y_projected():
    row = BILLION.embedding.rows(np.array([999_999_998]))[0]
    assert BILLION[999_999_998] == pytest.approx(np.clip(row @ BILLION.y, -1.0, 1.0), rel=1e-14)


def test_point_outside_the_box_is_projected_onto_it():
    x = Point(IdentityEmbedding(4), [-3.0, 0.25, 1.0, 7.0], low=0.0, high=8.0)
    assert np.asarray(x).tolist() == [0.0, 5.0, 8.0, 8.0]


def test_unprojected_point_reaches_outside_the_box():
    x = Point(IdentityEmbedding(4), [-3.0, 0.25, 1.0, 7.0], low=0.0, high=8.0, projected=False)
    assert np.asarray(x).tolist() == [-8.0, 5.0, 8.0, 32.0]


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.3), (-5.0, 10.0), (-1e-3, 1e3)])
def test_projected_coordinate_is_exactly_the_bound(low, high):
    x = Point(IdentityEmbedding(2), [-1.0, 1.0]).scaled(low, high)
    assert np.asarray(x).tolist() == [low, high]


def test_part_is_a_point_of_the_coordinates_within():
    part = BILLION.part(10**8, 10**8 + 10)
    assert len(part) == 10
    assert_array_equal(np.asarray(part), BILLION[10**8 : 10**8 + 10])


def test_part_of_a_part_counts_from_its_start():
    assert_array_equal(FIVE.part(1, 5).part(2, 4)[:], FIVE[3:5])


def test_part_ends_where_it_ends():
    assert FIVE.part(1, 3)[-1] == FIVE[2]
    with pytest.raises(IndexError, match="coordinate 2 of a point that has 2"):
        FIVE.part(1, 3)[2]


def test_scaled_point_is_stretched_to_the_new_bounds():
    assert np.asarray(FIVE.scaled(0.0, 10.0)).tolist() == [0.0, 2.5, 5.0, 7.5, 10.0]


def test_scaling_and_taking_a_part_may_come_in_any_order():
    assert_array_equal(FIVE.scaled(2.0, 3.0).part(1, 4)[:], FIVE.part(1, 4).scaled(2.0, 3.0)[:])


def test_array_of_another_type_is_made_on_request():
    assert np.asarray(FIVE, dtype=np.float32).dtype == np.float32
    assert np.asarray(FIVE).dtype == np.float64


@pytest.mark.parametrize("x", [FIVE, BILLION], ids=["five", "billion"])
def test_array_without_a_copy_is_refused(x):
    with pytest.raises(ValueError, match=r"holds no array that could be shared: use np\.asarray\(x\)"):
        x.__array__(copy=False)  # what np.array(x, copy=False) calls from NumPy 2 on


@pytest.mark.parametrize(
    "read",
    [
        np.asarray,
        lambda x: x[:],
        lambda x: x[: 10**7 + 1],
        lambda x: x[::-1],
        lambda x: x[np.zeros(10**7 + 1, np.int8)],
    ],
    ids=["asarray", "whole", "slice", "backwards", "list"],
)
def test_more_than_ten_million_coordinates_are_refused_at_once(read):
    with pytest.raises(ValueError, match=r"more than 10000000: read the ones you need, x\[\[i, j\]\].*x\.blocks\(\)"):
        read(BILLION)


def test_sparse_slice_of_a_billion_is_read():
    assert BILLION[:: 10**8].tolist() == [BILLION[i * 10**8] for i in range(10)]


def test_first_block_of_a_billion_is_read_in_little_memory():
    tracemalloc.start()
    block = next(BILLION.blocks())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(block) == 2**16
    assert peak < 20_000_000


@pytest.mark.parametrize("size", [0, -1])
def test_blocks_without_a_length_are_refused(size):
    with pytest.raises(ValueError, match=f"block size {size} must lie between 1 and 10000000"):
        list(FIVE.blocks(size))


@pytest.mark.parametrize("index", [10**9, -(10**9) - 1, 2**63, [0, 10**9], [-(10**9) - 1]], ids=str)
def test_coordinate_beyond_the_last_is_an_index_error(index):
    with pytest.raises(IndexError, match=r"coordinate -?\d+ of a point that has 1000000000"):
        BILLION[index]


@pytest.mark.parametrize(
    "index",
    [1.0, "1", [1.0], ["1"], [[1, 2]], [[True]]],
    ids=str,
)
def test_index_of_another_type_is_refused_with_the_cure(index):
    with pytest.raises(TypeError, match="read by whole numbers, slices or lists of whole numbers"):
        FIVE[index]


@pytest.mark.parametrize("kind", [GaussianEmbedding, HashEmbedding])
@pytest.mark.parametrize("d", range(2, 21))
def test_point_of_a_billion_travels_in_under_a_kilobyte(kind, d):
    x = Point(kind(10**9, d, seed=2**64 - 1), np.random.default_rng(d).uniform(-1.0, 1.0, d), -5.0, 10.0, 17, 10**9 - 1)
    assert len(pickle.dumps(x)) < 1000


@pytest.mark.parametrize(
    "passed_on",
    [lambda x: x, lambda x: x.part(1, 3), lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy],
    ids=["itself", "part", "pickled", "copied"],
)
def test_embedded_point_can_not_be_written(passed_on):
    with pytest.raises(ValueError, match="read-only"):
        passed_on(FIVE).y[0] = 0.0


def test_point_keeps_its_y_when_the_callers_array_changes():
    y = np.array([0.1, 0.2])
    x = Point(GaussianEmbedding(100, 2), y)
    y[:] = 9.0
    assert x.y.tolist() == [0.1, 0.2]


def test_point_says_how_long_it_is_when_printed():
    assert repr(BILLION) == "Point(1000000000 coordinates in [-1, 1]: [0.7472, -0.2373, -0.09616, ...])"
