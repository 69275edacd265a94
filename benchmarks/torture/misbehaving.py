"""Every misbehaviour in every mode of evaluation: does the study go on, are the innocent left alone, is nothing left?

Each case is a study of five trials, the second of which misbehaves, in a process of its own that has `PATIENCE`
seconds. A function that hangs or eats memory gets the limit that the documents ask for, and so does one that ends or
ruins its process where it shares the study's own. What is documented is counted, and no fault: in the study's own
process a function that never returns is waited for (not run here), and one that ends the process is tried again by
each new start, ten times; an executor of the user that breaks ends `optimize` with an error, and all that was finished
is kept; a KeyboardInterrupt is Ctrl-C but in isolation and in the processes of `n_workers`. What a function has started
is ended in isolation and by `rembo tune`, and, but for daemons, by `n_workers`.
"""

import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rembo
from rembo.cli import main as command
from rembo.study import Study, StudyTrial
from torture import misbehaviours
from torture.budget import Budget
from torture.children import adopt_orphans, ended, fork, kill, left_behind
from torture.misbehaviours import MISBEHAVIOURS, Harm, Moody

PATIENCE = 60.0  # seconds for a case
TRIAL_SECONDS, TRIAL_MEMORY = 2.0, 2**30
SLOW_START = 8.0  # seconds for a trial where each starts an interpreter
MOST_STARTS = 12  # one more than a trial has attempts, and one to end
SPACE = rembo.Box(2)
FIRST = (0.1, -0.5, 0.2, 0.3, 0.4)  # coordinates of the trials; the negative one misbehaves


@dataclass(frozen=True)
class Mode:
    """Where f is called."""

    name: str
    run: Callable[[Path, str, dict[str, Any]], str]  # a folder, a misbehaviour and limits: how the search ended
    shares: bool = False  # the study's process
    buries: frozenset[Harm] = frozenset(Harm)  # those that leave processes that are ended
    heeds_interrupts: bool = False  # that f raises
    seconds: float = TRIAL_SECONDS

    def limits(self, harm: Harm) -> dict[str, Any]:
        """The limits that such a function needs here."""
        if harm is Harm.EATS:
            return {"trial_memory": TRIAL_MEMORY, "trial_timeout": 10 * self.seconds}
        needs = harm is Harm.HANGS or (self.shares and harm in (Harm.DIES, Harm.RUINS))
        return {"trial_timeout": self.seconds} if needs or self.name == "isolated" else {}

    def may_stop(self, harm: Harm, end: str) -> bool:
        """Whether the documents say that the search ends so; one that dies in process goes on when begun again."""
        if harm is Harm.INTERRUPTS and self.heeds_interrupts:
            return end.startswith("KeyboardInterrupt")
        return self.name == "a pool of the user" and harm in (Harm.DIES, Harm.RUINS) and "BrokenProcessPool" in end

    def is_spared(self, harm: Harm) -> bool:
        """Whether a case is not run, since the documents say that nothing can be done."""
        return self.name == "in process" and harm in (Harm.HANGS, Harm.EATS, Harm.RUINS)


def _optimize(folder: Path, name: str, options: Mapping[str, Any]) -> str:
    with Study(
        SPACE,
        optimizer=rembo.RandomSearch(SPACE, seed=0),
        storage=folder / "study.db",
        x0=[[first, 0.0] for first in FIRST],
    ) as study:
        return study.optimize(Moody(name), len(FIRST), catch=Exception, progress=False, **options).name


def _here(folder: Path, name: str, limits: dict[str, Any]) -> str:
    return _optimize(folder, name, limits)


def _pool(folder: Path, name: str, limits: dict[str, Any]) -> str:
    return _optimize(folder, name, {"n_workers": 2, **limits})


def _threads(folder: Path, name: str, limits: dict[str, Any]) -> str:
    with ThreadPoolExecutor(2) as executor:
        return _optimize(folder, name, {"executor": executor, **limits})


