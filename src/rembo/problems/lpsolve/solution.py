"""What lp_solve prints: solutions, of which the last complete one counts.

A process may be killed while it prints: a solution is complete if there is a line for each parcel. Reserves belong to
every corridor, whatever is printed: until lp_solve ends, it prints 0 for a column that presolving has fixed at 1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rembo.problems.lpsolve.corridor import Corridor
from rembo.problems.lpsolve.flow import chosen

TOLERANCE = 1e-5  # lp_solve prints six digits
_SOLUTION = re.compile(
    r"Value of objective function: (\S+)\n\nActual values of the variables:\n((?:\S+ +[-+.\de]+\n)+)"
)


@dataclass(frozen=True)
class Solution:
    """An objective and the value of each column, as printed."""

    objective: float
    values: Mapping[str, float]

    def parcels(self, corridor: Corridor) -> frozenset[int]:
        """The parcels whose column is rather 1 than 0, and the reserves."""
        bought = (parcel for parcel in range(corridor.count) if self.values[chosen(parcel)] > 0.5)
        return frozenset([*bought, *corridor.parcels.reserves])

    def fault(self, corridor: Corridor) -> str | None:
        """What is wrong with the solution, checked without the solver, in words; None if it is a corridor."""
        for parcel in range(corridor.count):
            value = self.values[chosen(parcel)]
            if min(abs(value), abs(value - 1.0)) > TOLERANCE:
                return f"the parcel {parcel} is chosen by {value}, neither 0 nor 1"
        parcels = self.parcels(corridor)
        utility = corridor.utility(parcels)
        if abs(self.objective - utility) > TOLERANCE * max(1, utility):
            return f"the objective {self.objective} is not the utility {utility} of the parcels"
        return corridor.fault(parcels)


def last_solution(printed: str, corridor: Corridor) -> Solution | None:
    """The last complete solution in what was printed, if there is one."""
    for found in reversed(list(_SOLUTION.finditer(printed))):
        values = {column: float(value) for column, value in map(str.split, found[2].splitlines())}
        if all(chosen(parcel) in values for parcel in range(corridor.count)):
            return Solution(float(found[1]), values)
    return None
