"""rembo's default beside its peers: the same problems, budgets and seeds for all, run from the packages as released.

    python benchmarks/peers.py --methods random cma --problems bits-50 sparse-bits --seeds 10 --workers 2
    python benchmarks/peers.py --table                       # what is finished so far; runs nothing

Seeds are 0 to 29, fixed before looking; slow methods run the first of them, and the table says how many. A seed draws
the problem, and by another stream the search. Each finished search is one line of results/peers.jsonl, and is never run
again: a contest that was killed goes on where it was. A line keeps the gap to the optimum after each evaluation that
improved it; where values are noisy, it is the gap of the true value at the point with the best value observed.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

import argparse
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from methods import METHODS, method
from rembo.problems import (
    Ackley,
    BinaryQuadratic,
    Branin,
    CategoryTable,
    Hartmann6,
    Levy,
    Noisy,
    Padded,
    Problem,
    Rosenbrock,
    Shifted,
    SparseBits,
)
from results import FOLDER

MOST_SEEDS = 30
LINES, TABLE = FOLDER / "peers.jsonl", FOLDER / "peers.md"


@dataclass(frozen=True)
class Task:
    """A problem of which each seed makes one instance, and the number of evaluations."""

    title: str
    instance: Callable[[int], Problem]
    n_trials: int


TASKS = {
    "branin-25": Task("Branin in D = 25", lambda seed: Padded(Branin(), 25, seed), 100),
    "hartmann6-100": Task("Hartmann6 in D = 100", lambda seed: Padded(Hartmann6(), 100, seed), 200),
    "levy4-1000": Task("shifted Levy4 in D = 1000", lambda seed: Padded(Shifted(Levy(4), seed), 1000, seed), 250),
    "levy4-1000-noisy": Task(
        "the same, noise 0.01", lambda seed: Noisy(Padded(Shifted(Levy(4), seed), 1000, seed), 0.01, seed), 250
    ),
    "ackley10-500": Task("shifted Ackley10 in D = 500", lambda seed: Padded(Shifted(Ackley(10), seed), 500, seed), 500),
    "levy-30": Task("shifted Levy, D = 30, all active", lambda seed: Shifted(Levy(30), seed), 500),
    "levy-100": Task("shifted Levy, D = 100, all active", lambda seed: Shifted(Levy(100), seed), 500),
    "rosenbrock-30": Task("shifted Rosenbrock, D = 30, all active", lambda seed: Shifted(Rosenbrock(30), seed), 500),
    "rosenbrock-100": Task("shifted Rosenbrock, D = 100, all active", lambda seed: Shifted(Rosenbrock(100), seed), 500),
    "bits-50": Task("BinaryQuadratic, 50 bits, all active", lambda seed: BinaryQuadratic(50, seed), 200),
    "sparse-bits": Task("SparseBits, 50 bits, 10 active", lambda seed: SparseBits(50, 10, seed), 200),
    "categories": Task("CategoryTable, 20 x 5, all active", lambda seed: CategoryTable(20, 5, None, seed), 200),
    "sparse-categories": Task("CategoryTable, 20 x 5, 4 active", lambda seed: CategoryTable(20, 5, 4, seed), 200),
}


@dataclass(frozen=True)
class Key:
    """One search of the contest."""

    problem: str
    method: str
    seed: int


@dataclass(frozen=True)
class Line:
    """What one search found: `gaps` holds (evaluations, gap) at each improvement."""

    problem: str
    method: str
    seed: int
    evaluations: int
    gaps: Sequence[tuple[int, float]]
    cpu_s: float
    versions: dict[str, str]

    @property
    def key(self) -> Key:
        """Which search it was."""
        return Key(self.problem, self.method, self.seed)

    @property
    def gap(self) -> float:
        """The gap at the end."""
        return self.gaps[-1][1]


@dataclass
class Recorder:
    """The problem as a method sees it; keeps what was observed, and the true gap at each improvement of that."""

    problem: Problem
    evaluations: int = 0
    best: float = math.inf
    gaps: list[tuple[int, float]] = field(default_factory=list)

    def __call__(self, x: Any) -> float:
        """The value that is observed at x."""
        value = self.problem(x)
        self.evaluations += 1
        if value < self.best:
            true = self.problem.noiseless(x) if isinstance(self.problem, Noisy) else value
            self.best = value
            self.gaps.append((self.evaluations, _six_digits(true - self.problem.optimum)))
        return value


def _six_digits(gap: float) -> float:
    """Rounded to six significant digits, and to 1e-12, below which it is rounding that tells values apart."""
    return float(f"{round(gap, 12):.6g}")


def search(key: Key) -> Line:
    """Run one search."""
    task, searcher = TASKS[key.problem], method(key.method)
    record = Recorder(task.instance(key.seed))
    started = time.process_time()
    searcher.minimize(record, record.problem.space, task.n_trials, search_seed(key.seed))
    seconds = time.process_time() - started
    versions = {package: version(package) for package in searcher.packages}
    return Line(
        **vars(key), evaluations=record.evaluations, gaps=record.gaps, cpu_s=round(seconds, 2), versions=versions
    )


def search_seed(seed: int) -> int:
    """The seed of the search, unrelated to the random numbers that drew the problem."""
    return int(np.random.SeedSequence(seed, spawn_key=(1,)).generate_state(1)[0])


def load(path: Path) -> list[Line]:
    """The finished searches; a line that was cut off when the contest was killed does not count."""
    texts = path.read_text().splitlines() if path.exists() else []
    return [Line(**found) for found in map(_parsed, texts) if found is not None]


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def append(path: Path, line: Line) -> None:
    """Add a finished search, on a line of its own even if the last one was cut off."""
    path.parent.mkdir(exist_ok=True)
    with path.open("a+") as file:
        cut_off = file.tell() > 0 and not path.read_text().endswith("\n")
        file.write("\n" * cut_off + json.dumps(vars(line)) + "\n")


def forget(path: Path, keys: Iterable[Key]) -> None:
    """Drop finished searches, so that they are run again."""
    dropped = set(keys)
    kept = [line for line in load(path) if line.key not in dropped]
    fresh = path.with_suffix(".tmp")
    fresh.write_text("".join(json.dumps(vars(line)) + "\n" for line in kept))
    fresh.replace(path)


def unfinished(keys: Iterable[Key], path: Path) -> list[Key]:
    """Those that are still to run, the first seeds of all problems first; what a method cannot search is left out."""
    done = {line.key for line in load(path)}
    return [key for key in keys if key not in done and method(key.method).serves(TASKS[key.problem].instance(0).space)]


def run(keys: Sequence[Key], workers: int, path: Path) -> list[Key]:
    """Run the searches and keep each when it is finished; returns those that failed."""
    failed = []
    with ProcessPoolExecutor(workers) as pool:
        futures = {pool.submit(search, key): key for key in keys}
        for number, future in enumerate(as_completed(futures), 1):
            outcome = _outcome(future)
            if isinstance(outcome, Line):
                append(path, outcome)
            else:
                failed.append(futures[future])
            print(f"{number}/{len(keys)} {_told(futures[future], outcome)}", flush=True)
    return failed


def _outcome(future: Future[Line]) -> Line | BaseException:
    """The line, or why there is none: one failed search does not end the contest."""
    return future.exception() or future.result()


def _told(key: Key, outcome: Line | BaseException) -> str:
    who = f"{key.problem}, {key.method}, seed {key.seed}"
    if isinstance(outcome, Line):
        return f"{who}: gap {outcome.gap:.3g} in {outcome.cpu_s:.1f} CPU s"
    return f"{who}: FAILED with {outcome!r}"


@dataclass(frozen=True)
class Row:
    """A method on a problem: statistics of the gap at the end, over its seeds."""

    problem: str
    method: str
    gaps: tuple[float, ...]
    cpu_s: float

    @property
    def mean(self) -> float:
        """The mean gap."""
        return float(np.mean(self.gaps))

    @property
    def error(self) -> float:
        """The standard error of the mean; not a number for a single seed."""
        return float(np.std(self.gaps, ddof=1) / math.sqrt(len(self.gaps))) if len(self.gaps) > 1 else math.nan

    @property
    def cells(self) -> list[str]:
        """Method, seeds, mean, standard error, median, worst, CPU seconds, as text."""
        numbers = (self.mean, self.error, float(np.median(self.gaps)), max(self.gaps))
        return [
            METHODS[self.method].label,
            str(len(self.gaps)),
            *(f"{each:.3g}" for each in numbers),
            f"{self.cpu_s:.1f}",
        ]


LEGEND = """\
Gap between the best value found and the optimum, lower is better: mean ± standard error (number of seeds, always the
first ones), the lowest mean in bold. With noise it is the true value at the point with the best value observed. Seconds
are those of one core, per search. Written by `python benchmarks/peers.py --table` from `peers.jsonl`."""
HEADER = ["method", "seeds", "mean", "s.e.", "median", "worst", "CPU s"]


def rows(lines: Iterable[Line]) -> Iterator[Row]:
    """A row for each problem and method that has finished seeds, in the contest's order."""
    found = list(lines)
    for problem, name in product(TASKS, METHODS):
        seeds = {line.seed: line for line in found if (line.problem, line.method) == (problem, name)}
        if seeds:
            seconds = float(np.mean([line.cpu_s for line in seeds.values()]))
            yield Row(problem, name, tuple(line.gap for line in seeds.values()), seconds)


