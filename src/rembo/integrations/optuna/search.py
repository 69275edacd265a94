"""A search through an Optuna study: an optimizer that has gone through the trials in the order of their numbers.

What is suggested for a trial follows from the trials before it, and from which of them had ended when it began. All of
that is in the storage, so every process comes to the same search, at any time. A suggestion that is there is recalled.
One that is not yet there, because another process is about to make it, is made here as well: it will be the same, and
ours will be another one.
"""

import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from optuna.trial import FrozenTrial, TrialState

from rembo.integrations.optuna.mark import MARK, PENDING, Identity, Mark, digest
from rembo.integrations.optuna.translation import Translation
from rembo.integrations.searched import Maker, optimizer_of
from rembo.optimizer import Optimizer, Trial
from rembo.space import Space

Trials: TypeAlias = Mapping[int, FrozenTrial]  # of a study, by number


@dataclass(frozen=True)
class Task:
    """What is to be searched and how: `sign` is -1 where high values are good."""

    maker: Maker | None
    seed: int
    translation: Translation
    sign: float

    def identity(self, trials: Trials) -> Identity:
        """The search that the first marked trial belongs to, on which all processes agree; else a new one."""
        kind = digest(optimizer_of(self.maker, self.translation.space, 0))
        marks = (trial.system_attrs[MARK] for trial in trials.values() if MARK in trial.system_attrs)
        alike = (Identity.of(mark) for mark in marks if mark["kind"] == kind)
        known = (each for each in alike if each.center is None or self._place(each.center, trials))
        return next(known, None) or Identity(kind, self.seed, self._center(trials))

    def begin(self, identity: Identity, trials: Trials) -> Optimizer:
        """The optimizer of a search at its beginning."""
        space = self.translation.space
        if identity.center is not None:
            space = Space(space.declared, default=self._place(identity.center, trials))
        return optimizer_of(self.maker, space, identity.seed)

    def _center(self, trials: Trials) -> str | None:
        """The place of the best trial so far; none where the optimizer begins there by itself."""
        complete = [each for each in self._past(trials) if each.state is TrialState.COMPLETE]
        if not complete:
            return None
        best = min(complete, key=lambda each: self.sign * each.value)
        begins = optimizer_of(self.maker, self.translation.space, self.seed).ask().x
        return None if self.translation.agrees(begins, best.params) else digest(self.translation.x(best.params))

    def _place(self, center: str, trials: Trials) -> dict[str, Any] | None:
        """Where the trial was evaluated whose place has that digest."""
        places = (self.translation.x(each.params) for each in self._past(trials))
        return next((x for x in places if digest(x) == center), None)

    def _past(self, trials: Trials) -> Iterator[FrozenTrial]:
        """The finished trials that have a value for each of the parameters that exist there."""
        finished = (each for each in trials.values() if each.state.is_finished())
        return (each for each in finished if self.translation.covers(each))


