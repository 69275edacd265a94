"""Single runs beside interleaved ones (Section 3.1), each in a panel of its own, as the paper's figures have them."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from harness.methods.method import Entry, Method

RUNS = 4
PANELS = SINGLE, TURNS = "single run", f"k = {RUNS}"


def single_and_in_turns(alone: Mapping[str, Entry], in_turns: Mapping[str, Callable[[], Method]]) -> dict[str, Entry]:
    """The methods as single runs, then those of them that also take turns, of which the names say how many do."""
    together = {f"{name}-{RUNS}": Entry(alone[name].label, load, panel=TURNS) for name, load in in_turns.items()}
    return {name: replace(entry, panel=SINGLE) for name, entry in alone.items()} | together
