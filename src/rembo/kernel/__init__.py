"""Kernels between embedded points: how covariance falls with distance, and where that distance is measured.

Third step of the path (embedding -> kernel -> gp). Section 3.2 of the paper. A kernel is chosen before the space is
known and bound to it by the optimizer; a new one is a profile and its slope, or any class with the members of `Kernel`.
"""

from rembo.kernel.dormant import Dormant
from rembo.kernel.effects import BESIDES, BoundEffects
from rembo.kernel.features import SAMPLED, Embedded, FeatureMap, Features, Image, Linear, Rounded
from rembo.kernel.hamming import Hamming
from rembo.kernel.kernel import Between, BoundKernel, Gram, Kernel
from rembo.kernel.leaves import Leaves
from rembo.kernel.product import Product
from rembo.kernel.stationary import BoundStationary, Matern32, Matern52, SquaredExponential, Stationary

__all__ = [
    "BESIDES",
    "SAMPLED",
    "Between",
    "BoundEffects",
    "BoundKernel",
    "BoundStationary",
    "Dormant",
    "Embedded",
    "FeatureMap",
    "Features",
    "Gram",
    "Hamming",
    "Image",
    "Kernel",
    "Leaves",
    "Linear",
    "Matern32",
    "Matern52",
    "Product",
    "Rounded",
    "SquaredExponential",
    "Stationary",
]
