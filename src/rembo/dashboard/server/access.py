"""Who may look: a guard around the application that checks the host's name and the token, and sets security headers.

A page of another site could reach a server on this machine under a name of its own (DNS rebinding): only names that
cannot be made to lead here are answered. The token is given in a form or a header and never stands in an address; a
browser keeps a cookie that no script can read, and whose value is not the token.
"""

import asyncio
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rembo.dashboard.assets import STATIC, head
from rembo.dashboard.pages.small import login_page
from rembo.dashboard.server.connections import PATIENCE

SHORTEST_TOKEN = 16  # characters
LOGIN = "/login"
_MOST_BYTES = 4096  # of the form
_COOKIE = "rembo-dashboard"
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True)
class Access:
    """The names that the server answers to beside addresses, and the token that it asks for, if any."""

    hosts: frozenset[str]
    token: str | None = field(default=None, repr=False)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @classmethod
    def to(cls, host: str, token: str | None = None, more_hosts: Iterable[str] = ()) -> "Access":
        """Access to a server that is bound to a host: by its name, by that of this machine, and by some more."""
        names = {host, "localhost", socket.gethostname(), *more_hosts}
        return cls(frozenset(name.lower() for name in names), token)

    def knows_host(self, host: str) -> bool:
        """Whether the host of a request is an address, or a name that is known to lead here."""
        name = _without_port(host).lower()
        return name in self.hosts or _is_address(name)

    def admits(self, request: Request) -> bool:
        """Whether a request brings the token or the cookie that was given for it."""
        if self.token is None:
            return True
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        kept = request.cookies.get(_cookie(request), "")
        return (kind.lower() == "bearer" and _same(given, self.token)) or _same(kept, self.session)


class Guard:
    """The application behind the checks of an access."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        answer = await self._refusal(request) or self._app
        await answer(scope, receive, _with_headers(send))

    async def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if not self._access.knows_host(host):
            cure = f"This server does not answer to {host!r}: use its address, or start it with --allow-host."
            return PlainTextResponse(cure, status_code=421)
        if request.url.path.startswith(STATIC):
            return None
        if request.url.path == LOGIN and request.method == "POST":
            return await self._login(request)
        if not self._access.admits(request):
            to = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
            return HTMLResponse(login_page(to, wrong=False, head=head()), status_code=401)
        return None

    async def _login(self, request: Request) -> Response:
        fields = parse_qs((await _body(request)).decode("utf-8", "replace"))
        to = fields.get("to", ["/"])[0]
        if self._access.token is not None and not _same(fields.get("token", [""])[0].strip(), self._access.token):
            return HTMLResponse(login_page(to, wrong=True, head=head()), status_code=401)
        answer = RedirectResponse(_here(to), status_code=303)
        answer.set_cookie(_cookie(request), self._access.session, httponly=True, samesite="strict")
        return answer


async def _body(request: Request) -> bytes:
    """The form, of which no more is read than a token can be long; nothing if it does not come in time."""
    body = b""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            async for chunk in request.stream():
                body += chunk
                if len(body) > _MOST_BYTES:
                    return b""
            return body
    return b""


def _here(to: str) -> str:
    """An address of this server, whatever was asked for."""
    return to if to.startswith("/") and not to.startswith(("//", "/\\")) else "/"


def _cookie(request: Request) -> str:
    """Cookies do not tell the ports of a host apart: their names do."""
    return f"{_COOKIE}-{request.url.port or 80}"


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode(), right.encode())


def _without_port(host: str) -> str:
    return host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _with_headers(send: Send) -> Send:
    """A response with the security headers; nobody stores what does not say that it may be stored."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(_HEADERS)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return with_headers
