"""`python -m torture` runs all campaigns, or those that are named, and keeps what was counted of the others.

Each gets its share of the seconds. Ends with 1 if anything happened that must not.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rembo
from results import load, save
from torture.budget import Budget
from torture.damage import damage
from torture.fuzz import fuzz
from torture.kills import kills
from torture.locks import locks
from torture.misbehaving import misbehaving
from torture.worker_kills import worker_kills


@dataclass(frozen=True)
class Campaign:
    """What is done, and its share of the time."""

    run: Callable[[Budget, int], dict[str, Any]]
    share: float


CAMPAIGNS = {
    "kills": Campaign(kills, 0.35),
    "worker_kills": Campaign(worker_kills, 0.08),
    "misbehaving": Campaign(misbehaving, 0.37),
    "damage": Campaign(damage, 0.05),
    "locks": Campaign(locks, 0.05),
    "fuzz": Campaign(fuzz, 0.10),
}


def conducted(name: str, budget: Budget, seed: int) -> dict[str, Any]:
    """What a campaign has counted, with what it took."""
    print(f"== {name}, {budget.seconds:.0f} s", file=sys.stderr, flush=True)
    began, load_before = time.monotonic(), os.getloadavg()[0]
    counted = CAMPAIGNS[name].run(budget, seed)
    took = {"seconds": time.monotonic() - began, "load_average_before": load_before}
    return {"seed": seed, "rembo": rembo.__version__, **took, **counted}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run campaigns; the number of those in which something happened that must not."""
    parser = argparse.ArgumentParser("torture", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="CAMPAIGN", help=f"of {', '.join(CAMPAIGNS)}; all by default")
    parser.add_argument("--seconds", type=float, default=1800.0, help="for all campaigns together; 1800")
    parser.add_argument("--count", type=float, default=math.inf, help="of studies, cases or batches in each; no limit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="a JSON file, instead of benchmarks/results/torture.json")
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - set(CAMPAIGNS):
        parser.error(f"no campaign {', '.join(sorted(unknown))}: there are {', '.join(CAMPAIGNS)}")
    names = given.names or list(CAMPAIGNS)
    of_all = sum(CAMPAIGNS[name].share for name in names)
    counted: dict[str, Any] = {}
    if given.output is None:
        with suppress(FileNotFoundError):
            counted = load("torture")
    for name in names:
        budget = Budget(given.seconds * CAMPAIGNS[name].share / of_all, given.count)
        counted[name] = conducted(name, budget, given.seed)
        if given.output is None:
            save("torture", **counted)
        else:
            given.output.write_text(json.dumps(counted))
    for name in names:
        print(f"{name}: {len(counted[name]['faults'])} faults", *counted[name]["faults"], sep="\n  ", file=sys.stderr)
    return int(any(counted[name]["faults"] for name in names))


if __name__ == "__main__":
    sys.exit(main())
