"""Where the experiments keep what they find."""

from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"
FIGURES = Path(__file__).parents[1] / "figures"
