"""A study: a search that outlives its process.

Last step of the path but for its shells: an optimizer, a storage that is the only truth, workers, and a sign. The same
program started again goes on where it was: what is asked follows from the seed and the order of asks and tells alone,
and that order is in the file.
"""

import logging
import math
import numbers
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rembo.border import check_whole
from rembo.extras import absent
from rembo.optimizer import Growing, Importance, Optimizer, TrialState
from rembo.progress import Bar, progress_bar
from rembo.space import Domain, check_domain
from rembo.study.book import Book
from rembo.study.codec import Data, decode, encode
from rembo.study.evaluation import Evaluation, Outcome, finite_number
from rembo.study.interruption import Interruption
from rembo.study.isolation import Limits
from rembo.study.pace import AsTheyCome, InOrder, Pace
from rembo.study.run import End, Plan, Run
from rembo.study.storage import Direction, Header, open_storage, the_only
from rembo.study.trial import Reason, StudyTrial
from rembo.study.workers import OnLost, workers_for
from rembo.version import VERSION

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas
    from distributed import Client

Callback: TypeAlias = Callable[["Study", StudyTrial], object]

_log = logging.getLogger("rembo")
_log.addHandler(logging.NullHandler())


class Study:
    """A named search in a file, or in memory without one; `optimize` runs it, or goes on with it.

    Without an optimizer it is the default one, with `seed` and `x0`. A study that the file has already takes its seed
    from there if none is given, and refuses settings that differ. One process at a time may have a study open.

    >>> from rembo import Box
    >>> study = Study(Box(100), seed=0)
    >>> study.optimize(lambda x: x[17] ** 2, n_trials=10).name
    'COMPLETED'
    """

    def __init__(
        self,
        space: Domain,
        *,
        optimizer: Optimizer | None = None,
        storage: str | Path | None = None,
        name: str = "study",
        direction: Direction = "minimize",
        seed: int | None = None,
        x0: Any = None,
    ) -> None:
        self.space = check_domain(space)
        kept = open_storage(storage)
        searcher = _check_optimizer(optimizer, self.space, seed)
        self._first = x0 if searcher is not None else None  # the default optimizer begins at x0 by itself
        if searcher is None:
            searcher = default_optimizer(self.space, _seed_of(storage, name) if seed is None else seed, x0)
        described = None if storage is None else _described(searcher)
        self._record = kept.begin(Header(name, direction, self.space, described, time.time(), VERSION))
        self._sign = 1.0 if direction == "minimize" else -1.0
        try:
            self._book = Book(self._record, searcher, self._sign)
        except BaseException:
            self._record.close()
            raise

    @classmethod
    def load(cls, storage: str | Path, name: str | None = None) -> "Study":
        """The study of that name, or the only one, with the space and the optimizer that the file describes."""
        kept = open_storage(storage)
        header = kept.read(the_only(kept, name, storage)).header
        optimizer = decode(header.optimizer)
        return cls(header.space, optimizer=optimizer, storage=storage, name=header.name, direction=header.direction)

    @property
    def name(self) -> str:
        """What it is called in its file."""
        return self._record.header.name

    @property
    def direction(self) -> Direction:
        """Whether low values are good, or high ones."""
        return self._record.header.direction

    @property
    def optimizer(self) -> Optimizer:
        """What asks; it minimises, whatever the direction is."""
        return self._book.optimizer

    @property
    def trials(self) -> tuple[StudyTrial, ...]:
        """All trials by number."""
        return self._book.trials

    @property
    def best_trial(self) -> StudyTrial:
        """The complete trial with the best value, the first of them."""
        best = self._book.best
        if best is None:
            raise ValueError("no trial is complete yet: call optimize, or tell a value")
        return best

    @property
    def best_value(self) -> float:
        """The best value so far."""
        return _value(self.best_trial)

    @property
    def best_params(self) -> Any:
        """What f got when it gave the best value."""
        return self.best_trial.x

    def importance(self) -> tuple[Importance, ...]:
        """Which groups of parameters f varies with, as the default optimizer tells it."""
        if not isinstance(self.optimizer, Growing):
            raise TypeError(f"{type(self.optimizer).__name__} does not tell what matters: the default optimizer does")
        return self.optimizer.importance()

    def trials_dataframe(self) -> "pandas.DataFrame":
        """The trials as a table of pandas, a row each; parameters of one coordinate have a column each."""
        try:
            import pandas
        except ModuleNotFoundError as missing:
            raise absent("a table of trials needs pandas", "pandas") from missing
        return pandas.DataFrame([trial.row() for trial in self.trials])

    def ask(self) -> StudyTrial:
        """The next trial, for you to evaluate: one that an earlier process has left, or a new one."""
        self._adopt_first()
        waiting = self._book.waiting
        return self._book.begin(waiting[0]) if waiting else self._book.open(self.optimizer.ask)

    def adopt(self, x: Any) -> StudyTrial:
        """A trial at a point of your own, as f would get it, for you to evaluate and tell.

        A ValueError says so where the optimizer cannot represent x.
        """
        return self._book.open(lambda: self.optimizer.adopt(x))

    def tell(self, trial: StudyTrial | int, value: float, user_attrs: Mapping[str, Any] | None = None) -> StudyTrial:
        """Report the value of a trial, or of the trial of that number; it is stored when this returns."""
        number = finite_number(value)
        if number is None:
            raise ValueError(f"the value told must be a finite number, not {value!r}: report a failure with fail()")
        encode(user_attrs or {}, "user_attrs")  # or the book would owe for ever what no file can hold
        return self._book.finish(self._unfinished(trial), Outcome(number, user_attrs=user_attrs or {}))

    def fail(self, trial: StudyTrial | int, error: str, reason: Reason = Reason.ERROR) -> StudyTrial:
        """Report that an evaluation failed; the search goes on and avoids the place."""
        return self._book.finish(self._unfinished(trial), Outcome.failed(reason, str(error)))

    def optimize(
        self,
        f: Callable[[Any], Any],
        n_trials: int,
        *,
        timeout: float | None = None,
        n_workers: int | None = None,
        executor: "Executor | Client | None" = None,
        trial_timeout: float | None = None,
        trial_memory: int | None = None,
        on_lost: OnLost | str = OnLost.RETRY,
        deterministic: bool | int = False,
        max_overhead: float | None = None,
        grace: float = 5.0,
        callbacks: Iterable[Callback] = (),
        progress: bool | Literal["auto"] = "auto",
    ) -> End:
        """Evaluate f until the study has `n_trials` trials in all, those of earlier calls and processes included.

        Returns why it ended.

        f gets what a trial's x is and returns a number, or a pair of a number and a dict to keep with it. If it raises,
        or returns no finite number, the trial fails and the search goes on.

        n_workers > 1 evaluates in so many processes; `executor` is any of concurrent.futures, or a Dask client. Results
        are used as they come; with `deterministic` the same trials are asked whatever the number of workers is, at most
        8 (or that many) ahead. `trial_timeout` in seconds and `trial_memory` in bytes end an evaluation for real, with
        all processes that it started. `timeout` in seconds starts nothing new. `max_overhead` is the share of the time
        that suggestions may take: beyond it they are made without the model. A callback gets (study, trial) after each
        trial and may raise StopIteration. Ctrl-C and SIGTERM leave evaluations `grace` seconds, then raise.
        """
        evaluation = Evaluation(_check_function(f), self.space, Limits(trial_timeout, trial_memory))
        plan = Plan(
            check_whole(n_trials, "n_trials", 1),
            math.inf if timeout is None else _check_seconds(timeout, "timeout"),
            _pace(deterministic),
            math.inf if max_overhead is None else _check_share(max_overhead),
        )
        if deterministic:
            self._check_nothing_runs()
        heeded = check_callbacks(callbacks, "(study, trial)")
        workers = workers_for(evaluation, n_workers, executor, on_lost)
        done = sum(trial.told is not None for trial in self.trials)
        try:
            self._book.pay()
            self._adopt_first()
            run = Run(self._book, evaluation, workers, plan)
            with Interruption(grace) as interruption, progress_bar(n_trials, progress, done) as bar:
                end = run.until_done(interruption, lambda trial: self._notice(trial, bar, heeded))
        finally:
            workers.close()
        if end is End.INTERRUPTED:
            raise SystemExit(128 + signal.SIGTERM) if interruption.received == signal.SIGTERM else KeyboardInterrupt
        return end

    def close(self) -> None:
        """Write what is still owed, and let other processes open the study; what is known here can still be read."""
        try:
            self._book.pay()
        finally:
            self._record.close()

    def __enter__(self) -> "Study":
        return self

    def __exit__(self, *reasons: object) -> None:
        self.close()

    def _notice(self, trial: StudyTrial, bar: Bar, callbacks: Iterable[Callback]) -> None:
        """Tell whoever wants to know of a trial that was told."""
        if trial.value is None:
            _log.warning("trial %d failed: %s", trial.number, trial.failure)
        bar.advance(self._book.best.value if self._book.best else None)
        for callback in callbacks:
            callback(self, trial)

    def _adopt_first(self) -> None:
        """Let the point to start from wait to be evaluated first, unless there are trials already."""
        if self._first is not None and not len(self._book):
            self._book.open(lambda: self.optimizer.adopt(self._first), runs=False)

    def _check_nothing_runs(self) -> None:
        for trial in self.trials:
            if trial.state is TrialState.RUNNING:
                cure = f"tell({trial.number}, ...) first, since a deterministic study tells its trials in order"
                raise ValueError(f"trial {trial.number} was asked and not told: {cure}")

    def _unfinished(self, trial: StudyTrial | int) -> StudyTrial:
        return self._book.unfinished(trial if isinstance(trial, int) else trial.number)


