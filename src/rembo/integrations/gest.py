"""gest-api: a generator of points for libEnsemble, Xopt and whatever else runs generators of that standard.

The standard's VOCS says which variables there are and what is wanted; suggested points carry their trial's number as
`_id`, and results come back with it. Points without an `_id` are others' evaluations, which the optimizer learns from
where it can represent them.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from rembo.border import is_finite
from rembo.extras import absent
from rembo.integrations.searched import Fixed, Maker, Searched, choice_of, optimizer_of
from rembo.optimizer import Trial
from rembo.space import Float, Integer, Parameter

try:
    from gest_api import Generator
    from gest_api.vocs import (
        VOCS,
        ContextualVariable,
        ContinuousVariable,
        DiscreteVariable,
        MaximizeObjective,
        MinimizeObjective,
    )
except ModuleNotFoundError as missing:
    raise absent("RemboGenerator needs gest-api", "gest-api") from missing


class RemboGenerator(Generator):  # type: ignore[misc]  # gest-api has no types
    """Suggests points for the variables of `vocs`, to make its one objective small or large.

    `optimizer` makes the optimizer of a space and a seed, e.g. `functools.partial(rembo.Rembo, embedding_dim=4)`. A
    result without a finite objective, or one that violates a constraint, is a failure: the search avoids the place.
    """

    returns_id = True

    def __init__(self, vocs: VOCS, *, optimizer: Maker | None = None, seed: int | None = None) -> None:
        super().__init__(vocs)
        self.vocs = vocs
        self._searched = _searched_in(vocs)
        self.optimizer = optimizer_of(optimizer, self._searched.space, seed)
        ((self._objective, wanted),) = vocs.objectives.items()
        self._sign = -1.0 if isinstance(wanted, MaximizeObjective) else 1.0

    def _validate_vocs(self, vocs: VOCS) -> None:
        """A ValueError where vocs asks for what this generator cannot do."""
        if len(vocs.objectives) != 1:
            raise ValueError(f"there must be 1 objective, not {len(vocs.objectives)}: {list(vocs.objectives)}")
        for name, objective in vocs.objectives.items():
            if not isinstance(objective, (MinimizeObjective, MaximizeObjective)):
                raise ValueError(f"objective {name!r} must be MINIMIZE or MAXIMIZE, not {type(objective).__name__}")
        _searched_in(vocs)

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """So many points to evaluate, or one; each takes those into account that have not come back yet."""
        trials = [self.optimizer.ask()] if num_points is None else self.optimizer.ask(num_points)
        return [{**self._searched.complete(trial.x), "_id": trial.number} for trial in trials]

    def ingest(self, results: list[dict[str, Any]]) -> None:
        """Learn from points that were evaluated."""
        for result in results:
            self._check_complete(result)
            trial = self._brought(result) if result.get("_id") is None else self._suggested(result["_id"])
            if trial is not None:
                self._close(trial, result)

    def _check_complete(self, result: Mapping[str, Any]) -> None:
        missing = [name for name in (*self.vocs.variables, *self.vocs.output_names) if name not in result]
        if missing:
            raise ValueError(f"a result has no {missing[0]!r}: it needs all variables and outputs of vocs")

    def _brought(self, result: Mapping[str, Any]) -> Trial | None:
        """A trial of an evaluation from elsewhere; none, with a warning, if the optimizer cannot represent it."""
        x = {name: result[name] for name in self._searched.space.parameters}
        self._searched.space.encode(x)  # what lies outside the variables' domains is an error
        try:
            return self.optimizer.adopt(x)
        except ValueError as refusal:
            warnings.warn(f"an evaluation from elsewhere is left out: {refusal}", RuntimeWarning, stacklevel=3)
            return None

    def _suggested(self, number: int) -> Trial:
        if not 0 <= number < len(self.optimizer.trials):
            raise ValueError(f"_id {number} was not suggested here: leave _id out of points that come from elsewhere")
        return self.optimizer.trials[int(number)]

    def _close(self, trial: Trial, result: Mapping[str, Any]) -> None:
        trouble = self._trouble_in(result)
        if trouble is None:
            self.optimizer.tell(trial, self._sign * float(result[self._objective]))
        else:
            self.optimizer.fail(trial, trouble)

    def _trouble_in(self, result: Mapping[str, Any]) -> str | None:
        """Why a result cannot count, if so."""
        if not is_finite(result[self._objective]):
            return f"{self._objective} is {result[self._objective]}, which is not a finite number"
        violated = (name for name, wanted in self.vocs.constraints.items() if not wanted.check(result[name]))
        name = next(violated, None)
        return None if name is None else f"{name} is {result[name]}, which violates {self.vocs.constraints[name]}"


def _searched_in(vocs: VOCS) -> Searched:
    entries = {name: _entry(name, variable) for name, variable in vocs.variables.items()}
    starts = {name: variable.default_value for name, variable in vocs.variables.items()}
    constants = {name: Fixed(constant.value) for name, constant in vocs.constants.items()}
    return Searched.of({**entries, **constants}, None if None in starts.values() else starts)


def _entry(name: str, variable: Any) -> Parameter | Fixed:
    if isinstance(variable, ContextualVariable):
        raise ValueError(f"variable {name!r} is contextual, which is observed and not chosen: leave it out")
    if isinstance(variable, DiscreteVariable):
        return choice_of(_in_order(variable.values))
    if isinstance(variable, ContinuousVariable):
        return _range(name, variable)
    raise ValueError(f"variable {name!r} is a {type(variable).__name__}, which is not known here")


def _in_order(values: set[Any]) -> list[Any]:
    """The values of a set in an order of their own: a set has another one in each process."""
    return sorted(values, key=lambda value: (not is_finite(value), value if is_finite(value) else repr(value)))


def _range(name: str, variable: Any) -> Parameter:
    """Numbers of a range: whole ones if the variable's dtype says so."""
    low, high = variable.domain
    if isinstance(variable.dtype, tuple):
        raise ValueError(f"variable {name!r} has dtype {variable.dtype}, an array: write a variable for each number")
    if variable.dtype is not None and np.issubdtype(np.dtype(variable.dtype), np.integer):
        return Integer(int(low), int(high))
    return Float(low, high)
