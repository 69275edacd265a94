"""Connections that cannot fill the server: each request must come in time, and the oldest silent one makes room.

A client that opens connections and sends half a request, on each of them, would otherwise use up the descriptors of the
process, so that nobody else is answered.
"""

import asyncio
from itertools import count
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0  # seconds from the beginning of a request to its end
MOST_CONNECTIONS = 512  # at once: half of the descriptors that a process usually has
BACKLOG = 128  # connections that are accepted in one go

_numbers = count()


class Connection(H11Protocol):
    """A connection that ends where a request does not come in time; it is silent as long as none has come."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.number = next(_numbers)
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def silent(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection; if there are too many, the one that has been silent for longest ends."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > MOST_CONNECTIONS:
            silent = [each for each in self.connections if isinstance(each, Connection) and each.silent]
            min(silent, key=lambda each: each.number).end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request, or all of it."""
        super().data_received(data)
        self._watch()

    def end(self) -> None:
        """Close the connection without a word."""
        self.connections.discard(self)  # it leaves no room for long
        self.transport.abort()

    def _watch(self) -> None:
        """Set a time by which the request must have come; there is none while one is answered."""
        if not self.silent:
            self._forget()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(PATIENCE, self.end)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
