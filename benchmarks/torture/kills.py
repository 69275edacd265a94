"""SIGKILL of a study's process at random moments, until the study is done: is anything lost, doubled or different?

A finished evaluation is *lost* if it had finished more than `DELIVERY` seconds before the kill and was begun again: a
result needs a moment to reach the study's process and its file, during which a kill may lose it (`in_flight`). Where a
suggestion takes half a second ("slow asks") a result that waited for it would be found out. A study is *equal* if each
trial is, bit by bit, what it is in a study that nobody killed; where results are used as they come there is no such
study, and every suggestion must follow from what was told before it (`verify`).
"""

import json
import random
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import rembo
from rembo.cli import main
from rembo.study import Study, StudyTrial, verify
from torture import side_log
from torture.budget import Budget
from torture.children import adopt_orphans, ended, fork, kill, left_behind
from torture.facts import facts, story
from torture.side_log import Kill, Line, Logged, attempts, bowl, key_of, read
from torture.tally import wrong

DELIVERY = 0.25  # seconds that a result may take to the file
SPACE = rembo.Box(20)
LONGEST_LIFE = 0.8  # seconds until a kill
MOST_KILLS = 15  # of one study
LAST_LIFE = 120.0  # seconds in which the rest must be done, once nobody kills any more


class SlowAsks(rembo.RandomSearch):
    """Random search that takes half a second to suggest."""

    def _suggest(self, turn: int, pending: Sequence[rembo.Trial]) -> Any:
        time.sleep(0.5)
        return super()._suggest(turn, pending)


class Series(Protocol):
    """A kind of study that is killed again and again."""

    @property
    def name(self) -> str:
        """What it is called in the counts."""

    def live(self, path: Path, log: Path, seed: int) -> None:
        """The program that is killed."""

    def differs(self, path: Path, trials: Sequence[StudyTrial], seed: int) -> bool:
        """Whether a study that was killed is another than it should be."""


@dataclass(frozen=True)
class OfFunction:
    """A study of a function in Python."""

    name: str
    n_workers: int
    deterministic: bool
    n_trials: int = 80
    slow_asks: bool = False

    def optimizer(self, seed: int) -> rembo.Optimizer:
        """What asks."""
        return SlowAsks(SPACE, seed=seed) if self.slow_asks else rembo.Growing(SPACE, seed=seed)

    def function(self, log: Path) -> Logged:
        """What is evaluated, for 5 to 60 ms."""
        return Logged(str(log))

    def live(self, path: Path, log: Path, seed: int) -> None:
        """The program that is killed."""
        with Study(SPACE, optimizer=self.optimizer(seed), storage=path) as study:
            study.optimize(
                self.function(log),
                self.n_trials,
                n_workers=self.n_workers,
                deterministic=self.deterministic,
                progress=False,
            )

    def differs(self, path: Path, trials: Sequence[StudyTrial], seed: int) -> bool:
        """Whether a study that was killed is another than it should be."""
        if self.n_workers > 1 and not self.deterministic:
            return not verify(path).holds
        whole = Study(SPACE, optimizer=self.optimizer(seed))
        whole.optimize(bowl, self.n_trials, deterministic=self.deterministic, progress=False)
        return story(trials) != story(whole.trials)


@dataclass(frozen=True)
class OfProgram:
    """A study of `rembo tune`: each evaluation is a run of a program, which must not outlive the kill."""

    name: str
    n_workers: int
    n_trials: int = 40

    def live(self, path: Path, log: Path, seed: int) -> None:
        """The program that is killed: in a fork, to save the start of an interpreter."""
        scenario = path.with_suffix(".toml")
        scenario.write_text(self.scenario(log, seed))
        given = ["--storage", str(path), "--workers", str(self.n_workers), "--deterministic", "--quiet"]
        status = main(["tune", str(scenario), *given])
        if status:
            raise SystemExit(status)

    def scenario(self, log: Path, seed: int) -> str:
        """What the file says."""
        names = [f"x{number}" for number in range(SPACE.size)]
        words = [
            shlex.join([sys.executable, "-S", "-E", side_log.__file__, str(log)]),
            *(f"{{{name}}}" for name in names),
        ]
        parameters = [f"{name} = {{type = 'float', low = -1.0, high = 1.0}}" for name in names]
        lines = [f"command = {json.dumps(' '.join(words))}", f"n_trials = {self.n_trials}", f"seed = {seed}"]
        return "\n".join([*lines, "[parameters]", *parameters])

    def differs(self, path: Path, trials: Sequence[StudyTrial], seed: int) -> bool:
        """Whether a study that was killed is another than it should be."""
        whole = path.with_name("whole.db")
        pid = fork(lambda: self.live(whole, path.with_name("whole.log"), seed))
        return ended(pid, LAST_LIFE) != 0 or story(trials) != story(Study.load(whole).trials)


