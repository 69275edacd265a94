"""Many points are scored in batches, with the same scores."""

import numpy as np
from numpy.testing import assert_array_equal

from rembo.maximizer.maximizer import scores_of


class Counted:
    """The first coordinate, and how many points were scored at once."""

    def __init__(self):
        self.sizes = []

    def __call__(self, Y):
        self.sizes.append(len(Y))
        return Y[:, 0]


def test_scores_of_batches_are_those_of_all_points():
    Y = np.random.default_rng(0).uniform(-1.0, 1.0, (5000, 2))
    score = Counted()
    assert_array_equal(scores_of(score, Y), Y[:, 0])
    assert score.sizes == [2048, 2048, 904]


def test_no_points_have_no_scores():
    assert scores_of(Counted(), np.zeros((0, 2))).shape == (0,)
