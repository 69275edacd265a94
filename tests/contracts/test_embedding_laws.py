"""What every embedding is held to: rows by index alone, images that are rows times y, preimages that come back."""

import pickle
import subprocess
import sys
import tracemalloc
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import GaussianEmbedding, HashEmbedding, IdentityEmbedding, Point, TreeEmbedding
from rembo.embedding import Scatter

RANDOM = [GaussianEmbedding, HashEmbedding]
EMBEDDINGS = [
    GaussianEmbedding(200, 3, seed=11),
    GaussianEmbedding(200, 20, seed=2**64 - 1),
    GaussianEmbedding(200, 1, seed=0),
    HashEmbedding(200, 3, seed=11),
    HashEmbedding(200, 20, seed=2**64 - 1),
    HashEmbedding(200, 1, seed=0),
    TreeEmbedding(200, (2, 2, 2, 2), seed=11),
    TreeEmbedding(200, (1, 3, 3, 2), seed=2**64 - 1),
    TreeEmbedding(200, (0,), seed=0),
    IdentityEmbedding(200),
]
SUBSPACES = EMBEDDINGS[:-1]
every_embedding = pytest.mark.parametrize("embedding", EMBEDDINGS, ids=repr)
random_kinds = pytest.mark.parametrize("kind", RANDOM)
ALL = np.arange(200)


def embedded_point(embedding, seed=0):
    half_width = embedding.region.half_width
    return np.random.default_rng(seed).uniform(-half_width, half_width, embedding.embedding_dim)


@every_embedding
def test_rows_do_not_depend_on_the_order_of_reading(embedding):
    order = np.random.default_rng(0).permutation(200)
    assert_array_equal(embedding.rows(order), embedding.rows(ALL)[order])


@every_embedding
def test_rows_do_not_depend_on_what_is_read_with_them(embedding):
    assert_array_equal(embedding.rows(np.array([17]))[0], embedding.rows(ALL)[17])


@every_embedding
def test_same_row_read_twice_is_the_same(embedding):
    first, second = embedding.rows(np.array([5, 5]))
    assert_array_equal(first, second)


@random_kinds
@pytest.mark.parametrize("ambient_dim", [26, 10**9, 2**63 - 1])
def test_rows_do_not_depend_on_the_ambient_dimension(kind, ambient_dim):
    assert_array_equal(kind(ambient_dim, 3, seed=11).rows(np.arange(25)), kind(25, 3, seed=11).rows(np.arange(25)))


@every_embedding
def test_rows_are_the_same_in_another_process(embedding):
    reading = f"pickle.loads({pickle.dumps(embedding)!r}).rows(np.array([0, 17, 199])).ravel().tolist()"
    program = f"import pickle\nimport numpy as np\nprint([number.hex() for number in {reading}])"
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    here = [number.hex() for number in embedding.rows(np.array([0, 17, 199])).ravel().tolist()]
    assert there.stdout.strip() == str(here)


@every_embedding
def test_rows_have_the_width_of_the_embedded_space(embedding):
    assert embedding.rows(np.array([3, 4])).shape == (2, embedding.embedding_dim)
    assert embedding.rows(np.arange(0)).shape == (0, embedding.embedding_dim)


@every_embedding
def test_image_is_the_rows_times_y(embedding):
    y = embedded_point(embedding)
    assert_allclose(embedding.image(y, ALL), embedding.rows(ALL) @ y, rtol=0.0, atol=1e-13)


@every_embedding
def test_image_does_not_depend_on_what_is_read_with_it(embedding):
    y, order = embedded_point(embedding), np.random.default_rng(1).permutation(200)
    assert_array_equal(embedding.image(y, order), embedding.image(y, ALL)[order])


