"""CPU seconds of `import rembo`, and megabytes of a fresh environment that holds rembo and what it needs."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from results import save

IMPORT = "import time; t = time.process_time(); import rembo; print(time.process_time() - t)"
ROOT = Path(__file__).parent.parent


def import_seconds() -> float:
    """The median of 7 fresh interpreters."""
    runs = [
        subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True) for _ in range(7)
    ]
    return float(np.median([float(run.stdout) for run in runs]))


def installed_megabytes() -> dict[str, float]:
    """What pip puts into an empty folder for rembo: files of the packages, without compiled caches."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", folder, str(ROOT)]
        subprocess.run(command, check=True)
        sizes = {
            entry.name: sum(file.stat().st_size for file in entry.rglob("*") if file.is_file()) / 1e6
            for entry in Path(folder).iterdir()
            if entry.is_dir()
        }
    return {"total": sum(sizes.values()), **{name: size for name, size in sorted(sizes.items()) if size > 0.05}}


def main() -> None:
    """Both."""
    save("footprint", import_cpu_s=import_seconds(), installed_MB=installed_megabytes())


if __name__ == "__main__":
    main()
