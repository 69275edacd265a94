"""What a trial keeps in Optuna's storage: the suggestion that it is, of which search, and what was pending then.

From the marks of a study's trials, and from their values, any process can bring an optimizer to where it stood.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from rembo.optimizer import Optimizer, Suggestion
from rembo.study.codec import Data, decode, encode, to_text

KEY = "rembo"  # of the system attribute that holds the mark


@dataclass(frozen=True)
class Identity:
    """What tells one search from another: its space and settings, its seed, and the trial around which it began."""

    kind: str
    seed: int
    center: int | None

    @staticmethod
    def of(data: Mapping[str, Any]) -> "Identity":
        """The identity that a mark holds."""
        return Identity(data["kind"], data["seed"], data["center"])


@dataclass(frozen=True)
class Mark:
    """A suggestion, and the numbers of the trials before it whose end was not known when it was made."""

    identity: Identity
    pending: tuple[int, ...]
    suggestion: Suggestion

    def data(self) -> Data:
        """The mark as JSON data."""
        return asdict(self.identity) | {"pending": list(self.pending), "suggestion": encode(self.suggestion)}

    @staticmethod
    def of(data: Mapping[str, Any]) -> "Mark":
        """The mark that JSON data stands for."""
        return Mark(Identity.of(data), tuple(data["pending"]), decode(data["suggestion"]))


def kind_of(optimizer: Optimizer) -> str:
    """A short name for all optimizers with these settings in this space."""
    return sha256(to_text(encode(optimizer, "optimizer")).encode()).hexdigest()[:16]
