"""ConfigSpace's files, JSON and YAML, through ConfigSpace itself, which is loaded only where such a file is read.

Conditions and forbidden combinations are refused: `rembo.integrations.configspace`, which shares the translation of
hyperparameters, knows them. Ordinal parameters become choices, and a prior that is not uniform keeps its bounds alone.
"""

from pathlib import Path
from typing import Any

from rembo.extras import absent
from rembo.scenario.error import located, read_text
from rembo.scenario.option import Option
from rembo.space import Categorical, Float, Integer, Parameter


def read_configspace(file: Path) -> list[Option]:
    """The options of a file that ConfigSpace has written, or a ScenarioError."""
    read_text(file, "parameter file")
    with located(file, None):
        space = _read(file)
        for kind, clauses in (("conditions", space.conditions), ("forbidden combinations", space.forbidden_clauses)):
            if clauses:
                raise ValueError(f"{kind} are not known here, {clauses[0]}: write the file without them")
        return [
            Option(str(name), parameter_of(hyperparameter), default_of(hyperparameter), f"--{name}=")
            for name, hyperparameter in space.items()
        ]


def import_configspace(wanted_by: object) -> Any:
    """The package, or a ModuleNotFoundError that says who wants it and how to install it."""
    try:
        import ConfigSpace
    except ModuleNotFoundError as missing:
        raise absent(f"{wanted_by} needs ConfigSpace", "configspace", "pyyaml") from missing
    return ConfigSpace


def parameter_of(hyperparameter: Any) -> Parameter | None:
    """What a hyperparameter of ConfigSpace is here; None if it has one value only."""
    from ConfigSpace.hyperparameters import Constant, FloatHyperparameter, IntegerHyperparameter

    if isinstance(hyperparameter, Constant):
        return None
    if isinstance(hyperparameter, IntegerHyperparameter):
        return Integer(int(hyperparameter.lower), int(hyperparameter.upper), bool(hyperparameter.log))
    if isinstance(hyperparameter, FloatHyperparameter):
        return Float(float(hyperparameter.lower), float(hyperparameter.upper), bool(hyperparameter.log))
    choices = getattr(hyperparameter, "choices", None) or hyperparameter.sequence
    return Categorical(choices) if len(choices) > 1 else None


def default_of(hyperparameter: Any) -> Any:
    """The default value of a hyperparameter, as a number of Python's own where it is one."""
    match parameter_of(hyperparameter):
        case Integer():
            return int(hyperparameter.default_value)
        case Float():
            return float(hyperparameter.default_value)
    return hyperparameter.default_value


def _read(file: Path) -> Any:
    space = import_configspace(file).ConfigurationSpace
    reader = space.from_json if file.suffix == ".json" else space.from_yaml
    try:
        return reader(file)
    except Exception as error:  # what ConfigSpace raises for a foreign file is of many kinds
        raise ValueError(
            f"not a file of ConfigSpace ({type(error).__name__}: {error}): write it with to_json"
        ) from None
