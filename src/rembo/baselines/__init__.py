"""Baselines: the methods that the paper compares with, as optimizers with the same ask and tell."""

from rembo.baselines.param_ils import ParamILS

__all__ = ["ParamILS"]