def default_optimizer(space: Domain, seed: int | None = None, x0: Any = None) -> Optimizer:
    """What a study uses if it is told nothing: `Growing`."""
    return Growing(space, x0=x0, seed=seed)


def check_callbacks(callbacks: Any, arguments: str) -> tuple[Callable[..., object], ...]:
    """The callbacks as a tuple, or a TypeError that says what they are called with."""
    if isinstance(callbacks, Iterable):
        listed = tuple(callbacks)
        if all(callable(callback) for callback in listed):
            return listed
    raise TypeError(f"callbacks must be a list of functions of {arguments}, not {callbacks!r}")


def _check_optimizer(optimizer: Optimizer | None, space: Domain, seed: int | None) -> Optimizer | None:
    if optimizer is None:
        return None
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"optimizer must be one of rembo's, e.g. Rembo(space, embedding_dim=4), not {optimizer!r}")
    if seed is not None:
        raise ValueError(f"seed {seed} and an optimizer, which has its own seed {optimizer.seed}: give one of them")
    if optimizer.space != space:
        raise ValueError(f"the optimizer searches {optimizer.space}, not {space}: make it with the same space")
    return optimizer


def _described(optimizer: Optimizer) -> Data:
    """What the file says of an optimizer, which must be as new: what it was told before would not be in the file."""
    if optimizer.trials:
        count = len(optimizer.trials)
        raise ValueError(f"the optimizer has made {count} trials that the file would not know: give it a fresh one")
    return encode(optimizer, "optimizer")


