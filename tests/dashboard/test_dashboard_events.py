"""Server-sent events: one at the start, one for each change, and an end."""

import asyncio
import os
from itertools import chain, repeat

from rembo.dashboard.server import events
from rembo.dashboard.server.events import changes, version_of


def received(path, ending, monkeypatch):
    """All that a stream sends until it ends; it looks as often as `ending` says that it does not end yet."""
    monkeypatch.setattr(events, "PAUSE", 0.0)
    looks = chain(ending, repeat(lambda: True))

    async def listen():
        return [event async for event in changes(lambda: [path], lambda: next(looks)())]

    return asyncio.run(listen())


def stay():
    return False


def test_a_stream_begins_with_the_version_that_there_is(tmp_path, monkeypatch):
    path = tmp_path / "tune.db"
    path.touch()
    assert received(path, [stay] * 5, monkeypatch) == [f"event: version\ndata: {version_of([path])}\n\n"]


def test_a_change_of_the_file_is_one_event(tmp_path, monkeypatch):
    path = tmp_path / "tune.db"
    path.touch()
    change = lambda: path.write_text("more") < 0  # noqa: E731
    assert len(received(path, [stay, stay, change, stay, stay], monkeypatch)) == 2


def test_a_change_of_the_log_beside_the_file_is_a_change(tmp_path):
    path = tmp_path / "tune.db"
    path.touch()
    before = version_of([path])
    (tmp_path / "tune.db-wal").touch()
    assert version_of([path]) != before


def test_a_later_time_of_the_same_content_is_a_change(tmp_path):
    path = tmp_path / "tune.db"
    path.touch()
    before = version_of([path])
    os.utime(path, (1.0, 1.0))
    assert version_of([path]) != before


def test_a_quiet_stream_is_kept_alive_by_comments(tmp_path, monkeypatch):
    sent = received(tmp_path / "tune.db", [stay] * 62, monkeypatch)
    assert sent[1:] == [": still here\n\n"] * 2