def plain_table(found: Sequence[Row]) -> str:
    """For the terminal, problem by problem."""
    blocks = []
    for problem, task in TASKS.items():
        body = [HEADER, *(row.cells for row in found if row.problem == problem)]
        texts = [f"{cells[0]:<14}" + "".join(f"{cell:>10}" for cell in cells[1:]) for cells in body]
        if len(body) > 1:
            blocks.append("\n".join([f"{task.title}, {task.n_trials} evaluations ({problem})", *texts]))
    return "\n\n".join(blocks)


def markdown_table(found: Sequence[Row]) -> str:
    """Side by side, mean gap +- standard error (seeds), the lowest mean in bold; then every statistic."""
    used = [name for name in METHODS if any(row.method == name for row in found)]
    wide = [["problem", "evaluations", *(METHODS[name].label for name in used)]]
    wide += [_side_by_side(problem, used, found) for problem in TASKS if any(row.problem == problem for row in found)]
    long = [["problem", *HEADER], *([TASKS[row.problem].title, *row.cells] for row in found)]
    return f"{LEGEND}\n\n{_markdown(wide)}\n\n{_markdown(long)}\n"


def _side_by_side(problem: str, used: Sequence[str], found: Sequence[Row]) -> list[str]:
    by_method = {row.method: row for row in found if row.problem == problem}
    lowest = min(row.mean for row in by_method.values())
    cells = [_mean(by_method[name], lowest) if name in by_method else "" for name in used]
    return [TASKS[problem].title, str(TASKS[problem].n_trials), *cells]


