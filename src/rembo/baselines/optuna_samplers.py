"""Optuna's samplers (Akiba, Sano, Yanase, Ohta and Koyama 2019), each with its own defaults, through its ask and tell.

`TPE` is the tree-structured Parzen estimator (Bergstra, Bardenet, Bengio and Kegl 2011). Optuna's samplers take no
notice of failed trials.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rembo.baselines.foreign import Columns, check_repeated, check_size, quiet, tamed
from rembo.extras import absent
from rembo.optimizer.optimizer import Optimizer, Suggestion, around, as_point
from rembo.optimizer.trial import Origin, Trial
from rembo.space import DomainLike, Integer, Parameter

MOST_DIMENSIONS = 10_000


class OptunaSearch(Optimizer):
    """A search by any of Optuna's samplers: `sampler` is its class, or whatever makes one when called with `seed=`."""

    def __init__(self, space: DomainLike, sampler: Callable[..., Any], *, seed: int | None = None) -> None:
        super().__init__(space, seed)
        check_size(self.space, type(self).__name__, MOST_DIMENSIONS)
        optuna = _import_optuna()
        self._columns = Columns.of(self.space)
        self._distributions = {name: _distribution(each) for name, each in self._columns.parameters.items()}
        with quiet("optuna"):
            self._study = optuna.create_study(sampler=sampler(seed=self.seed % 2**32))
        self._sampler = sampler
        self._running: dict[int, Any] = {}

    @property
    def settings(self) -> dict[str, Any]:
        """What makes the sampler; none where the class says it."""
        return {"sampler": self._sampler} if type(self) is OptunaSearch else {}

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        with quiet("optuna"):
            asked = self._study.ask(self._distributions)
        self._running[len(self.trials)] = asked  # the number that the trial is about to get
        return Suggestion(self._columns.point(asked.params))

    def _observe(self, trial: Trial) -> None:
        from optuna.trial import TrialState

        value = None if trial.value is None else tamed(trial.value)
        state = TrialState.FAIL if value is None else TrialState.COMPLETE
        asked = self._running.pop(trial.number, None)
        with quiet("optuna"):
            if asked is None:
                self._study.add_trial(self._brought(trial, state, value))
            else:
                self._study.tell(asked, value, state)

    def _locate(self, x: Any) -> Suggestion:
        return Suggestion(as_point(x, self.space))

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        return self._unasked(around(best, self.space.size, rng))

    def _recalled(self, turn: int, suggestion: Suggestion) -> None:
        if suggestion.origin is Origin.ASKED:
            check_repeated(self._suggest(turn, self.pending), suggestion)

    def _brought(self, trial: Trial, state: Any, value: float | None) -> Any:
        """A trial of the user's own, in Optuna's words."""
        from optuna.trial import create_trial

        numbers = self._columns.numbers(np.asarray(trial.point))
        return create_trial(state=state, value=value, params=numbers, distributions=self._distributions)


class TPE(OptunaSearch):
    """The tree-structured Parzen estimator as Optuna has it."""

    def __init__(self, space: DomainLike, *, seed: int | None = None) -> None:
        super().__init__(space, _import_optuna().samplers.TPESampler, seed=seed)


class OptunaGP(OptunaSearch):
    """Optuna's Gaussian process with log-EI; it is not told that f is deterministic and learns a noise level."""

    def __init__(self, space: DomainLike, *, seed: int | None = None) -> None:
        try:
            import torch  # noqa: F401
        except ModuleNotFoundError as missing:
            raise absent("OptunaGP needs PyTorch", "torch") from missing
        super().__init__(space, _import_optuna().samplers.GPSampler, seed=seed)


def _import_optuna() -> Any:
    try:
        import optuna
    except ModuleNotFoundError as missing:
        raise absent("TPE and OptunaGP need Optuna", "optuna", "greenlet") from missing
    return optuna


def _distribution(parameter: Parameter) -> Any:
    """A column in Optuna's words."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if parameter.levels == 0:
        return FloatDistribution(-1.0, 1.0)
    if isinstance(parameter, Integer):
        return IntDistribution(parameter.low, parameter.high, log=parameter.log)
    return CategoricalDistribution(range(parameter.levels))
