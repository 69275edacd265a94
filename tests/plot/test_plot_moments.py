"""Length scales and bins over time: a search gone through again."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rembo
from rembo.plot import plot_length_scales, plot_tree
from rembo.plot.data.moments import moments, scale_curves, tree
from rembo.plot.data.search import Search

SPACE = rembo.Box(1000)


@pytest.fixture(scope="module")
def grown(growing_search):
    """The moments of the growing search, and its tree."""
    kept = moments(growing_search, 0)
    return kept, tree(0, SPACE, kept)


@pytest.fixture(scope="module")
def exploiting():
    """A run of Algorithm 3 that exploits so much that U falls: it relearns after every step and is soon sure."""
    schedule = rembo.Schedule(every=5, patience=2, threshold=0.5)
    optimizer = rembo.Rembo(rembo.Box(20), 2, learning=schedule, seed=0)
    return Search.of(rembo.minimize(lambda x: x[0] ** 2, rembo.Box(20), 30, optimizer=optimizer))


def test_last_moment_is_what_the_optimizer_has_learned(embedded_search):
    last = moments(embedded_search)[-1]
    ours = embedded_search.optimizer.runs[embedded_search.best.run].state.learned
    assert_array_equal(last.lengths, ours.scales)


def test_last_moment_of_a_growing_search_is_its_model(growing_search, grown):
    model = growing_search.optimizer.restarts[0].model()
    assert_array_equal(grown[0][-1].lengths, model.in_force.lengths)


def test_moments_are_at_most_fifty_and_end_with_the_search():
    space = rembo.Box(20)
    search = Search.of(rembo.minimize(lambda x: x[0], space, 70, optimizer=rembo.Rembo(space, 1, seed=0)))
    kept = moments(search)
    assert (len(kept), kept[-1].told) == (50, 70)


def test_upper_bound_of_algorithm_3_never_rises_and_length_scales_stay_below(exploiting):
    (curve,) = scale_curves(rembo.Box(20), moments(exploiting))
    assert (np.diff(curve.upper) <= 0.0).all()
    assert curve.upper[-1] < curve.upper[0]
    assert (curve.lengths <= curve.upper * (1.0 + 1e-9)).all()


def test_figure_of_algorithm_3_shows_the_length_scale_and_its_bound(exploiting):
    assert [trace.name for trace in plot_length_scales(exploiting).data] == ["l", "upper bound U of l"]


def test_length_scales_learned_otherwise_have_no_upper_bound(growing_search):
    names = [trace.name for trace in plot_length_scales(growing_search, run=0).data]
    assert not any("upper bound" in name for name in names)


def test_curves_come_with_the_shortest_scale_first(grown):
    last = [curve.lengths[-1] for curve in scale_curves(SPACE, grown[0])]
    assert last == sorted(last)


def test_bins_that_were_one_have_one_curve_until_they_part(grown):
    kept, bins = grown[0], grown[1].bins
    last = kept[-1].lengths  # which tell curves apart, but for those of bins that do not matter: these end alike
    alone = np.array([np.count_nonzero(last == length) == 1 for length in last])
    first = int(np.flatnonzero((np.diff(bins[:, 0]) == 0) & alone[:-1] & alone[1:])[0])
    curves = {curve.lengths[-1]: curve.lengths for curve in scale_curves(SPACE, kept)}
    one, other = (curves[kept[-1].lengths[leaf]] for leaf in (first, first + 1))
    together = bins[first] == bins[first + 1]
    assert_array_equal(one[together], other[together])
    assert one[-1] != other[-1]


def test_bins_only_split(grown):
    counts = [len(np.unique(column)) for column in grown[1].bins.T]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_shares_of_the_bins_of_a_moment_add_up_to_one(grown):
    bins, share = grown[1].bins, grown[1].share
    sums = [share[np.unique(bins[:, moment], return_index=True)[1], moment].sum() for moment in range(bins.shape[1])]
    assert_allclose(sums, 1.0)


def test_tree_of_an_embedding_that_does_not_grow_is_an_error(rembo_result):
    with pytest.raises(ValueError, match="searches GaussianEmbedding, which does not grow: Growing's does"):
        plot_tree(rembo_result)


def test_figure_of_the_tree_has_a_row_for_each_bin(growing_search, grown):
    surface, borders = plot_tree(growing_search, run=0).data
    assert surface.z.shape == grown[1].share.shape
    assert np.nanmax(borders.y) == len(grown[1].names) - 1.5
