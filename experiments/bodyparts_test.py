"""What the searches of `bodyparts.py` found, on the test pictures, which nothing was chosen by.

    python experiments/bodyparts_test.py

For each method, the best configuration of each seed grows its forest once more, which is then judged on validation and
on test pictures of that seed. Writes results/bodyparts_test.md.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

import bodyparts
from harness.contest import Experiment
from harness.report import by_method
from harness.tables import Table
from rembo.problems.bodyparts import BodyParts, Stream

HEAD = ["configuration", "seeds", "validation", "test", "difference", "largest difference"]
UNTUNED = "the space's default"


@dataclass(frozen=True)
class Judgement:
    """The accuracy of one forest, on validation and on test pictures."""

    validation: float
    test: float


def judge(problem: BodyParts, x: Mapping[str, Any]) -> Judgement:
    """Grow a forest, and judge it twice."""
    forest = problem.forest(x)
    return Judgement(*(forest.accuracy(problem.judged(stream)) for stream in (Stream.VALIDATION, Stream.TEST)))


def configurations(experiment: Experiment, name: str) -> dict[str, dict[int, Any]]:
    """By label and seed: the best configurations found, and what one has without a search."""
    found = {label: {line.seed: line.best for line in lines} for label, lines in by_method(experiment, name).items()}
    seeds = sorted({seed for each in found.values() for seed in each})
    instance = experiment.tasks[name].instance
    return {UNTUNED: {seed: instance(seed).space.default for seed in seeds}} | found


def row(label: str, judgements: Sequence[Judgement]) -> list[str]:
    """Mean accuracies over seeds, and how far test is below validation."""
    validation, test = (np.array([getattr(each, name) for each in judgements]) for name in ("validation", "test"))
    differences = test - validation
    largest = differences[np.abs(differences).argmax()]
    numbers = (f"{validation.mean():.4f}", f"{test.mean():.4f}", f"{differences.mean():+.4f}", f"{largest:+.4f}")
    return [label, str(len(judgements)), *numbers]


def table(experiment: Experiment, name: str = "bodyparts") -> Table:
    """A row for each method; seed after seed, since each has pictures of its own."""
    chosen = configurations(experiment, name)
    judged: dict[str, list[Judgement]] = {label: [] for label in chosen}
    for seed in tqdm(chosen[UNTUNED], unit="seed", disable=None):
        problem = experiment.tasks[name].instance(seed)
        for label in chosen:
            if seed in chosen[label]:
                judged[label].append(judge(problem, chosen[label][seed]))
    return Table(HEAD, [row(label, judgements) for label, judgements in judged.items() if judgements])


def present(experiment: Experiment) -> None:
    """Print the table, and write it."""
    found = table(experiment)
    print(found)
    page = f"# {bodyparts.TITLE}: accuracy on validation and test pictures\n\n{found.markdown}\n"
    (experiment.results / f"{experiment.name}_test.md").write_text(page)


if __name__ == "__main__":
    present(bodyparts.EXPERIMENT)
