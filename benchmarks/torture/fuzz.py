"""Random spaces, files, command lines and calls: a sentence where they are refused, and no number changed where not.

Each input follows from a number, its luck. A verdict is `fine`, `refused` (a documented error that the library raised
on purpose, see `verdict`), or a fault: CRASH (another exception, or none of a sentence), ACCIDENT (a ValueError or
TypeError that Python or NumPy raised in the midst of something), CHANGED (x is another after the way through the file),
HUNG (20 s) or DIED.
"""

import atexit
import contextlib
import io
import json
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import rembo
from rembo.cli import main as command
from rembo.scenario import Scenario
from rembo.study import Study
from torture import verdict
from torture.budget import Budget
from torture.children import verdicts
from torture.facts import facts

BATCH = 50  # inputs for one child
FAULTS_SHOWN = 40
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 7, 0.1, 0.5, 1e-5, 1e5, 1e308, -1e308, 1.7e308, 5e-324, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**64,
    10**400, True, None, "1", "", b"1", float("nan"), float("inf"), float("-inf"), -0.0, 1j, np.float32(0.1),
    np.int8(3), np.float64(0.3), np.bool_(True), Fraction(1, 3), Decimal("0.1"), [], [1.0], np.zeros(2), object(),
)  # fmt: skip
TEXTS = (
    "x",
    "",
    " ",
    "a b",
    "x" * 500,
    "\x00",
    "\u2713",
    "\ud800",
    "\x1b[2J",
    "'",
    '"',
    "{x}",
    "../x",
    "-x",
    "$x",
    "1",
)
CHOICES: tuple[Any, ...] = (*NUMBERS, *TEXTS, (1, 2), frozenset({1}), {"a": 1}, print)


def _parameter(luck: random.Random) -> Any:
    kind = luck.choice(("float", "float", "integer", "integer", "categorical", "bool", "box", "anything"))
    low, high = (luck.choice(NUMBERS) for _ in range(2))
    if luck.random() < 0.5:
        low, high = sorted(
            luck.choice((luck.uniform(-5, 5), luck.randint(1, 9), 10.0 ** luck.randint(-9, 9))) for _ in "ab"
        )
    log = luck.choice((True, False, False, False, None, 1))
    if kind == "float":
        return rembo.Float(low, high, log)
    if kind == "integer":
        return rembo.Integer(low, high, log)
    if kind == "categorical":
        return rembo.Categorical([luck.choice(CHOICES) for _ in range(luck.choice((0, 1, 2, 2, 3, 9)))])
    if kind == "box":
        return rembo.Box(luck.choice((1, 2, 5, 1000, 10**9, *NUMBERS)), low, high)
    return rembo.Bool() if kind == "bool" else luck.choice(CHOICES)


def _space(luck: random.Random) -> Any:
    if luck.random() < 0.2:
        return _parameter(luck)
    names = luck.sample(
        ("y", "z", "\u2713", "w", "v") if luck.random() < 0.8 else (*TEXTS, 1, None), luck.randint(1, 4)
    )
    return rembo.Space({name: _parameter(luck) for name in names})


def space(luck_number: int) -> str:
    """A space is made, and a study of it searched, stored and read again."""
    luck = random.Random(luck_number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        domain = _space(luck)
        make = luck.choice((rembo.RandomSearch, rembo.RandomSearch, rembo.Growing))
        with Study(domain, optimizer=make(domain, seed=luck.randrange(100)), storage=path) as study:
            seen = [_asked_and_told(study, luck) for _ in range(3)]
            with contextlib.suppress(ValueError):  # an optimizer may not be able to represent it
                seen.append(_adopted(study, seen[0]))
        stored = [trial.x for trial in Study.load(path).trials]
    return "fine" if all(map(same, seen, stored)) else f"CHANGED: {seen!r} into {stored!r}"


def _asked_and_told(study: Study, luck: random.Random) -> Any:
    trial = study.ask()
    study.tell(trial, luck.uniform(-1.0, 1.0))
    return trial.x


def _adopted(study: Study, x: Any) -> Any:
    """The given x; what is read later must be the same."""
    study.tell(study.adopt(x), 0.0)
    return x


def same(one: Any, other: Any) -> bool:
    """Whether two x are the same to the bit, types included; of arrays the first hundred coordinates."""
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, (rembo.Point, np.ndarray)):
        return bool(np.asarray(one[:100]).tobytes() == np.asarray(other[:100]).tobytes())
    return type(one) is type(other) and repr(one) == repr(other)


