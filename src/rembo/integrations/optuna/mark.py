"""What a trial keeps in Optuna's storage: what was pending when it began, its suggestion, and whose that is.

From this and from the values of a study's trials any process can bring an optimizer to where it stood.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from rembo.optimizer import Suggestion
from rembo.study.codec import Data, decode, encode, to_text

MARK = "rembo:mark"  # the system attribute that holds the mark
PENDING = "rembo:pending"  # the one that holds the numbers of earlier trials whose end was not known at the beginning


@dataclass(frozen=True)
class Identity:
    """What tells one search from another: its space and settings, its seed, and the place around which it began."""

    kind: str
    seed: int
    center: str | None

    @staticmethod
    def of(data: Mapping[str, Any]) -> "Identity":
        """The identity that a mark holds."""
        return Identity(data["kind"], data["seed"], data["center"])


@dataclass(frozen=True)
class Mark:
    """A suggestion, and the search that made it."""

    identity: Identity
    suggestion: Suggestion

    def data(self) -> Data:
        """The mark as JSON data."""
        return asdict(self.identity) | {"suggestion": encode(self.suggestion)}

    @staticmethod
    def of(data: Mapping[str, Any]) -> "Mark":
        """The mark that JSON data stands for."""
        return Mark(Identity.of(data), decode(data["suggestion"]))


def digest(thing: Any) -> str:
    """A short name for a thing, the same in every process."""
    return sha256(to_text(encode(thing)).encode()).hexdigest()[:16]
