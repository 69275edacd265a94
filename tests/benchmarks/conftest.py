import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "benchmarks"

sys.path.insert(0, str(SCRIPTS))  # they are run, not installed
collect_ignore_glob = [] if SCRIPTS.exists() else ["test_*.py"]  # a source distribution comes without them
