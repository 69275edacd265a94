"""The parameters of SCIP, a solver of mixed-integer programs: how fast it covers sets, by CPU time.

SCIP comes with a default that its authors chose with care. Some 2,600 parameters are left when those are put aside that
say when to stop, what to print, what counts as zero, or what to draw at random. A run in a process of its own is
stopped after `LIMIT` seconds; one that was stopped, crashed or found another optimum than the default counts as those.
"""

import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from rembo.extras import absent
from rembo.space import Bool, Categorical, Float, Integer, Parameter, Space

LIMIT = 2.0  # CPU seconds
_MEMORY = 2**31
_ENDLESS = 1e9
_ROWS, _COLUMNS, _DENSITY = 160, 320, 0.05
_ASIDE = (
    "limits", "display", "visual", "table", "write", "reading", "randomization", "numerics", "timing", "parallel",
    "concurrent", "memory", "estimation", "reoptimization", "iis", "decomposition", "misc", "nlp", "nlpi", "benders",
)  # fmt: skip
_DECLARED = re.compile(r"^# \[type: (\w+), .*?range: [\[{](.*)[\]}], default: (.*)\]\n(\S+) = ", re.MULTILINE)


@dataclass(frozen=True)
class Scip:
    """Mean CPU seconds on the covers that are trained on; `noiseless` is the mean on those that are held out."""

    trained_on: Sequence[int] = (12, 21)
    held_out: Sequence[int] = (3, 28, 29)
    optimum: float = 0.0  # no run takes less

    @property
    def space(self) -> Space:
        """SCIP's parameters, and its default."""
        return _space()

    def __call__(self, x: Mapping[str, Any]) -> float:
        """The mean over the covers that are trained on."""
        return float(np.mean([seconds(cover, x) for cover in self.trained_on]))

    def noiseless(self, x: Mapping[str, Any]) -> float:
        """The mean over the covers that are held out."""
        return float(np.mean([seconds(cover, x) for cover in self.held_out]))


def seconds(cover: int, x: Mapping[str, Any]) -> float:
    """CPU seconds in which SCIP, configured by x, solves the cover with this seed; `LIMIT` if it does not."""
    found = _apart(cover, changes(x))
    right = found is not None and abs(found[1] - _best_cost(cover)) < 1e-6
    return min(found[0], LIMIT) if found is not None and right else LIMIT


def changes(x: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of x that differ from SCIP's default."""
    default = _space().default
    return {name: value for name, value in x.items() if value != default[name]}


@cache
def _best_cost(cover: int) -> float:
    found = _apart(cover, {})
    if found is None:
        raise RuntimeError(f"SCIP does not solve cover {cover} within {LIMIT} seconds as it comes")
    return found[1]


def _apart(cover: int, changed: Mapping[str, Any]) -> tuple[float, float] | None:
    """CPU seconds and cost of the best cover, found in a process of its own; None if there is no answer."""
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, cover, changed))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(20.0 * LIMIT) else None
    except EOFError:  # it crashed, or was killed by its limits
        return None
    finally:
        process.kill()
        process.join()


def _answer(connection: Connection, cover: int, changed: Mapping[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + LIMIT) + 2,) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    for told in (sys.stdout, sys.stderr):  # some parameters make SCIP talk, and it tells of each crash
        os.dup2(os.open(os.devnull, os.O_WRONLY), told.fileno())
    model = _model(cover)
    model.setParams({"timing/clocktype": 1, "limits/time": LIMIT, **changed})
    start = time.process_time()
    model.optimize()
    if model.getStatus() == "optimal":
        connection.send((time.process_time() - start, model.getObjVal()))


def _model(cover: int) -> Any:
    """Sets at random costs that cover each row at least once."""
    from pyscipopt import Model, quicksum

    rng = np.random.default_rng(cover)
    covers = rng.random((_ROWS, _COLUMNS)) < _DENSITY
    model = Model()
    model.hideOutput()
    chosen = [model.addVar(vtype="B", obj=float(cost)) for cost in rng.integers(1, 101, _COLUMNS)]
    for row in covers:
        model.addCons(quicksum(chosen[column] for column in np.flatnonzero(row)) >= 1)
    return model


@cache
def _space() -> Space:
    """Read from what SCIP says of its parameters; those without a choice, and infinite ones, are put aside."""
    try:
        from pyscipopt import Model
    except ModuleNotFoundError as missing:
        raise absent("SCIP's parameters need PySCIPOpt", "pyscipopt") from missing
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "parameters.set"
        model = Model()
        model.hideOutput()
        model.writeParams(str(file), True, False, verbose=False)
        declared = _DECLARED.findall(file.read_text())
    default = model.getParams()
    parameters = {name: _parameter(kind, among, default[name]) for kind, among, _, name in declared
                  if name.partition("/")[0] not in _ASIDE}  # fmt: skip
    kept = {name: parameter for name, parameter in parameters.items() if parameter is not None}
    return Space(kept, default={name: default[name] for name in kept})


def _parameter(kind: str, among: str, default: Any) -> Parameter | None:
    """What SCIP declares; an endless range is cut at ten times the default, at least at 100, or at 1 if it is real."""
    match kind:
        case "bool":
            return Bool()
        case "char":
            return Categorical(list(among)) if len(among) > 1 else None
        case "int" | "longint" if abs(default) < _ENDLESS:
            return _between(Integer, int, among, default, 100)
        case "real" if abs(default) < _ENDLESS:
            return _between(Float, float, among, default, 1.0)
        case _:
            return None


def _between(parameter: Any, number: Any, among: str, default: Any, least: Any) -> Parameter | None:
    low, high = (number(end) for end in among.split(","))
    reach = max(least, 10 * abs(default))
    low, high = max(low, -reach), min(high, reach)
    return parameter(low, high) if low < high else None
