"""Parameters that are not searched together, each by itself: the middle of its range at first, then anywhere.

Where is a function of the seed, of the trial's number and of the parameter's name, so that the processes that share a
study, and a seed, do not evaluate the same.
"""

from typing import Any
from zlib import crc32

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study
from optuna.trial import FrozenTrial

from rembo.integrations.optuna.translation import is_modelled, middle
from rembo.optimizer.optimizer import derived_seed


class ScatterSampler(BaseSampler):  # type: ignore[misc]  # Optuna's types are not read
    """A first trial in the middle of all ranges, as our optimizers begin, and others at random."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """No parameters are searched together."""
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """No values for them."""
        return {}

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """The middle in the first trial; in others a random value."""
        if trial.number == 0 and is_modelled(param_distribution):
            return middle(param_distribution)
        seed = derived_seed(self.seed, trial.number, crc32(param_name.encode())) % 2**32
        return RandomSampler(seed).sample_independent(study, trial, param_name, param_distribution)
