"""Connections over which no request comes: they end, and nobody else waits for them."""

import socket
import time
from contextlib import ExitStack

import pytest
from dashboard_client import serving

from rembo.dashboard.server import access, connections
from rembo.dashboard.server.access import Access

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
TOKEN = "a-token-of-many-letters"


@pytest.fixture
def impatient(monkeypatch):
    """A server waits a moment for a request."""
    monkeypatch.setattr(connections, "PATIENCE", 0.3)
    monkeypatch.setattr(access, "PATIENCE", 0.3)


def opened(client, text):
    connection = socket.create_connection(("127.0.0.1", client.port), timeout=20)
    connection.sendall(text)
    return connection


def has_ended(connection):
    """Whether the server has closed a connection, which is waited for."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("text", [b"", b"G", HALF], ids=["nothing", "a letter", "half a request"])
def test_connection_ends_where_no_request_comes(text, tmp_path, impatient):
    with serving(tmp_path) as client, opened(client, text) as connection:
        assert has_ended(connection)


def test_connection_ends_where_a_second_request_does_not_come(tmp_path, impatient):
    with serving(tmp_path) as client, opened(client, HALF + b"\r\n") as connection:
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
        connection.sendall(HALF)
        rest = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b"HTTP/1.1" not in rest


def test_form_that_does_not_come_is_answered_as_an_empty_one(tmp_path, impatient):
    head = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n"
    with serving(tmp_path, Access.to("127.0.0.1", TOKEN)) as client, opened(client, head) as connection:
        assert connection.recv(12) == b"HTTP/1.1 401"


def test_stream_of_events_goes_on_however_long_it_lasts(tmp_path, impatient):
    request = b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with serving(tmp_path) as client, opened(client, request) as connection:
        assert connection.recv(12) == b"HTTP/1.1 200"
        time.sleep(1.0)
        (tmp_path / "new.db").touch()
        assert b"event: version" in connection.recv(65536) + connection.recv(65536)


def test_oldest_silent_connection_makes_room_for_a_page(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 8)
    with serving(tmp_path) as client, ExitStack() as stack:
        half = [stack.enter_context(opened(client, HALF)) for _ in range(20)]
        assert client.get("/").status == 200
        assert has_ended(half[0])
