"""The methods of the contest, each an object with one verb: `minimize(f, space, n_trials, seed)`.

It evaluates f, which gets a Point of a Box or a dict of a Space, n_trials times and returns nothing: what was found, f
itself records. A foreign library is imported in one file here, when a method that needs it is first made.
"""

from dataclasses import dataclass
from importlib import import_module

from methods.method import Method


@dataclass(frozen=True)
class Entry:
    """A method's name in the table, and where its class is."""

    label: str
    module: str
    kind: str


METHODS = {
    "default": Entry("rembo", "ours", "Default"),
    "random": Entry("random search", "ours", "Random"),
    "cma": Entry("CMA-ES", "cma_es", "CMAES"),
    "tpe": Entry("Optuna TPE", "optuna_samplers", "TPE"),
    "paramils": Entry("ParamILS", "ours", "LocalSearch"),
    "optuna-gp": Entry("Optuna GP", "optuna_samplers", "GaussianProcess"),
    "turbo": Entry("TuRBO", "turbo", "TuRBO"),
}


def method(name: str) -> Method:
    """The method of that name with its settings; a missing package is named with its cure."""
    if name not in METHODS:
        raise ValueError(f"there is no method {name!r}: the methods are {', '.join(METHODS)}")
    try:
        return getattr(import_module(f"methods.{METHODS[name].module}"), METHODS[name].kind)()
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(f"{name} needs {missing.name}: pip install 'rembo[benchmarks]'") from missing


__all__ = ["METHODS", "Entry", "Method", "method"]
