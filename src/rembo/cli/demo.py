"""`rembo demo`: the search of examples/billion.py, watched."""

import time
from argparse import Namespace

from rembo.cli.display import display_for
from rembo.cli.ending import ExitCode
from rembo.cli.say import say
from rembo.cli.watch import Watch
from rembo.problems import Branin, Padded
from rembo.study import Study

_DIMENSIONS = 10**9


def demo_command(given: Namespace) -> int:
    """Minimise Branin at two unknown coordinates of a billion."""
    problem = Padded(Branin(), ambient_dim=_DIMENSIONS, seed=0)
    say(f"Minimising Branin at 2 unknown coordinates of {_DIMENSIONS:,}, in {given.n_trials} evaluations ...")
    study = Study(problem.space, seed=0)
    began = time.perf_counter()
    with display_for("demo", given.n_trials, as_json=False, quiet=given.quiet) as display:
        study.optimize(problem, given.n_trials, callbacks=[Watch(display, (), given.n_trials)], progress=False)
    i, j = problem.coordinates
    x, gap = study.best_params, study.best_value - problem.optimum
    say(f"best value {study.best_value:.6f} at x[{i}] = {x[i]:+.4f}, x[{j}] = {x[j]:+.4f}")
    say(f"{gap:.2e} from the optimum, after {time.perf_counter() - began:.1f} s")
    return ExitCode.DONE
