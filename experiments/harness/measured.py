"""What a simulation measured: one small JSON file, a line for each quantity, with the machine it was measured on."""

import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from harness.folders import RESULTS


def digits(number: float, many: int = 5) -> float:
    """A number to so many significant digits."""
    return float(f"{number:.{many}g}")


def keep(name: str, folder: Path = RESULTS, **measured: Any) -> None:
    """Write `folder`/<name>.json, a line for each quantity, with the machine it was measured on."""
    machine = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in (measured | {"machine": machine}).items()]
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