def _seed_of(storage: str | Path | None, name: str) -> int | None:
    """The seed that the study has in the file, if both are there."""
    if storage is None or not Path(storage).is_file() or not Path(storage).stat().st_size:
        return None
    kept = open_storage(storage)
    if name not in kept.names():
        return None
    stored = decode(kept.read(name).header.optimizer)
    return stored.seed if isinstance(stored, Optimizer) else None


def _pace(deterministic: bool | int) -> Pace:
    if deterministic is False:
        return AsTheyCome()
    return InOrder() if deterministic is True else InOrder(check_whole(deterministic, "deterministic", 1))


def _check_function(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    if not callable(f):
        raise TypeError(f"f must be a function of one argument, not {f!r}")
    return f


def _check_seconds(value: Any, name: str) -> float:
    if not (isinstance(value, numbers.Real) and float(value) > 0.0):
        raise ValueError(f"{name} {value!r} must be a positive number of seconds, or None for no limit")
    return float(value)


def _check_share(value: Any) -> float:
    if not (isinstance(value, numbers.Real) and 0.0 < float(value) <= 1.0):
        raise ValueError(f"max_overhead {value!r} must be a share of the time, above 0 and not above 1")
    return float(value)


def _value(trial: StudyTrial) -> float:
    assert trial.value is not None  # asked of complete trials only
    return trial.value
