import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"

sys.path.insert(0, str(SCRIPTS))  # they are run, not installed
collect_ignore_glob = [] if SCRIPTS.exists() else ["test_*.py"]  # a source distribution comes without them


@pytest.fixture
def run(tmp_path):
    """What a program prints, as JSON; a campaign adopts orphans, which must not become those of the test runner."""

    def output(*arguments):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SCRIPTS), *sys.path])}
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    return output
