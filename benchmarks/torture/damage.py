"""Damaged files of studies: whatever is read must be what was stored, or an error in a sentence.

A file is damaged by its bytes (cut, flipped, zeroed, exchanged, with another log or none) or by SQL (rows and columns
changed, removed, renamed). Then it is read, shown, exported, backed up, verified, or written. An answer is *silently
wrong* if a study is in no state that it was ever in. A file without its log, or with a damaged one, may be in an
earlier state: the documents say so. So may one whose last trial was removed by SQL, which nothing tells from a study
that never had it.
"""

import io
import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import rembo
from rembo.cli import main as command
from rembo.study import StorageError, Study, open_storage, verify
from torture.budget import Budget
from torture.children import verdicts
from torture.facts import facts

BATCH = 40  # damaged files for one child
PAGE = 4096
MIXED = rembo.Space(
    {"rate": rembo.Float(1e-5, 1e-1, log=True), "solver": rembo.Categorical(["a", "b"]), "on": rembo.Bool()}
)
STATEMENTS = (
    "DELETE FROM trial WHERE number = 3",
    "DELETE FROM trial WHERE number = (SELECT max(number) FROM trial)",
    "DELETE FROM embedding",
    "DELETE FROM environment",
    "UPDATE trial SET value = -1.0 WHERE number = 2",
    "UPDATE trial SET value = NULL, state = 'running' WHERE number = 2",
    "UPDATE trial SET y = zeroblob(length(y))",
    "UPDATE trial SET y = substr(y, 1, length(y) - 3)",
    "UPDATE trial SET number = number + 100 WHERE number > 5",
    "UPDATE trial SET study = 3 - study WHERE number = 20",
    "UPDATE trial SET told = told + 1",
    "UPDATE trial SET told = NULL",
    "UPDATE trial SET asked = 'first'",
    "UPDATE trial SET state = 'finished'",
    "UPDATE trial SET user_attrs = '{'",
    "UPDATE trial SET checksum = 0",
    "UPDATE trial SET embedding = 99",
    "UPDATE embedding SET description = replace(description, '1', '2')",
    "UPDATE embedding SET description = '[]'",
    "UPDATE study SET space = '{}'",
    "UPDATE study SET name = 'other' WHERE id = 1",
    "UPDATE study SET direction = 'maximize'",
    "UPDATE study SET optimizer = NULL",
    "UPDATE study SET created_at = 'yesterday'",
    "DROP TABLE trial",
    "DROP TABLE study",
    "DROP TABLE embedding",
    "DROP TABLE environment",
    "ALTER TABLE trial RENAME COLUMN value TO loss",
    "ALTER TABLE trial ADD COLUMN more TEXT",
    "ALTER TABLE study DROP COLUMN nonce",
    "ALTER TABLE study RENAME TO studies",
    "PRAGMA user_version = 2",
    "PRAGMA application_id = 1",
    "PRAGMA journal_mode = DELETE",
)

Files: TypeAlias = dict[str, bytes]  # a study's file and what is beside it, by the end of the name: "", "-wal", "-shm"
State: TypeAlias = Mapping[str, tuple[str, ...]]  # what is stored of each study, by name


@dataclass(frozen=True)
class Exhibit:
    """Files as a writer has left them, and all the states that the studies were ever in."""

    files: Files
    states: list[State]

    def lie_at(self, path: Path) -> None:
        """Write the files."""
        for end, content in self.files.items():
            Path(f"{path}{end}").write_bytes(content)


@dataclass(frozen=True)
class Damage:
    """One case: what is done to which files, with which luck, and what is then done with them."""

    exhibit: Exhibit
    how: str
    luck: int
    use: str


def state_of(path: Path) -> State:
    """What can be read now."""
    return {name: _state(Study.load(path, name)) for name in open_storage(path).names()}


