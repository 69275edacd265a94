"""Pictures of the model: landscape, slices, calibration, clipping."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rembo
from rembo.embedding import Forest, GaussianEmbedding, Layout, Point
from rembo.gp import condition
from rembo.plot import plot_calibration, plot_landscape, plot_slice
from rembo.plot.data.axes import axis_of
from rembo.plot.data.calibration import calibration
from rembo.plot.data.clipping import clipped_share, clipping
from rembo.plot.data.landscape import landscape
from rembo.plot.data.model import model_of, modellers
from rembo.plot.data.rulers import shared_ruler
from rembo.plot.data.search import Search
from rembo.plot.data.slices import slices


@pytest.fixture(scope="module")
def model(embedded_search):
    return model_of(embedded_search)


@pytest.fixture(scope="module")
def drawn(model):
    return landscape(model)


def test_model_is_that_of_the_run_with_the_best_value(embedded_search, model):
    assert model.run == embedded_search.best.run
    assert_array_equal(model.best_at, embedded_search.best.y)


def test_model_of_another_run_can_be_asked_for(embedded_search, model):
    other = 1 - model.run
    assert model_of(embedded_search, other).run == other


def test_run_that_is_not_there_is_an_error_that_names_those_that_are(embedded_search):
    with pytest.raises(ValueError, match="has no model for run 7: it has one for 0 to 1"):
        model_of(embedded_search, 7)


def test_optimizer_without_a_model_is_an_error_that_names_those_with_one(random_results):
    with pytest.raises(ValueError, match="RandomSearch has no model of f to draw: Rembo, BayesOpt and Growing have"):
        model_of(Search.of(random_results[0]))


def test_run_that_was_told_nothing_is_an_error():
    study = rembo.Study(
        rembo.Box(9), optimizer=rembo.Interleaved([rembo.Rembo(rembo.Box(9), 2, seed=s) for s in (0, 1)])
    )
    study.tell(study.ask(), 1.0)
    with pytest.raises(ValueError, match="run 1 of 'study' was told nothing yet"):
        model_of(Search.of(study), 1)


def test_interleaved_optimizers_have_a_model_for_each_run_of_each():
    space = rembo.Box(9)
    optimizer = rembo.Interleaved([rembo.Rembo(space, 2, runs=2, seed=0), rembo.Rembo(space, 3, seed=1)])
    dims = {number: run.region.dim for number, run in modellers(optimizer).items()}
    assert dims == {0: 2, 2: 2, 1: 3}


def test_belief_is_certain_where_the_centre_was_evaluated(drawn):
    assert drawn.std[30, 30] < 1e-3
    assert drawn.mean[30, 30] == pytest.approx(drawn.values[0], abs=1e-6)


def test_rows_of_the_landscape_run_along_the_second_axis(model, drawn):
    belief = model.posterior(np.array([[drawn.grid[5], drawn.grid[40]]]))
    assert drawn.mean[40, 5] == pytest.approx(belief.mean[0])


def test_improvement_is_expected_nowhere_that_is_certain(drawn):
    assert drawn.improvement.min() >= 0.0
    assert drawn.improvement[30, 30] < 1e-6


def test_projection_clips_nothing_at_the_centre_and_more_farther_out(drawn):
    outwards = np.diagonal(drawn.clipped)[15:]
    assert outwards[0] == 0.0
    assert (np.diff(outwards) >= 0.0).all()
    assert outwards[-1] > 0.5


def test_landscape_of_more_than_two_dimensions_is_an_error_that_names_the_cure(growing_search):
    with pytest.raises(ValueError, match="plot_slice shows more than two"):
        landscape(model_of(growing_search))


def test_landscape_marks_every_evaluation_of_its_run(rembo_result, model):
    points = [trace for trace in plot_landscape(rembo_result).data if trace.type == "scatter"]
    assert len(points[0].x) == len(model.posterior)


def test_slices_pass_through_the_best_point(growing_search):
    model = model_of(growing_search)
    one = slices(model)[0]
    at_best = np.interp(one.best_at, one.positions, one.mean)
    assert at_best == pytest.approx(model.best, abs=0.2)  # between two of the 65 positions the mean may bend


def test_slices_come_by_how_much_the_belief_varies(growing_search):
    reliefs = [one.relief for one in slices(model_of(growing_search))]
    assert reliefs == sorted(reliefs, reverse=True)


def test_no_more_slices_are_drawn_than_nine(growing_result):
    figure = plot_slice(growing_result)
    assert len([trace for trace in figure.data if trace.mode == "lines"]) == 9


def test_axis_of_a_choice_shows_each_choice(odd_study):
    drawn = {one.axis.name: one for one in slices(model_of(Search.of(odd_study)), most=99)}["<script>"]
    assert [text for _, text in drawn.axis.ruler.labels()] == ["<i>a</i>", "b", "c"]
    assert_array_equal(drawn.positions, [0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("size", "name"),
    [(1, "x[0]"), (3, "x[0], x[1], x[2]"), (1000, "x[0], x[1], x[2] and 997 more"), (1001, "1,001 parameters")],
)
def test_bin_is_named_in_a_few_words(size, name):
    forest = Forest.planted(Layout.numbers(size), leaves=1, seed=0)
    assert axis_of(rembo.Box(size), forest, 0).name == name


def test_entry_of_a_random_embedding_has_no_name_but_its_number():
    assert axis_of(rembo.Box(9), GaussianEmbedding(9, 2), 1).name == "y[1]"


def test_entry_of_the_identity_is_called_as_its_parameter():
    space = rembo.Space({"rate": rembo.Float(0.0, 4.0), "n": rembo.Integer(1, 9)})
    axis = axis_of(space, rembo.IdentityEmbedding(2), 0)
    assert (axis.name, axis.ruler.labels()[::2]) == ("rate", ((-1.0, "0"), (0.0, "2"), (1.0, "4")))


UNITS = rembo.Space(
    {
        "rate": rembo.Float(1e-5, 1e-1, log=True),
        "layers": rembo.Integer(1, 8),
        "kind": rembo.Categorical(["adam", "sgd", "<b>"]),
        "weights": rembo.Box(3, low=-10.0, high=30.0),
    }
)


@pytest.fixture(scope="module")
def in_units():
    """Slices of a search of every coordinate, by name."""
    result = rembo.minimize(lambda x: x["layers"], UNITS, 9, optimizer=rembo.BayesOpt(UNITS, seed=0))
    return {one.axis.name: one for one in slices(model_of(Search.of(result)))}, plot_slice(result)


def test_slice_along_a_learning_rate_has_its_log_scale(in_units):
    rate = in_units[0]["rate"]
    assert_allclose(np.diff(np.log10(rate.positions)), 4 / 64)
    assert (rate.positions[0], rate.positions[-1], rate.axis.ruler.log) == (1e-5, 1e-1, True)


def test_slice_along_whole_numbers_has_each_of_them(in_units):
    assert_array_equal(in_units[0]["layers"].positions, np.arange(1, 9))


def test_few_whole_numbers_have_a_label_each(in_units):
    labels = in_units[0]["layers"].axis.ruler.labels()
    assert [text for _, text in labels] == ["1", "2", "3", "4", "5", "6", "7", "8"]
    assert_allclose([at for at, _ in labels], np.linspace(-0.875, 0.875, 8))


def test_slice_along_a_coordinate_of_a_box_has_its_units(in_units):
    assert_allclose(in_units[0]["weights[1]"].positions[[0, 32, 64]], [-10.0, 10.0, 30.0])


def test_slices_mark_what_was_seen_in_the_same_units(in_units):
    assert all(1e-5 <= rate <= 1e-1 for rate in in_units[0]["rate"].seen)
    assert set(in_units[0]["kind"].seen) <= {0.0, 1.0, 2.0}


def test_figure_of_slices_has_a_log_axis_and_names(in_units):
    axes = list(in_units[1].select_xaxes())
    assert sorted(axis.type == "log" for axis in axes)[-1]
    assert ("adam", "sgd", "&lt;b&gt;") in [axis.ticktext for axis in axes]


@pytest.mark.parametrize(
    ("levels", "labels"),
    [(0, ("one end", "start", "other end")), (2, ("unchanged", "flipped")), (3, ("unchanged", "1 on", "2 on"))],
)
def test_parameters_that_move_together_say_how_far_they_go(levels, labels):
    assert tuple(text for _, text in shared_ruler(levels).labels()) == labels


def test_landscape_of_two_parameters_is_in_their_units():
    space = rembo.Space({"rate": rembo.Float(1e-4, 1.0, log=True), "decay": rembo.Float(0.0, 2.0)})
    result = rembo.minimize(lambda x: x["decay"], space, 9, optimizer=rembo.BayesOpt(space, seed=0))
    layout = plot_landscape(result).layout
    assert layout.xaxis.ticktext == ("0.0001", "0.001", "0.01", "0.1", "1")
    assert layout.yaxis.ticktext == ("0", "0.5", "1", "1.5", "2")


def test_prediction_without_a_value_is_that_of_a_model_that_never_saw_it(model):
    seen, fit = model.posterior, calibration(model.posterior)
    kept = np.arange(len(seen)) != 4
    without = condition(seen.kernel, seen.Y[kept], seen.values[kept], seen.noise[kept])(seen.Y[4:5])
    assert fit.mean[4] == pytest.approx(without.mean[0], abs=1e-6)
    assert fit.std[4] == pytest.approx(np.sqrt(without.std[0] ** 2 + seen.noise[4]), abs=1e-6)


def test_perfect_predictions_explain_all_the_variance(growing_result):
    fit = calibration(model_of(Search.of(growing_result)).posterior)
    perfect = type(fit)(fit.observed, fit.observed, fit.std)
    assert (perfect.explained, perfect.covered) == (1.0, 1.0)


def test_mean_as_prediction_explains_nothing(growing_result):
    fit = calibration(model_of(Search.of(growing_result)).posterior)
    flat = type(fit)(fit.observed, np.full_like(fit.observed, fit.observed.mean()), np.zeros_like(fit.std))
    assert flat.explained == pytest.approx(0.0)
    assert flat.covered == 0.0


def test_calibration_shows_every_value_that_the_model_saw(rembo_result, model):
    marks = plot_calibration(rembo_result).data[-1]
    assert_allclose(np.sort(marks.x), np.sort(model.posterior.values))


def test_clipped_share_counts_the_coordinates_at_the_bounds():
    point = Point(GaussianEmbedding(200, 2, seed=3), [1.0, -0.5])
    assert clipped_share(point) == np.mean(np.abs(point[:]) == 1.0)


def test_nothing_is_clipped_without_projection():
    assert clipped_share(Point(GaussianEmbedding(200, 2, seed=3), [1.0, -0.5], projected=False)) == 0.0


def test_growing_search_is_never_clipped(growing_search):
    assert clipping(growing_search).share.max() == 0.0