class Search:
    """An optimizer that goes through the trials of a study, and suggests those whose numbers come next."""

    def __init__(self, task: Task, trials: Trials) -> None:
        self.task = task
        self.identity = task.identity(trials)
        self.optimizer = task.begin(self.identity, trials)
        twin = task.begin(self.identity, trials)
        if twin.seed != self.optimizer.seed:
            seeds = f"the seeds {self.optimizer.seed} and {twin.seed}"
            raise ValueError(f"optimizer was called twice with one seed and made two with {seeds}: pass the seed on")
        self._begins = twin.ask().x
        self._open: dict[int, Trial | None] = {}  # gone through and not learned from; None: suggested by others
        self._values: list[float] = []
        self._next = 0

    def holds(self, task: Task, trials: Trials) -> bool:
        """Whether this is what is to be searched, and nothing was foreseen that did not come."""
        return task == self.task and all(self._came_true(asked, trials[each]) for each, asked in self._open.items())

    def can_suggest(self, number: int) -> bool:
        """Whether the trial of that number is yet to come, or its suggestion was foreseen."""
        return number >= self._next or self._open.get(number) is not None

    def suggest(self, number: int, trials: Trials) -> Trial:
        """The suggestion for the trial of that number."""
        for each in range(self._next, number):
            self._go_through(trials[each], trials)
        asked = self._open.get(number) or self._ask(trials[number], trials)
        self._next = max(self._next, number + 1)
        return asked

    def _go_through(self, trial: FrozenTrial, trials: Trials) -> None:
        mark = self._mark(trial)
        if mark is not None:
            self._settle(trial, trials)
            self._open[trial.number] = self.optimizer.recall(mark.suggestion)
        elif self._is_about_to_be_suggested(trial):
            self._ask(trial, trials)
        else:
            self._open[trial.number] = None

    def _ask(self, trial: FrozenTrial, trials: Trials) -> Trial:
        self._settle(trial, trials)
        asked = self.optimizer.ask()
        self._open[trial.number] = asked
        return asked

    def _settle(self, begun: FrozenTrial, trials: Trials) -> None:
        """Learn from what had ended when a trial began, in the order of numbers."""
        pending = begun.system_attrs.get(PENDING, ())
        for number, asked in list(self._open.items()):
            if trials[number].state.is_finished() and number not in pending:
                del self._open[number]
                self._learn(trials[number], asked or self._adopted(trials[number]))

    def _learn(self, finished: FrozenTrial, trial: Trial | None) -> None:
        if trial is None:
            return
        value = self._value(finished)
        if value is None:
            self.optimizer.fail(trial, f"{finished.state.name} in Optuna")
            return
        self.optimizer.tell(trial, value)
        if finished.state is TrialState.COMPLETE:
            self._values.append(value)

    def _value(self, finished: FrozenTrial) -> float | None:
        """What a trial counts as, to be minimised; none if it failed.

        A pruned one counts as its last intermediate value, but not as better than the median of the complete ones:
        it was given up, and what it had reached may be of another kind than what they ended with.
        """
        if finished.value is None or not math.isfinite(finished.value):
            return None
        value = self.task.sign * float(finished.value)
        is_pruned = finished.state is TrialState.PRUNED
        return max(value, statistics.median(self._values)) if is_pruned and self._values else value

    def _adopted(self, trial: FrozenTrial) -> Trial | None:
        """A trial that we did not suggest as one of the optimizer's, if it can represent the place."""
        translation = self.task.translation
        if not translation.covers(trial):
            return None
        if not self.optimizer.trials and translation.agrees(self._begins, trial.params):
            return self.optimizer.ask()
        try:
            return self.optimizer.adopt(translation.x(trial.params))
        except ValueError:  # the optimizer has no point there
            return None

    def _mark(self, trial: FrozenTrial) -> Mark | None:
        """The mark of a trial that was suggested by this search, and evaluated where it was suggested."""
        data = trial.system_attrs.get(MARK)
        if data is None or Identity.of(data) != self.identity:
            return None
        mark = Mark.of(data)
        x = self.optimizer.space.decode(mark.suggestion.point)
        return mark if self.task.translation.agrees(x, trial.params) else None

    def _came_true(self, asked: Trial | None, trial: FrozenTrial) -> bool:
        mark = self._mark(trial)
        if mark is None:
            return asked is None or self._is_about_to_be_suggested(trial)
        return asked is not None and asked.point == mark.suggestion.point

    def _is_about_to_be_suggested(self, trial: FrozenTrial) -> bool:
        """Whether a trial of this sampler has begun, and none of its parameters has a value yet."""
        return (
            trial.state is TrialState.RUNNING
            and PENDING in trial.system_attrs
            and MARK not in trial.system_attrs
            and not trial.system_attrs.get("fixed_params")
            and trial.params.keys().isdisjoint(self.task.translation.distributions)
        )
