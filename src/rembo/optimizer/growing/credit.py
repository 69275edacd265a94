"""Which kind of step comes next: the kinds that gained of late come more often.

Steps are the arms of a bandit, chosen by Thompson sampling: each kind's probability of a gain is drawn from its
posterior, a beta distribution, and the kind with the highest draw goes first. What happened long ago is forgotten, so
that a kind that has long failed is tried again. Hoffman, Brochu and de Freitas (2011) choose among acquisition
functions like this; here the arms are what trial.origin names.
"""

from dataclasses import dataclass, field

import numpy as np

from rembo.arrays import Array
from rembo.optimizer.trial import Origin

KINDS = (Origin.POLISH, Origin.EXPLOIT, Origin.EXPLORE)


@dataclass(frozen=True, eq=False)
class Credit:
    """How often each kind of step gained and failed, (kinds,) each; all of it fades from trial to trial."""

    gained: Array = field(default_factory=lambda: np.zeros(len(KINDS)))
    failed: Array = field(default_factory=lambda: np.zeros(len(KINDS)))

    def after(self, origin: Origin, gained: bool, memory: float) -> "Credit":
        """After a step of this kind; `memory` is the part of the record that stays. Growing is a way to exploit."""
        kind = Origin.EXPLOIT if origin is Origin.GROW else origin
        if kind not in KINDS:
            return self
        one = np.eye(len(KINDS))[KINDS.index(kind)]
        return Credit(memory * self.gained + gained * one, memory * self.failed + (not gained) * one)

    def order(self, rng: np.random.Generator) -> list[Origin]:
        """All kinds, the most promising first."""
        drawn = rng.beta(1.0 + self.gained, 1.0 + self.failed)
        return [KINDS[kind] for kind in np.argsort(-drawn)]
