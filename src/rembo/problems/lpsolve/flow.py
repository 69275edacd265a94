"""The corridor as a mixed-integer program: a single commodity flows from the root reserve to every chosen parcel.

Each chosen parcel takes one unit of what flows in, and nothing flows into a parcel that is not chosen: so the chosen
ones are connected. Columns are x_v (parcel v is chosen), y_v_w (what flows from v to w), supply and rest.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rembo.problems.lpsolve.corridor import Corridor

SUPPLY, REST = "supply", "rest"


@dataclass(frozen=True)
class Row:
    """A constraint: a sum of columns times whole numbers, at most, at least or exactly so much."""

    name: str
    terms: Mapping[str, int]
    relation: str
    bound: int


def chosen(parcel: int) -> str:
    """The column that says whether a parcel is chosen."""
    return f"x_{parcel}"


def columns(corridor: Corridor) -> list[str]:
    """All columns, those of the parcels first."""
    arcs = [_flow(*arc) for arc in corridor.arcs]
    return [*(chosen(parcel) for parcel in range(corridor.count)), *arcs, SUPPLY, REST]


def rows(corridor: Corridor) -> Iterator[Row]:
    """All constraints but the bounds: columns are at least 0, those of parcels whole and at most 1."""
    parcels = range(corridor.count)
    yield Row("source", {REST: 1, SUPPLY: 1}, "=", corridor.count)
    yield from _balances(corridor)
    for tail, head in corridor.arcs:
        yield Row(f"open_{tail}_{head}", {_flow(tail, head): 1, chosen(head): -corridor.count}, "<=", 0)
    yield Row("demand", {**{chosen(parcel): 1 for parcel in parcels}, SUPPLY: -1}, "=", 0)
    costs = enumerate(corridor.parcels.costs.tolist())
    yield Row("budget", {chosen(parcel): cost for parcel, cost in costs if cost}, "<=", corridor.budget)
    for reserve in corridor.parcels.reserves:
        yield Row(f"reserve_{reserve}", {chosen(reserve): 1}, ">=", 1)


def utilities(corridor: Corridor) -> dict[str, int]:
    """The objective, to be made large."""
    return {chosen(parcel): utility for parcel, utility in enumerate(corridor.parcels.utilities.tolist())}


def model_text(corridor: Corridor) -> str:
    """The program in lp_solve's own format.

    The objective names all parcels, zeros included: their columns come first then, in order. Presolving can make
    lp_solve forget the name of the last column, which must not be a parcel's.
    """
    parcels = [chosen(parcel) for parcel in range(corridor.count)]
    constraints = (f"{row.name}: {_sum(row.terms)} {row.relation} {row.bound};" for row in rows(corridor))
    bounds = (f"{parcel} <= 1;" for parcel in parcels)
    return "\n".join([f"max: {_sum(utilities(corridor))};", *constraints, *bounds, f"int {', '.join(parcels)};", ""])


def _balances(corridor: Corridor) -> Iterator[Row]:
    """What flows into a parcel is what it takes, if it is chosen, and what flows out of it."""
    balances = [{chosen(parcel): -1} for parcel in range(corridor.count)]
    balances[corridor.parcels.reserves[0]][SUPPLY] = 1
    for tail, head in corridor.arcs:
        balances[tail][_flow(tail, head)] = -1
        balances[head][_flow(tail, head)] = 1
    for parcel, terms in enumerate(balances):
        yield Row(f"balance_{parcel}", terms, "=", 0)


def _flow(tail: int, head: int) -> str:
    return f"y_{tail}_{head}"


def _sum(terms: Mapping[str, int]) -> str:
    return " ".join(f"{weight:+d} {column}" for column, weight in terms.items())
