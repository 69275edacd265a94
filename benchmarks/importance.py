"""Whether "what matters" is true: the ranges of `Growing.importance` beside what changing each group really does.

    python benchmarks/importance.py [FOLDER]

Known functions, searched by the default; after 100 and 200 trials each group of parameters is really moved from the
best configuration to the settings that its effect is about. Counted are ranges that hold the truth (90 % should),
groups that are said to matter, and those that do. How far ranges are widened was chosen on seeds 1000 to 1003; seeds 0
to 3, which are measured here, were not looked at before. With a folder, searches are kept there and not made again.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded

import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rembo
from rembo.arrays import Array
from rembo.embedding import Point
from rembo.optimizer.importance.importance import Moves
from rembo.optimizer.importance.observed import small_enough
from rembo.problems import BinaryQuadratic, Branin, CategoryTable, Hartmann6, Padded, SparseBits
from rembo.space import coordinate_name
from results import save

SEEDS, MARKS = range(4), (100, 200)
NOTHING = 1e-9  # a change of f below this is rounding
FIRST = 12  # groups of the list that are looked at apart
PROBLEMS: dict[str, Callable[[int], Any]] = {
    "SparseBits, 100 bits, 10 active": lambda seed: SparseBits(100, 10, seed=seed),
    "SparseBits, 183 bits, 10 active": lambda seed: SparseBits(183, 10, seed=seed),
    "BinaryQuadratic, 30 bits, all active": lambda seed: BinaryQuadratic(30, seed=seed),
    "CategoryTable, 20 x 5, 4 active": lambda seed: CategoryTable(20, 5, 4, seed=seed),
    "CategoryTable, 20 x 5, all active": lambda seed: CategoryTable(20, 5, seed=seed),
    "Branin in D = 100": lambda seed: Padded(Branin(), 100, seed=seed),
    "Hartmann6 in D = 100": lambda seed: Padded(Hartmann6(), 100, seed=seed),
}


def searches(problem: Any, seed: int) -> Iterator[rembo.Growing]:
    """The search of a seed after 100 trials, and after 200."""
    optimizer = rembo.Growing(problem.space, seed=seed)
    for number in range(1, MARKS[-1] + 1):
        trial = optimizer.ask()
        optimizer.tell(trial, problem(trial.x))
        if number in MARKS:
            yield optimizer


def kept_searches(folder: Path | None, name: str, seed: int) -> Iterator[rembo.Growing]:
    """The same, from files if there are any, or else into them."""
    files = [] if folder is None else [folder / f"{name}, seed {seed}, {mark}.pickle" for mark in MARKS]
    if files and all(file.exists() for file in files):
        yield from (pickle.loads(file.read_bytes()) for file in files)
        return
    for number, optimizer in enumerate(searches(PROBLEMS[name](seed), seed)):
        if files:
            files[number].write_bytes(pickle.dumps(optimizer))
        yield optimizer


def moved_points(optimizer: rembo.Growing, moves: Moves) -> tuple[Point, list[Point]]:
    """The incumbent and the moved points, as points of the space."""
    seen = optimizer.observed()
    if not small_enough(optimizer.space):
        forest = max((one.catch_up() for one in optimizer.restarts), key=lambda state: state.successes).forest
        return Point(forest, moves.y), [Point(forest, y) for y in moves.Y]
    identity = rembo.IdentityEmbedding(optimizer.space.size)
    X = np.array([trial.point[:] for trial in optimizer.trials if trial.value is not None])
    best, moved = X[seen.incumbent], []
    for y, group in zip(moves.Y, moves.groups.tolist(), strict=True):
        members, like = seen.members[group], np.flatnonzero(seen.data.Y[:, group] == y[group])
        x = best.copy()
        x[members] = X[like[0], members] if len(like) else -best[members]  # never moved: bits, all of them flipped
        moved.append(Point(identity, x))
    return Point(identity, best), moved


def truth(problem: Any, optimizer: rembo.Growing, moves: Moves) -> tuple[Array, Array]:
    """What moving each group really does to f on average, and its share of the variance over settings."""
    best, moved = moved_points(optimizer, moves)
    f = [problem(optimizer.space.decode(point)) for point in [*moved, best]]
    values, at_best = np.array(f[:-1]), f[-1]
    effects = np.array([values[moves.groups == group].mean() - at_best for group in range(len(moves.y))])
    variances = np.array([np.append(values[moves.groups == group], at_best).var() for group in range(len(moves.y))])
    return effects, variances / variances.sum()


def counts(problem: Any, optimizer: rembo.Growing) -> Counter[str]:
    """What is counted over the groups of one search."""
    seen, groups = optimizer.observed(), optimizer.importance()
    names = [group.parameters[0] for group in groups]
    moves = Moves.away_from(seen.incumbent, seen.leaves, seen.data.Y)
    effects, shares = truth(problem, optimizer, moves)
    active = np.abs(effects) > NOTHING
    listed = [names.index(coordinate_name(optimizer.space, int(members[0]))) for members in seen.members]
    said = [groups[place] for place in listed]
    held = np.array([group.effect_low <= true <= group.effect_high for group, true in zip(said, effects, strict=True)])
    share_held = np.array([group.low <= true <= group.high for group, true in zip(said, shares, strict=True)])
    matters, first = np.array([group.matters for group in said]), np.array(listed) < FIRST
    numbers = {
        "groups": len(groups),
        "effects held": held.sum(),
        "shares held": share_held.sum(),
        "active": active.sum(),
        "active effects held": (held & active).sum(),
        "active shares held": (share_held & active).sum(),
        "first": first.sum(),
        "first active": (first & active).sum(),
        "first effects held": (held & first).sum(),
        "first shares held": (share_held & first).sum(),
        "said to matter": matters.sum(),
        "rightly": (matters & active).sum(),
    }
    return Counter({name: int(number) for name, number in numbers.items()})


def total(cases: Iterable[Counter[str]]) -> Counter[str]:
    """The sum over problems, zeros included."""
    added: Counter[str] = Counter()
    for case in cases:
        added.update(case)
    return added


def main() -> None:
    """All problems, seeds and numbers of trials."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    found: dict[str, dict[str, Counter[str]]] = {}
    for name, problem in PROBLEMS.items():
        for seed in SEEDS:
            for mark, optimizer in zip(MARKS, kept_searches(folder, name, seed), strict=True):
                counted = counts(problem(seed), optimizer)
                print(f"{name}, seed {seed}, {mark}: {dict(counted)}", flush=True)
                cases = found.setdefault(f"after {mark} trials", {})
                cases.setdefault(name, Counter()).update(counted)
    totals = {mark: total(cases.values()) for mark, cases in found.items()}
    save("importance", seeds=list(SEEDS), counts=found, all_problems=totals)


if __name__ == "__main__":
    main()
