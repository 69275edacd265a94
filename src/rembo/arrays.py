"""The three array types that cross function borders, and how large one may be; shapes stand in the docstrings."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

LARGEST_ARRAY = 10**7  # coordinates of a point in one array: 80 MB
