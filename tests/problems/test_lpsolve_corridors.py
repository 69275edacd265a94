"""Corridors: what is drawn, what is a corridor and what is not, and the best one."""

from itertools import chain, combinations

import pytest

from rembo.problems.lpsolve import READY, Corridor, largest_utility
from rembo.problems.lpsolve.flow import columns, rows
from rembo.problems.lpsolve.optimum import RECORDED, prove_largest_utility

CROSS = Corridor(3, seed=1, slack=0.5)  # reserves 0, 7 and 8, which parcels 1 and 4 connect for 7


def sets_of_parcels(corridor):
    parcels = range(corridor.count)
    return chain.from_iterable(combinations(parcels, number) for number in range(corridor.count + 1))


def test_costs_and_utilities_lie_between_one_and_ten_but_at_reserves():
    parcels = READY.parcels
    bought = sorted(set(range(READY.count)) - set(parcels.reserves))
    assert set(parcels.costs[bought]) == set(parcels.utilities[bought]) == set(range(1, 11))
    assert set(parcels.costs[list(parcels.reserves)]) == set(parcels.utilities[list(parcels.reserves)]) == {0}


def test_drawn_corridor_is_frozen():
    assert READY.parcels.costs[:8].tolist() == [9, 1, 2, 3, 2, 9, 9, 6]
    assert READY.parcels.utilities[:8].tolist() == [10, 5, 4, 2, 3, 7, 8, 3]
    assert (READY.parcels.reserves, READY.budget) == ((90, 96, 47), 180)


@pytest.mark.parametrize(("slack", "budget"), [(0.0, 21), (0.5, 32), (1.0, 42)])
def test_slack_multiplies_what_connecting_the_reserves_takes(slack, budget):
    assert Corridor(6, seed=1, slack=slack).budget == budget


def test_neighbours_share_an_edge():
    assert [head for tail, head in CROSS.arcs if tail == 4] == [1, 3, 5, 7]
    assert [head for tail, head in CROSS.arcs if tail == 2] == [1, 5]


def test_corridor_within_the_budget_has_no_fault_and_a_utility():
    assert CROSS.fault({0, 1, 4, 7, 8}) is None
    assert CROSS.utility({0, 1, 4, 7, 8}) == 18


@pytest.mark.parametrize(
    ("parcels", "fault"),
    [
        ({0, 1, 2, 3, 4, 7, 8}, "the parcels cost 25, more than the budget of 11"),
        ({0, 1, 4, 7}, "the reserve 8 is left out"),
        ({0, 5, 7, 8}, "the parcel 5 is not connected with the reserves"),
        ({0, 1, 4, 6, 7, 8}, "the parcels cost 16, more than the budget of 11"),
        (set(), "the reserve 0 is left out"),
    ],
)
def test_parcels_that_are_no_corridor_have_a_fault_in_words(parcels, fault):
    assert CROSS.fault(parcels) == fault


@pytest.mark.parametrize("corridor", [Corridor(3, seed, slack) for seed in range(4) for slack in (0.0, 1.0)], ids=str)
def test_proven_optimum_is_the_best_of_all_sets_of_parcels(corridor):
    best = max(corridor.utility(parcels) for parcels in sets_of_parcels(corridor) if corridor.fault(parcels) is None)
    assert prove_largest_utility(corridor) == best


def test_program_has_the_size_of_the_formulation():
    each = list(rows(READY))
    assert (len(columns(READY)), len(each), sum(len(row.terms) for row in each)) == (462, 466, 1744)


@pytest.mark.parametrize("corridor", [corridor for corridor in RECORDED if corridor.size < 10], ids=str)
def test_recorded_optimum_is_proven_again(corridor):
    assert largest_utility(corridor) == prove_largest_utility(corridor)


def test_optimum_that_is_not_recorded_is_proven():
    assert largest_utility(Corridor(3, seed=1, slack=1.0)) == prove_largest_utility(Corridor(3, seed=1, slack=1.0))


def test_optimum_without_a_proof_in_time_is_an_error():
    with pytest.raises(TimeoutError, match=r"no proof of the optimum of Corridor\(size=10, .* in 0\.01 s"):
        prove_largest_utility(READY, seconds=0.01)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Corridor(1), "size 1 must be at least 2"),
        (lambda: Corridor(4, seed=-1), "seed -1 must be at least 0"),
        (lambda: Corridor(4, slack=-0.5), r"slack -0\.5 must be a finite number, at least 0"),
        (lambda: Corridor(4, slack=float("nan")), "slack nan must be a finite number, at least 0"),
    ],
)
def test_corridor_out_of_range_is_an_error(make, message):
    with pytest.raises(ValueError, match=message):
        make()
