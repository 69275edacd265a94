"""Trials across the border of a study: out as CSV, JSONL or Parquet; in as past evaluations, of a CSV or of Optuna.

Past evaluations are a warm start: those that the optimizer can represent are told to it. In many dimensions the default
optimizer begins in a coarse embedding, which holds few of them; give it the best as `x0`, on which it is centred:

    past = read_csv("past.csv", space)
    study = Study(space, x0=best_of(past, space), storage="tune.db")
    import_trials(study, past)
"""

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rembo.border import is_finite
from rembo.embedding import Point
from rembo.extras import absent
from rembo.legible import encodable
from rembo.optimizer import TrialState
from rembo.space import Bool, Bounds, Box, Categorical, Domain, Float, Integer, Ordinal, Parameter, Space
from rembo.study.direction import Direction, sign_of
from rembo.study.evaluation import Outcome
from rembo.study.start import is_inside
from rembo.study.study import Study
from rembo.study.trial import Reason, StudyTrial

MOST_NUMBERS = 1000  # of an array that are written out; longer ones are left out
IMPORTED = "imported"  # the user attribute of a trial that was imported
_ALONE = "x"  # what a parameter is called that is a space by itself
_PREFIX = "params_"
_QUOTED = 100  # characters of a cell in an error


@dataclass(frozen=True)
class PastTrial:
    """A past evaluation: what f got, and what came of it."""

    x: Any
    outcome: Outcome


@dataclass(frozen=True)
class Imported:
    """How many past evaluations were told; lie outside the space; and lie where the optimizer has no point yet."""

    told: int
    outside: int
    unrepresented: int


@dataclass(frozen=True)
class OptunaPast:
    """What an Optuna study says: what it searched, in which direction, and its finished trials."""

    space: Space
    direction: Direction
    trials: list[PastTrial]


def import_trials(study: Study, past: Iterable[PastTrial]) -> Imported:
    """Let a study know of past evaluations; says how many of them it can represent.

    They become trials that were given to it, with the user attribute `imported`.
    """
    told = outside = unrepresented = 0
    with study.hold():
        for each in past:
            if not is_inside(each.x, study.space):
                outside += 1
                continue
            try:
                trial = study.adopt(each.x)
            except ValueError:  # the optimizer cannot represent it
                unrepresented += 1
                continue
            study.finish(trial, replace(each.outcome, user_attrs={**each.outcome.user_attrs, IMPORTED: True}))
            told += 1
    return Imported(told, outside, unrepresented)


def best_of(past: Iterable[PastTrial], space: Domain, direction: Direction = "minimize") -> Any:
    """What f got at the best of past evaluations inside the space; None if there is none."""
    sign = sign_of(direction)
    complete = [each for each in past if each.outcome.value is not None and is_inside(each.x, space)]
    return min(complete, key=lambda each: sign * (each.outcome.value or 0.0)).x if complete else None


def read_csv(file: str | Path, space: Domain, value: str = "value") -> list[PastTrial]:
    """Past evaluations from a table with a column for each parameter, and one for the value.

    Columns may be called `rate` or `params_rate`, as they are where a study was exported; an array is a list in
    brackets. A row without a finite value failed; a column `state` may say so, too. An empty cell is an inactive
    parameter, where it has a condition. Other columns are ignored.
    """
    with open(file, newline="", encoding="utf-8") as table:
        reader = csv.DictReader(table)
        columns = _columns(reader.fieldnames or (), space, value, file)
        return [
            _past_row(row, columns, space, value, f"{file}:{reader.line_num}") for row in reader if _is_finished(row)
        ]


def read_optuna(storage: str, name: str | None = None, space: Space | None = None) -> OptunaPast:
    """The finished trials of an Optuna study, the only one or the one of that name, in a storage such as a database.

    A file of SQLite is only read: Optuna itself would make it, or make its tables in it, if they were not there.
    Without a space it is that of Optuna's distributions. States, times and attributes are kept; of a trial without a
    parameter of the space nothing can be told.
    """
    study = _load_optuna(storage, name)
    searched = _space_of(study.trials) if space is None else space
    direction: Direction = "maximize" if study.direction.name == "MAXIMIZE" else "minimize"
    return OptunaPast(searched, direction, [_past_optuna(each, searched) for each in study.trials if _is_over(each)])


