"""A score that leaves out what was asked already."""

import numpy as np
from numpy.testing import assert_array_equal

from rembo import LogExpectedImprovement, condition
from rembo.embedding import Region
from rembo.kernel import Leaves
from rembo.maximizer import Unseen
from rembo.optimizer.additive import axes_kernel


def improvement(Y):
    """Log expected improvement after two bits were tried."""
    kernel = axes_kernel(Leaves(np.array([2, 2]), {}))
    posterior = condition(kernel, Y, np.array([0.3, -0.2]), 1e-6)
    return LogExpectedImprovement().score(posterior, -0.2, Region(2, 1.0), np.random.default_rng(0))


SEEN = np.array([[-0.5, -0.5], [0.5, -0.5]])
OTHERS = np.array([[-0.5, 0.5], [0.5, 0.5]])


def test_score_is_minus_infinity_where_f_was_asked():
    unseen = Unseen.beyond(SEEN, improvement(SEEN))
    assert_array_equal(unseen(SEEN), [-np.inf, -np.inf])


def test_score_is_as_it_was_where_f_was_not_asked():
    score = improvement(SEEN)
    assert_array_equal(Unseen.beyond(SEEN, score)(OTHERS), score(OTHERS))


def test_gradient_of_an_unseen_score_leads_nowhere_among_choices():
    unseen = Unseen.beyond(SEEN[:0], improvement(SEEN))
    assert not unseen.with_gradient(OTHERS).gradients.any()
