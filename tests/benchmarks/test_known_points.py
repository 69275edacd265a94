"""Points that are known beforehand, in a tiny size."""

import numpy as np

from known_points import Ellipsoid, drawn, gap, problems


def test_all_known_points_are_taken():
    problem = Ellipsoid(10, 3)
    found, taken = gap(problem, drawn(problem, 5, 3), 3)
    assert (taken, found > 0.0) == (5, True)


def test_optimum_of_the_ellipsoid_is_at_its_bottom():
    problem = Ellipsoid(6, 3)
    assert problem(problem.drawn[0]) == problem.optimum
    assert problem(np.zeros(6)) > 0.0


def test_problems_of_a_seed_have_their_dimension():
    assert {problem.space.size for problem in problems(12, 3).values()} == {12}
