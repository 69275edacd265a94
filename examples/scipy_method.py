"""SciPy: rembo as a method of scipy.optimize.minimize, for a program that already calls it."""

import numpy as np
from scipy.optimize import Bounds, minimize

from rembo.integrations.scipy import embedded


def f(x: np.ndarray, scale: float) -> float:
    """Stands for a simulation; it looks at 2 of 200 numbers."""
    return scale * ((x[17] - 0.5) ** 2 + (x[120] + 0.3) ** 2)


result = minimize(
    f,
    x0=np.zeros(200),
    args=(10.0,),
    method=embedded,
    bounds=Bounds(-1.0, 2.0),
    options={"n_trials": 50, "seed": 0},
)
print(f"best value {result.fun:.6f} after {result.nfev} evaluations, from {f(np.zeros(200), 10.0):.6f} at the start")
