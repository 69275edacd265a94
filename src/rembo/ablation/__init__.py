"""Ablation: which few of many changes from one configuration to another carry the gain.

After a search: `between` makes the configurations between the two, `walk` finds the changes that count and puts them in
order, `result` is what comes out, `ablate` is the function to call. The idea is that of Fawcett and Hoos (2016),
"Analysing differences between algorithm configurations through ablation"; docs/ablation.md says what differs and why.
"""

from rembo.ablation.ablate import ablate, one_by_one
from rembo.ablation.result import Ablation, AblationStep, Change, Flip

__all__ = ["Ablation", "AblationStep", "Change", "Flip", "ablate", "one_by_one"]