def _processes(folder: Path, name: str, limits: dict[str, Any]) -> str:
    with ProcessPoolExecutor(2) as executor:
        return _optimize(folder, name, {"executor": executor, **limits})


def _dask(folder: Path, name: str, limits: dict[str, Any]) -> str:
    from distributed import Client

    with Client(os.environ["TORTURE_CLUSTER"], timeout=PATIENCE, set_as_default=False) as client:
        client.restart(timeout=PATIENCE)  # the case before may have changed what the processes of the workers share
        return _optimize(folder, name, {"executor": client, **limits})


def _tune(folder: Path, name: str, limits: dict[str, Any]) -> str:
    """A program instead of a function; the number is a choice, so that each is tried once."""
    program = shlex.join([sys.executable, misbehaviours.__file__, name]) + " {number}"
    lines = [
        f"command = {json.dumps(program)}",
        f"n_trials = {len(FIRST)}",
        "n_workers = 2",
        'storage = "study.db"',
        "seed = 0",
    ]
    lines += [f"{key} = {value}" for key, value in limits.items()]
    choices = json.dumps([str(first) for first in FIRST])
    lines += ["[parameters]", f'number = {{type = "categorical", choices = {choices}}}']
    (folder / "scenario.toml").write_text("\n".join(lines))
    code = command(["tune", str(folder / "scenario.toml"), "--quiet"])
    return "COMPLETED" if code == 0 else f"exit code {code}"


NONE: frozenset[Harm] = frozenset()
MODES = (
    Mode("in process", _here, shares=True, buries=NONE, heeds_interrupts=True),
    Mode("isolated", _here),
    Mode("two workers", _pool, buries=frozenset(Harm) - {Harm.ESCAPES}),
    Mode("threads of the user", _threads, shares=True, buries=NONE, heeds_interrupts=True, seconds=SLOW_START),
    Mode("a pool of the user", _processes, buries=NONE, heeds_interrupts=True),
    Mode("a Dask cluster", _dask, buries=NONE, heeds_interrupts=True, seconds=SLOW_START),
    Mode("rembo tune", _tune),
)


_UNFINISHED = (rembo.TrialState.WAITING, rembo.TrialState.RUNNING)


@dataclass(frozen=True)
class Report:
    """What came of a case."""

    starts: int
    code: int | None  # of the last process; None if it hung
    end: str  # how the search ended, by its own account
    trials: tuple[StudyTrial, ...]
    left: tuple[str, ...]  # processes and folders

    @property
    def went_on(self) -> bool:
        """Whether the search came to its end."""
        return self.end == "COMPLETED" and all(trial.told is not None for trial in self.trials)

    @property
    def innocents_failed(self) -> list[str]:
        """How trials failed, or which other value they have than f gave, though f behaved."""
        firsts = [(trial, _first(trial)) for trial in self.trials]
        return [
            trial.failure or f"{trial.value} instead of {first}"
            for trial, first in firsts
            if first >= 0.0 and trial.state not in _UNFINISHED and trial.value != first
        ]


def _first(trial: StudyTrial) -> float:
    x = trial.x
    return float(x["number"] if isinstance(x, dict) else x[0])