SCENARIO = """\
command = "echo {parameters} {instance}"
objective = "last_number"
direction = "minimize"
n_trials = 3
trial_timeout = 60
trial_memory = "2 GiB"
n_workers = 2
seed = 1
instances = [1, 2]
aggregate = "mean"
shell = false
stdin = "input"
[environment]
OMP_NUM_THREADS = "{threads}"
[parameters]
threads = {type = "integer", low = 1, high = 16, log = true, default = 4}
eps = {type = "float", low = 1e-9, high = 1e-3, log = true, default = 1e-6}
method = {type = "categorical", choices = ["primal", "dual"], default = "dual", switch = "-m "}
presolve = {type = "bool", default = true, arguments = {true = "--p", false = ""}}
"""
IRACE = """\
alpha "--a " r (0.0, 5.0)
beta "--b=" i (1, 10)
mode "" c (a, b, c)
log "-l" r,log (0.1, 1)
order "" o (1, 2)
"""
PCS = """\
alpha [0, 5] [1]
beta [1, 100] [10]il
mode {a, b} [a]
"""
NEW_PCS = """\
rate real [0.1, 1] [0.5] log
depth integer [1, 10] [5]
level ordinal {1, 2} [1]
"""
CONFIGSPACE = json.dumps(
    {
        "name": None,
        "hyperparameters": [
            {"type": "uniform_float", "name": "a", "lower": 0.0, "upper": 1.0, "log": False, "default_value": 0.5},
            {"type": "uniform_int", "name": "b", "lower": 1, "upper": 9, "log": True, "default_value": 3},
            {"type": "categorical", "name": "c", "choices": ["x", "y"], "default_value": "x", "weights": None},
        ],
        "conditions": [],
        "forbiddens": [],
        "format_version": 0.4,
    }
)
PARAMETER_FILES = {"parameters.txt": IRACE, "parameters.pcs": PCS, "new.pcs": NEW_PCS, "parameters.json": CONFIGSPACE}
TOKENS = (
    *("0", "-1", "1e999", "nan", "inf", "true", "[]", "{}", '""', '"x"', "[[", "]", "}", "(", ")", "=", ",", "{", "#"),
    *("\\", "\n", "\x00", "\u2713", "9" * 400, "log", "'", "|", "$(x)", "{threads}", "{nothing}", "{flag:presolve}"),
    *("r", "[1, 2]", "{a, b}", "null", "2024-01-01", "0x10", "[" * 3000),
)


def mutated(text: str, luck: random.Random) -> str:
    """A text with a few characters, tokens and lines changed."""
    for _ in range(luck.choice((0, 1, 1, 2, 3, 8))):
        place = luck.randrange(len(text) + 1)
        lines = text.splitlines(keepends=True) or [""]
        row = luck.randrange(len(lines))
        text = luck.choice(
            (
                text[:place] + luck.choice(TOKENS) + text[place:],
                text[:place] + text[place + luck.randint(1, 9) :],
                "".join(lines[:row] + lines[row + 1 :]),
                "".join(lines[:row] + [lines[row]] * 2 + lines[row + 1 :]),
                "".join([*lines[:row], _with_another_value(lines[row], luck), *lines[row + 1 :]]),
            )
        )
    return text


def _with_another_value(line: str, luck: random.Random) -> str:
    words = line.split(" ")
    words[luck.randrange(len(words))] = luck.choice(TOKENS)
    return " ".join(words).rstrip("\n") + "\n"