@every_embedding
@pytest.mark.parametrize("seed", range(5))
def test_preimage_of_an_image_is_the_embedded_point(embedding, seed):
    y = embedded_point(embedding, seed)
    assert_allclose(embedding.preimage(embedding.image(y, ALL)), y, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("embedding", SUBSPACES, ids=repr)
def test_point_outside_the_subspace_has_no_preimage(embedding):
    x = embedding.image(embedded_point(embedding), ALL)
    x[17] += 1e-6
    with pytest.raises(ValueError, match="can be told; BayesOpt takes any point"):
        embedding.preimage(x)


@pytest.mark.parametrize("embedding", SUBSPACES, ids=repr)
def test_point_that_is_no_number_has_no_preimage(embedding):
    with pytest.raises(ValueError, match=r"BayesOpt takes any point|finite|nan"):
        embedding.preimage(np.full(200, np.nan))


def test_point_outside_is_told_its_distance_from_the_subspace():
    with pytest.raises(ValueError, match=r"x lies \d.* away from this random 2-dimensional subspace of 5 dimensions"):
        GaussianEmbedding(5, 2).preimage(np.ones(5))


def test_point_outside_is_told_how_its_bins_disagree():
    with pytest.raises(ValueError, match="coordinates that share one of the 2 bins differ by 2 in x"):
        HashEmbedding(5, 2).preimage(np.ones(5))


def test_preimage_of_an_unused_bin_is_zero():
    embedding = HashEmbedding(4, 4, seed=1)
    unused = embedding.rows(np.arange(4)).any(axis=0) == 0.0
    assert unused.any()
    assert not embedding.preimage(embedding.image(np.ones(4), np.arange(4)))[unused].any()


def test_identity_takes_any_point_as_its_own_preimage():
    x = np.random.default_rng(0).uniform(-1.0, 1.0, 200)
    assert_array_equal(IdentityEmbedding(200).preimage(x), x)


def test_identity_rows_are_those_of_the_identity_matrix():
    assert_array_equal(IdentityEmbedding(200).rows(ALL), np.eye(200))


@pytest.mark.parametrize("d", [1, 2, 7])
def test_gaussian_rows_have_mean_zero_and_variance_one(d):
    """Means of n numbers stray by 4 standard deviations with probability 6e-5: sqrt(1/n) and sqrt(2/n)."""
    A = GaussianEmbedding(10**9, d, seed=5).rows(np.arange(100_000))
    assert np.abs(A.mean(axis=0)).max() < 4.0 * np.sqrt(1.0 / 100_000)
    assert np.abs((A**2).mean(axis=0) - 1.0).max() < 4.0 * np.sqrt(2.0 / 100_000)


@pytest.mark.parametrize("index", [0, 17, 10**9 - 1])
def test_gaussian_row_has_mean_zero_and_variance_one_over_seeds(index):
    """Means of n numbers stray by 4 standard deviations with probability 6e-5: sqrt(1/n) and sqrt(2/n)."""
    row = np.array([GaussianEmbedding(10**9, 2, seed=seed).rows(np.array([index]))[0] for seed in range(2000)])
    assert np.abs(row.mean(axis=0)).max() < 4.0 * np.sqrt(1.0 / 2000)
    assert np.abs((row**2).mean(axis=0) - 1.0).max() < 4.0 * np.sqrt(2.0 / 2000)


@pytest.mark.parametrize("d", [1, 2, 7, 100])
def test_hash_rows_have_one_sign_each(d):
    A = HashEmbedding(10**9, d, seed=5).rows(np.arange(10_000))
    assert (np.abs(A).sum(axis=1) == 1.0).all()
    assert set(np.unique(np.abs(A))) <= {0.0, 1.0}


@pytest.mark.parametrize("d", [1, 2, 7, 100])
def test_hash_columns_are_balanced(d):
    """A binomial count strays by more than 5 standard deviations with probability 6e-7, here in up to 100 columns."""
    used = np.abs(HashEmbedding(10**9, d, seed=5).rows(np.arange(50_000))).sum(axis=0)
    assert np.abs(used - 50_000 / d).max() <= 5.0 * np.sqrt(50_000 / d * (1.0 - 1.0 / d))


def test_hash_signs_are_balanced_within_each_bin():
    """A sum of n signs strays by more than 5 sqrt(n) with probability 6e-7."""
    A = HashEmbedding(10**9, 4, seed=5).rows(np.arange(50_000))
    assert np.all(np.abs(A.sum(axis=0)) < 5.0 * np.sqrt(np.abs(A).sum(axis=0)))


@pytest.mark.parametrize(
    "embedding",
    [HashEmbedding(200, 3, seed=11), TreeEmbedding(200, (2, 2, 1), seed=11), IdentityEmbedding(200)],
    ids=repr,
)
def test_image_of_the_region_needs_no_clipping(embedding):
    corner = np.where(embedded_point(embedding) > 0.0, 1.0, -1.0) * embedding.region.half_width
    assert np.abs(embedding.image(corner, ALL)).max() == 1.0


def test_regions_are_the_papers_and_the_unit_cubes():
    assert GaussianEmbedding(200, 4).region.half_width == 2.0
    assert HashEmbedding(200, 4).region.half_width == 1.0
    assert IdentityEmbedding(200).region.half_width == 1.0


@every_embedding
def test_region_has_the_dimension_of_the_embedded_space(embedding):
    assert embedding.region.dim == embedding.embedding_dim


@every_embedding
def test_embedding_that_travelled_equals_the_one_at_home(embedding):
    assert pickle.loads(pickle.dumps(embedding)) == embedding
    assert len({embedding, pickle.loads(pickle.dumps(embedding))}) == 1


@random_kinds
def test_embeddings_of_other_seeds_have_other_rows(kind):
    assert kind(200, 3, seed=1) != kind(200, 3, seed=2)
    assert not np.array_equal(kind(200, 3, seed=1).rows(ALL), kind(200, 3, seed=2).rows(ALL))


@random_kinds
@pytest.mark.parametrize("d", [2, 20])
def test_two_coordinates_of_a_billion_take_little_memory(kind, d):
    tracemalloc.start()
    x = Point(kind(10**9, d, seed=1), np.full(d, 0.5))
    assert len(x[[17, 999_999_998]]) == 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("ambient_dim", [25, 10**9])
def test_scattered_points_do_not_depend_on_the_ambient_dimension(ambient_dim):
    read = np.array([3, 24, 3])
    assert_array_equal(
        Scatter(ambient_dim, 7).image(np.array([2.0]), read), Scatter(200, 7).image(np.array([2.0]), ALL)[read]
    )


def test_scattered_points_fill_the_cube_evenly():
    """A binomial count strays by more than 5 standard deviations with probability 6e-7, here in 10 shares."""
    points = [Scatter(10**9, 7).image(np.array([float(number)]), np.arange(100)) for number in range(500)]
    counts, _ = np.histogram(points, bins=10, range=(-1.0, 1.0))
    assert counts.sum() == 50_000
    assert np.abs(counts - 5000).max() < 5.0 * np.sqrt(50_000 * 0.1 * 0.9)


@pytest.mark.parametrize(
    "make",
    [
        partial(GaussianEmbedding, 5, 2),
        partial(HashEmbedding, 5, 2),
        partial(TreeEmbedding, 5, (1, 1)),
        partial(Scatter, 5),
    ],
)
@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seed_out_of_range_is_refused(make, seed):
    with pytest.raises(ValueError, match=rf"embedding seed {seed} must lie between 0 and 2\*\*64 - 1"):
        make(seed=seed)


@random_kinds
@pytest.mark.parametrize("seed", [1.5, None, "1"])
def test_seed_that_is_no_whole_number_is_refused_by_name(kind, seed):
    with pytest.raises(TypeError, match=f"seed must be a whole number, not {seed!r}"):
        kind(5, 2, seed=seed)


@random_kinds
@pytest.mark.parametrize("d", [0, -1, 6])
def test_embedding_dimension_out_of_range_is_refused(kind, d):
    with pytest.raises(ValueError, match=f"embedding_dim {d} must lie between 1 and ambient_dim 5"):
        kind(5, d)


@pytest.mark.parametrize(
    "make",
    [lambda D: GaussianEmbedding(D, 1), lambda D: HashEmbedding(D, 1), TreeEmbedding, IdentityEmbedding, Scatter],
)
@pytest.mark.parametrize("ambient_dim", [0, -1, 2**63])
def test_ambient_dimension_out_of_range_is_refused(make, ambient_dim):
    with pytest.raises(ValueError, match=rf"ambient_dim {ambient_dim} must lie between 1 and 2\*\*63 - 1"):
        make(ambient_dim)


@random_kinds
@pytest.mark.parametrize(
    ("dims", "named"), [((5.0, 2), r"ambient_dim .* not 5\.0"), ((5, "2"), "embedding_dim .* not '2'")]
)
def test_dimensions_that_are_no_whole_numbers_are_refused(kind, dims, named):
    with pytest.raises(TypeError, match=named):
        kind(*dims)
