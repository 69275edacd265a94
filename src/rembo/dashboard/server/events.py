"""Server-sent events: a word to the page whenever a file of the catalogue has changed.

A stream looks at the times and sizes of files, twice a second, and opens none of them: what has changed, the page asks
for itself. It ends when the server does.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

from rembo.study.stamp import stamp

PAUSE = 0.5  # seconds between two looks
_SILENCE = 30  # looks without a change after which a comment keeps the connection alive


def version_of(paths: Iterable[Path]) -> str:
    """A word that changes whenever one of the files does."""
    return f"{zlib.crc32(repr([(str(path), stamp(path)) for path in paths]).encode()):08x}"


async def changes(paths: Callable[[], Iterable[Path]], ending: Callable[[], bool]) -> AsyncIterator[str]:
    """The version of files now, and then whenever it is another."""
    known, silent = "", 0
    while not ending():
        now = version_of(paths())
        silent = 0 if now != known else silent + 1
        if now != known:
            yield f"event: version\ndata: {now}\n\n"
        elif silent % _SILENCE == 0:
            yield ": still here\n\n"
        known = now
        await asyncio.sleep(PAUSE)
