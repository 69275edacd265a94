"""A log beside a study, written by the function itself: a line when an evaluation begins, and one when it has finished.

It is the witness that the study is held against. A line is written at once, in one piece, and is on the disk when the
function returns. Run as a program, this file is the function that `rembo tune` calls: `side_log.py LOG X0 X1 ...`.
"""

import hashlib
import math
import os
import sys
import time
from array import array
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

SHORTEST, LONGEST = 0.005, 0.06  # seconds of an evaluation


@dataclass(frozen=True)
class Logged:
    """A bowl that takes as long as the point says, the same each time, and logs that it has begun and finished."""

    log: str
    shortest: float = SHORTEST
    longest: float = LONGEST

    def __call__(self, x: Any) -> float:
        """The value; the finished line is the last thing before it is returned."""
        key = key_of(x)
        _write(self.log, "begun", key)
        time.sleep(self.shortest + (self.longest - self.shortest) * (int(key, 16) % 997) / 996)
        value = bowl(x)
        _write(self.log, "finished", key)
        return value


def bowl(x: Any) -> float:
    """A bowl in two of the coordinates."""
    numbers = numbers_of(x)
    return (numbers[3] - 0.4) ** 2 + (numbers[17] + 0.2) ** 2


def key_of(x: Any) -> str:
    """A name of a point, which depends on each bit of its coordinates."""
    return hashlib.sha256(numbers_of(x).tobytes()).hexdigest()[:16]


def numbers_of(x: Any) -> "array[float]":
    """The coordinates of a point, or the values of a configuration."""
    return array("d", x.values() if isinstance(x, Mapping) else x)


def _write(log: str, what: str, key: str) -> None:
    lineage = ",".join(map(str, ancestors(os.getpid())))
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, f"{what} {key} {time.monotonic()!r} {lineage}\n".encode())
    os.fsync(descriptor)
    os.close(descriptor)


def ancestors(pid: int) -> list[int]:
    """A process and those above it."""
    found = []
    while pid > 1:
        found.append(pid)
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return found


@dataclass(frozen=True)
class Line:
    """Something that happened to an evaluation: when, by the clock that all processes share, and in which processes."""

    what: str
    key: str
    at: float
    lineage: tuple[int, ...]


def read(log: Path) -> dict[str, list[Line]]:
    """The lines of each point, in their order."""
    lines = defaultdict(list)
    for text in log.read_text().splitlines() if log.exists() else ():
        what, key, at, lineage = text.split()
        lines[key].append(Line(what, key, float(at), tuple(map(int, lineage.split(",")))))
    return lines


@dataclass(frozen=True)
class Kill:
    """A process that was killed, and when."""

    pid: int
    at: float


@dataclass(frozen=True)
class Attempt:
    """One evaluation: when it began, in which processes, when it had finished, and the kill of one of them."""

    begun: Line
    finished_at: float | None
    kill: Kill | None

    @property
    def age(self) -> float:
        """Seconds from its end to the kill: below 0 if its process was dying, infinite if nobody killed it."""
        return math.inf if self.kill is None or self.finished_at is None else self.kill.at - self.finished_at

    def was_hit(self, delivery: float) -> bool:
        """Whether the kill came before its result could be delivered."""
        return self.kill is not None and (self.finished_at is None or self.age <= delivery)


def attempts(lines: list[Line], kills: list[Kill]) -> list[Attempt]:
    """The evaluations of one point, in their order."""
    made = []
    for line in lines:
        if line.what == "begun":
            made.append(Attempt(line, None, next((kill for kill in kills if kill.pid in line.lineage), None)))
        else:
            made[-1] = replace(made[-1], finished_at=line.at)
    return made


if __name__ == "__main__":
    print(repr(Logged(sys.argv[1])([float(text) for text in sys.argv[2:]])))
