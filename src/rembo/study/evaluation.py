"""One evaluation of f, wherever it runs: what is sent to a worker, and what comes back.

An evaluation goes as (f, space, limits) and a point, which is an embedding and y, and comes back as an outcome: both
are small whatever D is. What f does, short of killing the worker, is told by the outcome and not by an exception.
"""

import json
import numbers
import os
import reprlib
import socket
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from rembo.border import is_finite
from rembo.embedding import Point
from rembo.legible import encodable
from rembo.optimizer import TrialState
from rembo.space import Domain
from rembo.study.codec import encode
from rembo.study.failure import EvaluationError, TrialPruned
from rembo.study.isolation import NO_LIMITS, Limits, isolated
from rembo.study.trial import Reason

LONGEST_ERROR = 4000  # characters of a traceback that are kept: a quarter from its beginning, the rest from its end

Catch: TypeAlias = type[BaseException] | tuple[type[BaseException], ...]

PROGRAMMING_ERRORS = (NameError, TypeError, AttributeError, ImportError, SyntaxError)

_short = reprlib.Repr()
_short.maxother = _short.maxstring = _short.maxlong = 200


@dataclass(frozen=True)
class Outcome:
    """What came of an evaluation, when, and where: `worker` is a host and a process; times are seconds since 1970.

    `broken` says that f itself seems to be at fault, not the point; `raised` is what f raised, in its own process only.
    """

    value: float | None = None
    state: TrialState = TrialState.COMPLETE
    reason: Reason | None = None
    error: str | None = None
    started_at: float | None = None
    finished_at: float | None = None
    worker: str | None = None
    user_attrs: Mapping[str, Any] = field(default_factory=dict)
    broken: bool = False
    raised: BaseException | None = None

    @staticmethod
    def failed(reason: Reason, error: str, broken: bool = False, raised: BaseException | None = None) -> "Outcome":
        """The outcome of an evaluation that gave no value."""
        return Outcome(state=TrialState.FAIL, reason=reason, error=_shortened(error), broken=broken, raised=raised)

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: an exception may not be picklable, and its text is kept."""
        return {**vars(self), "raised": None}


@dataclass(frozen=True)
class Evaluation:
    """A function and what it takes, called as evaluation(point, number); with limits in a process of its own.

    f returns a number, or a pair of a number and a dict of what else is worth keeping: string keys and JSON data, into
    which arrays are turned. `alone` asks for a process of its own without limits, too. `owner` is whom `abandon` names.
    Programming errors are taken for f's own fault, but for those in `catch`.
    """

    f: Callable[[Any], Any]
    space: Domain
    limits: Limits = NO_LIMITS
    alone: bool = False
    owner: str = ""
    catch: tuple[type[BaseException], ...] = ()

    def __call__(self, point: Point, number: int) -> Outcome:
        """The outcome at a point, which is trial `number`; raises nothing but KeyboardInterrupt."""
        started_at = time.time()
        outcome = self._outcome(partial(evaluate, self.f, self.space, point, self.catch))
        return replace(outcome, started_at=started_at, finished_at=time.time(), worker=this_worker())

    def _outcome(self, task: Callable[[], Outcome]) -> Outcome:
        if not self.alone and self.limits == NO_LIMITS:
            return task()
        try:
            return isolated(task, self.limits, self.owner)
        except EvaluationError as failure:
            return Outcome.failed(failure.reason, failure.text)
        except Exception as error:  # no process could be started
            return Outcome.failed(Reason.ERROR, _told(error))


def evaluate(
    f: Callable[[Any], Any], space: Domain, point: Point, catch: tuple[type[BaseException], ...] = ()
) -> Outcome:
    """What f gives at a point, here and now, without limits; all but KeyboardInterrupt is told by the outcome."""
    try:
        return _judged(f(space.decode(point)), catch)
    except KeyboardInterrupt:
        raise
    except TrialPruned as pruned:
        return Outcome(state=TrialState.PRUNED, error=_shortened(str(pruned)) or None)
    except EvaluationError as failure:
        return Outcome.failed(failure.reason, failure.text)
    except MemoryError as error:
        return Outcome.failed(Reason.MEMORY, _told(error), raised=error)
    except BaseException as error:  # SystemExit, too: f may not end the search
        broken = isinstance(error, PROGRAMMING_ERRORS) and not isinstance(error, catch)
        return Outcome.failed(Reason.ERROR, _told(error), broken, error)


def check_catch(catch: Any) -> tuple[type[BaseException], ...]:
    """The exceptions to catch as a tuple, or a TypeError."""
    classes = catch if isinstance(catch, tuple) else (catch,)
    if all(isinstance(each, type) and issubclass(each, BaseException) for each in classes):
        return classes
    raise TypeError(f"catch must be an exception class or a tuple of them, e.g. (TypeError,), not {catch!r}")


def check_function(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function itself, or a TypeError."""
    if not callable(f):
        raise TypeError(f"f must be a function of one argument, not {f!r}")
    return f


def finite_number(value: Any) -> float | None:
    """The finite number that a value is, be it an array or a tensor of no dimension; None if it is none."""
    number = value.item() if getattr(value, "ndim", None) == 0 else value
    return float(number) if is_finite(number) else None


def this_worker() -> str:
    """The host and the process that this is."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _judged(returned: Any, catch: tuple[type[BaseException], ...]) -> Outcome:
    """The outcome that a result stands for; one that is no number at all is a programming error, as NaN is not."""
    value, attributes = returned if _is_pair(returned) else (returned, {})
    number, kept = finite_number(value), _json(attributes)
    if number is None or kept is None:
        wanted = "a finite number" if number is None else "a number with a dict of string keys and JSON data"
        no_number = not isinstance(value, numbers.Number) and np.ndim(value) == 0
        broken = no_number and not issubclass(TypeError, catch)
        return Outcome.failed(Reason.NO_NUMBER, f"f returned {_short.repr(returned)}, which is not {wanted}", broken)
    return Outcome(number, user_attrs=kept)


def _is_pair(returned: Any) -> bool:
    return isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping)


def _json(attributes: Mapping[Any, Any]) -> dict[str, Any] | None:
    """The attributes as they come back from a file, or None if they cannot be written to one."""
    if not all(isinstance(key, str) for key in attributes):
        return None
    try:
        kept: dict[str, Any] = json.loads(json.dumps(dict(attributes), default=lambda array: array.tolist()))
        encode(kept)
    except (AttributeError, TypeError, ValueError, RecursionError):
        return None
    return kept


def _told(error: BaseException) -> str:
    """The traceback of an error from below our own frame."""
    frames = error.__traceback__ and error.__traceback__.tb_next
    return _shortened("".join(traceback.format_exception(type(error), error, frames)).rstrip())


def _shortened(text: str) -> str:
    """The text as a file keeps it: without lone surrogates, and not too long."""
    text = encodable(text)
    if len(text) <= LONGEST_ERROR:
        return text
    head = LONGEST_ERROR // 4
    return f"{text[:head]}\n[...]\n{text[head - LONGEST_ERROR :]}"
