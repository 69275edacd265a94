"""Where benchmark results are kept: one small JSON file each, with the machine they were measured on."""

import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import scipy

FOLDER = Path(__file__).parent / "results"


def save(name: str, **measured: Any) -> None:
    """Write results/<name>.json and print it."""
    machine = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "processor": _processor(),
        "cores": os.cpu_count(),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "unset"),
    }
    text = json.dumps({"measured": measured, "machine": machine}, indent=2)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(text + "\n")
    print(text)


def load(name: str) -> dict[str, Any]:
    """What results/<name>.json says was measured."""
    return json.loads((FOLDER / f"{name}.json").read_text())["measured"]


def summary(gaps: list[float]) -> dict[str, Any]:
    """Mean, spread, median, worst and number of seeds; every seed's gap is kept."""
    values = np.array(gaps)
    return {
        "seeds": len(gaps),
        "mean": float(values.mean()),
        "std": float(values.std()),
        "median": float(np.median(values)),
        "worst": float(values.max()),
        "gaps": [float(gap) for gap in gaps],
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return names[0].split(":", 1)[1].strip() if names else platform.processor()
