"""A Dask cluster by one word: the address of a scheduler, or `local` for one on this machine."""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rembo.cli.ending import UsageError
from rembo.extras import absent
from rembo.study.safe_path import restore_safe_path, safe_path, safe_path_setting

if TYPE_CHECKING:
    from distributed import Client, WorkerPlugin

_PATIENCE = 10.0  # seconds for a scheduler to answer


@contextmanager
def dask_client(address: str, n_workers: int) -> Iterator["Client"]:
    """A client of the cluster at an address; `local` makes one with so many workers, `local:4` one with four."""
    try:
        from distributed import Client
    except ModuleNotFoundError as missing:
        raise absent("--dask needs Dask", "distributed") from missing
    place, _, count = address.partition(":")
    if place == "local":
        with _local_client(_check_count(count, address) if count else n_workers) as client:
            yield client
        return
    try:
        client = Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as refusal:
        raise UsageError(
            f"no Dask scheduler answers at {address!r} ({refusal}): start one, or write --dask local"
        ) from None
    with client:
        yield client


@contextmanager
def _local_client(count: int) -> Iterator["Client"]:
    from distributed import Client, LocalCluster

    own = _own_environment()
    with safe_path():  # until the end, as a worker that dies is replaced
        with _born_deaf_to_interrupts():
            cluster = LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.ERROR
            )
        with cluster, Client(cluster) as client:
            client.register_plugin(own)
            yield client


def _own_environment() -> "WorkerPlugin":
    """What lets the programs that a worker starts have the environment of the user."""
    from distributed import WorkerPlugin

    class OwnEnvironment(WorkerPlugin):  # type: ignore[misc]  # Dask has no types here
        before = safe_path_setting()

        def setup(self, worker: object) -> None:
            restore_safe_path(self.before)

    return OwnEnvironment()


@contextmanager
def _born_deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started inside ignore Ctrl-C, which a terminal sends to all: the study decides about them."""
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _check_count(text: str, address: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--dask {address}: the number of workers must be at least 1, e.g. local:4")
    return int(text)
