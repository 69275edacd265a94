"""Functions to search, what makes two searches the same, a disk that is full, and a program to be killed."""

import os
import random
import resource
import signal
import sys
import threading
import time
from contextlib import contextmanager

from rembo import Box, Categorical, Growing, Integer, RandomSearch, Space
from rembo.study import Study, TrialPruned

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a background job of a shell ignores

BOX = Box(20)
FINITE = Space({"solver": Categorical(["adam", "sgd", "lbfgs"]), "layers": Integer(1, 4)})
N_KILLED = 20  # trials of the program that is killed


def bowl(x):
    return (x[3] - 0.4) ** 2 + (x[17] + 0.2) ** 2


def uneven_bowl(x):
    """bowl, for as long as it happens to take."""
    time.sleep(random.SystemRandom().uniform(0.0, 0.02))
    return bowl(x)


def slow_bowl(x):
    time.sleep(0.02)
    return bowl(x)


def cost(x):
    return len(x["solver"]) + x["layers"]


def troubled(x):
    """A bowl that is pruned in one half of the box and fails in a quarter of it."""
    if x[3] < 0:
        raise TrialPruned("not worth it")
    if x[17] < 0:
        raise ArithmeticError("no value")
    return bowl(x)


class Raising:
    """bowl, except for the calls that `signals` names by number (1, 2, ...), in which these signals come first."""

    def __init__(self, signals):
        self.signals, self.called = signals, 0

    def __call__(self, x):
        self.called += 1
        for number in self.signals.get(self.called, ()):
            signal.raise_signal(number)
            time.sleep(0.01)
        return bowl(x)


class Patient:
    """bowl, in any process, that says that it began and goes on only when a file allows it."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, x):
        (self.folder / f"began-{os.getpid()}-{time.monotonic_ns()}").touch()
        deadline = time.monotonic() + 60
        while not (self.folder / "go").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return bowl(x)

    def began(self):
        return len(list(self.folder.glob("began-*")))


def later(condition, act):
    """Do something as soon as a condition holds, in a thread."""

    def wait():
        while not condition():
            time.sleep(0.01)
        act()

    threading.Thread(target=wait, daemon=True).start()


def random_study(seed=0, space=BOX, **options):
    """A study that takes no time to think."""
    return Study(space, optimizer=RandomSearch(space, seed=seed), **options)


def default_study(**options):
    return Study(BOX, optimizer=Growing(BOX, seed=0), **options)


def story(study):
    """All that must be the same, trial by trial: where, what came of it, and when it was asked and told."""
    return [(each.number, each.point, each.value, each.state, each.asked, each.told) for each in study.trials]


def states(study):
    return [trial.state.name for trial in study.trials]


@contextmanager
def full_disk(size=0):
    """A context in which no file can be written beyond a size, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill_disk():
    """Let no file grow, until the end of the context of `full_disk`."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def main(path, n_workers, deterministic):
    """The program that is killed, and started again."""
    with default_study(storage=path) as study:
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        study.optimize(
            slow_bowl,
            N_KILLED,
            n_workers=int(n_workers),
            deterministic=deterministic == "deterministic",
            progress=False,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
