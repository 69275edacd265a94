"""What each parameter does by itself: a configuration, and every other one that differs from it in one parameter."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from rembo.problems.lpsolve.evaluation import LpSolve, Outcome
from rembo.problems.lpsolve.parameters import SPACE
from rembo.space import Categorical


@dataclass(frozen=True)
class Flips:
    """The outcome of a configuration, and of each change of one parameter, by its name and its new value."""

    unchanged: Outcome
    changed: Mapping[str, Mapping[Hashable, Outcome]]

    @property
    def effects(self) -> dict[str, float]:
        """How far each parameter alone can move the gap, up or down."""
        return {
            name: max(abs(outcome.gap - self.unchanged.gap) for outcome in outcomes.values())
            for name, outcomes in self.changed.items()
        }


def flip_each(problem: LpSolve, configuration: Mapping[str, Any] | None = None) -> Flips:
    """Change one parameter at a time, from the default or from another configuration: 59 runs in all."""
    start = dict(SPACE.default or {}) if configuration is None else dict(configuration)
    return Flips(problem.run(start), {name: _flips(problem, start, name) for name in SPACE.parameters})


def _flips(problem: LpSolve, start: dict[str, Any], name: str) -> dict[Hashable, Outcome]:
    parameter = SPACE.parameters[name]
    values = parameter.choices if isinstance(parameter, Categorical) else (False, True)
    return {value: problem.run(start | {name: value}) for value in values if value != start[name]}
