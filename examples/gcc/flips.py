#!/usr/bin/env python3
"""Print what each flag does where it alone is flipped, at -O2 and at the best trial.

./flips.py scenario.db > flips.csv
"""

import csv
import sys
from collections.abc import Callable
from typing import Any

from rembo import EvaluationError, Study
from rembo.scenario import Scenario

Configuration = dict[str, Any]


def flipped(f: Callable[[Configuration], float], x: Configuration, flag: str) -> float | str:
    """The instructions with a flag flipped, or why there is no number."""
    try:
        return int(f({**x, flag: not x[flag]}))
    except EvaluationError as failure:
        return failure.text.splitlines()[-1]


def main(file: str) -> None:
    """A row for each flag: its settings, and the instructions where it is flipped."""
    scenario = Scenario.read("scenario.toml")
    f = scenario.evaluation()
    with Study.load(file, "scenario") as study:
        default, best = scenario.space.default or {}, study.best_params
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["flag", "at_O2", "at_best", "flipped_at_O2", "flipped_at_best"])
    table.writerow(["(none)", "", "", int(f(default)), int(f(best))])
    for flag in scenario.space.parameters:
        table.writerow([flag, default[flag], best[flag], flipped(f, default, flag), flipped(f, best, flag)])


if __name__ == "__main__":
    main(sys.argv[1])
