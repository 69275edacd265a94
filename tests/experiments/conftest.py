import sys
from dataclasses import replace
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "experiments"

sys.path.insert(0, str(SCRIPTS))  # they are run, not installed
collect_ignore_glob = [] if SCRIPTS.exists() else ["test_*.py"]  # a source distribution comes without them


@pytest.fixture
def shortened(tmp_path):
    """The experiment with fewer evaluations, and a folder of its own for what it finds."""

    def shorten(experiment, n_trials=2):
        tasks = {name: replace(task, n_trials=n_trials) for name, task in experiment.tasks.items()}
        return replace(experiment, tasks=tasks, results=tmp_path, figures=tmp_path)

    return shorten
