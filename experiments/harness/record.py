"""Finished searches as lines of a JSONL file: one is added when a search ends, and none is ever changed."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from harness.search import Key, Line


def load(path: Path) -> list[Line]:
    """The finished searches; a line that was cut off when an experiment was killed does not count."""
    texts = path.read_text().splitlines() if path.exists() else []
    return [_line(found) for found in map(_parsed, texts) if found is not None]


def append(path: Path, line: Line) -> None:
    """Add a finished search, on a line of its own even if the last one was cut off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.write(b"\n" * _cut_off(file) + _text(line).encode())


def forget(path: Path, keys: Iterable[Key]) -> None:
    """Drop finished searches, so that they are run again."""
    dropped = set(keys)
    kept = [line for line in load(path) if line.key not in dropped]
    fresh = path.with_suffix(".tmp")
    fresh.parent.mkdir(parents=True, exist_ok=True)
    fresh.write_text("".join(map(_text, kept)))
    fresh.replace(path)


def _text(line: Line) -> str:
    return json.dumps(vars(line)) + "\n"


def _line(found: dict[str, Any]) -> Line:
    return Line(**{**found, "gaps": [(evaluations, gap) for evaluations, gap in found["gaps"]]})


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError:
        return None
    return found


def _cut_off(file: BinaryIO) -> bool:
    """Whether the file's last line has no end."""
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"
