"""Figures: the same numbers make the same files."""

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

from harness.figures import curves_figure, save, shares_figure
from harness.statistics import band

CURVES = np.exp(-np.linspace(0.0, 5.0, 30) * np.arange(1.0, 5.0)[:, None])


def figure(curves=CURVES):
    return curves_figure(
        {"D = 25": {"REMBO": band(curves), "random": band(curves + 1.0)}, "D = 10^9": {"REMBO": band(curves)}}
    )


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_same_numbers_make_the_same_file(ending, tmp_path):
    save(figure(), "standard", tmp_path / "first")
    save(figure(), "standard", tmp_path / "second")
    first, second = (tmp_path / folder / f"standard.{ending}" for folder in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()


def test_other_numbers_make_another_file(tmp_path):
    save(figure(), "first", tmp_path)
    save(figure(CURVES * 2.0), "second", tmp_path)
    assert (tmp_path / "first.png").read_bytes() != (tmp_path / "second.png").read_bytes()


def test_saved_figure_is_closed(tmp_path):
    import matplotlib.pyplot as plt

    drawn, _ = plt.subplots()
    save(drawn, "drawn", tmp_path)
    assert drawn.number not in plt.get_fignums()


def test_panels_share_a_log_axis_of_the_gap():
    left, right = figure().axes
    assert (left.get_yscale(), right.get_yscale()) == ("log", "log")
    assert left.get_ylim() == right.get_ylim()


def test_axis_reaches_below_the_lowest_mean():
    assert 0.0 < figure().axes[0].get_ylim()[0] < CURVES.mean(axis=0).min()


def test_label_has_one_colour_in_all_panels():
    left, right = figure().axes
    assert left.lines[0].get_color() == right.lines[0].get_color()


@pytest.mark.parametrize(("panels", "rows", "columns"), [(1, 1, 1), (3, 1, 3), (4, 2, 2), (5, 2, 3)])
def test_panels_stand_in_rows_of_at_most_three(panels, rows, columns):
    drawn = curves_figure({f"panel {number}": {"REMBO": band(CURVES)} for number in range(panels)})
    grid = drawn.axes[0].get_gridspec()
    assert (grid.nrows, grid.ncols) == (rows, columns)
    assert sum(axes.axison for axes in drawn.axes) == panels


def test_long_curve_is_drawn_from_its_first_evaluation_to_its_last():
    drawn = curves_figure({"long": {"REMBO": band(np.ones((2, 2000)))}}).axes[0].lines[0].get_xdata()
    assert (drawn[0], drawn[-1], len(drawn)) == (1, 2000, 150)


def test_gaps_that_reach_zero_can_be_drawn(tmp_path):
    save(curves_figure({"solved": {"REMBO": band(np.zeros((3, 5)))}}), "solved", tmp_path)
    assert (tmp_path / "solved.svg").exists()


def test_shares_are_drawn_from_zero_to_one_against_a_log_axis_of_evaluations():
    (axes,) = shares_figure({"bbob-5": {"REMBO": np.linspace(0.0, 0.4, 30)}}).axes
    assert (axes.get_xscale(), axes.get_ylim()) == ("log", (0.0, 1.0))


def test_fourteen_labels_have_colours_of_their_own():
    (axes,) = shares_figure({"bbob-5": {f"method {number}": np.zeros(3) for number in range(14)}}).axes
    assert len({line.get_color() for line in axes.lines}) == 14
