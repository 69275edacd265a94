"""One search: a method on one instance of a task, and the line that is kept of it.

A seed draws the problem, and by another stream the search. Tasks and methods travel to other processes: what they are
made of can be pickled, so functions stand at the top of their module, or are partial applications of such.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from harness.methods.method import Entry
from rembo.problems import Problem

_MOST_KEPT = 1000  # parameters of a best configuration


@dataclass(frozen=True)
class Task:
    """A problem of which each seed makes one instance, the number of evaluations, and the suite that it comes from."""

    title: str
    instance: Callable[[int], Problem]
    n_trials: int
    family: str = ""


@dataclass(frozen=True)
class Key:
    """One search of an experiment."""

    problem: str
    method: str
    seed: int


@dataclass(frozen=True)
class Line:
    """What one search found: `gaps` holds (evaluations, gap) at each improvement.

    `cpu_s` is all of the search's process, evaluations included; what programs take that f runs is not counted. `ask_s`
    and `ask_cpu_s` are the wall-clock and CPU seconds outside of f, and None in lines that were written before they
    were measured. `best` is what f was given when it returned the best value, if it was a dict of numbers and strings.
    """

    problem: str
    method: str
    seed: int
    evaluations: int
    gaps: Sequence[tuple[int, float]]
    cpu_s: float
    versions: dict[str, str]
    ask_s: float | None = None
    ask_cpu_s: float | None = None
    best: dict[str, Any] | None = None

    @property
    def key(self) -> Key:
        """Which search it was."""
        return Key(self.problem, self.method, self.seed)

    @property
    def gap(self) -> float:
        """The gap at the end."""
        return self.gaps[-1][1]


@dataclass
class Stopwatch:
    """Wall-clock and CPU seconds of this process while it ran."""

    wall: float = 0.0
    cpu: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the seconds of the block, also if it raises."""
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.wall += time.perf_counter() - wall
            self.cpu += time.process_time() - cpu


@dataclass
class Recorder:
    """The problem as a method sees it; keeps the best value observed, where it was, and the true gap each time."""

    problem: Problem
    evaluations: int = 0
    value: float = math.inf
    best: Any = None
    gaps: list[tuple[int, float]] = field(default_factory=list)
    inside: Stopwatch = field(default_factory=Stopwatch)

    def __call__(self, x: Any) -> float:
        """The value that is observed at x."""
        self.evaluations += 1
        with self.inside.running():
            value = self.problem(x)
            if value < self.value:
                self.value, self.best = value, x
                self.gaps.append((self.evaluations, six_digits(self._true(x, value) - self.problem.optimum)))
        return value

    def _true(self, x: Any, value: float) -> float:
        noiseless = getattr(self.problem, "noiseless", None)
        return value if noiseless is None else float(noiseless(x))


def six_digits(gap: float) -> float:
    """Rounded to six significant digits, and to 1e-12, below which it is rounding that tells values apart."""
    return float(f"{round(gap, 12):.6g}")


def search(key: Key, task: Task, entry: Entry, seed: int) -> Line:
    """Run one search, whose own random numbers come from `seed`; a method that stops early is an error."""
    method, record, whole = entry.load(), Recorder(task.instance(key.seed)), Stopwatch()
    space = record.problem.space
    with whole.running():
        method.minimize(record, space, task.n_trials, seed)
    if record.evaluations != task.n_trials:
        raise RuntimeError(f"{key} made {record.evaluations} evaluations instead of {task.n_trials}")
    if not record.gaps:
        raise RuntimeError(f"{key} observed no value")
    return Line(
        **vars(key),
        evaluations=record.evaluations,
        gaps=record.gaps,
        cpu_s=round(whole.cpu, 2),
        versions={package: version(package) for package in method.packages},
        ask_s=round(whole.wall - record.inside.wall, 3),
        ask_cpu_s=round(whole.cpu - record.inside.cpu, 3),
        best=record.best if is_plain(record.best) else None,
    )


def is_plain(x: Any) -> bool:
    """Whether x is a dict, not a large one, of which JSON keeps every value as it is."""
    small = isinstance(x, dict) and len(x) <= _MOST_KEPT
    return small and all(isinstance(value, bool | int | float | str) for value in x.values())


def search_seed(seed: int) -> int:
    """The seed of the search, unrelated to the random numbers that drew the problem."""
    return int(np.random.SeedSequence(seed, spawn_key=(1,)).generate_state(1)[0])
