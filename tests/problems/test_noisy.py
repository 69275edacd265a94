"""Noisy problems: normal noise that is a function of the seed and of the number of the call."""

import pickle

import numpy as np
import pytest
from scipy.stats import kstest

from rembo.problems import BinaryQuadratic, Levy, Noisy, Padded

X = np.array([0.1, 0.2])


def noises(noisy, number):
    return np.array([noisy(X) - noisy.noiseless(X) for _ in range(number)])


def test_noise_is_normal():
    # p-values of a normal sample are uniform; with a spread off by a fifth that of 1000 numbers is below 1e-8
    assert kstest(noises(Noisy(Levy(2), std=0.5), 1000) / 0.5, "norm").pvalue > 1e-3


def test_noiseless_value_is_that_of_the_problem():
    assert Noisy(Levy(2), std=1.0).noiseless(X) == Levy(2)(X)


def test_same_seed_gives_the_same_noise():
    assert noises(Noisy(Levy(2), 1.0, seed=3), 5) == pytest.approx(noises(Noisy(Levy(2), 1.0, seed=3), 5), abs=0)


def test_other_seed_gives_other_noise():
    assert not np.any(noises(Noisy(Levy(2), 1.0, seed=3), 5) == noises(Noisy(Levy(2), 1.0, seed=4), 5))


def test_noise_of_a_call_does_not_depend_on_where():
    noisy = Noisy(Levy(2), 1.0, seed=3)
    noisy(-X)
    assert noisy(X) - noisy.noiseless(X) == pytest.approx(noises(Noisy(Levy(2), 1.0, seed=3), 2)[1])


def test_noiseless_value_takes_no_noise_away():
    asked, silent = Noisy(Levy(2), 1.0), Noisy(Levy(2), 1.0)
    asked.noiseless(X)
    assert (asked(X), asked.calls) == (silent(X), 1)


def test_pickled_problem_goes_on_where_it_stood():
    noisy = Noisy(Levy(2), 1.0)
    noisy(X)
    assert pickle.loads(pickle.dumps(noisy))(X) == noisy(X)


def test_noisy_problems_are_equal_whatever_was_called():
    called = Noisy(Levy(2), 1.0)
    called(X)
    assert called == Noisy(Levy(2), 1.0) != Noisy(Levy(2), 2.0)


@pytest.mark.parametrize(
    "problem", [Levy(2), Padded(Levy(2), 10**9), BinaryQuadratic(10)], ids=lambda p: type(p).__name__
)
def test_noisy_problem_keeps_space_and_optimum(problem):
    noisy = Noisy(problem, 0.1)
    assert (noisy.space, noisy.optimum) == (problem.space, problem.optimum)


@pytest.mark.parametrize("std", [-1.0, float("inf"), float("nan")])
def test_noise_without_a_finite_spread_is_an_error(std):
    with pytest.raises(ValueError, match=f"std {std} must be finite and not below 0"):
        Noisy(Levy(2), std)


def test_negative_seed_of_noise_is_an_error():
    with pytest.raises(ValueError, match="seed -1 must lie between 0"):
        Noisy(Levy(2), 1.0, seed=-1)
