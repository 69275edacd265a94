"""Whether "what matters" is true of a real program: gcc's flags, each flipped alone in the best configuration.

    python benchmarks/importance_gcc.py SCENARIO.toml STUDY.db

The study is one of switches that the default has tuned, as examples/gcc makes it. All switches are flipped, which takes
an evaluation each. Written are the groups of `Growing.importance` with what flipping their parameters really does, in
percent of the best value, in the order of the list.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded

import sys
from pathlib import Path
from typing import Any

from rembo.optimizer import Growing, Importance
from rembo.plot.data.search import Search
from rembo.scenario import Scenario
from rembo.study import EvaluationError, open_storage
from results import save


def flips(scenario: Scenario, best: dict[str, Any], unchanged: float) -> dict[str, float | None]:
    """The change of f in percent for each switch that is flipped alone; None where f fails then."""
    f = scenario.evaluation()
    found: dict[str, float | None] = {}
    for name, value in best.items():
        try:
            found[name] = 100.0 * (f({**best, name: not value}) - unchanged) / unchanged
        except EvaluationError:
            found[name] = None
        print(f"{name}: {found[name]}", flush=True)
    return found


def described(group: Importance, unchanged: float, flipped: dict[str, float | None]) -> dict[str, Any]:
    """A group of the list, its effect in percent of the best value, and the truth."""
    effect = [100.0 * number / unchanged for number in (group.effect_low, group.effect, group.effect_high)]
    share = [100.0 * number for number in (group.low, group.share, group.high)]
    truth = {name: flipped[name] for name in group.parameters}
    return {"matters": group.matters, "effect": effect, "share": share, "flipped": truth}


def main() -> None:
    """The list of a study, and the flips."""
    scenario, storage = Scenario.read(Path(sys.argv[1])), open_storage(sys.argv[2])
    search = Search.of(storage.read(storage.names()[0]))
    assert isinstance(search.optimizer, Growing)
    best, unchanged = dict(search.best.x), float(search.best.value or 0.0)
    flipped = flips(scenario, best, unchanged)
    groups = [described(group, unchanged, flipped) for group in search.optimizer.importance()]
    save("importance_gcc", trials=len(search.told), best=unchanged, groups=groups)


if __name__ == "__main__":
    main()
