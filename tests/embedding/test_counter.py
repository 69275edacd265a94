"""Random numbers by index: the published generator, the frozen numbers, and that they are normal."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import ndtri

from rembo import HashEmbedding
from rembo.embedding.counter import normal_quantile, normals, philox, uniforms, words

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "philox_normals.json").read_text())
RANDOM123 = [  # the known answers that the authors of Philox publish: counter, key, words
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
MANY = 200_000


def one(index):
    return np.array([index], dtype=np.int64)


def hexadecimal(text):
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "expected"), RANDOM123)
def test_generator_gives_the_published_words(counter, key, expected):
    drawn = philox(np.array([hexadecimal(counter)], dtype=np.uint32), tuple(hexadecimal(key)))
    assert drawn[0].tolist() == hexadecimal(expected)


def test_generator_treats_each_counter_by_itself():
    counters = np.array([hexadecimal(counter) for counter, _, _ in RANDOM123], dtype=np.uint32)
    alone = [philox(counters[[j]], (1, 2))[0] for j in range(3)]
    assert_array_equal(philox(counters, (1, 2)), alone)


def test_seed_and_index_are_the_key_and_counter():
    seed, index = 0x299F31D0_A4093822, 0x05A308D3_243F6A88
    counter = np.array([[0x243F6A88, 0x05A308D3, 0, 7]], dtype=np.uint32)
    assert_array_equal(words(seed, one(index), 4, stream=7), philox(counter, (0xA4093822, 0x299F31D0)))


@pytest.mark.parametrize("case", GOLDEN["normals"], ids=lambda case: f"{case['seed']}-{case['index']}")
def test_normals_are_frozen_to_the_last_bit(case):
    drawn = normals(case["seed"], one(case["index"]), len(case["values"]))[0]
    assert [number.hex() for number in drawn.tolist()] == case["values"]


@pytest.mark.parametrize(
    "case", GOLDEN["uniforms"], ids=lambda case: f"{case['seed']}-{case['index']}-{case['stream']}"
)
def test_uniforms_are_frozen_to_the_last_bit(case):
    drawn = uniforms(case["seed"], one(case["index"]), 2, stream=case["stream"])[0]
    assert [number.hex() for number in drawn.tolist()] == case["values"]


@pytest.mark.parametrize("case", GOLDEN["hash"], ids=lambda case: f"{case['seed']}-{case['index']}")
def test_hashed_bins_and_signs_are_frozen(case):
    embedding = HashEmbedding(2**62 + 1, case["embedding_dim"], seed=case["seed"])
    bins, signs = embedding.bins_and_signs(one(case["index"]))
    assert (int(bins[0]), float(signs[0])) == (case["bin"], case["sign"])


def test_numbers_do_not_depend_on_what_else_is_drawn():
    index = np.array([5, 2**40, 0, 5, 2**62], dtype=np.int64)
    assert_array_equal(normals(3, index, 6), np.vstack([normals(3, one(i), 6) for i in index]))


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 8, 9])
def test_wider_draws_begin_with_the_narrower_ones(width):
    assert_array_equal(normals(3, np.arange(10), 12)[:, :width], normals(3, np.arange(10), width))


def test_no_indices_give_no_numbers():
    assert normals(3, np.arange(0), 5).shape == (0, 5)


def test_uniforms_lie_strictly_inside_the_unit_interval():
    drawn = uniforms(0, np.arange(MANY), 4)
    assert 0.0 < drawn.min() < 1e-5 < 1.0 - 1e-5 < drawn.max() < 1.0


@pytest.mark.parametrize("column", range(5))
def test_uniforms_have_the_uniform_law(column):
    """Kolmogorov and Smirnov reject a true law with probability 0.001; the seed is fixed."""
    assert stats.kstest(uniforms(1, np.arange(MANY), 5)[:, column], "uniform").pvalue > 0.001


@pytest.mark.parametrize("column", range(5))
def test_normals_have_the_normal_law(column):
    """Kolmogorov and Smirnov reject a true law with probability 0.001; the seed is fixed."""
    assert stats.kstest(normals(1, np.arange(MANY), 5)[:, column], "norm").pvalue > 0.001


@pytest.mark.parametrize(
    ("power", "moment", "variance"), [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10170)]
)
def test_normals_have_the_normal_moments(power, moment, variance):
    """A mean of n independent z^power strays by more than 4 of its standard deviations with probability 6e-5."""
    mean = (normals(2, np.arange(MANY), 5) ** power).mean()
    assert mean == pytest.approx(moment, abs=4.0 * np.sqrt(variance / (5 * MANY)))


def test_columns_and_neighbouring_rows_are_uncorrelated():
    """A correlation of n independent pairs strays by more than 5 / sqrt(n) with probability 6e-7; here are 45 pairs."""
    drawn = normals(4, np.arange(MANY), 5)
    correlation = np.corrcoef(np.hstack([drawn[:-1], drawn[1:]]), rowvar=False)
    assert np.abs(correlation - np.eye(10)).max() < 5.0 / np.sqrt(MANY)


def test_neighbouring_seeds_and_streams_are_uncorrelated():
    """A correlation of n independent pairs strays by more than 5 / sqrt(n) with probability 6e-7; here are 6 pairs."""
    drawn = [uniforms(seed, np.arange(MANY), 1, stream)[:, 0] for seed in (0, 1) for stream in (0, 1)]
    assert np.abs(np.corrcoef(drawn) - np.eye(4)).max() < 5.0 / np.sqrt(MANY)


def test_quantile_agrees_with_scipy_where_it_is_used():
    """At the middles of 2^32 shares, the outermost included; 2e-15 is the rounding of both sides."""
    inner = np.random.default_rng(0).integers(0, 2**32, 100_000)
    p = (np.concatenate([np.arange(1000), inner, 2**32 - 1 - np.arange(1000)]) + 0.5) * 2.0**-32
    assert_allclose(normal_quantile(p), ndtri(p), rtol=2e-15)


def test_quantile_agrees_with_scipy_far_into_the_tails():
    """Everywhere it is declared, 1e-10 < p < 1 - 1e-10; 4e-15 is the rounding of both sides."""
    lower = np.logspace(-9.99, -0.31, 10_001)
    p = np.concatenate([lower, 1.0 - lower])
    assert_allclose(normal_quantile(p), ndtri(p), rtol=4e-15)


@pytest.mark.parametrize(
    ("p", "z"), [(0.5, 0.0), (0.25, -0.6744897501960817), (0.975, 1.959963984540054), (0.001, -3.090232306167813)]
)
def test_quantile_gives_the_tabulated_values(p, z):
    assert float(normal_quantile(np.array([p]))[0]) == pytest.approx(z, rel=1e-15)


def test_quantile_is_odd_about_one_half():
    p = (np.arange(0, 2**31, 2**31 // 10_000) + 0.5) * 2.0**-32
    assert_array_equal(normal_quantile(1.0 - p), -normal_quantile(p))


@pytest.mark.parametrize("join", [0.075, 0.925])
def test_quantile_rises_across_the_join_of_its_parts(join):
    p = (np.floor(join * 2**32) + np.arange(-1000, 1000) + 0.5) * 2.0**-32
    assert np.all(np.diff(normal_quantile(p)) > 0.0)


def test_quantile_leaves_its_argument_as_it_was():
    p = np.array([0.01, 0.5, 0.99])
    normal_quantile(p)
    assert p.tolist() == [0.01, 0.5, 0.99]
