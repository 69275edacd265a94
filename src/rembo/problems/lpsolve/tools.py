"""What the system must bring: lp_solve, and for the limit of iterations a C compiler, once.

The driver is compiled at its first use into the user's cache, under a name that says from what; whoever is second in
a race replaces the first's by the same.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path

from rembo.scratch import scratch_folder

LIBRARY = Path("/usr/lib/lp_solve/liblpsolve55.so")  # where Debian's package puts it


@dataclass(frozen=True)
class Tool:
    """A program of the system, and the Debian packages that bring it."""

    name: str
    packages: str

    @property
    def available(self) -> bool:
        """Whether it is installed."""
        return shutil.which(self.name) is not None

    @property
    def absence(self) -> str:
        """What to do if it is not."""
        return f"the program {self.name} is not installed: as root, apt-get install {self.packages}"

    @property
    def path(self) -> str:
        """Where it is; a FileNotFoundError with the cure if it is not installed."""
        path = shutil.which(self.name)
        if path is None:
            raise FileNotFoundError(self.absence)
        return path


LP_SOLVE = Tool("lp_solve", "lp-solve")
COMPILER = Tool("cc", "gcc libc6-dev")


def driver(library: Path = LIBRARY) -> Path:
    """The program made from limited.c and lp_solve's library, compiled if it is not in the cache yet."""
    if not library.exists():
        raise FileNotFoundError(f"{library} is not there, which is part of lp_solve: as root, apt-get install lp-solve")
    with as_file(files(__package__) / "limited.c") as source:
        key = sha256(source.read_bytes() + bytes(library)).hexdigest()[:16]
        program = _cache() / f"lpsolve-limited-{key}"
        if not program.exists():
            _compile(source, library, program)
    return program


def _cache() -> Path:
    """The user's cache, by the rules of the XDG base directories."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rembo"


def _compile(source: Path, library: Path, program: Path) -> None:
    program.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(program.parent) as folder:
        made = folder / program.name
        command = [COMPILER.path, "-O2", source, library, f"-Wl,-rpath,{library.parent}", "-o", made]
        compiler = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if compiler.returncode != 0:
            raise RuntimeError(f"{COMPILER.name} cannot compile the driver of lp_solve:\n{compiler.stderr.strip()}")
        made.replace(program)
