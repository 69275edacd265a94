"""A search through an Optuna study: an optimizer that has gone through the trials in the order of their numbers.

What is suggested for a trial follows from the trials before it: from the suggestions that their marks hold, and from
what was known of their ends. So every process that shares a study comes to the same search, at any time. A trial that
has begun before ours and has no mark yet is about to be suggested by another process; we foresee its suggestion, and
so the two never get the same. What was foreseen wrongly is gone through again.
"""

import math
import statistics
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from optuna.trial import FrozenTrial, TrialState

from rembo.integrations.optuna.mark import KEY, Identity, Mark, kind_of
from rembo.integrations.optuna.translation import Translation
from rembo.optimizer import Optimizer, Suggestion, Trial
from rembo.space import Space

Maker: TypeAlias = Callable[..., Optimizer]  # called as maker(space, seed=seed)
Trials: TypeAlias = Mapping[int, FrozenTrial]  # of a study, by number


def first_identity(trials: Trials, kind: str) -> Identity | None:
    """The search of that kind that the first marked trial belongs to: the one that all processes go on with."""
    marks = (trial.system_attrs[KEY] for trial in trials.values() if KEY in trial.system_attrs)
    return next((Identity.of(mark) for mark in marks if mark["kind"] == kind), None)


@dataclass(frozen=True)
class Task:
    """What is to be searched and how: `sign` is -1 where high values are good."""

    make: Maker
    seed: int
    translation: Translation
    sign: float

    def identity(self, trials: Trials) -> Identity:
        """The search that the first marked trial belongs to; if there is none, a new one around the best trial."""
        kind = kind_of(self.optimizer(self.translation.space, 0))
        return first_identity(trials, kind) or Identity(kind, self.seed, self._center(trials))

    def optimizer(self, space: Space, seed: int) -> Optimizer:
        """A new optimizer, or an error that says what `make` should have made."""
        made = self.make(space, seed=seed)
        if not isinstance(made, Optimizer):
            raise TypeError(f"optimizer must make one of rembo's, e.g. rembo.Growing, and made {made!r}")
        if made.space != space:
            raise ValueError(f"the optimizer searches {made.space}, not the space that it was given: pass it on")
        return made

    def _center(self, trials: Trials) -> int | None:
        """The number of the best trial so far; none where the optimizer begins with the first one by itself."""
        past = [each for each in trials.values() if each.state.is_finished() and self.translation.covers(each.distributions)]
        complete = [each for each in past if each.state is TrialState.COMPLETE]
        begins = self.optimizer(self.translation.space, self.seed).ask().x
        if not complete or self.translation.agrees(begins, past[0].params):
            return None
        return int(min(complete, key=lambda each: self.sign * each.value).number)


@dataclass(frozen=True)
class _Asked:
    """A trial of the optimizer's, and the mark that says how it came about."""

    trial: Trial
    mark: Mark


class Search:
    """An optimizer that goes through the trials of a study; `suggest` is for trials whose numbers rise."""

    def __init__(self, task: Task, trials: Trials) -> None:
        self.task = task
        self.identity = task.identity(trials)
        self.optimizer = self._made(trials)
        twin = self._made(trials)
        if twin.seed != self.optimizer.seed:
            seeds = f"the seeds {self.optimizer.seed} and {twin.seed}"
            raise ValueError(f"optimizer was called twice with one seed and made two with {seeds}: pass the seed on")
        self._begins = twin.ask().x
        self._open: dict[int, _Asked | None] = {}  # gone through, and not known to be finished; None: not ours
        self._values: list[float] = []
        self._next = 0

    def holds(self, task: Task, trials: Trials) -> bool:
        """Whether this is still the search of the study, and nothing was foreseen that did not come."""
        return (
            task == self.task
            and self.identity == (first_identity(trials, self.identity.kind) or self.identity)
            and all(self._came_true(asked, trials[number]) for number, asked in self._open.items())
        )

    def can_suggest(self, number: int) -> bool:
        """Whether the trial of that number is yet to come, or its suggestion was foreseen."""
        return number >= self._next or self._open.get(number) is not None

    def suggest(self, number: int, trials: Trials) -> Mark:
        """The suggestion for the trial of that number."""
        for each in range(self._next, number):
            if each in trials:
                self._go_through(trials[each], trials)
        asked = self._open.get(number) or self._ask(number, trials)
        self._next = max(self._next, number + 1)
        return asked.mark

    def _made(self, trials: Trials) -> Optimizer:
        translation, center = self.task.translation, self.identity.center
        space = translation.space
        if center is not None:
            space = Space(space.parameters, default=translation.x(trials[center].params))
        return self.task.optimizer(space, self.identity.seed)

    def _go_through(self, trial: FrozenTrial, trials: Trials) -> None:
        mark = self._mark(trial)
        if mark is not None:
            self._settle(trials, mark.pending)
            self._open[trial.number] = _Asked(self.optimizer.recall(mark.suggestion), mark)
        elif self._is_about_to_be_suggested(trial):
            self._ask(trial.number, trials)
        else:
            self._open[trial.number] = None

    def _ask(self, number: int, trials: Trials) -> _Asked:
        self._settle(trials)
        trial = self.optimizer.ask()
        asked = _Asked(trial, Mark(self.identity, tuple(self._open), Suggestion.of(trial)))
        self._open[number] = asked
        return asked

    def _settle(self, trials: Trials, pending: Collection[int] = ()) -> None:
        """Learn from all that was gone through and is finished, but for what was pending, in the order of numbers."""
        for number, asked in list(self._open.items()):
            if trials[number].state.is_finished() and number not in pending:
                del self._open[number]
                self._learn(trials[number], asked.trial if asked else self._adopted(trials[number]))

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
        if not translation.covers(trial.distributions):
            return None
        if not self.optimizer.trials and translation.agrees(self._begins, trial.params):
            return self.optimizer.ask()
        try:
            return self.optimizer.adopt(translation.x(trial.params))
        except ValueError:  # the optimizer has no point there
            return None

    def _mark(self, trial: FrozenTrial) -> Mark | None:
        """The mark of a trial that was suggested by this search, and evaluated where it was suggested."""
        data = trial.system_attrs.get(KEY)
        if data is None or Identity.of(data) != self.identity:
            return None
        mark = Mark.of(data)
        x = self.optimizer.space.decode(mark.suggestion.point)
        return mark if self.task.translation.agrees(x, trial.params) else None

    def _came_true(self, asked: _Asked | None, trial: FrozenTrial) -> bool:
        mark = self._mark(trial)
        if mark is None:
            return asked is None or self._is_about_to_be_suggested(trial)
        return asked is not None and asked.mark.suggestion.point == mark.suggestion.point

    def _is_about_to_be_suggested(self, trial: FrozenTrial) -> bool:
        """Whether a trial has begun, and none of its parameters has a value yet."""
        return (
            trial.state is TrialState.RUNNING
            and KEY not in trial.system_attrs
            and not trial.system_attrs.get("fixed_params")
            and trial.params.keys().isdisjoint(self.task.translation.distributions)
        )
