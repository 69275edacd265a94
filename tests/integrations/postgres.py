"""A real PostgreSQL server for tests, of an unprivileged user, in a folder of its own."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

DEBIAN = sorted(Path("/usr/lib/postgresql").glob("*/bin"))  # not on the path there


def program(name):
    """Where a program of PostgreSQL's is, or a reason to skip."""
    found = shutil.which(name, path=os.pathsep.join([*map(str, reversed(DEBIAN)), os.environ.get("PATH", "")]))
    return found or pytest.skip(f"PostgreSQL's {name} is missing: apt-get install postgresql")


def call(user, *command):
    """Run a program as a user, since PostgreSQL refuses to be run by root."""
    demoted = {"user": user, "group": "nogroup", "extra_groups": []} if user else {}
    with tempfile.TemporaryFile() as output:  # a server inherits it, and would keep a pipe open
        done = subprocess.run(command, cwd="/", stdout=output, stderr=output, timeout=120, check=False, **demoted)
        output.seek(0)
        assert done.returncode == 0, output.read().decode()


@contextmanager
def server():
    """The address of a database, as long as it lasts."""
    user = "nobody" if os.geteuid() == 0 else None
    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    with tempfile.TemporaryDirectory() as folder:
        if user:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        call(user, initdb, "-D", data, "-U", "rembo", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        call(user, pg_ctl, "-D", data, "-l", f"{folder}/log", "-o", options, "-w", "start")
        try:
            yield f"postgresql+psycopg2://rembo@/postgres?host={folder}"
        finally:
            call(user, pg_ctl, "-D", data, "-m", "immediate", "-w", "stop")
