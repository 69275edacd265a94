"""The first part of a method card: which method searched, with which choices, and why these."""

from rembo.embedding import Forest
from rembo.optimizer.growing import Restart
from rembo.optimizer.rembo import Run
from rembo.plot.data.card.entry import Entry, number
from rembo.plot.data.model import Modeller, modellers
from rembo.plot.data.search import Search

_WHY = {
    "Growing": "the default: needs neither d nor k, its embedding grows where f turns out to vary",
    "Rembo": "Bayesian optimization in a random subspace (Algorithm 2): right if at most d directions matter",
    "BayesOpt": "Bayesian optimization of every coordinate (Algorithm 1): for few parameters",
    "RandomSearch": "uniform random points: what everything must beat",
    "Interleaved": "optimizers that take turns, so that the failure of one is not the failure of all",
}


def used(search: Search) -> list[Entry]:
    """What a study used, a line for each choice."""
    name = type(search.optimizer).__name__
    entries = [
        Entry("Method", name, _WHY.get(name, "a method to compare with")),
        Entry("Search space", f"D = {search.optimizer.space.size:,}", f"coordinates; f is {search.direction}d"),
        Entry(
            "Trials",
            _counts(search),
            f"the best value is {number(search.best.value or 0.0)}, of trial {search.best.number}",
        ),
        Entry("Seed", str(search.optimizer.seed), "the same seed and the same values make the same search"),
    ]
    known = modellers(search.optimizer)
    return entries + (_modelled(known[search.best.run], len(known)) if search.best.run in known else [])


def _counts(search: Search) -> str:
    complete = sum(trial.value is not None for trial in search.told)
    return f"{complete:,} complete, {len(search.told) - complete:,} without a value"


def _modelled(modeller: Modeller, runs: int) -> list[Entry]:
    return _of_restart(modeller, runs) if isinstance(modeller, Restart) else _of_run(modeller, runs)


def _of_run(run: Run, runs: int) -> list[Entry]:
    d, parts = run.region.dim, run.parts
    return [
        Entry("Embedding", f"{type(run.embedding).__name__}, d = {d}", f"y is searched in {_interval(run)}^{d}"),
        Entry("Runs", str(runs), "independent embeddings: all fail only if each does (Section 3.1)"),
        Entry("Kernel", _called(parts.kernel), "says how alike f is expected to be at two points"),
        Entry("Acquisition", _called(parts.acquisition), f"maximised by {_called(parts.maximizer)}"),
        Entry("Learning", _called(parts.learning), "how length scales follow from the values"),
    ]


def _of_restart(restart: Restart, restarts: int) -> list[Entry]:
    forest: Forest = restart.catch_up().forest
    alone = int((forest.sizes == 1).sum())
    meaning = f"{alone} of them hold a single parameter; parameters of a bin move together"
    return [
        Entry("Embedding", f"{forest.embedding_dim} bins, {restart.forest.embedding_dim} at first", meaning),
        Entry("Restarts", str(restarts), "a new one begins where the last made no progress for long"),
    ]


def _interval(run: Run) -> str:
    return f"[-{run.region.half_width:.3g}, {run.region.half_width:.3g}]"


def _called(part: object) -> str:
    return type(part).__name__