def tried(mode: Mode, name: str, patience: float = PATIENCE) -> Report:
    """Run a case, and start it again as long as its process dies."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "tmp").mkdir()
        starts = 0
        while starts < MOST_STARTS:
            starts += 1
            code = _run(mode, name, folder, patience)
            if code == 0 or code is None or mode.name != "in process":
                break
        said = folder / "report.json"
        report = json.loads(said.read_text()) if said.exists() else {"end": "no report", "left": []}
        stored = (folder / "study.db").exists()
        trials = Study.load(folder / "study.db").trials if stored else ()
        return Report(starts, code, report["end"], trials, tuple(report["left"]))


def _run(mode: Mode, name: str, folder: Path, patience: float) -> int | None:
    """One process of a case: its exit code, None if it hung; nothing of it is left."""
    strangers = frozenset(_children())
    pid = fork(lambda: _case(mode, name, folder), folder / "output")
    code = ended(pid, patience)
    if code is None:
        kill(pid)
    left_behind(strangers, 0.0)
    return code


def _children() -> list[int]:
    from rembo.study.isolation import children_of

    return children_of(os.getpid())


def _case(mode: Mode, name: str, folder: Path) -> None:
    """Search, then tell how it ended and what is left."""
    os.environ["TMPDIR"] = str(folder / "tmp")
    tempfile.tempdir = None
    adopt_orphans()
    environment = dict(os.environ)
    try:
        end = mode.run(folder, name, mode.limits(MISBEHAVIOURS[name].harm))
    except (Exception, KeyboardInterrupt) as error:
        end = f"{type(error).__name__}: {error}"[:500]
    os.environ.update(environment)
    left = left_behind(seconds=3.0) + [each.name for each in (folder / "tmp").glob("rembo-*")]
    descriptor = os.open(folder / "report.json", os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(descriptor, json.dumps({"end": end, "left": left}).encode())
    os._exit(0)  # what f has left in this process, a thread for example, is not to keep it


def faults(mode: Mode, name: str, report: Report) -> list[str]:
    """What is wrong with a case, in words; nothing if it is as it should be, or as the documents say."""
    harm = MISBEHAVIOURS[name].harm
    found = []
    if report.code is None:
        found.append("hung")
    elif not report.went_on and not mode.may_stop(harm, report.end):
        found.append(f"ended the study: {report.end} (exit code {report.code})")
    if report.innocents_failed:
        found.append(f"innocent trials failed: {'; '.join(report.innocents_failed)}")
    if harm in mode.buries and report.left:
        found.append(f"left {', '.join(report.left)}")
    return found


@contextmanager
def cluster() -> Iterator[None]:
    """A Dask cluster of two processes for all cases, in a process of its own."""
    environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    program = subprocess.Popen(
        [sys.executable, "-m", "torture.cluster"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert program.stdout is not None
    os.environ["TORTURE_CLUSTER"] = program.stdout.readline().strip()
    try:
        yield
    finally:
        program.communicate("")


def misbehaving(budget: Budget, seed: int) -> dict[str, Any]:
    """All cases in a random order, as far as the budget reaches."""
    adopt_orphans()
    cases = [(mode, name) for mode in MODES for name in MISBEHAVIOURS]
    random.Random(seed).shuffle(cases)
    counts: dict[str, Counter[str]] = {mode.name: Counter() for mode in MODES}
    found = []
    with ExitStack() as clusters:
        clusters.enter_context(cluster())
        for number in budget.rounds():
            if number == len(cases):
                break
            mode, name = cases[number]
            wrong = _counted(mode, name, counts[mode.name])
            if wrong and mode.name == "a Dask cluster":
                clusters.close()
                clusters.enter_context(cluster())
            found += wrong
    return {
        "misbehaviours": len(MISBEHAVIOURS),
        "modes": {name: dict(count) for name, count in counts.items()},
        "faults": found,
    }


def _counted(mode: Mode, name: str, counts: "Counter[str]") -> list[str]:
    """Run a case and count what came of it; its faults, with its name."""
    harm = MISBEHAVIOURS[name].harm
    if mode.is_spared(harm):
        counts["documented_not_run"] += 1
        return []
    report = tried(mode, name)
    wrong = faults(mode, name, report)
    counts["cases"] += 1
    counts["went_on"] += report.went_on
    counts["documented_stops"] += not report.went_on and not wrong
    counts["hangs"] += report.code is None
    counts["studies_ended"] += any(each.startswith("ended") for each in wrong)
    counts["innocent_trials_failed"] += len(report.innocents_failed)
    counts["leftovers"] += len(report.left) if harm in mode.buries else 0
    return [f"{mode.name}, {name}: {each}" for each in wrong]
