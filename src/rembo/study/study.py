"""A study: a search that outlives its process.

Last step of the path but for its shells: an optimizer, a storage that is the only truth, workers, and a sign. The same
program started again goes on where it was: what is asked follows from the seed and the order of asks and tells alone,
and that order is in the file.
"""

import logging
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rembo.border import check_whole
from rembo.extras import absent
from rembo.legible import legible
from rembo.optimizer import Growing, Importance, Optimizer
from rembo.progress import Bar, progress_bar
from rembo.space import DomainLike, check_domain
from rembo.study.access import Access
from rembo.study.book import Book
from rembo.study.codec import decode, encode
from rembo.study.direction import Direction, sign_of
from rembo.study.evaluation import Catch, Evaluation, Outcome, check_catch, check_function, finite_number
from rembo.study.interruption import Interruption
from rembo.study.isolation import Limits
from rembo.study.opening import open_storage, the_only
from rembo.study.run import End, Plan, Run, check_callbacks
from rembo.study.searcher import check_optimizer, default_optimizer, described_optimizer, stored_seed
from rembo.study.start import Start
from rembo.study.storage import Header, Storage
from rembo.study.trial import Reason, StudyTrial
from rembo.study.workers import OnLost, workers_for
from rembo.version import __version__

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas
    from distributed import Client

Callback: TypeAlias = Callable[["Study", StudyTrial], object]

_log = logging.getLogger("rembo")
_log.addHandler(logging.NullHandler())