def _state(study: Study) -> tuple[str, ...]:
    settings = f"{study.space} {study.direction} {type(study.optimizer).__name__} {study.optimizer.seed}"
    return (settings, *(facts(trial) for trial in study.trials))


def _searched(path: Path, name: str, optimizer: rembo.Optimizer, n_trials: int) -> list[State]:
    """The states of a file while a study of it is searched, some trials failing."""
    states = []
    with Study(optimizer.space, optimizer=optimizer, storage=path, name=name) as study, study.hold():
        for number in range(n_trials):
            trial = study.ask()
            states.append(state_of(path))
            if number % 4 == 3:
                study.fail(trial, "no value \u2713")
            else:
                study.tell(trial, 0.1 * number, {"note": [number, None]})
            states.append(state_of(path))
    return states


def exhibits(folder: Path) -> tuple[Exhibit, Exhibit]:
    """The files of two finished studies; and of two that were killed while one was written, so that there is a log."""
    path = folder / "study.db"
    _searched(path, "default", rembo.Growing(rembo.Box(20), seed=0), 12)
    states = _searched(path, "mixed", rembo.RandomSearch(MIXED, seed=0), 24)
    whole = Exhibit({"": path.read_bytes()}, list(states))
    with Study.load(path, "mixed") as study, study.hold():
        for number in range(6):
            trial = study.ask()
            states.append(state_of(path))
            study.tell(trial, float(number))
            states.append(state_of(path))
        files = {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal", "-shm")}
    return whole, Exhibit(files, states)


def _cut(content: bytes, luck: random.Random) -> bytes:
    return content[: luck.randrange(len(content))]


def _flip(content: bytes, luck: random.Random) -> bytes:
    flipped = bytearray(content)
    for _ in range(luck.choice((1, 1, 1, 8, 100))):
        flipped[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    return bytes(flipped)


def _zero_a_page(content: bytes, luck: random.Random) -> bytes:
    place = luck.randrange(0, len(content), PAGE)
    return content[:place] + bytes(min(PAGE, len(content) - place)) + content[place + PAGE :]


def _exchange_two_pages(content: bytes, luck: random.Random) -> bytes:
    pages = [content[place : place + PAGE] for place in range(0, len(content), PAGE)]
    one, other = luck.randrange(len(pages)), luck.randrange(len(pages))
    pages[one], pages[other] = pages[other], pages[one]
    return b"".join(pages)


def _scribble(content: bytes, luck: random.Random) -> bytes:
    place = luck.randrange(len(content))
    return content[:place] + luck.randbytes(luck.randrange(1, 200)) + content[place:]


def _repeat(content: bytes, luck: random.Random) -> bytes:
    return content + content[-luck.randrange(1, 2 * PAGE) :]


BYTES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut": _cut,
    "flip": _flip,
    "zero a page": _zero_a_page,
    "exchange two pages": _exchange_two_pages,
    "scribble": _scribble,
    "repeat the end": _repeat,
}


def _harm(path: Path, damage: Damage) -> None:
    """Do the damage; the way of bytes may choose the log."""
    luck = random.Random(damage.luck)
    if damage.how in BYTES:
        victim = Path(f"{path}{luck.choice(list(damage.exhibit.files))}")
        victim.write_bytes(BYTES[damage.how](victim.read_bytes(), luck))
    elif damage.how == "no log":
        Path(f"{path}-wal").unlink(missing_ok=True)
    elif damage.how == "a foreign log":
        Path(f"{path}-wal").write_bytes(luck.randbytes(5000))
    elif damage.how == "empty":
        path.write_bytes(b"")
    else:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(damage.how)


def _read(path: Path) -> None:
    state_of(path)


def _verify(path: Path) -> None:
    for name in open_storage(path).names():
        verify(path, name)


def _write(path: Path) -> None:
    study = Study.load(path, "mixed")
    study.optimize(lambda x: x["rate"], len(study.trials) + 1, progress=False)


def _command(*arguments: str) -> Callable[[Path], None]:
    """A command of `rembo`; what it says of an error is raised."""

    def use(path: Path) -> None:
        said = io.StringIO()
        places = {"FILE": str(path), "COPY": f"{path}.copy", "TABLE": f"{path}.csv"}
        with redirect_stderr(said), redirect_stdout(io.StringIO()):
            code = command([places.get(each, each) for each in arguments])
        if code == 3 or (code == 2 and "Traceback" not in said.getvalue()):
            raise StorageError(said.getvalue())

    return use


USES: dict[str, Callable[[Path], None]] = {
    "read": _read,
    "verify": _verify,
    "write": _write,
    "show": _command("show", "FILE", "--name", "mixed", "--no-importance"),
    "export": _command("export", "FILE", "--name", "default", "-o", "TABLE"),
    "backup": _command("backup", "FILE", "COPY"),
}


def judged(damage: Damage) -> str:
    """What comes of a damaged file: `refused`, `right`, `earlier`, or what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        damage.exhibit.lie_at(path)
        try:
            _harm(path, damage)
        except sqlite3.Error:
            return "right"  # SQLite refuses to do this to such a file
        try:
            USES[damage.use](path)
            now = state_of(path)
        except StorageError as refusal:
            return "refused" if str(refusal).strip() else "CRASH: a StorageError without a word"
        except Exception as error:
            return f"CRASH: {type(error).__name__}: {error}"[:300]
        return compared(now, damage.exhibit.states, damage.use == "write")


def compared(now: State, states: list[State], written: bool = False) -> str:
    """Whether what is read is the last of some states, an earlier one, or none of them; one trial may be new."""
    if _agrees(now, states[-1], written):
        return "right"
    return (
        "earlier"
        if any(_agrees(now, state, written) for state in states)
        else f"SILENT: {_difference(now, states[-1])}"
    )


def _agrees(now: State, then: State, written: bool) -> bool:
    if not written or "mixed" not in now:
        return now == then
    return now == {**then, "mixed": now["mixed"]} and now["mixed"][: len(then["mixed"])] == then["mixed"]


def _difference(now: State, then: State) -> str:
    for name in then:
        if name not in now:
            return f"study {name} is not there"
        if now[name] != then[name]:
            pairs = zip(then[name], now[name], strict=False)
            first = next((f"was {one}, is {other}" for one, other in pairs if one != other), "one is the longer")
            return f"{name} had {len(then[name]) - 1} trials, has {len(now[name]) - 1}; {first}"
    return "more studies"


def damages(luck: random.Random, kept: tuple[Exhibit, Exhibit]) -> Iterable[Damage]:
    """So many cases as one likes: half of them by bytes."""
    others = ("no log", "a foreign log", "empty", *STATEMENTS)
    while True:
        how = luck.choice(tuple(BYTES)) if luck.random() < 0.5 else luck.choice(others)
        yield Damage(luck.choice(kept), how, luck.randrange(2**32), luck.choice(tuple(USES)))


def damage(budget: Budget, seed: int) -> dict[str, Any]:
    """Damaged files, as many as the budget allows."""
    counts: Counter[str] = Counter()
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        cases = iter(damages(random.Random(seed), exhibits(Path(folder))))
        for _ in budget.rounds():
            for case, verdict in verdicts([next(cases) for _ in range(BATCH)], judged):
                counts[verdict.split(":")[0]] += 1
                if verdict not in ("right", "earlier", "refused"):
                    found.append(f"{case.how}, {case.use}, luck {case.luck}: {verdict}")
    return {
        "files": counts.total(),
        **{kind: counts[kind] for kind in ("right", "earlier", "refused")},
        "silently_wrong": counts["SILENT"],
        "crashes": counts["CRASH"],
        "hangs": counts["HUNG"],
        "deaths": counts["DIED"],
        "faults": found,
    }
