"""ConfigSpace's files, JSON and YAML, through ConfigSpace itself, which is loaded only where such a file is read.

Conditions and forbidden clauses become ours. A prior that is not uniform keeps its bounds alone.
"""

from pathlib import Path
from typing import Any

from rembo.extras import absent
from rembo.scenario.error import located, read_text
from rembo.scenario.expression import Known, Ruling, both, either, invert
from rembo.scenario.option import Declared, Option
from rembo.scenario.template import text_of
from rembo.space import Categorical, Float, Integer, Ordinal, Parameter

_RELATIONS = {"ForbiddenLessThanRelation": "<", "ForbiddenGreaterThanRelation": ">", "ForbiddenEqualsRelation": "=="}
_EQUALITIES = ("EqualsCondition", "InCondition", "NotEqualsCondition", "ForbiddenEqualsClause", "ForbiddenInClause")


def read_configspace(file: Path) -> Declared:
    """The options of a file that ConfigSpace has written, or a ScenarioError."""
    read_text(file, "parameter file")
    with located(file, None):
        return declared_by(_read(file))


def declared_by(space: Any) -> Declared:
    """The hyperparameters of a ConfigurationSpace as options, with conditions and forbidden clauses."""
    constants = {str(name): default_of(each) for name, each in space.items() if parameter_of(each) is None}
    parameters = {str(name): made for name, each in space.items() if (made := parameter_of(each)) is not None}
    known = Known(parameters, constants)
    options = [_option(str(name), each, space, known) for name, each in space.items()]
    forbidden = [_ruling(clause, known) for clause in space.forbidden_clauses]
    if any(each is True for each in forbidden):
        raise ValueError("a forbidden clause of constants alone forbids everything: remove it")
    kept = [each for each in options if each is not None]
    return Declared(kept, [each for each in forbidden if not isinstance(each, bool)])


def _option(name: str, hyperparameter: Any, space: Any, known: Known) -> Option | None:
    """A hyperparameter with its conditions; None where it never exists."""
    ruling = both([_ruling(condition, known) for condition in space.parent_conditions_of[name]])
    if ruling is False:
        return None
    condition = None if isinstance(ruling, bool) else ruling
    switch = f"--{name}="
    return Option(name, parameter_of(hyperparameter), default_of(hyperparameter), switch, condition=condition)


def _ruling(clause: Any, known: Known) -> Ruling:
    """A condition or a forbidden clause of ConfigSpace as ours."""
    kind = type(clause).__name__
    if kind in ("AndConjunction", "OrConjunction", "ForbiddenAndConjunction"):
        parts = [_ruling(part, known) for part in clause.components]
        return either(parts) if kind == "OrConjunction" else both(parts)
    if kind in _RELATIONS:
        left, right = clause.left.name, clause.right.name
        if kind != "ForbiddenEqualsRelation":
            return known.compared(left, _RELATIONS[kind], right)
        return both([known.compared(left, "<=", right), known.compared(left, ">=", right)])
    name = (clause.parent if hasattr(clause, "parent") else clause.hyperparameter).name
    if kind in ("LessThanCondition", "GreaterThanCondition"):
        return known.compared(name, "<" if kind.startswith("Less") else ">", text_of(clause.value))
    if kind not in _EQUALITIES:
        raise ValueError(f"{clause} is of an unknown kind, {kind}: write the file without it")
    equal = known.equal(name, [text_of(value) for value in getattr(clause, "values", None) or [clause.value]])
    return invert(equal) if kind == "NotEqualsCondition" else equal


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
    if hasattr(hyperparameter, "sequence"):
        return Ordinal(hyperparameter.sequence) if len(hyperparameter.sequence) > 1 else None
    return Categorical(hyperparameter.choices) if len(hyperparameter.choices) > 1 else None


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
