"""The fourteen parameters of the classifier that are searched, their ranges (Section 4.4, Table 2), and a default."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rembo.problems.bodyparts.offsets import OffsetDistribution
from rembo.space import Bool, Float, Integer, Parameter, Space

MEANS, COVARIANCES = ("mean_1", "mean_2"), ("covariance_11", "covariance_12", "covariance_22")


def _offset(end: str) -> dict[str, Parameter]:
    ranges = dict.fromkeys(MEANS, Float(-50.0, 50.0)) | dict.fromkeys(COVARIANCES, Float(1.0, 200.0))
    return {f"{end}_{name}": parameter for name, parameter in ranges.items()}


def _round(end: str) -> dict[str, float]:
    """An offset that goes ten pixels in any direction."""
    values = {"mean_1": 0.0, "mean_2": 0.0, "covariance_11": 100.0, "covariance_12": 1.0, "covariance_22": 100.0}
    return {f"{end}_{name}": value for name, value in values.items()}


SPACE = Space(
    {
        **_offset("u"),
        **_offset("v"),
        "max_depth": Integer(1, 60, log=True),
        "min_samples": Integer(1, 100),
        "candidates": Integer(1, 5000, log=True),
        "bootstrap": Bool(),
    },
    default={**_round("u"), **_round("v"), "max_depth": 20, "min_samples": 10, "candidates": 100, "bootstrap": False},
)


@dataclass(frozen=True)
class Settings:
    """How a forest is grown: where features look, how deep trees are, and how much is tried at each node.

    A node with fewer than `min_samples` pixels stays a leaf; of `candidates` pairs of offsets the best is kept; with
    `bootstrap` each tree draws its own pixels, with replacement.
    """

    u: OffsetDistribution
    v: OffsetDistribution
    max_depth: int
    min_samples: int
    candidates: int
    bootstrap: bool

    @classmethod
    def of(cls, x: Mapping[str, Any]) -> "Settings":
        """Those of a configuration, or a ValueError that says what is wrong with it."""
        SPACE.encode(x)
        u, v = (OffsetDistribution(**{name: x[f"{end}_{name}"] for name in MEANS + COVARIANCES}) for end in "uv")
        return cls(u, v, x["max_depth"], x["min_samples"], x["candidates"], x["bootstrap"])
