"""Pixels to learn from and to be judged by: streams do not mix, and labels are as even as they can be."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo.problems.bodyparts import Size, Stream
from rembo.problems.bodyparts.pixels import album, judged_pixels, pose, training_pixels

SMALL = Size(pictures=4, pixels_per_label=20, judged_pixels=300)


def test_streams_share_no_pose():
    angles = [pose(0, stream, number).angles[0, 1] for stream in Stream for number in range(50)]
    assert len(set(angles)) == 150


def test_first_pictures_of_a_stream_do_not_depend_on_their_number():
    few, many = (album(3, Stream.TEST, pictures) for pictures in (2, 4))
    assert_array_equal(many.depth[:2], few.depth)


def test_pictures_depend_on_the_seed():
    assert np.any(album(0, Stream.TRAINING, 1).depth != album(1, Stream.TRAINING, 1).depth)


def test_training_has_equally_many_pixels_of_each_label():
    assert_array_equal(np.bincount(training_pixels(0, SMALL).label), np.full(20, 20))


def test_label_with_few_pixels_gives_all_it_has():
    counts = np.bincount(training_pixels(0, Size(pictures=4, pixels_per_label=10_000)).label)
    assert_array_equal(counts[1:], np.bincount(album(0, Stream.TRAINING, 4).label.ravel())[1:])
    assert counts[0] == 10_000


def test_judged_pixels_are_of_the_foreground():
    pixels = judged_pixels(0, Stream.VALIDATION, SMALL)
    assert len(pixels.label) == 300
    assert pixels.label.min() > 0


def test_all_of_the_foreground_is_judged_if_wanted():
    pixels = judged_pixels(0, Stream.VALIDATION, Size(pictures=2, judged_pixels=None))
    assert len(pixels.label) == np.count_nonzero(album(0, Stream.VALIDATION, 2).label)


def test_no_pixel_is_judged_twice():
    pixels = judged_pixels(0, Stream.VALIDATION, SMALL)
    assert len(set(zip(pixels.picture, pixels.row, pixels.column, strict=True))) == 300


def test_pixels_know_what_they_show():
    pixels, drawn = judged_pixels(0, Stream.VALIDATION, SMALL), album(0, Stream.VALIDATION, 4)
    assert_array_equal(pixels.label, drawn.label[pixels.picture, pixels.row, pixels.column])


def test_pixels_know_how_far_an_offset_reaches():
    pixels = judged_pixels(0, Stream.VALIDATION, SMALL)
    assert_array_equal(pixels.reach, 2.0 / pixels.depth[pixels.picture, pixels.row, pixels.column])


def test_pixels_are_drawn_once_in_a_process():
    assert training_pixels(0, SMALL) is training_pixels(0, SMALL)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"pictures": 0}, "pictures 0 must be at least 1"),
        ({"pixels_per_label": 0}, "pixels_per_label 0 must be at least 1"),
        ({"judged_pixels": 0}, "judged_pixels 0 must be at least 1"),
    ],
)
def test_size_of_nothing_is_an_error(sizes, message):
    with pytest.raises(ValueError, match=message):
        Size(**sizes)