def file(luck_number: int) -> str:
    """A scenario, or a file of parameters that it names, is read; then its space and its first points are made."""
    luck = random.Random(luck_number)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        named = luck.choice((None, None, *PARAMETER_FILES))
        text = SCENARIO if named is None else f'command = "echo {{parameters}}"\nparameters = "{named}"\nn_trials = 3\n'
        if named is None or luck.random() < 0.1:
            text = mutated(text, luck)
        (folder / "scenario.toml").write_bytes(_spoilt(text, luck))
        if named is not None:
            (folder / named).write_bytes(_spoilt(mutated(PARAMETER_FILES[named], luck), luck))
        (folder / "input").touch()
        scenario = Scenario.read(folder / "scenario.toml")
        study = Study(scenario.space, optimizer=rembo.RandomSearch(scenario.space, seed=0))
        for _ in range(2):
            study.tell(study.ask(), 0.0)
    return "fine"


def _spoilt(text: str, luck: random.Random) -> bytes:
    """The bytes of a text, seldom with one that is no UTF-8."""
    content = text.encode("utf-8", "surrogatepass")
    return content if luck.random() < 0.95 else content + b"\xff"


COMMANDS = ("new", "tune", "resume", "show", "ablate", "export", "import", "verify", "backup", "report", "demo")
ARGUMENTS = (
    *("scenario.toml", "study.db", "empty.db", "absent.db", "table.csv", ".", "/", "", "-", "--", "copy.db", "new.db"),
    *(
        "--json",
        "--quiet",
        "--debug",
        "--help",
        "--version",
        "--all",
        "--no-importance",
        "--deterministic",
        "--dry-run",
    ),
    *("--name", "study", "other", "--share", "0.5", "2", "0", "-1", "nan", "--max-evaluations", "--workers", "1", "3"),
    *("--n-trials", "--storage", "--seed", "-o", "out.csv", "out.jsonl", "out.html", "out.xyz", "--output", "--value"),
    *("value", "--study", "--scenario", "\u2713", "sqlite:///absent.db", "x" * 300),
)
CODES = {0, 1, 2, 3, 4}
QUICK = 'command = "echo {x}"\nn_trials = 2\nseed = 0\n[parameters]\nx = {type = "float", low = 0.0, high = 1.0}\n'


def command_line(luck_number: int) -> str:
    """A command runs in a folder with a scenario, a study and a table."""
    luck = random.Random(luck_number)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "scenario.toml").write_text(QUICK)
        (folder / "empty.db").touch()
        (folder / "table.csv").write_text(mutated("x,value\n0.5,1\n0.25,2\n", luck), errors="surrogatepass")
        shutil.copy(_study_to_show(), folder / "study.db")
        arguments = [luck.choice(COMMANDS), *(luck.choice(ARGUMENTS) for _ in range(luck.randint(0, 5)))]
        os.chdir(folder)
        try:
            return _of_command(arguments)
        finally:
            os.chdir(here)


def _study_to_show() -> str:
    """A study that `rembo tune` has begun; made once."""
    if not _shown:
        folder = Path(tempfile.mkdtemp(prefix="torture-"))
        atexit.register(shutil.rmtree, folder)
        (folder / "scenario.toml").write_text(QUICK)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            command(["tune", str(folder / "scenario.toml"), "--quiet", "--storage", str(folder / "study.db")])
        _shown.append(str(folder / "study.db"))
    return _shown[0]


_shown: list[str] = []


def _of_command(arguments: list[str]) -> str:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = command(arguments)
    except SystemExit as end:  # of the parser
        code = end.code if isinstance(end.code, int) else 2
    except Exception as error:
        return f"CRASH: {arguments} {verdict.described(error)}"
    text = said.getvalue()
    if code not in CODES or ("Traceback" in text and "--debug" not in arguments):
        return f"CRASH: {arguments} exit code {code}: {text[-300:]}"
    if code == 2 and len(text.split()) < 3:
        return f"CRASH: {arguments} no sentence: {text}"
    return "fine" if code == 0 else "refused"