class Study:
    """A named search in a file, or in memory without one; `optimize` runs it, or goes on with it.

    A study is read without waiting, also while another process writes it: its trials are those that are stored now.
    One process at a time writes it, from the beginning of `optimize` to its end, or from `ask` until its trials are
    told; `close` lets go of it earlier.

    Parameters
    ----------
    space : Box, Space or a single parameter
        What f takes.
    optimizer : Optimizer, optional
        What suggests points; the default optimizer if there is none.
    storage : str or Path, optional
        The file to keep the study in; without one it ends with the process.
    name : str
        What the study is called in its file.
    direction : "minimize" or "maximize"
        Whether low values are good, or high ones.
    seed : int, optional
        Of the default optimizer. A study that the file has already takes its seed from there.
    x0, y0 : optional
        A point to begin with, as f would get it, or a list of several; and their values where they are known, None
        elsewhere. The default optimizer searches around the best known of them, or else around the first.

    Raises
    ------
    StorageError
        If the file cannot be used, or has a study of that name with other settings.

    Examples
    --------
    >>> from rembo import Box
    >>> study = Study(Box(100), seed=0)
    >>> study.optimize(lambda x: x[17] ** 2, n_trials=10).name
    'COMPLETED'
    """

    def __init__(
        self,
        space: DomainLike,
        *,
        optimizer: Optimizer | None = None,
        storage: str | Path | None = None,
        name: str = "study",
        direction: Direction = "minimize",
        seed: int | None = None,
        x0: Any = None,
        y0: Any = None,
    ) -> None:
        space = check_domain(space)
        sign = sign_of(direction)
        start = Start.of(x0, y0, space)
        kept = open_storage(storage)
        searcher = check_optimizer(optimizer, space, seed)
        if searcher is None:
            seed = stored_seed(storage, name) if seed is None else seed
            searcher = default_optimizer(space, seed, start.center(sign))
            if len(start.points) == 1 and not start.known:
                start = Start()  # the default optimizer evaluates its centre first by itself
        described = None if storage is None else described_optimizer(searcher)
        header = kept.enter(Header(name, direction, space, described, time.time(), __version__))
        self._go_on(kept, header, searcher, start)

    def _go_on(self, kept: Storage, header: Header, searcher: Optimizer, start: Start) -> None:
        """Be the study of that header, which the storage has."""
        self.space = searcher.space
        self._sign = sign_of(header.direction)
        self._start = start
        self._access = Access(kept, header, Book(None, searcher, self._sign), start)
        self.last_exception: BaseException | None = None  # what f raised last in this process, while it was run

    @classmethod
    def load(cls, storage: str | Path, name: str | None = None) -> "Study":
        """The study of that name, or the only one, with the space and the optimizer that the file describes.

        Nothing is written and nothing is locked before the study is run, asked or told.

        Parameters
        ----------
        storage : str or Path
            The file of the study.
        name : str, optional
            Which study, where the file has several.

        Returns
        -------
        Study
        """
        kept = open_storage(storage)
        header = kept.read(the_only(kept, name, storage)).header
        searcher = check_optimizer(decode(header.optimizer), header.space, seed=None) or default_optimizer(header.space)
        study = cls.__new__(cls)
        study._go_on(kept, header, searcher, Start())
        return study

    @property
    def name(self) -> str:
        """What it is called in its file."""
        return self._access.header.name

    @property
    def direction(self) -> Direction:
        """Whether low values are good, or high ones."""
        return self._access.header.direction

    @property
    def optimizer(self) -> Optimizer:
        """What asks, and knows all that is stored; it minimises, whatever the direction is."""
        book = self._access.known
        book.catch_up()
        return book.optimizer

    @property
    def trials(self) -> tuple[StudyTrial, ...]:
        """All trials by number, as they are stored now."""
        return self._access.known.trials

    @property
    def best_trial(self) -> StudyTrial:
        """The complete trial with the best value, the first of them."""
        best = self._access.known.best
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

    @property
    def n_known(self) -> int:
        """How many of the points to begin with came with their values, so that f is not evaluated there."""
        return self._start.known

    def better_or_equal(self, value: float, than: float) -> bool:
        """Whether a value is at least as good as another, in the direction of the study."""
        return self._sign * value <= self._sign * than

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
        with self._access.writing() as book:
            self._access.begin()
            waiting = book.waiting
            return book.begin(waiting[0]) if waiting else book.open(book.optimizer.ask)

    def adopt(self, x: Any) -> StudyTrial:
        """A trial at a point of your own, as f would get it, for you to evaluate and tell.

        A ValueError says so where the optimizer cannot represent x.
        """
        with self._access.writing() as book:
            return book.open(lambda: book.optimizer.adopt(x))

    def enqueue(self, x: Any) -> StudyTrial:
        """Let a point of your own wait: `optimize` evaluates it, or `ask` returns it, before anything new.

        Parameters
        ----------
        x : a point of the space
            As f would get it.

        Returns
        -------
        StudyTrial
            It waits.

        Raises
        ------
        ValueError
            If the optimizer cannot represent x.
        """
        with self._access.writing() as book:
            return book.open(lambda: book.optimizer.adopt(x), runs=False)

    def tell(self, trial: StudyTrial | int, value: float, user_attrs: Mapping[str, Any] | None = None) -> StudyTrial:
        """Report the value of a trial, or of the trial of that number; it is stored when this returns."""
        number = finite_number(value)
        if number is None:
            raise ValueError(f"the value told must be a finite number, not {value!r}: report a failure with fail()")
        return self.finish(trial, Outcome(number, user_attrs=user_attrs or {}))

    def fail(self, trial: StudyTrial | int, error: str, reason: Reason = Reason.ERROR) -> StudyTrial:
        """Report that an evaluation failed; the search goes on and avoids the place."""
        return self.finish(trial, Outcome.failed(reason, str(error)))

    def finish(self, trial: StudyTrial | int, outcome: Outcome) -> StudyTrial:
        """Report what came of an evaluation, as an `Evaluation` tells it: with its times and where it ran.

        `tell` and `fail` are the same for those who know the value or the error alone.

        Parameters
        ----------
        trial
            The trial, or its number.
        outcome
            Its value or its failure, when it was evaluated, and by whom.

        Returns
        -------
        StudyTrial
            The trial as it is stored.

        Raises
        ------
        ValueError
            If the study has no such trial, or if it was told already.
        """
        if not isinstance(outcome.user_attrs, Mapping):
            raise TypeError(f"user_attrs must be a dict, not {outcome.user_attrs!r}")
        encode(outcome.user_attrs, "user_attrs")  # what cannot be serialised would be retried for ever
        number = trial.number if isinstance(trial, StudyTrial) else check_whole(trial, "the trial, or its number,")
        with self._access.writing() as book:
            return book.finish(book.unfinished(number), outcome)

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
        catch: Catch = (),
        on_lost: OnLost | str = OnLost.RETRY,
        deterministic: bool | int = False,
        max_overhead: float | None = None,
        grace: float = 5.0,
        callbacks: Iterable[Callback] = (),
        progress: bool | Literal["auto"] = "auto",
    ) -> End:
        """Evaluate f until the study has `n_trials` trials in all, those of earlier calls and processes included.

        If f raises, or returns no finite number, the trial fails and the search goes on. A programming error is
        different: a NameError, TypeError, AttributeError, ImportError or SyntaxError, or a result that is no number.
        It ends the search at once if f has not returned a value yet, and after three equal ones in a row otherwise; the
        trial waits to be evaluated again by a corrected f. Ctrl-C and SIGTERM leave evaluations `grace` seconds, then
        raise.

        Parameters
        ----------
        f : callable
            Gets what a trial's x is and returns a number, or a pair of a number and a dict to keep with it.
        n_trials : int
            How many trials the study shall have in all.
        timeout : float, optional
            Seconds after which nothing new is started.
        n_workers : int, optional
            With more than 1, f is evaluated in so many processes. Results are used as they come.
        executor : Executor or dask.distributed.Client, optional
            Where to evaluate instead.
        trial_timeout, trial_memory : optional
            Seconds and bytes that end an evaluation for real, with all processes that it started: f runs in a process
            of its own then, and may crash it.
        catch : exception class or tuple of them, optional
            Programming errors that make a failed trial, too; `Exception` for all.
        on_lost : "retry" or "fail"
            What becomes of a trial whose Dask worker was lost.
        deterministic : bool or int
            Ask the same trials whatever the number of workers is, at most 8 (or that many) ahead.
        max_overhead : float, optional
            The share of the time that suggestions may take: beyond it they are made without the model.
        grace : float
            Seconds that evaluations have to finish after Ctrl-C or SIGTERM.
        callbacks : iterable of callables
            Each gets (study, trial) after each trial, and may raise StopIteration to end the search.
        progress : bool or "auto"
            Whether to show a progress bar.

        Returns
        -------
        End
            Why it ended.
        """
        evaluation = Evaluation(
            check_function(f), self.space, Limits(trial_timeout, trial_memory), catch=check_catch(catch)
        )
        plan = Plan.of(n_trials, timeout, deterministic, max_overhead)
        heeded = check_callbacks(callbacks)
        workers = workers_for(evaluation, n_workers, executor, on_lost)
        try:
            with self._access.writing() as book:
                if deterministic:
                    book.check_nothing_runs()
                self._access.begin()
                run = Run(book, evaluation, workers, plan)
                done = sum(trial.told is not None for trial in book.trials)
                with Interruption(grace) as interruption, progress_bar(n_trials, progress, done) as bar:
                    end = run.until_done(interruption, lambda trial: self._notice(trial, bar, heeded))
                self.last_exception = run.raised
        finally:
            workers.close()
        if end is End.INTERRUPTED:
            raise SystemExit(128 + signal.SIGTERM) if interruption.received == signal.SIGTERM else KeyboardInterrupt
        return end

    @contextmanager
    def hold(self) -> Iterator["Study"]:
        """Be the writer throughout a block: for many asks and tells by hand, which are quicker so.

        Examples
        --------
        >>> from rembo import Box
        >>> with Study(Box(3), seed=0).hold() as study:
        ...     for _ in range(2):
        ...         trial = study.tell(study.ask(), 1.0)
        >>> trial.number
        1
        """
        with self._access.writing():
            yield self

    def close(self) -> None:
        """Write what is still to be written, and let other processes write the study; it can still be read here."""
        self._access.close()

    def __enter__(self) -> "Study":
        return self

    def __exit__(self, *reasons: object) -> None:
        self.close()

    def _notice(self, trial: StudyTrial, bar: Bar, callbacks: Iterable[Callback]) -> None:
        """Tell whoever wants to know of a trial that was told."""
        if trial.value is None:
            _log.warning("trial %d failed: %s", trial.number, legible(str(trial.failure)))
        best = self._access.known.best
        bar.advance(None if best is None else best.value)
        for callback in callbacks:
            callback(self, trial)

    def __repr__(self) -> str:
        """Its name, how many trials it has, and the best value."""
        book = self._access.known
        best = "" if book.best is None else f", best value {book.best.value!r} in trial {book.best.number}"
        return f"Study({self.name!r}, {self.direction}, {len(book)} trials{best})"


def _value(trial: StudyTrial) -> float:
    assert trial.value is not None  # asked of complete trials only
    return trial.value
