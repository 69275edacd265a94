"""Which parameters of an Optuna study exist only where another one has certain values, as its trials tell.

Optuna's objectives suggest what they need: nobody says that a parameter is conditional. Where it is there in some
finished trials and not in others, and the value of one other parameter tells these apart, that is its condition, until
a trial contradicts. A value that no trial has had yet is taken for one without the parameter, but beyond a bound of
numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial

from rembo.integrations.optuna.translation import Branch, is_modelled

_MOST_VALUES = 64  # of a parameter on which others may depend

Distributions: TypeAlias = Mapping[str, BaseDistribution]


@dataclass(frozen=True)
class Discovered:
    """The parameters that can be searched together, and the branches of those that only some trials have."""

    distributions: Distributions
    branches: Mapping[str, Branch]


def discovered(trials: Sequence[FrozenTrial]) -> Discovered:
    """What finished trials tell, parameters in alphabetical order.

    A parameter that does not have the same distribution wherever it is, or more values than can be told apart, or no
    branch where one is needed, is left out.
    """
    alike = {name: each for name, each in _alike(trials).items() if is_modelled(each)}
    told = branches(trials, alike)
    known = {
        name: each for name, each in alike.items() if name in told or all(name in trial.params for trial in trials)
    }
    return Discovered(known, told)


def _alike(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    found: dict[str, BaseDistribution | None] = {}
    for trial in trials:
        for name, distribution in trial.distributions.items():
            found[name] = distribution if found.setdefault(name, distribution) == distribution else None
    return {name: each for name, each in sorted(found.items()) if each is not None}


def branches(trials: Sequence[FrozenTrial], among: Distributions) -> dict[str, Branch]:
    """The branches of the parameters that some trials have and others have not, where one can be told."""
    common = [name for name in among if all(name in trial.params for trial in trials)]
    parents = [name for name in among if _may_decide(among[name])]
    found: dict[str, Branch] = {}
    left = [name for name in among if name not in common]
    while left:
        known = [name for name in parents if name in common or name in found]
        told = {name: branch for name in left if (branch := _branch(name, known, trials, among)) is not None}
        if not told:
            break
        found |= told
        left = [name for name in left if name not in told]
    return found


def _may_decide(distribution: BaseDistribution) -> bool:
    if isinstance(distribution, CategoricalDistribution):
        return True
    return isinstance(distribution, IntDistribution) and distribution.high - distribution.low < _MOST_VALUES


def _branch(name: str, parents: Sequence[str], trials: Sequence[FrozenTrial], among: Distributions) -> Branch | None:
    """The simplest of the branches that tell the trials with a parameter from those without it."""
    told = [branch for parent in parents if (branch := _decided_by(parent, name, trials, among)) is not None]
    return min(told, key=lambda branch: (len(branch.values), branch.parent), default=None)


def _decided_by(parent: str, name: str, trials: Sequence[FrozenTrial], among: Distributions) -> Branch | None:
    """The branch of a parameter if another one decides about it; where that is missing, the parameter must be, too."""
    if parent == name or any(name in trial.params and parent not in trial.params for trial in trials):
        return None
    inner, outer = among[parent].to_internal_repr, among[parent].to_external_repr  # choices may be unhashable
    have = [trial for trial in trials if parent in trial.params]
    there = {inner(trial.params[parent]) for trial in have if name in trial.params}
    gone = {inner(trial.params[parent]) for trial in have if name not in trial.params}
    if there & gone or (not gone and len(have) < len(trials)):  # the other one's own branch says that already
        return None
    if isinstance(among[parent], IntDistribution):
        if max(gone) < min(there):
            return Branch(parent, at_least=outer(min(there)))
        if min(gone) > max(there):
            return Branch(parent, at_most=outer(max(there)))
    return Branch(parent, tuple(outer(each) for each in sorted(there)))
