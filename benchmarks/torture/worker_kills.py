"""SIGKILL of a study's workers at random moments: only the trial whose own process died may be charged.

A trial whose worker was killed is evaluated once more, in isolation, and fails if it is hit again. So a trial fails
rightly if it was hit twice, and is made again rightly as often as it was hit. A kill *between* two evaluations may hit
a worker that has taken a trial and not yet called f, or has finished one and not yet delivered its value. The side log
cannot show which, so each such kill excuses one trial that failed or was made again with a hit too few (`excused`).
"""

import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import rembo
from rembo.study import Study, StudyTrial, verify
from rembo.study.isolation import children_of
from torture.budget import Budget
from torture.children import adopt_orphans, ended, fork, left_behind
from torture.kills import LAST_LIFE, OfFunction, Series, doubled
from torture.side_log import Kill, Line, Logged, bowl, key_of, read
from torture.tally import wrong

LONGEST_PAUSE = 0.3  # seconds from one kill to the next


class Longer(OfFunction):
    """Evaluations of 20 to 120 ms, so that most kills hit one."""

    def function(self, log: Path) -> Logged:
        """What is evaluated."""
        return Logged(str(log), 0.02, 0.12)


SERIES = (Longer("two workers", 2, False, n_trials=60), Longer("four workers", 4, False, n_trials=60))


HARMLESS = ("studies", "kills", "evaluations", "trials_hit", "between", "failed_after_two_hits", "excused")


@dataclass
class Tally:
    """What is counted; all that is not `HARMLESS` must be 0."""

    studies: int = 0
    kills: int = 0
    evaluations: int = 0
    trials_hit: int = 0
    between: int = 0
    failed_after_two_hits: int = 0
    excused: int = 0
    innocent_trials_failed: int = 0
    innocent_evaluations_repeated: int = 0
    stored_trials_doubled: int = 0
    wrong_values: int = 0
    studies_that_differ: int = 0
    studies_that_did_not_end: int = 0
    processes_left: int = 0


def kill_workers(series: Series, seed: int, budget: Budget, folder: Path, tally: Tally) -> None:
    """One study, whose workers are killed one after the other until it is done or the budget is spent."""
    path, log = folder / "killed.db", folder / "side.log"
    chance, killed = random.Random(seed), []
    tally.studies += 1
    study = fork(lambda: series.live(path, log, seed), folder / "output")
    while not budget.spent and (code := ended(study, chance.uniform(0.0, LONGEST_PAUSE))) is None:
        workers = children_of(study)
        if workers:
            killed.append(_killed(chance.choice(workers)))
    tally.studies_that_did_not_end += (ended(study, LAST_LIFE) if budget.spent else code) != 0
    tally.processes_left += len(left_behind())
    tally.kills += len(killed)
    logged = read(log)
    _judge(Study.load(path).trials, logged, struck(logged, killed), tally)
    tally.studies_that_differ += not verify(path).holds


def _killed(pid: int) -> Kill:
    at = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    return Kill(pid, at)


def struck(logged: dict[str, list[Line]], killed: list[Kill]) -> list[str | None]:
    """For each kill the point whose evaluation was under way in the process; None if there was none."""
    lines = sorted(chain.from_iterable(logged.values()), key=lambda line: line.at)
    return [_struck(lines, kill) for kill in killed]


def _struck(lines: list[Line], kill: Kill) -> str | None:
    latest = [line for line in lines if kill.pid in line.lineage and line.at <= kill.at][-1:]
    return next((line.key for line in latest if line.what == "begun"), None)


def _judge(trials: Sequence[StudyTrial], logged: dict[str, list[Line]], hits: list[str | None], tally: Tally) -> None:
    hit = Counter(key for key in hits if key is not None)
    begun = {key: sum(line.what == "begun" for line in lines) for key, lines in logged.items()}
    failed = [hit[key_of(trial.x)] for trial in trials if trial.state is rembo.TrialState.FAIL]
    too_few = sum(count < 2 for count in failed)
    too_often = sum(max(0, begun[key] - 1 - hit[key]) for key in begun)
    between = hits.count(None)
    tally.evaluations += sum(begun.values())
    tally.trials_hit += len(hit)
    tally.between += between
    tally.failed_after_two_hits += len(failed) - too_few
    tally.excused += min(too_few + too_often, between)
    tally.innocent_trials_failed += max(0, too_few - between)
    tally.innocent_evaluations_repeated += max(0, too_often - max(0, between - too_few))
    tally.stored_trials_doubled += doubled(trials)
    tally.wrong_values += sum(trial.value not in (None, bowl(trial.x)) for trial in trials)


def worker_kills(budget: Budget, seed: int) -> dict[str, Any]:
    """Studies of each kind in turn."""
    adopt_orphans()
    tallies = {series.name: Tally() for series in SERIES}
    for number in budget.rounds():
        series = SERIES[number % len(SERIES)]
        with tempfile.TemporaryDirectory() as folder:
            kill_workers(series, seed + number, budget, Path(folder), tallies[series.name])
    found = [each for name, tally in tallies.items() for each in wrong(name, tally, HARMLESS)]
    return {"series": {name: vars(tally) for name, tally in tallies.items()}, "faults": found}
