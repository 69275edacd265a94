"""Ctrl-C and SIGTERM while a study runs: what is evaluated gets a grace period, then all is let go.

A first signal only asks to end; a second one, or the end of the grace period, raises KeyboardInterrupt wherever the
main thread is, be it in f. Handlers that a program has set for itself are left alone, and so is a signal it ignores.
What must be done whole or not at all is done `undisturbed`: a signal that comes meanwhile is heeded afterwards.
"""

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_log = logging.getLogger("rembo")

_USUAL: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


class Interruption:
    """A context in which the first signal is kept instead of raised; `received` is its number, or None."""

    def __init__(self, grace: float) -> None:
        self.received: int | None = None
        self._grace = grace
        self._timer: threading.Timer | None = None
        self._replaced: list[signal.Signals] = []

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            for number, usual in _USUAL.items():
                if signal.getsignal(number) == usual:
                    signal.signal(number, self._receive)
                    self._replaced.append(number)
        return self

    def __exit__(self, *reasons: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for number in self._replaced:
            signal.signal(number, _USUAL[number])

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None or self._grace <= 0.0:
            self.received = self.received or number
            raise KeyboardInterrupt
        self.received = number
        main = threading.main_thread().ident
        assert main is not None  # it has started
        self._timer = threading.Timer(self._grace, signal.pthread_kill, (main, number))
        self._timer.daemon = True
        self._timer.start()
        _log.warning("ending: what is evaluated has %g seconds to finish; once more to end at once", self._grace)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A context, or a decorator, that a signal does not tear apart: whatever its handler does, it does at the end."""
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _USUAL}
    heeded = {number: handler for number, handler in handlers.items() if callable(handler)}
    if threading.current_thread() is not threading.main_thread():  # where no handler runs
        heeded = {}
    try:
        for number in heeded:
            signal.signal(number, lambda number, frame: came.append(number))
        yield
    finally:
        for number, handler in heeded.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)
