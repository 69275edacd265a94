"""What lp_solve prints, read and checked without it."""

import pytest

from rembo.problems.lpsolve import Corridor
from rembo.problems.lpsolve.solution import last_solution

CROSS = Corridor(3, seed=1, slack=0.5)  # reserves 0, 7 and 8
BRIDGE = {0: 1, 1: 1, 4: 1, 7: 1, 8: 1}  # a corridor that is worth 18


def printed(values, objective=18.0, count=9):
    lines = "".join(f"x_{parcel:<30}{values.get(parcel, 0):>2}\n" for parcel in range(count))
    return f"\nValue of objective function: {objective:.8f}\n\nActual values of the variables:\n{lines}"


def fault(values, objective=18.0):
    return last_solution(printed(values, objective), CROSS).fault(CROSS)


def test_solution_is_read_with_its_objective_and_parcels():
    solution = last_solution(printed(BRIDGE), CROSS)
    assert (solution.objective, solution.parcels(CROSS), solution.fault(CROSS)) == (18.0, frozenset(BRIDGE), None)


def test_last_of_several_solutions_counts():
    solution = last_solution(printed({}, 0.0) + printed(BRIDGE) + "\nDual value\n", CROSS)
    assert solution.objective == 18.0


@pytest.mark.parametrize("length", [1, 30, 60, 100, 150, 200, 350])
def test_solution_that_was_cut_off_does_not_count(length):
    assert last_solution(printed(BRIDGE) + printed({}, 0.0)[:length], CROSS).objective == 18.0


@pytest.mark.parametrize("text", ["", "Timeout\n", "\nThis problem is infeasible\n", printed(BRIDGE, count=8)])
def test_output_without_a_complete_solution_has_none(text):
    assert last_solution(text, CROSS) is None


def test_reserves_belong_to_the_corridor_whatever_is_printed():
    assert last_solution(printed({1: 1, 4: 1}), CROSS).parcels(CROSS) == frozenset(BRIDGE)


def test_values_within_the_printed_digits_are_rounded():
    assert fault(BRIDGE | {1: 0.999999, 2: 1e-6}) is None


def test_half_a_parcel_is_a_fault():
    assert fault(BRIDGE | {5: 0.5}) == "the parcel 5 is chosen by 0.5, neither 0 nor 1"


def test_objective_that_is_not_the_utility_is_a_fault():
    assert fault(BRIDGE, 21.0) == "the objective 21.0 is not the utility 18 of the parcels"


def test_parcels_that_are_no_corridor_are_a_fault():
    assert fault({5: 1}, 3.0) == "the parcel 5 is not connected with the reserves"
