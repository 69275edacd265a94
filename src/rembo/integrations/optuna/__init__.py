"""Optuna: `RemboSampler` suggests the trials of an Optuna study, in one process or in many.

`translation` turns Optuna's distributions into a space; `mark` is what a trial keeps in Optuna's storage; `search` goes
through the trials of a study; `sampler` is what Optuna calls. Optuna's storage is the only truth.
"""

from rembo.extras import absent

try:
    import optuna as _optuna  # noqa: F401
except ModuleNotFoundError as missing:
    raise absent("the Optuna sampler needs Optuna", "optuna", "greenlet") from missing

from rembo.integrations.optuna.sampler import RemboSampler

__all__ = ["RemboSampler"]
