"""Two writers of one study, by every path to its file: what was told and accepted must be what is stored.

Both ask and tell as fast as they are let, each value its own, and note a tell when it has returned. Meanwhile a meddler
removes the lock file, makes hard links, renames the file and moves it back, or kills and restarts a writer. What was
accepted must be in the file. If it is not, it was *overwritten* if the file has what another tell of the same trial
gave, and else *lost*. Where a writer has begun the study anew, in the moment in which its file was away, both files
count.
"""

import os
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import rembo
from rembo.study import StorageError, Study
from torture.budget import Budget
from torture.children import adopt_orphans, ended, fork, kill, left_behind
from torture.tally import wrong

SPACE = rembo.Box(3)
SECONDS = 2.0  # that one struggle takes
PATIENCE = 90.0  # seconds in which it must be over: SQLite waits for 60 where it is kept busy


@dataclass
class Witness:
    """A file of what one writer was let do, a line each."""

    path: Path

    def note(self, what: str, *more: object) -> None:
        """A line, in one piece."""
        with self.path.open("a") as file:
            file.write(" ".join(map(str, (what, *more))) + "\n")


@dataclass(frozen=True)
class Scene:
    """Where two writers meet, and until when."""

    folder: Path
    path: Path
    until: float
    seed: int

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.until

    def witness(self, who: int) -> Witness:
        """Of one of the writers."""
        return Witness(self.folder / f"writer-{who}")


def write(scene: Scene, path: Path, who: int) -> None:
    """Ask and tell until the time is up, in bouts of one trial or a few."""
    chance, witness = random.Random(100 * scene.seed + who), scene.witness(who)
    while not scene.is_over:
        bout(path, who, chance, witness)
        time.sleep(chance.uniform(0.0, 0.003))


def bout(path: Path, who: int, chance: random.Random, witness: Witness) -> None:
    """Open the study, and tell some trials, unless it is refused; it is closed in the end."""
    try:
        with Study.load(path) as study, study.hold():
            _tell_some(study, who, chance, witness)
    except (StorageError, ValueError) as refusal:
        witness.note("refused", type(refusal).__name__)
    except Exception as error:
        witness.note("crashed", type(error).__name__, error)


def _tell_some(study: Study, who: int, chance: random.Random, witness: Witness) -> None:
    for _ in range(chance.randint(1, 4)):
        trial = study.ask()
        time.sleep(chance.uniform(0.0, 0.004))
        value = who + chance.random()
        study.tell(trial, value)
        witness.note("told", trial.number, repr(value))


def _both(scene: Scene, other: Path, meddle: Callable[[Scene], None] = lambda scene: None) -> None:
    """Two processes, the second of which takes another path, beside a meddler."""
    fork(lambda: write(scene, scene.path, 1))
    fork(lambda: write(scene, other, 2))
    meddle(scene)


def same_path(scene: Scene) -> None:
    """Nothing but two processes."""
    _both(scene, scene.path)


def symbolic_link(scene: Scene) -> None:
    """To the file."""
    link = scene.folder / "link.db"
    link.symlink_to(scene.path)
    _both(scene, link)


def linked_folder(scene: Scene) -> None:
    """By a link to the folder, and by a way through it and back."""
    (scene.folder / "linked").symlink_to(scene.path.parent)
    _both(scene, scene.folder / "linked" / ".." / scene.path.parent.name / scene.path.name)


def hard_link(scene: Scene) -> None:
    """That comes and goes."""
    other = scene.folder / "hard.db"

    def meddle(scene: Scene) -> None:
        while not scene.is_over and not other.exists():
            with suppress(FileExistsError):  # a writer that was just opening the study has begun it anew
                os.link(scene.path, other)
            time.sleep(0.02)
            if other.stat().st_nlink == 1:
                return
            other.unlink()
            time.sleep(0.02)

    _both(scene, other, meddle)


def removed_lock(scene: Scene) -> None:
    """Again and again."""

    def meddle(scene: Scene) -> None:
        while not scene.is_over:
            for lock in scene.path.parent.glob("*.lock"):
                lock.unlink(missing_ok=True)
            time.sleep(0.001)

    _both(scene, scene.path, meddle)


def renamed_file(scene: Scene) -> None:
    """Away and back; one of the writers goes after it."""
    away = scene.path.with_name("away.db")

    def meddle(scene: Scene) -> None:
        while not scene.is_over and not away.exists():
            os.rename(scene.path, away)
            time.sleep(0.01)
            if not scene.path.exists():  # a writer that was just opening the study has begun it anew
                os.rename(away, scene.path)
            time.sleep(0.03)

    _both(scene, away, meddle)


