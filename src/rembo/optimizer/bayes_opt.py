"""Standard Bayesian optimization (Algorithm 1): Algorithm 2 with the identity for an embedding."""

from typing import Any, Literal

from rembo.acquisition import Acquisition, LogExpectedImprovement, Portfolio
from rembo.embedding import IdentityEmbedding
from rembo.gp import Standardized, Values
from rembo.kernel import Kernel
from rembo.learning import Learning, Schedule
from rembo.maximizer import Ascent, Maximizer
from rembo.optimizer.optimizer import check_seed
from rembo.optimizer.rembo import NOISELESS, EmbeddedSearch, Parts, Run, paper_kernel
from rembo.space import DomainLike, check_domain

MOST_DIMENSIONS = 2_000


class BayesOpt(EmbeddedSearch):
    """Bayesian optimization of every coordinate at once, with the parts that `Rembo` has; for small D."""

    def __init__(
        self,
        space: DomainLike,
        *,
        kernel: Kernel | None = None,
        acquisition: Acquisition | Portfolio = LogExpectedImprovement(),
        maximizer: Maximizer = Ascent(),
        learning: Learning = Schedule(),
        values: Values = Standardized(),
        noise: float | Literal["learn"] = NOISELESS,
        seed: int | None = None,
    ) -> None:
        space = check_domain(space)
        if space.size > MOST_DIMENSIONS:
            raise ValueError(f"BayesOpt in {space.size} dimensions is more than {MOST_DIMENSIONS}: use Rembo")
        chosen = paper_kernel(space, at_most=space.size) if kernel is None else kernel
        parts = Parts(chosen, acquisition, maximizer, learning, values, noise)
        identity = IdentityEmbedding(space.size)
        super().__init__(space, [Run(space, identity, identity.region, parts)], check_seed(seed))

    @property
    def settings(self) -> dict[str, Any]:
        """The parts, the chosen kernel in place of none."""
        parts = vars(self.runs[0].parts)
        return {name: part for name, part in parts.items() if name != "projection"}
