"""One thread of BLAS: how many threads NumPy and SciPy use while an optimizer computes; and where its arrays lie.

Our matrices are small. A second thread waits more than it computes, which costs CPU time on a busy machine, and it sums
in another order, which changes the last bits of a search. See docs/adr/0018-one-thread-of-blas.md.
"""

import os
from collections import Counter
from contextlib import ContextDecorator
from functools import cache
from pathlib import Path
from threading import Lock, get_ident
from typing import Any

_FREED = 30 * 2**20  # bytes
_OURS = {"numpy", "numpy.libs", "scipy", "scipy.libs"}  # folders of the libraries that come with NumPy and SciPy


class OneThread(ContextDecorator):
    """Holds BLAS to one thread: a context, `with one_thread:`, and a decorator, `@one_thread`.

    The number of threads belongs to the process. It is set when the first Python thread enters, and set back when the
    last one leaves; whoever enters in between only counts.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread:
    ...     product = np.eye(3) @ np.eye(3)
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside: Counter[int] = Counter()  # how deep each Python thread is inside, by its identity
        self._limiter: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                keep_memory()
                self._limiter = _libraries().limit(limits=1)
            self._inside[get_ident()] += 1

    def __exit__(self, *reason: object) -> None:
        with self._lock:
            self._inside[get_ident()] -= 1
            self._inside = +self._inside  # without those that have left
            if not self._inside:
                _set_back(self._limiter)

    def forget_other_threads(self) -> None:
        """What the child of a fork does first: the other threads are not there, and may have held the lock."""
        others, self._lock = self._inside.keys() - {get_ident()}, Lock()
        for each in others:
            del self._inside[each]
        if others and not self._inside:
            _set_back(self._limiter)


@cache
def keep_memory() -> None:
    """Have the C library keep memory of freed arrays for the next ones.

    It returns memory to the operating system above a threshold, and pays for each page when it gets it back, which
    takes longer than what we compute there. glibc raises the threshold to the largest array that was freed, up to 32
    MB, so one is made and freed; nothing is written to it, so it takes no memory.
    """
    import numpy as np

    np.empty(_FREED, dtype=np.uint8)


@cache
def _libraries() -> Any:
    """The BLAS libraries of this process; SciPy's own is loaded first, as only loaded ones are found."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def blas_libraries() -> list[str]:
    """Which BLAS libraries NumPy and SciPy use, and for which CPU; all of the process if it is unknown which."""
    found = _libraries().info()
    ours = [each for each in found if _OURS & set(Path(each["filepath"]).parts)]
    return sorted({_in_words(each) for each in ours or found})


def _in_words(library: dict[str, Any]) -> str:
    """A library as threadpoolctl describes it, e.g. `openblas 0.3.30 SkylakeX`."""
    told = (library.get(name) for name in ("internal_api", "version", "architecture"))
    return " ".join(each for each in told if each)


def _set_back(limiter: Any) -> None:
    """The number of threads as it was, from any Python thread."""
    _let_go()
    limiter.restore_original_limits()
    _let_go()


def _let_go() -> None:
    """Let any Python thread set the number: since threadpoolctl 3.8 the one that set it last keeps that right."""
    from threadpoolctl import OpenBLASController

    let_go = getattr(OpenBLASController, "clear_controlling_thread", None)
    if let_go is not None:
        let_go(force=True)


one_thread = OneThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_thread.forget_other_threads)
