"""Pictures of people: what the z-buffer promises, and what a mirror does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.problems.bodyparts import Pose, random_pose, render
from rembo.problems.bodyparts.anatomy import NAMES
from rembo.problems.bodyparts.pose import OPPOSITE
from rembo.problems.bodyparts.render import BACKGROUND, FOCAL_LENGTH, HEIGHT, WIDTH
from rembo.problems.bodyparts.solids import Sight

SEEDS = range(5)
MIRRORED_LABELS = np.array([0, *(OPPOSITE + 1)])


def drawn(seed):
    return random_pose(np.random.default_rng(seed))


def standing(x=0.0, z=3.0, **angles):
    """Someone upright; the angles, in degrees, of the parts named."""
    degrees = [angles.get(name.replace(" ", "_"), (0.0, 0.0, 0.0)) for name in NAMES]
    return Pose(np.radians(degrees), np.array([x, 0.0, z]))


def label(name):
    return NAMES.index(name) + 1


def all_depths(pose):
    """The depth of each part alone at every pixel, (19, 240, 320)."""
    columns, rows = np.arange(WIDTH) - (WIDTH - 1) / 2.0, (HEIGHT - 1) / 2.0 - np.arange(HEIGHT)
    everywhere = Sight(columns[None, :] / FOCAL_LENGTH, rows[:, None] / FOCAL_LENGTH)
    return np.array([solid.depth(everywhere) for solid in pose.solids()])


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_cover_the_silhouette_exactly(seed):
    picture = render(drawn(seed))
    assert_array_equal(picture.label > 0, picture.depth < BACKGROUND)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_pixel_shows_the_nearest_part(seed):
    pose = drawn(seed)
    picture, depths = render(pose), all_depths(pose)
    nearest = np.where(depths.min(axis=0) < BACKGROUND, depths.argmin(axis=0) + 1, 0)
    assert_array_equal(picture.label, nearest)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_pixel_has_the_depth_of_what_it_shows(seed):
    pose = drawn(seed)
    # depths are kept as 32-bit numbers
    assert_allclose(render(pose).depth, np.minimum(all_depths(pose).min(axis=0), BACKGROUND), rtol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_mirrored_pose_gives_the_mirrored_picture(seed):
    picture, mirrored = render(drawn(seed)), render(drawn(seed).mirrored())
    assert_array_equal(mirrored.label, MIRRORED_LABELS[picture.label[:, ::-1]])
    assert_allclose(mirrored.depth, picture.depth[:, ::-1], rtol=1e-6)


def test_person_who_stands_straight_is_symmetric():
    picture = render(standing())
    assert_array_equal(picture.label, MIRRORED_LABELS[picture.label[:, ::-1]])


def test_mirroring_twice_changes_nothing():
    assert_allclose(drawn(0).mirrored().mirrored().angles, drawn(0).angles)


def test_every_part_is_seen_in_some_pose():
    seen = np.unique([render(drawn(seed)).label for seed in range(10)])
    assert_array_equal(seen, np.arange(20))


def test_hand_held_out_to_the_camera_is_nearest():
    picture = render(standing(left_upper_arm=(90.0, 0.0, 0.0)))
    assert picture.label.flat[picture.depth.argmin()] == label("left hand")


def test_left_arm_raised_to_the_side_is_on_the_right_of_the_picture():
    _, columns = np.nonzero(render(standing(left_upper_arm=(0.0, 0.0, 90.0))).label == label("left hand"))
    assert columns.min() > WIDTH / 2.0 + 0.5 * FOCAL_LENGTH / 3.0  # half a metre to the right, three metres away


def test_bent_knee_moves_the_foot_backward():
    straight, bent = render(standing()), render(standing(left_shin=(-60.0, 0.0, 0.0)))
    foot = label("left foot")
    assert bent.depth[bent.label == foot].min() > straight.depth[straight.label == foot].min() + 0.2


def test_person_is_as_tall_as_people_are():
    rows, _ = np.nonzero(render(standing()).label)
    # metres; the feet are nearer than the three metres of the hips, and look larger
    assert (rows.max() - rows.min()) * 3.0 / FOCAL_LENGTH == pytest.approx(1.8, abs=0.08)


def test_person_twice_as_far_away_covers_a_quarter_of_the_pixels():
    near, far = (np.count_nonzero(render(standing(z=z)).label) for z in (3.0, 6.0))
    # depth within the body changes the ratio a little
    assert far / near == pytest.approx(0.25, rel=0.05)


def test_person_beside_the_camera_is_not_in_the_picture():
    assert not render(standing(x=10.0)).label.any()


def test_picture_depends_on_the_seed_alone():
    first, again, other = (render(drawn(seed)).depth for seed in (0, 0, 1))
    assert_array_equal(first, again)
    assert np.any(first != other)


def test_person_who_touches_the_camera_is_an_error():
    with pytest.raises(ValueError, match=r"begins at depth -0\.\d+ m, behind the camera: move the person away"):
        render(standing(z=0.1))


def test_pictures_have_as_many_foreground_pixels_as_the_paper_had():
    counts = [np.count_nonzero(render(drawn(seed)).label) for seed in range(20)]
    # 2.2 million pixels in 500 pictures are 4,400 each; here 4,500 in the mean, with a spread of 1,100 over poses
    assert 3700 < np.mean(counts) < 5300