SERIES: tuple[Series, ...] = (
    OfFunction("one worker", 1, False),
    OfFunction("two workers, as they come", 2, False),
    OfFunction("two workers, in order", 2, True),
    OfFunction("four workers, as they come", 4, False),
    OfFunction("three workers, in order", 3, True),
    OfFunction("two workers, slow asks", 2, False, n_trials=12, slow_asks=True),
    OfProgram("rembo tune, one worker", 1),
    OfProgram("rembo tune, two workers in order", 2),
)


HARMLESS = ("studies", "kills", "evaluations", "in_flight", "oldest_in_flight_s")


@dataclass
class Tally:
    """What is counted of one kind of study; all that is not `HARMLESS` must be 0."""

    studies: int = 0
    kills: int = 0
    evaluations: int = 0
    in_flight: int = 0
    stored_trials_lost_or_changed: int = 0
    stored_trials_doubled: int = 0
    finished_evaluations_lost: int = 0
    wrong_values: int = 0
    innocent_trials_failed: int = 0
    studies_that_differ: int = 0
    studies_that_did_not_end: int = 0
    processes_left: int = 0
    oldest_in_flight_s: float = 0.0


@dataclass
class Witness:
    """What was stored at one moment must be stored at every later one."""

    told: dict[int, str] = field(default_factory=dict)
    points: dict[int, rembo.Point] = field(default_factory=dict)

    def lost_or_changed(self, trials: Sequence[StudyTrial]) -> int:
        """How many trials that were told are not there any more, or other than they were; takes those that are new."""
        now = {trial.number: facts(trial) for trial in trials if trial.told is not None}
        points = {trial.number: trial.point for trial in trials}
        lost = sum(now.get(number) != fact for number, fact in self.told.items())
        moved = sum(points.get(number) != point for number, point in self.points.items())
        self.told |= now
        self.points |= points
        return lost + moved


def doubled(trials: Sequence[StudyTrial]) -> int:
    """How many trials share a number, a point, or a place in the order of asks and tells with another."""
    numbers = Counter(trial.number for trial in trials)
    keys = Counter(key_of(trial.x) for trial in trials)
    places = Counter(place for trial in trials for place in (trial.asked, trial.told) if place is not None)
    return sum(count - 1 for counter in (numbers, keys, places) for count in counter.values())


def kill_until_done(series: Series, seed: int, budget: Budget, folder: Path, tally: Tally) -> None:
    """One study, killed again and again until it is done, had `MOST_KILLS`, or the budget is spent; then it may end."""
    path, log = folder / "killed.db", folder / "side.log"
    instants, witness, killed = random.Random(seed), Witness(), []
    tally.studies += 1
    while True:
        pid = fork(lambda: series.live(path, log, seed), folder / "output")
        last = budget.spent or len(killed) >= MOST_KILLS
        code = ended(pid, LAST_LIFE if last else instants.uniform(0.0, LONGEST_LIFE))
        if code is None:
            killed.append(Kill(pid, time.monotonic()))
            kill(pid)
            tally.kills += not last
        tally.processes_left += len(left_behind())
        trials = Study.load(path).trials if _has_study(path) else ()
        tally.stored_trials_lost_or_changed += witness.lost_or_changed(trials)
        if code is not None or last:
            break
    tally.studies_that_did_not_end += code != 0
    _count_evaluations(read(log), killed, tally)
    _judge(series, path, trials, seed, tally)


def _has_study(path: Path) -> bool:
    """Whether the process had the time to begin the study."""
    return path.exists() and bool(rembo.study.open_storage(path).names())


def _count_evaluations(log: dict[str, list[Line]], killed: list[Kill], tally: Tally) -> None:
    for lines in log.values():
        made = attempts(lines, killed)
        tally.evaluations += len(made)
        for again in made[:-1]:
            if again.finished_at is None:
                continue
            tally.in_flight += again.was_hit(DELIVERY)
            tally.finished_evaluations_lost += not again.was_hit(DELIVERY)
            tally.oldest_in_flight_s = max(tally.oldest_in_flight_s, again.age if again.was_hit(DELIVERY) else 0.0)


def _judge(series: Series, path: Path, trials: Sequence[StudyTrial], seed: int, tally: Tally) -> None:
    tally.stored_trials_doubled += doubled(trials)
    tally.innocent_trials_failed += sum(trial.state is rembo.TrialState.FAIL for trial in trials)
    tally.wrong_values += sum(trial.value not in (None, bowl(trial.x)) for trial in trials)
    tally.studies_that_differ += series.differs(path, trials, seed)


def kills(budget: Budget, seed: int) -> dict[str, Any]:
    """Studies of each kind in turn, each killed until it is done."""
    adopt_orphans()
    tallies = {series.name: Tally() for series in SERIES}
    for number in budget.rounds():
        series = SERIES[number % len(SERIES)]
        with tempfile.TemporaryDirectory() as folder:
            kill_until_done(series, seed + number, budget, Path(folder), tallies[series.name])
    found = [each for name, tally in tallies.items() for each in wrong(name, tally, HARMLESS)]
    return {"series": {name: vars(tally) for name, tally in tallies.items()}, "faults": found}
