"""Linear policies of four robots in MuJoCo: the return of one episode, 200 evaluations.

    python experiments/policies.py --seeds 2 --workers 1
    python experiments/policies.py --problems hopper --methods default cma
    python experiments/policies.py --table                    # what is finished so far; runs nothing

Needs the extra `policies`. Returns are rugged: a small change of a weight decides whether the robot falls. A seed
draws the state that all episodes of a search begin in, and the search.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from collections.abc import Iterable, Sequence
from functools import partial
from statistics import mean

from harness.contest import Experiment, contest
from harness.methods import CMA_ES, DEFAULT, RANDOM, SPARSE_MUTATION
from harness.search import Line, Task
from harness.suites.mujoco import LinearPolicy
from harness.tables import Table

SEEDS, ALL_SEEDS, EVALUATIONS = 2, 10, 200
ROBOTS = {"hopper": "Hopper-v5", "walker": "Walker2d-v5", "swimmer": "Swimmer-v5", "cheetah": "HalfCheetah-v5"}

Found = dict[str, dict[int, Line]]  # finished searches of one robot by method and seed


def policy(seed: int, name: str) -> LinearPolicy:
    """A robot that begins in the state that the seed draws."""
    return LinearPolicy(name, seed)


TASKS = {key: Task(name, partial(policy, name=name), EVALUATIONS) for key, name in ROBOTS.items()}
METHODS = {"default": DEFAULT, "cma": CMA_ES, "mutation": SPARSE_MUTATION, "random": RANDOM}
EXPERIMENT = Experiment("policies", TASKS, METHODS, seeds=SEEDS, most_seeds=ALL_SEEDS)

LEGEND = """\
# Linear policies in MuJoCo

The highest return of one episode that a search found in 200 evaluations; more is better. A policy is linear, its
weights lie in [-1, 1], observations are not normalised, and an episode has at most 1000 steps. The best possible return
is not known. The methods are compared on the seeds that all of them finished. CPU seconds are the mean of a search,
episodes included. rembo evaluates zero weights first and CMA-ES starts around them; sparse mutation starts at a random
point. On Hopper, Walker2d and HalfCheetah zero weights are better than 97 of 100 random policies or more. Hopper gets 1
for each step that it does not fall, so standing still returns about 1000. Written by
`python experiments/policies.py --table` from `policies.jsonl`."""


def present(experiment: Experiment) -> None:
    """Print a table of returns for each robot, and write them to results/policies.md."""
    page = [LEGEND]
    for problem, task in experiment.tasks.items():
        found = by_method(line for line in experiment.lines if line.problem == problem)
        seeds = shared_seeds(found)
        if seeds:
            title, table = f"{task.title}, D = {task.instance(0).space.size}", returns(experiment, found, seeds)
            print(f"{title}\n{table}\n")
            page += [f"## {title}", table.markdown]
    if len(page) == 1:
        print(f"{experiment.name}: nothing is finished yet that methods have in common")
        return
    (experiment.results / f"{experiment.name}.md").write_text("\n\n".join(page) + "\n")


def by_method(lines: Iterable[Line]) -> Found:
    """The finished searches of one robot, by method and seed."""
    found: Found = {}
    for line in lines:
        found.setdefault(line.method, {})[line.seed] = line
    return found


def shared_seeds(found: Found) -> list[int]:
    """The seeds that all methods finished, in order."""
    return sorted(set.intersection(*map(set, found.values()))) if found else []


def returns(experiment: Experiment, found: Found, seeds: Sequence[int]) -> Table:
    """A row for each method, the highest mean return first."""
    values = {name: [-lines[seed].gap for seed in seeds] for name, lines in found.items()}
    seconds = {name: mean(lines[seed].cpu_s for seed in seeds) for name, lines in found.items()}
    rows = [
        [
            experiment.methods[name].title,
            *(f"{value:.1f}" for value in (mean(values[name]), *values[name], seconds[name])),
        ]
        for name in sorted(values, key=lambda name: -mean(values[name]))
    ]
    return Table(["method", "mean return", *(f"seed {seed}" for seed in seeds), "CPU s"], rows)


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
