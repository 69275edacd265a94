"""Rows for scikit-learn's table of results, in the format that its documentation gives `cv_results_`."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Candidate: TypeAlias = Mapping[str, Any]


def insert_unfitted(results: dict[str, Any], unfitted: Sequence[tuple[int, Candidate]], error_score: float) -> None:
    """Add candidates of which no fit succeeded, each before the row of that number, as scikit-learn writes them."""
    kept, places = len(results["params"]), [place for place, _ in unfitted]
    order = np.insert(np.arange(kept), places, np.arange(kept, kept + len(places))).tolist()
    candidates = [candidate for _, candidate in unfitted]
    for name, column in results.items():
        rows = [*column, *_entries(name, candidates, error_score)]
        results[name] = _like(column, [rows[row] for row in order])
    for name in [name for name in results if name.startswith("rank_")]:
        results[name] = _ranks(results[name.replace("rank_", "mean_", 1)])


def _entries(name: str, candidates: Sequence[Candidate], error_score: float) -> list[Any]:
    """What stands in a column: no time was measured, and equal scores do not spread; ranks are found in the end."""
    if name == "params":
        return list(candidates)
    if name.startswith("param_"):
        return [candidate[name.removeprefix("param_")] for candidate in candidates]
    if name.startswith("rank_"):
        return [0] * len(candidates)
    number = np.nan if name.endswith("_time") else error_score
    return [number - number if name.startswith("std_") else number] * len(candidates)


def _like(column: Any, rows: list[Any]) -> Any:
    """Rows as a column of the same kind: a list, an array, or an array with a mask."""
    if isinstance(column, list):
        return rows
    empty = np.ma.masked_all if isinstance(column, np.ma.MaskedArray) else np.empty
    longer = empty(len(rows), dtype=column.dtype)
    for row, value in enumerate(rows):  # one at a time: a value may itself be a sequence
        longer[row] = value
    return longer


def _ranks(means: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    """1 for the highest mean; what has none shares the last rank."""
    known = np.sort(means[~np.isnan(means)])
    higher = len(known) - np.searchsorted(known, means, side="right")
    return np.where(np.isnan(means), len(known), higher).astype(np.int32) + 1