def killed_writers(scene: Scene) -> None:
    """Each writer is killed and started again."""
    chance = random.Random(scene.seed)
    writers = {who: fork(lambda who=who: write(scene, scene.path, who)) for who in (1, 2)}
    while not scene.is_over:
        time.sleep(chance.uniform(0.01, 0.2))
        who = chance.choice((1, 2))
        with suppress(ProcessLookupError, ChildProcessError):  # it has just ended
            kill(writers[who])
        writers[who] = fork(lambda who=who: write(scene, scene.path, who))


def threads(scene: Scene) -> None:
    """Two threads of one process."""

    def both() -> None:
        writers = [Thread(target=write, args=(scene, scene.path, who)) for who in (1, 2)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()

    fork(both)


def forked_study(scene: Scene) -> None:
    """A process that forks while it holds the study: both go on with what they have."""

    def split() -> None:
        chance = random.Random(scene.seed)
        while not scene.is_over:
            _split(scene, chance)

    fork(split, scene.folder / "split")


def _split(scene: Scene, chance: random.Random) -> None:
    with Study.load(scene.path) as study, study.hold():
        mine = study.ask()
        child = fork(lambda: _go_on(scene, study, mine, 2, random.Random(chance.random())))
        _go_on(scene, study, mine, 1, chance)
        ended(child, PATIENCE)


def _go_on(scene: Scene, study: Study, trial: rembo.study.StudyTrial, who: int, chance: random.Random) -> None:
    """Tell the trial that both have, then some more."""
    witness = scene.witness(who)
    try:
        value = who + chance.random()
        study.tell(trial, value)
        witness.note("told", trial.number, repr(value))
        _tell_some(study, who, chance, witness)
    except (StorageError, ValueError) as refusal:
        witness.note("refused", type(refusal).__name__)
    except Exception as error:
        witness.note("crashed", type(error).__name__, error)


WAYS: tuple[Callable[[Scene], None], ...] = (
    same_path,
    symbolic_link,
    linked_folder,
    hard_link,
    removed_lock,
    renamed_file,
    killed_writers,
    threads,
    forked_study,
)


HARMLESS = ("struggles", "told", "refused", "begun_anew")


@dataclass
class Tally:
    """What is counted of one way; all that is not `HARMLESS` must be 0."""

    struggles: int = 0
    told: int = 0
    refused: int = 0
    begun_anew: int = 0
    overwritten: int = 0
    lost: int = 0
    crashes: int = 0
    hangs: int = 0
    unreadable: int = 0


def struggle(way: Callable[[Scene], None], seed: int, seconds: float, tally: Tally) -> list[str]:
    """One struggle; what crashed, in words."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        path = folder / "studies" / "study.db"
        path.parent.mkdir()
        Study(SPACE, optimizer=rembo.RandomSearch(SPACE, seed=seed), storage=path).close()
        way(Scene(folder, path, time.monotonic() + seconds, seed))
        tally.struggles += 1
        tally.hangs += len(left_behind(seconds=seconds + PATIENCE))
        lines = [line.split() for log in sorted(folder.glob("writer-*")) for line in log.read_text().splitlines()]
        return _count(lines, path, tally)


def _count(lines: list[list[str]], path: Path, tally: Tally) -> list[str]:
    said = Counter(what for what, *_ in lines)
    tally.told += said["told"]
    tally.refused += said["refused"]
    tally.crashes += said["crashed"]
    accepted = defaultdict(set)
    for what, *more in lines:
        if what == "told":
            accepted[int(more[0])].add(float(more[1]))
    try:
        stored = {(trial.number, trial.value) for each in _files(path) for trial in Study.load(each).trials}
    except StorageError as unreadable:
        tally.unreadable += 1
        return [str(unreadable)]
    tally.begun_anew += len(_files(path)) - 1
    gone = [(number, value) for number, values in accepted.items() for value in values if (number, value) not in stored]
    overwritten = [number for number, _ in gone if any((number, value) in stored for value in accepted[number])]
    tally.overwritten += len(overwritten)
    tally.lost += len(gone) - len(overwritten)
    return [" ".join(line) for line in lines if line[0] == "crashed"]


def _files(path: Path) -> list[Path]:
    """The study's file, and those that a writer has begun anew while it was away."""
    return [each for each in path.parents[1].rglob("*.db") if not each.is_symlink()]


def locks(budget: Budget, seed: int) -> dict[str, Any]:
    """All ways in turn."""
    adopt_orphans()
    tallies, found = {way.__name__: Tally() for way in WAYS}, []
    for number in budget.rounds():
        way = WAYS[number % len(WAYS)]
        crashes = struggle(way, seed + number, SECONDS, tallies[way.__name__])
        found += [f"{way.__name__}: {each}" for each in crashes]
    for name, tally in tallies.items():
        found += wrong(name, tally, HARMLESS)
    return {"ways": {name: vars(tally) for name, tally in tallies.items()}, "faults": found}
