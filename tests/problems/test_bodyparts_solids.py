"""Ellipsoids and capsules: lines of sight meet them where they are, and nowhere else."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rembo.problems.bodyparts.solids import Capsule, Ellipsoid, Sight

SIGHT = Sight(np.linspace(-0.5, 0.5, 81)[None, :], np.linspace(-0.4, 0.4, 61)[:, None])
AHEAD = Sight(np.zeros((1, 1)), np.zeros((1, 1)))


def rotation(seed):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3))).Q


def seen(solid):
    """The points at which lines of sight meet the solid, (n, 3)."""
    depth = solid.depth(SIGHT)
    X, Y = np.broadcast_arrays(SIGHT.X, SIGHT.Y)
    met = np.isfinite(depth)
    return depth[met][:, None] * np.stack([X[met], Y[met], np.ones(met.sum())], axis=1)


def distance_to_line(points, start, end):
    """How far points, (n, 3), are from the line between two."""
    along = end - start
    share = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    return np.linalg.norm(points - start - share[:, None] * along, axis=1)


@pytest.fixture(params=range(4))
def ellipsoid(request):
    return Ellipsoid(np.array([0.2, -0.1, 3.0]), rotation(request.param) @ np.diag([0.3, 0.5, 0.8]))


@pytest.fixture(params=range(4))
def capsule(request):
    along = rotation(request.param)[0] * 0.6
    return Capsule(np.array([0.1, 0.0, 3.0]) - along, np.array([0.1, 0.0, 3.0]) + along, 0.2)


def test_points_seen_of_an_ellipsoid_lie_on_it(ellipsoid):
    inside = np.linalg.solve(ellipsoid.axes, (seen(ellipsoid) - ellipsoid.centre).T)
    assert inside.shape[1] > 100
    assert_allclose(np.linalg.norm(inside, axis=0), 1.0)


def test_points_seen_of_a_capsule_lie_on_it(capsule):
    points = seen(capsule)
    assert len(points) > 100
    assert_allclose(distance_to_line(points, capsule.start, capsule.end), capsule.radius)


def test_bounds_of_an_ellipsoid_hold_what_is_seen(ellipsoid):
    points, bounds = seen(ellipsoid), ellipsoid.bounds
    assert np.all((points >= bounds.low) & (points <= bounds.high))


def test_bounds_of_a_capsule_hold_what_is_seen(capsule):
    points, bounds = seen(capsule), capsule.bounds
    assert np.all((points >= bounds.low) & (points <= bounds.high))


def test_ball_ahead_is_seen_at_its_near_side():
    assert Ellipsoid(np.array([0.0, 0.0, 3.0]), np.identity(3)).depth(AHEAD) == pytest.approx(2.0)


def test_capsule_that_points_at_the_camera_shows_its_end():
    assert Capsule(np.array([0.0, 0.0, 4.0]), np.array([0.0, 0.0, 2.0]), 0.5).depth(AHEAD) == pytest.approx(1.5)


def test_solid_behind_the_camera_is_not_seen():
    assert np.isinf(Ellipsoid(np.array([0.0, 0.0, -3.0]), np.identity(3)).depth(SIGHT)).all()


def test_moved_ellipsoid_is_seen_where_it_was_moved_to():
    ball = Ellipsoid(np.zeros(3), np.identity(3)).moved(rotation(0), np.array([0.0, 0.0, 5.0]))
    assert ball.depth(AHEAD) == pytest.approx(4.0)


def test_girth_widens_an_ellipsoid_across_the_body_only():
    grown = Ellipsoid(np.ones(3), np.identity(3)).grown(scale=2.0, girth=1.5)
    assert_allclose(grown.axes, np.diag([3.0, 2.0, 3.0]))
    assert_allclose(grown.centre, 2.0)


def test_girth_widens_a_capsule_and_scale_lengthens_it():
    grown = Capsule(np.zeros(3), np.ones(3), 1.0).grown(scale=2.0, girth=1.5)
    assert grown.radius == 3.0
    assert_allclose(grown.end, 2.0)
