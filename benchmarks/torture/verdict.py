"""What an error of the library must be: of a documented kind, raised on purpose, and with a sentence."""

import linecache
import traceback
from collections.abc import Callable
from pathlib import Path

import rembo
from rembo.scenario import ScenarioError
from rembo.study import StorageError

DOCUMENTED = (ValueError, TypeError, StorageError, ScenarioError)
SOURCE = str(Path(rembo.__file__).parent)


def of(action: Callable[[], str]) -> str:
    """What an action says of itself, `refused`, or what is wrong with the error that it raised."""
    try:
        return action()
    except DOCUMENTED as error:
        return _of_refusal(error)
    except Exception as error:
        return f"CRASH: {described(error)}"


def _of_refusal(error: Exception) -> str:
    if len(str(error).split()) < 3:
        return f"CRASH: not a sentence: {described(error)}"
    return "refused" if is_deliberate(error) else f"ACCIDENT: {described(error)}"


def is_deliberate(error: Exception) -> bool:
    """Whether a `raise` of the library raised it, not Python or NumPy in the midst of something."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    return frame.filename.startswith(SOURCE) and line.startswith("raise")


def described(error: Exception) -> str:
    """The error and where it comes from, in a line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = ascii(str(error))[:200]
    return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {text}"
