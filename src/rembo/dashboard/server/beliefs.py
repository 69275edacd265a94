"""What optimizers believe, computed beside the server: one process at a time, and not more often than it is worth."""

import asyncio
import json
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from dataclasses import dataclass

from rembo.dashboard.catalogue import Catalogue, Place

_SHARE = 0.1  # of the time that may go into models of a study that goes on
_POLL = 0.25  # seconds
_MOST_KEPT = 16  # beliefs, some 300 kB each


@dataclass(frozen=True)
class Computed:
    """A belief as JSON, the place of the tell after which it was computed, and until when it is new enough.

    `matters` names the parameters that it says matter, the most important first.
    """

    told: int
    json: bytes
    good_until: float
    matters: tuple[str, ...]


class BeliefError(RuntimeError):
    """A belief that could not be computed; the text is what the process wrote last."""


class Beliefs:
    """The beliefs of a catalogue's studies, each kept until there is reason to compute it again."""

    def __init__(self, catalogue: Catalogue, ending: Callable[[], bool]) -> None:
        self._catalogue, self._ending = catalogue, ending
        self._kept: dict[Place, Computed] = {}
        self._running: dict[Place, asyncio.Task[Computed]] = {}
        self._turn = asyncio.Semaphore(1)

    async def json(self, place: Place, told: int) -> bytes | None:
        """The belief of a study whose latest tell is at a place in their order; None if the server ends first."""
        kept = self._kept.get(place)
        if kept is not None and (kept.told == told or time.monotonic() < kept.good_until):
            return kept.json
        task = self._running.get(place) or self._begin(place, told)
        while not task.done() and not self._ending():
            await asyncio.wait({task}, timeout=_POLL)
        return task.result().json if task.done() else None

    def matters(self, place: Place) -> tuple[str, ...]:
        """The names of the parameters that matter, as far as that was computed."""
        kept = self._kept.get(place)
        return () if kept is None else kept.matters

    async def close(self) -> None:
        """End what is being computed."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _begin(self, place: Place, told: int) -> asyncio.Task[Computed]:
        task = asyncio.create_task(self._compute(place, told))
        self._running[place] = task
        task.add_done_callback(lambda done: self._end(place, done))
        return task

    def _end(self, place: Place, task: asyncio.Task[Computed]) -> None:
        del self._running[place]
        if task.cancelled() or task.exception() is not None:  # who waits for it is told
            return
        self._kept[place] = task.result()
        while len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]

    async def _compute(self, place: Place, told: int) -> Computed:
        path = self._catalogue.storage(place.file).path
        async with self._turn:
            began = time.monotonic()
            written = await _output("-m", "rembo.dashboard.belief", str(path), place.name)
            took = time.monotonic() - began
        belief = json.loads(written)
        matters = tuple(belief.pop("matters"))  # which the page is made with: no script needs it
        shown = json.dumps(belief).encode()
        return Computed(told, shown, time.monotonic() + took * (1.0 - _SHARE) / _SHARE, matters)


async def _output(*arguments: str) -> bytes:
    """What a Python process writes; it is killed if nobody waits for it any more.

    `-P` keeps the current folder out of its path: a `numpy.py` that lies there must not be run.
    """
    command = (sys.executable, "-P", *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    try:
        output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise BeliefError((errors.decode("utf-8", "replace").strip().splitlines() or ["it was ended"])[-1])
    return output
