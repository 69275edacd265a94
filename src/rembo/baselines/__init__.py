"""Baselines: the methods that the paper compares with, as optimizers with the same ask and tell."""

from rembo.baselines.cma_es import CMAES
from rembo.baselines.hd_bo import HDBO
from rembo.baselines.optuna_samplers import TPE, OptunaGP, OptunaSearch
from rembo.baselines.param_ils import ParamILS
from rembo.baselines.si_bo import SIBO
from rembo.baselines.smac import SMAC

__all__ = ["CMAES", "HDBO", "SIBO", "SMAC", "TPE", "OptunaGP", "OptunaSearch", "ParamILS"]
