"""What the last bits of a suggestion depend on beside the study: versions, the linear algebra library, and the CPU.

The number of threads is not among them: BLAS has one while an optimizer computes (docs/adr/0018-one-thread-of-blas.md).
"""

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

import numpy as np
import scipy

from rembo.blas import blas_libraries
from rembo.version import __version__

Environment: TypeAlias = Mapping[str, str]  # what each part is here, by a name that a user knows


@cache
def environment() -> Environment:
    """The environment of this process."""
    return {
        "rembo": __version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "cmaes": _installed("cmaes"),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "BLAS": ", ".join(blas_libraries()) or "unknown",
        "CPU": " ".join([platform.machine(), *_instructions()]),
        "C library": " ".join(platform.libc_ver()).strip() or platform.system(),
    }


def differing(there: Environment, here: Environment) -> tuple[str, ...]:
    """What differs between two environments, in words.

    >>> differing({"numpy": "1.26.4", "CPU": "arm64"}, {"numpy": "2.1.0", "CPU": "arm64"})
    ('numpy 1.26.4 there, 2.1.0 here',)
    """
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return tuple(f"{name} {there.get(name, 'unknown')} there, {here.get(name, 'unknown')} here" for name in names)


def _installed(package: str) -> str:
    """The version of a package, which is not imported for it; unknown where packages are not installed but copied."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _instructions() -> list[str]:
    """The sets of instructions that this CPU has and that NumPy has code for."""
    found: list[str] = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return found
