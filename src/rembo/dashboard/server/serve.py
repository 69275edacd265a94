"""From an address and a port to a running server, and to its end."""

import ipaddress
import secrets
import socket
import threading
import webbrowser
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from rembo.dashboard.server.access import SHORTEST_TOKEN, Access
from rembo.dashboard.server.app import application
from rembo.dashboard.server.connections import BACKLOG, Connection

_GRACE = 2  # seconds for requests that are being answered when the server ends


@dataclass(frozen=True)
class Bound:
    """A socket that listens, and the address by which a browser on this machine reaches it."""

    socket: socket.socket
    url: str


def bind(host: str, port: int) -> Bound:
    """Listen at a port of a host, 0 for a free one; an OSError says why it cannot be."""
    try:
        (family, *_, address), *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listening = socket.create_server(address[:2], family=family)
    except OSError as error:
        raise OSError(f"cannot listen at port {port} of {host}: {error.strerror}; give another --port, or 0") from error
    name = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return Bound(listening, f"http://{name}:{listening.getsockname()[1]}/")


def check_token(token: str) -> str:
    """A token that cannot be guessed, or a ValueError."""
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ValueError(f"a token must have at least {SHORTEST_TOKEN} printable ASCII characters, not {len(token)}")
    return token


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def server_of(path: Path, access: Access) -> uvicorn.Server:
    """The server of the studies in a file or folder; it runs until it is told that it should exit."""
    app = application(path, access, lambda: server.should_exit)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE,
        http=Connection,
        backlog=BACKLOG,
    )
    server = uvicorn.Server(config)
    return server


def open_browser(url: str) -> None:
    """Show an address in the user's browser, if there is one; this does not wait for it."""
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
