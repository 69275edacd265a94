"""The methods that experiments compare, each an object with one verb: `minimize(f, space, n_trials, seed)`.

It evaluates f, which gets a Point of a Box or a dict of a Space, n_trials times and returns nothing: what was found, f
itself records. An `Entry` makes a method where it runs; foreign libraries are imported then.
"""

from functools import partial

from harness.methods.ask_tell import (
    AskTell,
    PlannedSMAC,
    bayes_opt,
    cma_es,
    default,
    discrete,
    hd_bo,
    in_turns,
    interleaved,
    optuna_gp,
    param_ils,
    random_search,
    rembo_released,
    rembo_with,
    si_bo,
    smac_for,
    small,
    small_continuum,
    tpe,
)
from harness.methods.local_search import HillClimber, SparseMutation
from harness.methods.method import Entry, Method
from rembo.extras import absent


def _turbo() -> Method:
    try:
        from harness.methods.turbo import TuRBO
    except ModuleNotFoundError as missing:
        raise absent(f"TuRBO needs {missing.name}", "torch", "gpytorch") from missing
    return TuRBO()


def _botorch_default() -> Method:
    try:
        from harness.methods.botorch_default import BoTorchDefault
    except ModuleNotFoundError as missing:
        raise absent(f"BoTorch's default needs {missing.name}", "torch", "gpytorch", "botorch") from missing
    return BoTorchDefault()


def _baxus() -> Method:
    try:
        from harness.methods.baxus import BAxUSPackage
    except ModuleNotFoundError as missing:
        cure = "in an environment of its own, pip install baxus"
        raise ModuleNotFoundError(f"BAxUS needs {missing.name}: {cure}") from missing
    return BAxUSPackage()


DEFAULT = Entry("rembo", partial(AskTell, default))
RANDOM = Entry("random search", partial(AskTell, random_search))
BAYES_OPT = Entry("BO", partial(AskTell, bayes_opt, suits=small))
HD_BO = Entry("HD BO", partial(AskTell, hd_bo, suits=small_continuum))
SI_BO = Entry("SI-BO", partial(AskTell, partial(si_bo, d=2), suits=small_continuum))
PARAM_ILS = Entry("ParamILS", partial(AskTell, param_ils, suits=discrete))
CMA_ES = Entry("CMA-ES", partial(AskTell, cma_es, ("rembo", "cmaes", "numpy"), small))
TPE = Entry("Optuna TPE", partial(AskTell, tpe, ("rembo", "optuna", "numpy"), small))
OPTUNA_GP = Entry("Optuna GP", partial(AskTell, optuna_gp, ("rembo", "optuna", "torch", "scipy"), small))
SMAC = Entry("SMAC", PlannedSMAC)
TURBO = Entry("TuRBO", _turbo)
BOTORCH = Entry("BoTorch", _botorch_default)
BAXUS = Entry("BAxUS", _baxus)
HILL_CLIMBER = Entry("hill climber", HillClimber)
SPARSE_MUTATION = Entry("(1+1) sparse mutation", SparseMutation)

__all__ = [
    "BAXUS",
    "BAYES_OPT",
    "BOTORCH",
    "CMA_ES",
    "DEFAULT",
    "HD_BO",
    "HILL_CLIMBER",
    "OPTUNA_GP",
    "PARAM_ILS",
    "RANDOM",
    "SI_BO",
    "SMAC",
    "SPARSE_MUTATION",
    "TPE",
    "TURBO",
    "AskTell",
    "Entry",
    "Method",
    "in_turns",
    "interleaved",
    "rembo_released",
    "rembo_with",
    "smac_for",
]
