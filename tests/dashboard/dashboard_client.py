"""A server in a thread, and a browser without eyes to ask it."""

import threading
from collections.abc import Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection

from rembo.dashboard.server.access import Access
from rembo.dashboard.server.serve import bind, server_of

SCRIPT = "<script>alert(1)</script>"  # what a study, a parameter and an error are called


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Client:
    """Every request is a connection of its own, and no redirection is followed."""

    port: int

    def get(self, address, **headers):
        return self.send("GET", address, **headers)

    def send(self, method, address, body=None, **headers):
        """The answer; names of headers have underscores for hyphens."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, address, body, {key.replace("_", "-"): value for key, value in headers.items()})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())


@contextmanager
def serving(path, access=None):
    """A server at a free port of this machine, for as long as it is needed."""
    bound = bind("127.0.0.1", 0)
    server = server_of(path, access or Access.to("127.0.0.1"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound.socket]})
    thread.start()
    try:
        yield Client(bound.socket.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
