"""Scores that remember how they were asked."""

import numpy as np
import pytest

from rembo import Region
from rembo.maximizer import Ascending


class Bump:
    """height exp(-|y - peak|^2 / (2 width^2)); `batches` lists how many points each call brought."""

    def __init__(self, peak, width=0.5, height=1.0):
        self.peak, self.width, self.height = np.asarray(peak, dtype=float), width, height
        self.batches = []

    def __call__(self, Y):
        self.batches.append(len(Y))
        return self.height * np.exp(-((Y - self.peak) ** 2).sum(axis=1) / (2.0 * self.width**2))

    def with_gradient(self, Y):
        values = self(Y)
        return Ascending(values, -values[:, None] * (Y - self.peak) / self.width**2)


class Slope:
    """The sum of the coordinates: highest in a corner of the box, 0 at the origin."""

    def __call__(self, Y):
        return Y.sum(axis=1)

    def with_gradient(self, Y):
        return Ascending(self(Y), np.ones_like(Y))


class Waves:
    """cos(6 y) - y^2 in each coordinate: many peaks, the highest at the origin."""

    def __call__(self, Y):
        return (np.cos(6.0 * Y) - Y**2).sum(axis=1)

    def with_gradient(self, Y):
        return Ascending(self(Y), -6.0 * np.sin(6.0 * Y) - 2.0 * Y)


@pytest.fixture
def region():
    return Region(2, 2.0)


@pytest.fixture
def bump():
    return Bump([0.5, -0.75])


@pytest.fixture
def bump_of():
    return Bump


@pytest.fixture
def slope():
    return Slope()


@pytest.fixture
def waves():
    return Waves()


@pytest.fixture
def rng():
    return np.random.default_rng(3)