def export_trials(trials: Sequence[StudyTrial], file: str | Path) -> None:
    """Write trials as a table, a row each: CSV, JSON lines or Parquet, as the file's name ends.

    Beside the columns of a study's dataframe there are the error, and arrays of up to 1000 numbers.
    """
    path = Path(file)
    if path.suffix not in WRITERS:
        raise ValueError(f"{str(file)!r} must end in one of {', '.join(WRITERS)}, which says the format")
    WRITERS[path.suffix]([row_of(trial) for trial in trials], path)


def row_of(trial: StudyTrial) -> dict[str, Any]:
    """A trial as a row of plain data."""
    params = plain_params(trial)
    return {
        **{name: value for name, value in trial.row().items() if not name.startswith(_PREFIX)},
        "error": trial.error,
        **{f"{_PREFIX}{name}": value for name, value in params.items() if value is not None},
    }


def plain_params(trial: StudyTrial) -> dict[str, Any]:
    """What f got, as plain data by name; None for an array of more than 1000 numbers, and for what cannot be read."""
    if not trial.readable:
        return dict.fromkeys(_named(trial.space))
    values = trial.x if isinstance(trial.x, dict) else {_ALONE: trial.x}
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if not isinstance(value, (Point, np.ndarray)):
        return value
    return value[:].tolist() if len(value) <= MOST_NUMBERS else None


def _named(space: Domain) -> Mapping[str, Parameter]:
    return space.parameters if isinstance(space, Space) else {_ALONE: space}


def _columns(found: Sequence[str], space: Domain, value: str, file: str | Path) -> dict[str, str]:
    """The column of each parameter, or a ValueError that names one that is missing."""
    columns = {name: f"{_PREFIX}{name}" if f"{_PREFIX}{name}" in found else name for name in _named(space)}
    for column in (*columns.values(), value):
        if column not in found:
            raise ValueError(f"{file} has no column {column!r}: it has {', '.join(found) or 'none'}")
    return columns


def _is_finished(row: Mapping[str, Any]) -> bool:
    return (row.get("state") or "").upper() not in ("WAITING", "RUNNING")


def _past_row(row: Mapping[str, Any], columns: Mapping[str, str], space: Domain, value: str, where: str) -> PastTrial:
    conditions = space.rules.conditions if isinstance(space, Space) else {}
    named = {name: each for name, each in _named(space).items() if name not in conditions or row[columns[name]]}
    values = {name: _cell(row, columns[name], _reader(each), where) for name, each in named.items()}
    return PastTrial(values if isinstance(space, Space) else values[_ALONE], _outcome_of_row(row, value, where))


def _cell(row: Mapping[str, Any], column: str, read: Callable[[str], Any], where: str) -> Any:
    text = (row[column] or "").strip()
    try:
        return read(text)
    except (ValueError, RecursionError) as wrong:
        raise ValueError(f"{where}: {text[:_QUOTED]!r} in column {column!r} cannot be read: {wrong}") from None


def _outcome_of_row(row: Mapping[str, Any], value: str, where: str) -> Outcome:
    number = _cell(row, value, lambda text: float(text or "nan"), where)
    state = (row.get("state") or "COMPLETE").upper()
    if state not in TrialState.__members__:
        raise ValueError(f"{where}: state {state!r} is none of {', '.join(TrialState.__members__)}")
    return _outcome(TrialState[state], number, row.get("error"))


def _outcome(state: TrialState, value: Any, error: str | None, **others: Any) -> Outcome:
    """The outcome of a finished evaluation; one without a finite value has failed."""
    if state is TrialState.COMPLETE and is_finite(value):
        return Outcome(float(value), **others)
    if state is TrialState.PRUNED:
        return Outcome(state=state, error=error or "pruned in the past", **others)
    reason = Reason.NO_NUMBER if state is TrialState.COMPLETE else Reason.ERROR
    return Outcome(state=TrialState.FAIL, reason=reason, error=error or "failed in the past", **others)


def _reader(parameter: Parameter) -> Callable[[str], Any]:
    """From a text to a value of a parameter, or a ValueError."""
    match parameter:
        case Float():
            return float
        case Integer():
            return _whole
        case Bool():
            return partial(_one_of, {"true": True, "1": True, "false": False, "0": False}, str.lower)
        case Categorical(choices) | Ordinal(choices):
            return partial(_one_of, {"" if choice is None else str(choice): choice for choice in choices}, str)
        case Box() | Bounds():
            return json.loads
    raise TypeError(f"{parameter!r} cannot be read from a table")


def _whole(text: str) -> int:
    return int(float(text)) if text and float(text).is_integer() else int(text)


