"""Parallel coordinates, and which parameters they show."""

import json
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import rembo
from rembo.plot import DARK, LIGHT, plot_parallel_coordinate
from rembo.plot.data.coordinates import find_coordinate, first_coordinates
from rembo.plot.data.parallel import parallel
from rembo.plot.data.relevance import association, relevant
from rembo.plot.data.search import Search

SPACE = rembo.Space(
    {
        "rate": rembo.Float(1e-4, 1.0, log=True),
        "idle": rembo.Bool(),
        "kind": rembo.Categorical(["a", "b", "c"]),
        "weights": rembo.Box(10**9, low=0.0, high=2.0),
    }
)


def known(x):
    """Of six parameters, two matter."""
    return abs(np.log10(x["p4"]) + 2.0) + 3.0 * (x["p1"] == "b")


@pytest.fixture(scope="module")
def random_result():
    kinds = {f"p{number}": rembo.Categorical(["a", "b", "c"]) for number in range(4)}
    floats = {f"p{number}": rembo.Float(1e-4, 1.0, log=True) for number in (4, 5)}
    space = rembo.Space({**kinds, **floats})
    return rembo.minimize(known, space, 60, optimizer=rembo.RandomSearch(space, seed=0))


def test_parameters_that_the_values_go_with_come_first(random_result):
    assert {each.name for each in relevant(Search.of(random_result), 2)} == {"p1", "p4"}


def test_parameters_come_as_the_default_optimizer_tells_that_they_matter(odd_study):
    first = odd_study.importance()[0]
    assert [each.name for each in relevant(Search.of(odd_study), first.size)] == list(first.parameters)


def test_association_is_one_at_most_and_about_none_by_chance():
    rng, bits = np.random.default_rng(0), first_coordinates(rembo.Space({"a": rembo.Bool(), "b": rembo.Bool()}), 2)
    U = rng.uniform(-1.0, 1.0, (400, 2))
    share = association(U, np.where(U[:, 0] > 0.0, 1.0, 0.0) + 1e-9 * rng.random(400), bits)
    assert 0.7 < share[0] <= 1.0
    assert abs(share[1]) < 0.02  # the spread of chance at 400 values


def test_lines_are_the_complete_trials_the_best_drawn_last(random_result):
    drawn = parallel(Search.of(random_result))
    assert len(drawn.values) == 60
    assert drawn.values[-1] == random_result.fun
    assert drawn.values[0] == max(trial.value for trial in random_result.trials)


def test_axes_are_in_the_units_of_the_user(random_result):
    drawn = parallel(Search.of(random_result), ["p4", "p1"])
    labels = [[text for _, text in track.ruler.labels()] for track in drawn.tracks]
    assert labels == [["0.0001", "0.001", "0.01", "0.1", "1"], ["a", "b", "c"]]


def test_axes_have_names_and_labels(random_result):
    layout = plot_parallel_coordinate(random_result, ["p4", "p1"]).layout
    assert layout.xaxis.ticktext == ("p4", "p1", "value")
    assert {"0.0001", "a"} <= {each.text for each in layout.annotations}


def test_lines_through_one_name_stand_side_by_side(random_result):
    (track,) = parallel(Search.of(random_result), ["p1"]).tracks
    assert len(set(track.heights)) == 60
    below, above = (max(track.heights[np.array(track.texts) == name]) for name in "ab")
    assert below < -1.0 / 3.0 < above < 1.0 / 3.0


@pytest.mark.parametrize("maximised", [False, True])
def test_warm_colour_is_that_of_the_best_value(maximised):
    optimize = rembo.maximize if maximised else rembo.minimize
    result = optimize(lambda x: x[0], rembo.Box(3), 9, seed=0)
    *_, warm, best = plot_parallel_coordinate(result, ["x[0]"], theme=DARK).data
    assert warm.line.color == DARK.color(1)
    assert best.y[0] == (1.0 if maximised else -1.0)


def test_all_values_alike_are_all_the_best():
    result = rembo.minimize(lambda x: 1.0, rembo.Box(3), 9, seed=0)
    assert {trace.line.color for trace in plot_parallel_coordinate(result, ["x[0]"]).data[:-1]} == {LIGHT.color(1)}


def test_of_many_trials_some_are_drawn_and_the_best_among_them():
    space = rembo.Box(3)
    result = rembo.minimize(lambda x: x[0], space, 400, optimizer=rembo.RandomSearch(space, seed=0))
    drawn = parallel(Search.of(result), ["x[0]"])
    assert (len(drawn.values), drawn.values[-1]) == (301, result.fun)


@pytest.mark.parametrize(
    ("name", "index"), [("rate", 0), ("kind", 2), ("weights[17]", 20), ("weights[999999999]", 10**9 + 2)]
)
def test_coordinate_is_found_by_its_name(name, index):
    assert find_coordinate(SPACE, name).index == index


@pytest.mark.parametrize(
    "name", ["", "weights", "weights[1000000000]", "weights[-1]", "rate[0]", "absent", "absent[0]"]
)
def test_name_of_no_single_coordinate_is_not_found(name):
    assert find_coordinate(SPACE, name) is None


def test_coordinate_of_a_box_alone_is_called_x():
    assert find_coordinate(rembo.Box(10**9, 0.0, 4.0), "x[77]").value(0.5) == 3.0


def test_name_of_no_parameter_is_an_error_that_says_what_to_write(random_result):
    with pytest.raises(ValueError, match="'p9' is no parameter of one coordinate: name one"):
        plot_parallel_coordinate(random_result, ["p1", "p9"])


def test_no_names_are_an_error(random_result):
    with pytest.raises(ValueError, match="params is empty: name at least one parameter"):
        plot_parallel_coordinate(random_result, [])


def test_parameters_of_a_billion_must_be_named_where_nothing_tells_what_matters():
    space = rembo.Box(10**9)
    result = rembo.minimize(lambda x: x[3], space, 9, optimizer=rembo.RandomSearch(space, seed=0))
    with pytest.raises(ValueError, match=r"which of 1,000,000,000 parameters matter is not known: in Python, plot_par"):
        plot_parallel_coordinate(result)


def test_named_parameters_of_a_billion_take_little_memory(billion_result):
    tracemalloc.start()
    try:
        figure = plot_parallel_coordinate(billion_result, ["x[3]", "x[999999999]"])
        assert tracemalloc.get_traced_memory()[1] < 30 * 2**20  # an array of all coordinates is 8 GB
    finally:
        tracemalloc.stop()
    assert_array_equal(figure.data[-1].y[:2], billion_result.x[[3, 999_999_999]])


def test_names_above_axes_are_shown_and_not_obeyed(odd_study):
    shown = str(json.loads(plot_parallel_coordinate(odd_study, ["<b>", "<script>"]).to_json()))
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