def _mean(row: Row, lowest: float) -> str:
    text = f"{row.mean:.3g}" if math.isnan(row.error) else f"{row.mean:.3g} ± {row.error:.2g}"
    return f"**{text}** ({len(row.gaps)})" if row.mean == lowest else f"{text} ({len(row.gaps)})"


def _markdown(table: Sequence[Sequence[str]]) -> str:
    head, *body = (f"| {' | '.join(cells)} |" for cells in table)
    return "\n".join([head, "|" + "---|" * len(table[0]), *body])


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD",
                         help=f"in this order; all of {', '.join(METHODS)} unless told")  # fmt: skip
    command.add_argument("--problems", nargs="+", choices=TASKS, default=list(TASKS), metavar="PROBLEM",
                         help=f"all of {', '.join(TASKS)} unless told")  # fmt: skip
    command.add_argument("--seeds", type=int, choices=range(1, MOST_SEEDS + 1), default=MOST_SEEDS, metavar="N",
                         help=f"the first N of the {MOST_SEEDS} seeds")  # fmt: skip
    command.add_argument("--workers", type=int, default=os.cpu_count(), help="searches at a time")
    command.add_argument("--afresh", action="store_true", help="forget what is selected and run it again")
    command.add_argument("--table", action="store_true", help=f"run nothing: print the table and write {TABLE.name}")
    return command


def main() -> int:
    """Run what is selected and not finished, then show the table of all that is finished."""
    options = parser().parse_args()
    keys = [
        Key(problem, name, seed)
        for name, seed, problem in product(options.methods, range(options.seeds), options.problems)
    ]
    failed = []
    if not options.table:
        if options.afresh:
            forget(LINES, keys)
        failed = run(unfinished(keys, LINES), options.workers, LINES)
    found = list(rows(load(LINES)))
    TABLE.write_text(markdown_table(found))
    print(plain_table(found))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