def _one_of(values: Mapping[str, Any], fold: Callable[[str], str], text: str) -> Any:
    """The value that a text stands for; a text that stands for none stays as it is, outside the space."""
    return values.get(fold(text), text)


def _load_optuna(storage: str, name: str | None) -> Any:
    try:
        import optuna
    except ModuleNotFoundError as missing:
        raise absent("an Optuna study needs Optuna", "optuna", "greenlet") from missing
    from sqlalchemy.exc import SQLAlchemyError  # which Optuna itself needs

    try:
        study = optuna.load_study(study_name=name, storage=_read_only(storage))
    except KeyError:
        raise ValueError(f"{storage} has no Optuna study {name!r}: name one that is there") from None
    except (SQLAlchemyError, RuntimeError) as error:  # the latter of a storage that is too old, or too new
        raise ValueError(f"{storage} cannot be read as a storage of Optuna: {error}") from error
    if len(study.directions) > 1:
        raise ValueError(f"study {study.study_name!r} has {len(study.directions)} objectives, and only 1 can be taken")
    return study


def _read_only(storage: str) -> str:
    """The URL of a storage by which a file of SQLite is opened only to be read, or a ValueError if it is not there."""
    from sqlalchemy.engine import make_url

    url = make_url(storage)
    if url.get_backend_name() != "sqlite":
        return storage
    file = Path(url.database or "")
    if not file.is_file():
        raise ValueError(f"{storage} names the file {str(file)!r}, which is not there: check the path")
    return url.set(database=file.absolute().as_uri(), query={"mode": "ro", "uri": "true"}).render_as_string()


def _is_over(trial: Any) -> bool:
    return bool(trial.state.is_finished())


def _past_optuna(trial: Any, space: Space) -> PastTrial:
    x = {name: value for name, value in trial.params.items() if name in space.parameters}
    times = {"started_at": _seconds(trial.datetime_start), "finished_at": _seconds(trial.datetime_complete)}
    kept = _json(trial.user_attrs)
    return PastTrial(x, _outcome(TrialState[trial.state.name], trial.value, None, user_attrs=kept, **times))


def _seconds(when: Any) -> float | None:
    return None if when is None else when.timestamp()


def _json(attributes: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(json.dumps(attributes, default=str))
    return kept


def _space_of(trials: Iterable[Any]) -> Space:
    """What Optuna's distributions say, those of all trials together; fixed parameters are left out."""
    distributions: dict[str, Any] = {}
    for trial in trials:
        for name, distribution in trial.distributions.items():
            if distributions.setdefault(name, distribution) != distribution:
                raise ValueError(f"parameter {name!r} has {distributions[name]} and {distribution}: give the space")
    return Space({name: _parameter(name, each) for name, each in distributions.items() if not each.single()})


def _parameter(name: str, distribution: Any) -> Parameter:
    from optuna.distributions import CategoricalDistribution, IntDistribution

    if isinstance(distribution, CategoricalDistribution):
        return Categorical(distribution.choices)
    whole = isinstance(distribution, IntDistribution)
    if distribution.step not in ((1,) if whole else (None,)):
        raise ValueError(f"parameter {name!r} has the step {distribution.step}, which no parameter has: give the space")
    return (Integer if whole else Float)(distribution.low, distribution.high, distribution.log)


def _write_csv(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    with open(path, "w", newline="", encoding="utf-8", errors="backslashreplace") as table:
        writer = csv.DictWriter(table, _all_columns(rows))
        writer.writeheader()
        writer.writerows({name: _text(value) for name, value in row.items()} for row in rows)


def _text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, dict)) else value


def _write_jsonl(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    with open(path, "w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, default=str) + "\n" for row in rows)


def _write_parquet(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as missing:
        raise absent("Parquet needs pyarrow", "pyarrow") from missing
    columns = {encodable(name): _alike([row.get(name) for row in rows]) for name in _all_columns(rows)}
    parquet.write_table(pyarrow.table(columns), path)


def _alike(values: list[Any]) -> list[Any]:
    """The values of a column; as texts where they are of several types, which Parquet does not have."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} or (len(kinds) == 1 and not kinds & {dict, tuple, str}):
        return values
    return [None if value is None else encodable(str(_text(value))) for value in values]


def _all_columns(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The columns of all rows, in the order in which they come."""
    return list(dict.fromkeys(name for row in rows for name in row))


WRITERS: dict[str, Callable[[Sequence[Mapping[str, Any]], Path], None]] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
}
