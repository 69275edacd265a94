"""Studies and trials as rows of SQLite's tables, and back: every number to the bit.

Arrays are little-endian float64, what has structure is JSON by `codec`, enums are their values. A row that cannot be
read is damaged, or was written by a newer version; both are a StorageError that says so.
"""

from collections.abc import Mapping, Sequence
from json import loads
from pathlib import Path
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Point
from rembo.legible import encodable
from rembo.optimizer import Origin, TrialState
from rembo.space import Domain
from rembo.study.codec import Data, decode, encode, to_text
from rembo.study.own_class import UnknownClassError, UnknownEmbedding
from rembo.study.storage import Header, StorageError
from rembo.study.trial import Reason, StudyTrial

STUDY = ("id", "name", "direction", "space", "optimizer", "created_at", "version", "user_attrs")
EMBEDDING = ("id", "study", "description")
ENVIRONMENT = ("id", "study", "since", "description")
TRIAL = (
    "study", "number", "embedding", "y", "run", "origin", "state", "asked", "told", "value", "reason", "error",
    "worker", "attempts", "ask_seconds", "asked_at", "started_at", "finished_at", "user_attrs", "nominees",
)  # fmt: skip
DAMAGED = "the file is damaged: restore a copy of it, or try the command .recover of SQLite's shell"


def damaged(path: Path, how: str) -> StorageError:
    """What to say of a file that is damaged."""
    return StorageError(f"{path}: {DAMAGED} ({how})")


def decoded(text: str, path: Path) -> Any:
    """What a text in the file stands for, or a StorageError if this version does not know it."""
    try:
        return decode(loads(text))
    except UnknownClassError as own:
        raise StorageError(f"{path}: {own}") from own
    except (ValueError, RecursionError) as unknown:
        raise _unknown(path, unknown) from unknown


def frame_of(text: str, path: Path) -> dict[str, Any]:
    """What points are beside their y; of an embedding whose class is unknown here, the name of that class alone."""
    data = _data(text, path)
    try:
        return dict(decode(data))
    except UnknownClassError as own:
        rest = {key: value for key, value in data.items() if key != "embedding"}
        return {**decode(rest), "embedding": own.args[0]}
    except ValueError as unknown:
        raise _unknown(path, unknown) from unknown


def _data(text: str, path: Path) -> Data:
    """The JSON data of a text in the file, or a StorageError."""
    try:
        return loads(text)
    except (ValueError, RecursionError) as unknown:
        raise _unknown(path, unknown) from unknown


def _unknown(path: Path, why: Exception) -> StorageError:
    return StorageError(f"{path}: this version of rembo cannot read it: install a newer one ({why})")


def study_row(header: Header, number: int) -> Sequence[Any]:
    """The columns STUDY of a study."""
    return (
        number,
        header.name,
        header.direction,
        to_text(encode(header.space, "space")),
        None if header.optimizer is None else to_text(header.optimizer),
        float(header.created_at),
        header.version,
        to_text(encode(header.user_attrs, "user_attrs")),
    )


def header_of(row: Sequence[Any], path: Path) -> Header:
    """The header that a row stands for, without its id."""
    name, direction, space, optimizer, created_at, version, user_attrs = row
    return Header(
        name,
        direction,
        decoded(space, path),
        None if optimizer is None else _data(optimizer, path),
        created_at,
        version,
        decoded(user_attrs, path),
    )


def trial_row(trial: StudyTrial, study: int, embedding: int) -> Sequence[Any]:
    """The columns TRIAL of a trial."""
    return (
        study,
        trial.number,
        embedding,
        _bytes(trial.y),
        trial.run,
        trial.origin.value,
        trial.state.value,
        trial.asked,
        trial.told,
        _real(trial.value),
        None if trial.reason is None else trial.reason.value,
        _legible(trial.error),
        _legible(trial.worker),
        trial.attempts,
        _real(trial.ask_seconds),
        _real(trial.asked_at),
        _real(trial.started_at),
        _real(trial.finished_at),
        to_text(encode(trial.user_attrs, "user_attrs")),
        None if trial.nominees is None else _bytes(trial.nominees),
    )


def trial_of(row: dict[str, Any], space: Domain, frames: Mapping[int, Mapping[str, Any]], path: Path) -> StudyTrial:
    """The trial that a row stands for; frames are what points are beside their y, by the id of the embedding."""
    if row["embedding"] not in frames:
        raise damaged(path, f"trial {row['number']} lies in an embedding that is not there")
    y, nominees, reason = _numbers(row.pop("y")), row.pop("nominees"), row.pop("reason")
    return StudyTrial(
        space=space,
        point=_point(frames[row.pop("embedding")], y),
        origin=Origin(row.pop("origin")),
        state=TrialState(row.pop("state")),
        reason=None if reason is None else Reason(reason),
        user_attrs=decoded(row.pop("user_attrs"), path),
        nominees=None if nominees is None else _numbers(nominees).reshape(-1, len(y)),
        **row,
    )


def _point(frame: Mapping[str, Any], y: Array) -> Point:
    """The point that a frame and a y make."""
    embedding = frame["embedding"]
    if isinstance(embedding, str):
        return Point(**{**frame, "embedding": UnknownEmbedding(embedding, frame["stop"], len(y))}, y=y)
    return Point(**frame, y=y)


def _bytes(numbers: Array) -> bytes:
    return np.asarray(numbers, dtype="<f8").tobytes()


def _numbers(blob: bytes) -> Array:
    return np.frombuffer(blob, dtype="<f8").astype(np.float64)


def _real(number: float | None) -> float | None:
    """A plain float, of which the checksum is known."""
    return None if number is None else float(number)


def _legible(text: str | None) -> str | None:
    """Text without lone surrogates, which stand for the bytes of file names and which SQLite does not take."""
    return None if text is None else encodable(text)