def calls(luck_number: int) -> str:
    """A study is asked, told and the like, in any order and with anything; then the file has what the study says."""
    luck = random.Random(luck_number)
    domain = rembo.Space(
        {"a": rembo.Float(0.0, 1.0), "b": rembo.Categorical(["x", "y", "z"]), "c": rembo.Integer(1, 9)}
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        study = Study(domain, optimizer=rembo.RandomSearch(domain, seed=0), storage=path)
        refusals = 0
        for _ in range(luck.randint(1, 15)):
            said = verdict.of(partial(_call, study, luck))
            if said not in ("fine", "refused"):
                return said
            refusals += said == "refused"
        study.close()
        there, here = Study.load(path).trials, study.trials
        if [facts(trial) for trial in there] != [facts(trial) for trial in here]:
            return "CHANGED: the file has other trials than the study"
    return "refused" if refusals else "fine"


def _call(study: Study, luck: random.Random) -> str:
    """One call, with arguments that are mostly right."""
    trials = study.trials
    trial = luck.choice(trials) if trials and luck.random() < 0.8 else luck.choice((0, 99, -1, *NUMBERS))
    value = luck.uniform(-1.0, 1.0) if luck.random() < 0.7 else luck.choice(NUMBERS)
    x = {"a": luck.random(), "b": luck.choice("xyz"), "c": luck.randint(1, 9)}
    if luck.random() < 0.4:
        x = luck.choice((*CHOICES, {**x, "a": luck.choice(NUMBERS)}, {**x, "b": luck.choice(CHOICES)}, {**x, "d": 1}))
    extra = luck.choice((None, {"k": luck.choice(CHOICES)}, {luck.choice(TEXTS): 1.0}, {1: 2}, luck.choice(CHOICES)))
    option = luck.choice(
        ("timeout", "n_workers", "trial_timeout", "trial_memory", "catch", "deterministic", "callbacks")
    )
    actions: dict[str, Callable[[], Any]] = {
        "ask": study.ask,
        "tell": lambda: study.tell(trial, value),
        "tell more": lambda: study.tell(trial, value, extra),
        "fail": lambda: study.fail(trial, luck.choice(TEXTS)),
        "adopt": lambda: study.adopt(x),
        "enqueue": lambda: study.enqueue(x),
        "optimize": lambda: study.optimize(
            lambda point: value, min(len(trials) + 1, 20), catch=Exception, progress=False
        ),
        "optimize oddly": lambda: study.optimize(
            _first, luck.choice(NUMBERS[:6]), **{option: luck.choice(NUMBERS[-25:])}
        ),
        "close": study.close,
        "look": lambda: (study.best_trial, study.best_value),
        "table": study.trials_dataframe,
    }
    actions[luck.choice(tuple(actions))]()
    return "fine"


def _first(x: Any) -> float:
    return float(x["a"])


KINDS: dict[str, Callable[[int], str]] = {"spaces": space, "files": file, "command lines": command_line, "calls": calls}


def checked(kind: str, luck: int) -> str:
    """The verdict on one input."""
    return verdict.of(partial(KINDS[kind], luck))


def fuzz(budget: Budget, seed: int) -> dict[str, Any]:
    """Inputs of all kinds in turn, a batch of each."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    found: list[str] = []
    _study_to_show()
    for number in budget.rounds():
        kind = list(KINDS)[number % len(KINDS)]
        first = seed * 10**6 + number * BATCH
        for luck, said in verdicts(range(first, first + BATCH), partial(checked, kind)):
            counts[kind][said.split(":")[0]] += 1
            if said not in ("fine", "refused"):
                found.append(f"{kind}, luck {luck}: {said}")
    return {"inputs": {kind: dict(count) for kind, count in counts.items()}, "faults": found[:FAULTS_SHOWN]}
