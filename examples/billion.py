"""Minimise Branin hidden at two unknown coordinates of a billion: the job of `make demo`."""

import resource
import sys
import time

import rembo
from rembo.problems import Branin, Padded

N_TRIALS = 100


def main() -> None:
    """Run the default search and say what it found, what it cost, and where to go from here."""
    problem = Padded(Branin(), ambient_dim=10**9, seed=0)
    print(f"Minimising Branin at 2 unknown coordinates of {problem.ambient_dim:,}, in {N_TRIALS} evaluations ...")
    started = time.perf_counter()
    result = rembo.minimize(problem, problem.space, n_trials=N_TRIALS, seed=0)
    seconds = time.perf_counter() - started
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in kilobytes elsewhere
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20

    i, j = problem.coordinates
    print(f"best value  {result.fun:.6f}   at x[{i}] = {result.x[i]:+.4f}, x[{j}] = {result.x[j]:+.4f}")
    print(f"gap         {result.fun - problem.optimum:.2e}   to the optimum {problem.optimum:.6f}")
    print(f"time        {seconds:.1f} s   for {result.nfev} evaluations, most of it choosing where to look")
    print(f"memory      {memory:.0f} MB   in all; one point written out would take 8,000 MB")
    print()
    print("Next: examples/named_parameters.py tunes parameters of all kinds, examples/ask_and_tell.py leaves the")
    print("evaluating to you, examples/choose_the_parts.py swaps kernel, acquisition and embedding. make test runs the")
    print("tests, make help lists the rest.")


if __name__ == "__main__":
    main()
