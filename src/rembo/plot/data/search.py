"""What pictures are drawn of: a study, a result or what a file holds, all seen as a `Search`.

A result has no name and no direction of its own: it is called by its optimizer, and it maximised if its best value is
not the lowest one. A search can be gone through again (`replay`), which is how pictures over time come about.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, Union

import scipy

from rembo.optimizer import Interleaved, Optimizer, Suggestion, Trial
from rembo.study import Study, StudyTrial
from rembo.study.codec import decode
from rembo.study.direction import Direction, best_first, sign_of
from rembo.study.storage import StoredStudy

One: TypeAlias = Union[Study, "scipy.optimize.OptimizeResult", StoredStudy, "Search"]
Several: TypeAlias = One | Sequence[One] | Mapping[str, One | Sequence[One]]


@dataclass(frozen=True, eq=False)
class Search:
    """A name, a direction, the trials that are known, by number, and the optimizer that was told of them.

    `asked` is what the optimizer suggested, or was given, by number: also where a result does not know the trial.
    """

    name: str
    direction: Direction
    optimizer: Optimizer
    trials: tuple[StudyTrial, ...]
    asked: tuple[Suggestion, ...]

    @classmethod
    def of(cls, one: One) -> "Search":
        """A study, a result of `minimize` or `maximize`, or a stored study, as a search."""
        if isinstance(one, Search):
            return one
        if isinstance(one, Study):
            return cls(one.name, one.direction, one.optimizer, one.trials, _suggestions(one.trials))
        if isinstance(one, StoredStudy):
            return _of_stored(one)
        return _of_result(one)

    @property
    def sign(self) -> float:
        """1 where low values are good, -1 where high ones are: a value times this is what the optimizer was told."""
        return sign_of(self.direction)

    @cached_property
    def told(self) -> tuple[StudyTrial, ...]:
        """The trials that the optimizer was told of, in the order of telling."""
        return tuple(
            sorted((trial for trial in self.trials if trial.told is not None), key=lambda trial: trial.told or 0)
        )

    @property
    def best(self) -> StudyTrial:
        """The complete trial with the best value, the first of them."""
        complete = best_first(self.told, self.direction)
        if not complete:
            raise ValueError(f"no trial of {self.name!r} is complete yet: there is nothing to draw before one is")
        return complete[0]

    def replay(self) -> Iterator[Optimizer]:
        """An equal optimizer that is told again what this one was, after each value: the same object every time."""
        again = fresh(self.optimizer)
        recalled: list[Trial] = []
        for trial in self.told:
            recalled += [again.recall(suggestion) for suggestion in self.asked[len(recalled) : trial.number + 1]]
            _tell(again, recalled[trial.number], trial, self.sign)
            yield again


def searches(several: Several) -> list[Search]:
    """Every search of a list, or of a dict of names and lists: those of one name are the seeds of one method."""
    if isinstance(several, Mapping) and not _is_result(several):
        return [replace(search, name=str(name)) for name, one in several.items() for search in searches(one)]
    listed = several if isinstance(several, Iterable) and not _is_result(several) else [several]
    found = [Search.of(one) for one in listed]
    if not found:
        raise ValueError("there is no study in an empty list: give a study, a result, or a list of them")
    return found


def the_search(several: Several) -> Search:
    """The only search, for pictures that show one."""
    found = searches(several)
    if len(found) > 1:
        raise ValueError(f"this picture shows one study, not {len(found)}: give it one of them, e.g. studies[0]")
    return found[0]


def fresh(optimizer: Optimizer) -> Optimizer:
    """An equal optimizer that was told nothing."""
    if isinstance(optimizer, Interleaved):
        return Interleaved([fresh(run) for run in optimizer.runs])
    return type(optimizer)(optimizer.space, **optimizer.settings, seed=optimizer.seed)


def _is_result(one: object) -> bool:
    """Whether it is a result of SciPy's kind, which is a dict, too."""
    return isinstance(one, scipy.optimize.OptimizeResult)


def _of_result(result: Any) -> Search:
    if not _is_result(result) or not {"trials", "optimizer"} <= set(result):
        raise TypeError(
            f"a study, a result of rembo.minimize, or a list of them is needed, not {type(result).__name__}"
        )
    trials = tuple(sorted(result["trials"], key=lambda trial: trial.number))
    optimizer = result["optimizer"]
    lowest = min(trial.value for trial in trials if trial.value is not None)
    direction: Direction = "minimize" if result["fun"] <= lowest else "maximize"
    asked = tuple(Suggestion.of(trial) for trial in optimizer.trials)
    return Search(type(optimizer).__name__, direction, optimizer, trials, asked)


def _of_stored(stored: StoredStudy) -> Search:
    """Its optimizer is made anew and told all again."""
    header, trials = stored.header, tuple(stored.trials)
    optimizer = decode(header.optimizer)
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"study {header.name!r} does not say which optimizer it has: pass the study itself")
    untold = Search(header.name, header.direction, optimizer, trials, _suggestions(trials))
    *_, told = [optimizer, *untold.replay()]
    return replace(untold, optimizer=told)


def _suggestions(trials: Iterable[StudyTrial]) -> tuple[Suggestion, ...]:
    return tuple(Suggestion(trial.point, trial.run, trial.nominees, trial.origin) for trial in trials)


def _tell(optimizer: Optimizer, theirs: Trial, trial: StudyTrial, sign: float) -> None:
    if trial.value is None:
        optimizer.fail(theirs, trial.failure or trial.state.value)
    else:
        optimizer.tell(theirs, sign * trial.value)
