"""ConfigSpace: a solver whose options depend on each other, some of them forbidden together."""

from ConfigSpace import (
    Categorical,
    Configuration,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    Integer,
)

import rembo
from rembo.integrations.configspace import Configured

space = ConfigurationSpace()
kernel, degree = Categorical("kernel", ["linear", "poly", "rbf"], default="rbf"), Integer("degree", (2, 5))
shrinking, cost = Categorical("shrinking", [True, False]), Float("C", (1e-3, 1e3), log=True)
space.add(kernel, degree, shrinking, cost)
space.add(EqualsCondition(degree, kernel, "poly"))
space.add(ForbiddenAndConjunction(ForbiddenEqualsClause(kernel, "linear"), ForbiddenEqualsClause(shrinking, True)))


def error(config: Configuration) -> float:
    """Stands for training; `degree` is there only if it is active."""
    curved = 0.4 - 0.05 * config["degree"] if "degree" in config else 0.3
    return abs(config["C"] - 10.0) / 1000.0 + curved + 0.01 * config["shrinking"]


configured = Configured(error, space)
result = rembo.minimize(configured, configured.space, n_trials=40, seed=0)
print(f"best error {result.fun:.4f} with {dict(configured.configuration(result.x))}")
print(f"{sum(trial.failure is not None for trial in result.trials)} of {result.nfev} were forbidden, and refused")
