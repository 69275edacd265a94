"""SMAC (Hutter, Hoos and Leyton-Brown 2011): SMAC3 itself (Lindauer et al. 2022), through its ask and tell.

A random forest, expected improvement by local search from the best configurations, and random configurations in
between, as its facade for the optimization of hyper-parameters has them. Nothing is written: SMAC3 gets a directory
while it is made, which is then removed. It keeps the starts of its local search in a set of hashed strings: after the
initial design, the same seed asks the same points only in processes with the same PYTHONHASHSEED.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rembo.baselines.foreign import Columns, check_repeated, check_size, quiet, tamed
from rembo.border import check_whole
from rembo.embedding import Point
from rembo.extras import absent
from rembo.optimizer.optimizer import Optimizer, Suggestion, around, as_point, stream
from rembo.optimizer.trial import Origin, Trial
from rembo.scratch import scratch_folder
from rembo.space import DomainLike, Integer, Parameter, parts_of

MOST_DIMENSIONS = 21_201  # of the Sobol sequence that SMAC3 starts with


class SMAC(Optimizer):
    """SMAC3 with its own defaults; `n_trials`, how many are planned, bounds its initial design by a quarter of them.

    A failed trial has crashed, at the cost of the worst value told so far. When SMAC3 finds nothing that it has not
    asked, the rest is drawn at random.
    """

    def __init__(self, space: DomainLike, *, n_trials: int = 100, seed: int | None = None) -> None:
        super().__init__(space, seed)
        check_size(self.space, "SMAC", MOST_DIMENSIONS)
        self._columns = Columns.of(self.space)
        self._smac = _facade(self._columns, check_whole(n_trials, "n_trials", 1), self.seed % 2**32)
        self._configurations = math.prod(float(part.parameter.levels) or math.inf for part in parts_of(self.space))
        self._running: dict[int, Any] = {}
        self._failed: list[Any] = []

    @property
    def settings(self) -> dict[str, Any]:
        """How many trials are planned."""
        return {"n_trials": self._smac.scenario.n_trials}

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        info = self._next()
        if info is None:
            return Suggestion(self._drawn(turn))
        self._running[len(self.trials)] = info  # the number that the trial is about to get
        return Suggestion(self._columns.point(info.config))

    def _observe(self, trial: Trial) -> None:
        info = self._running.pop(trial.number, None) or self._brought(trial)
        if trial.value is None:
            self._failed.append(info)
        else:
            self._report(info, trial.value, "SUCCESS")
        self._report_failed()

    def _locate(self, x: Any) -> Suggestion:
        return Suggestion(as_point(x, self.space))

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        return self._unasked(around(best, self.space.size, rng))

    def _recalled(self, turn: int, suggestion: Suggestion) -> None:
        if suggestion.origin is Origin.ASKED:
            check_repeated(self._suggest(turn, self.pending), suggestion)

    def _next(self) -> Any:
        """What SMAC3 asks, or None if there is nothing new: it would look for ever where all are still running."""
        from smac.main.exceptions import ConfigurationSpaceExhaustedException

        if len(self._smac.runhistory.get_configs()) >= self._configurations:
            return None
        try:
            with quiet("smac"):
                return self._smac.ask()
        except (StopIteration, ConfigurationSpaceExhaustedException):
            return None

    def _drawn(self, turn: int) -> Point:
        u = stream(self.seed, turn).uniform(-1.0, 1.0, self.space.size)
        return self._columns.point(self._columns.numbers(u))

    def _brought(self, trial: Trial) -> Any:
        """A point that SMAC3 did not ask, in its words; made from a vector, as its own are, it equals its own."""
        from ConfigSpace import Configuration

        space = self._smac.scenario.configspace
        given = Configuration(space, values=self._columns.numbers(np.asarray(trial.point)))
        configuration = Configuration(space, vector=given.get_array())
        return self._smac.intensifier.get_trials_of_interest(configuration)[0]

    def _report_failed(self) -> None:
        """Failures wait, as if they were running, until some value says what is bad."""
        values = [trial.value for trial in self._trials if trial.value is not None]
        if values:
            for info in self._failed:
                self._report(info, max(values), "CRASHED")
            self._failed = []

    def _report(self, info: Any, cost: float, status: str) -> None:
        from smac.runhistory import StatusType, TrialValue

        with quiet("smac"):
            self._smac.tell(info, TrialValue(cost=tamed(cost), status=StatusType[status]), save=False)


def _facade(columns: Columns, n_trials: int, seed: int) -> Any:
    """SMAC3 as it comes, for a deterministic f."""
    try:
        from ConfigSpace import ConfigurationSpace
        from smac import HyperparameterOptimizationFacade, Scenario
    except ModuleNotFoundError as missing:
        raise absent("SMAC needs SMAC3", "smac") from missing
    space = ConfigurationSpace()
    space.add([_hyperparameter(name, parameter) for name, parameter in columns.parameters.items()])
    with quiet("smac"), scratch_folder() as output:
        scenario = Scenario(space, deterministic=True, n_trials=n_trials, seed=seed, output_directory=output)
        facade = HyperparameterOptimizationFacade(scenario, logging_level=False)
    facade.intensifier.__post_init__()  # so that a point can be brought before the first ask
    return facade


def _hyperparameter(name: str, parameter: Parameter) -> Any:
    """A column in ConfigSpace's words."""
    from ConfigSpace import Categorical, Float
    from ConfigSpace import Integer as Whole

    if parameter.levels == 0:
        return Float(name, (-1.0, 1.0))
    if isinstance(parameter, Integer):
        return Whole(name, (parameter.low, parameter.high), log=parameter.log)
    return Categorical(name, list(range(parameter.levels)))
