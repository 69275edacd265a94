"""Many searches in parallel processes, and the command line of every script.

Each finished search is one line of the experiment's file and is never run again: an experiment that was killed, or
interrupted by Ctrl-C, goes on where it was.
"""

import argparse
import fnmatch
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path

from tqdm import tqdm

from harness.folders import FIGURES, RESULTS
from harness.methods.method import Entry
from harness.record import append, forget, load
from harness.search import Key, Line, Task, search, search_seed

INTERRUPTED = 130  # what shells say of a program that Ctrl-C ended


@dataclass(frozen=True)
class Experiment:
    """Methods that meet on tasks, the number of seeds by default and at most, and where results are kept."""

    name: str
    tasks: Mapping[str, Task]
    methods: Mapping[str, Entry]
    seeds: int
    most_seeds: int
    search_seed: Callable[[int], int] = search_seed
    results: Path = RESULTS
    figures: Path = FIGURES

    @property
    def path(self) -> Path:
        """The file of finished searches."""
        return self.results / f"{self.name}.jsonl"

    @property
    def families(self) -> list[str]:
        """The suites that tasks come from, in order; one without a name where none is told."""
        return list(dict.fromkeys(task.family for task in self.tasks.values()))

    @property
    def lines(self) -> list[Line]:
        """The finished searches."""
        return load(self.path)

    def serves(self, problem: str, method: str) -> bool:
        """Whether a method can search a task's space."""
        return self.methods[method].load().serves(self.tasks[problem].instance(0).space)


def unfinished(experiment: Experiment, keys: Iterable[Key]) -> list[Key]:
    """Those that are still to run, in the given order; what a method cannot search is left out."""
    done = {line.key for line in experiment.lines}
    left = [key for key in keys if key not in done]
    served = {pair: experiment.serves(*pair) for pair in {(key.problem, key.method): None for key in left}}
    return [key for key in left if served[key.problem, key.method]]


def run(experiment: Experiment, keys: Sequence[Key], workers: int) -> list[Key]:
    """Run the searches and keep each when it is finished; returns those that failed."""
    with ProcessPoolExecutor(workers, initializer=_end_with_the_terminal) as pool:
        futures = {_submit(pool, experiment, key): key for key in keys}
        try:
            return _collect(experiment, futures)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise


def _end_with_the_terminal() -> None:
    """Ctrl-C ends a worker at once and silently: half a search is no result."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _submit(pool: ProcessPoolExecutor, experiment: Experiment, key: Key) -> Future[Line]:
    task, entry = experiment.tasks[key.problem], experiment.methods[key.method]
    return pool.submit(search, key, task, entry, experiment.search_seed(key.seed))


def _collect(experiment: Experiment, futures: Mapping[Future[Line], Key]) -> list[Key]:
    failed = []
    with tqdm(total=len(futures), unit="search", disable=None, dynamic_ncols=True) as bar:  # drawn on a terminal only
        for future in as_completed(futures):
            outcome = future.exception() or future.result()  # one failed search does not end the experiment
            if isinstance(outcome, Line):
                append(experiment.path, outcome)
            else:
                failed.append(futures[future])
            bar.write(_told(futures[future], outcome))
            bar.update()
    return failed


def _told(key: Key, outcome: Line | BaseException) -> str:
    who = f"{key.problem}, {key.method}, seed {key.seed}"
    if isinstance(outcome, Line):
        return f"{who}: gap {outcome.gap:.3g} in {outcome.cpu_s:.1f} CPU s"
    return f"{who}: FAILED with {outcome!r}"


def parser(experiment: Experiment, description: str) -> argparse.ArgumentParser:
    """The command line that all scripts share."""
    command = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    _add_names(command, "--methods", experiment.methods)
    _add_names(command, "--problems", experiment.tasks)
    command.set_defaults(families=experiment.families)
    if any(experiment.families):
        command.add_argument("--families", nargs="+", choices=experiment.families, default=experiment.families,
                             metavar="FAMILY", help="those of the problems that are in these: all of "
                             f"{', '.join(experiment.families)} unless told")  # fmt: skip
    command.add_argument("--seeds", type=int, choices=range(1, experiment.most_seeds + 1), default=experiment.seeds,
                         metavar="N", help=f"the first N of {experiment.most_seeds} seeds; "
                         f"{experiment.seeds} unless told")  # fmt: skip
    command.add_argument("--workers", type=int, default=os.cpu_count(), help="searches at a time")
    command.add_argument("--afresh", action="store_true", help="forget what is selected and run it again")
    command.add_argument("--table", "--figures-only", dest="run", action="store_false",
                         help="run nothing: show what is finished")  # fmt: skip
    return command


def _add_names(command: argparse.ArgumentParser, option: str, names: Iterable[str]) -> None:
    """An option that takes names, or patterns such as `*-d2-*`."""

    def matching(pattern: str) -> list[str]:
        found = fnmatch.filter(names, pattern)
        if not found:
            raise argparse.ArgumentTypeError(f"{pattern!r} matches nothing (choose from {', '.join(names)})")
        return found

    command.add_argument(option, nargs="+", type=matching, default=[list(names)], metavar="PATTERN",
                         help=f"names, or patterns in quotes: all of {', '.join(names)} unless told")  # fmt: skip


def _selected(patterns: Sequence[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(patterns)))


def contest(
    experiment: Experiment,
    description: str,
    present: Callable[[Experiment], None],
    arguments: Sequence[str] | None = None,
) -> int:
    """Run what is selected and not finished, then present all that is finished; returns the exit status."""
    options = parser(experiment, description).parse_args(arguments)
    problems = [name for name in _selected(options.problems) if experiment.tasks[name].family in options.families]
    chosen = product(range(options.seeds), _selected(options.methods), problems)
    keys = [Key(problem, method, seed) for seed, method, problem in chosen]
    failed: list[Key] = []
    if options.run:
        if options.afresh:
            forget(experiment.path, keys)
        try:
            failed = run(experiment, unfinished(experiment, keys), options.workers)
        except KeyboardInterrupt:
            print("interrupted: what is finished is kept, and the same command goes on", file=sys.stderr)
            return INTERRUPTED
    present(experiment)
    return 1 if failed else 0
