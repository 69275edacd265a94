"""ConfigSpace's files, JSON and YAML, through ConfigSpace itself, which is loaded only where such a file is read.

Conditions and forbidden combinations are refused. Ordinal parameters become choices, and a prior that is not uniform
keeps its bounds alone.
"""

from pathlib import Path
from typing import Any

from rembo.scenario.error import located, read_text
from rembo.scenario.option import Option
from rembo.space import Categorical, Float, Integer


def read_configspace(file: Path) -> list[Option]:
    """The options of a file that ConfigSpace has written, or a ScenarioError."""
    read_text(file, "parameter file")
    with located(file, None):
        space = _read(file)
        for kind, clauses in (("conditions", space.conditions), ("forbidden combinations", space.forbidden_clauses)):
            if clauses:
                raise ValueError(f"{kind} are not known here, {clauses[0]}: write the file without them")
        return [_option(hyperparameter) for hyperparameter in space.values()]


def _read(file: Path) -> Any:
    try:
        from ConfigSpace import ConfigurationSpace
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(f"{file} needs ConfigSpace: pip install 'rembo[configspace]'") from missing
    reader = ConfigurationSpace.from_json if file.suffix == ".json" else ConfigurationSpace.from_yaml
    try:
        return reader(file)
    except Exception as error:  # what ConfigSpace raises for a foreign file is of many kinds
        raise ValueError(
            f"not a file of ConfigSpace ({type(error).__name__}: {error}): write it with to_json"
        ) from None


def _option(hyperparameter: Any) -> Option:
    from ConfigSpace import Constant
    from ConfigSpace.hyperparameters import FloatHyperparameter, IntegerHyperparameter

    name, switch = str(hyperparameter.name), f"--{hyperparameter.name}="
    if isinstance(hyperparameter, Constant):
        return Option(name, None, hyperparameter.value, switch)
    default = hyperparameter.default_value
    if isinstance(hyperparameter, IntegerHyperparameter):
        bounds = int(hyperparameter.lower), int(hyperparameter.upper)
        return Option(name, Integer(*bounds, bool(hyperparameter.log)), int(default), switch)
    if isinstance(hyperparameter, FloatHyperparameter):
        low, high = float(hyperparameter.lower), float(hyperparameter.upper)
        return Option(name, Float(low, high, bool(hyperparameter.log)), float(default), switch)
    choices = getattr(hyperparameter, "choices", None) or hyperparameter.sequence
    return Option(name, Categorical(choices), default, switch)
