"""What Optuna calls: which parameters are searched together, what their values are, and what the others are.

The sampler keeps nothing that the storage does not have. Its search is a memory of what was gone through, and is made
anew whenever the storage says otherwise.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from rembo.border import check_whole
from rembo.integrations.optuna.branches import discovered
from rembo.integrations.optuna.independent import ScatterSampler
from rembo.integrations.optuna.mark import MARK, PENDING, Mark
from rembo.integrations.optuna.search import Search, Task
from rembo.integrations.optuna.translation import Branch, Translation, is_modelled
from rembo.integrations.searched import Maker, check_maker
from rembo.optimizer import Suggestion
from rembo.optimizer.optimizer import check_seed

_JUST = timedelta(seconds=10)  # more than it takes to write what is pending, also where many processes write
_LOOK_AGAIN = 0.01  # seconds
_log = optuna.logging.get_logger("optuna.samplers.rembo")


class RemboSampler(BaseSampler):  # type: ignore[misc]  # Optuna's types are not read
    """Suggests the trials of an Optuna study with one objective by one of rembo's optimizers.

    `optimizer` makes one when called with a space and `seed=`: a class, or e.g. `partial(Rembo, embedding_dim=4)`;
    without it it is the default one. The seed with which a study began holds for all that go on with it.
    `search_space` says which parameters are searched together, with their distributions; without it they are those
    that all finished trials have in common, and those that exist where one of these, or one of their own kind, has
    certain values; the first trial is in the middle of their ranges. All others, and the first `n_startup_trials`, are
    sampled by `independent_sampler`. Constraints are not looked at.
    """

    def __init__(
        self,
        optimizer: Maker | None = None,
        seed: int | None = None,
        *,
        search_space: Mapping[str, BaseDistribution] | None = None,
        n_startup_trials: int = 0,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
    ) -> None:
        self._maker = check_maker(optimizer)
        self._seed = check_seed(seed)
        self._given = None if search_space is None else dict(search_space)
        self._n_startup_trials = check_whole(n_startup_trials, "n_startup_trials", 0)
        self._independent_sampler = independent_sampler or ScatterSampler(self._seed)
        self._warn_independent_sampling = warn_independent_sampling
        self._memory = _Memory()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The parameters that are searched together."""
        if self._given is not None:
            return {name: each for name, each in self._given.items() if is_modelled(each)}
        with self._memory.lock:
            found = discovered(_finished(study))
            self._memory.of(study).branches[trial.number] = found.branches
        return dict(found.distributions)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Their values, by the optimizer; none before it begins."""
        self._raise_error_if_multi_objective(study)
        with self._memory.lock:
            branches = self._memory.of(study).branches.pop(trial.number, {})
            trials = _settled_trials(study, trial.number)
            if not search_space or _complete(trials) < self._n_startup_trials:
                return {}
            kept = {name: each for name, each in branches.items() if {name, each.parent} <= search_space.keys()}
            translation = Translation(search_space, kept)
            return self._suggest(study, trial, {each.number: each for each in trials}, translation)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """The value of any other parameter."""
        self._raise_error_if_multi_objective(study)
        if self._warn_independent_sampling and self._had_begun(study, trial) and self._is_left_out(study, param_name):
            self._warn(trial, param_name)
        return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Keep with the trial which others are pending, on which its suggestion will depend."""
        pending = [each.number for each in _all_trials(study)[: trial.number] if not each.state.is_finished()]
        study._storage.set_trial_system_attr(trial._trial_id, PENDING, pending)
        self._independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Let the independent sampler see to the end of a trial; the optimizer learns of it when it is asked again."""
        self._independent_sampler.after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        """Reseed the independent sampler; the optimizer tells threads apart by the numbers of their trials."""
        self._independent_sampler.reseed_rng()

    def _suggest(
        self, study: Study, trial: FrozenTrial, trials: Mapping[int, FrozenTrial], translation: Translation
    ) -> dict[str, Any]:
        sign = -1.0 if study.direction is StudyDirection.MAXIMIZE else 1.0
        task = Task(self._maker, self._seed, translation, sign)
        search = self._memory.of(study).search_for(task, trials, trial.number)
        suggested = search.suggest(trial.number, trials)
        if not trial.system_attrs.get("fixed_params"):  # or it is evaluated elsewhere, and adopted there
            mark = Mark(search.identity, Suggestion.of(suggested))
            study._storage.set_trial_system_attr(trial._trial_id, MARK, mark.data())
        return search.task.translation.params(suggested.x)

    def _had_begun(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether parameters were searched together already when a trial began."""
        complete = study._get_trials(deepcopy=False, states=(TrialState.COMPLETE,), use_cache=True)
        before = sum(each.datetime_complete < trial.datetime_start for each in complete)
        return bool(before >= max(self._n_startup_trials, 1))

    def _is_left_out(self, study: Study, name: str) -> bool:
        """Whether a parameter is not searched for good: it is not new, nor inactive by what trials told so far."""
        finished = _finished(study)
        is_new = not any(name in trial.params for trial in finished)
        return self._given is not None or not (is_new or name in discovered(finished).distributions)

    def _warn(self, trial: FrozenTrial, name: str) -> None:
        _log.warning(
            f"parameter {name!r} of trial {trial.number} is sampled by {self._independent_sampler}, not by the "
            "optimizer: it is none of those that search_space names, or that all finished trials have, or that exist "
            "where one other parameter has certain values; warn_independent_sampling=False keeps this quiet"
        )


class _Memory:
    """What was gone through of a study, so as not to go through it again; a copy of it remembers nothing."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.branches: dict[int, Mapping[str, Branch]] = {}  # of trials that are about to be suggested
        self.search: Search | None = None
        self._study: tuple[Any, int] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _Memory, ()

    def of(self, study: Study) -> "_Memory":
        """The memory, empty where it was of another study."""
        if self._study is None or self._study[0] is not study._storage or self._study[1] != study._study_id:
            self._study = (study._storage, study._study_id)
            self.branches = {}
            self.search = None
        return self

    def search_for(self, task: Task, trials: Mapping[int, FrozenTrial], number: int) -> Search:
        """The search that can suggest a trial: the one that is known, unless it no longer holds."""
        if self.search is None or not (self.search.holds(task, trials) and self.search.can_suggest(number)):
            self.search = Search(task, trials)
        return self.search


def _finished(study: Study) -> list[FrozenTrial]:
    """The trials from which parameters are known, as Optuna's own samplers know them."""
    states = (TrialState.COMPLETE, TrialState.PRUNED)
    found: list[FrozenTrial] = study._get_trials(deepcopy=False, states=states, use_cache=True)
    return found


def _all_trials(study: Study) -> list[FrozenTrial]:
    """All trials of a study by number, those of Hyperband's other brackets included."""
    trials: list[FrozenTrial] = study._storage.get_all_trials(study._study_id, deepcopy=False)
    return trials


def _settled_trials(study: Study, number: int) -> list[FrozenTrial]:
    """All trials; those before ours that have just begun are given the time to say what is pending for them.

    A storage reads parameters and attributes one after the other, while other processes write. A trial that seems to
    have parameters, but no mark, which is written before them, is read once more.
    """
    doubted: set[int] = set()
    while True:
        trials = _all_trials(study)
        torn = {each.number for each in trials[:number] if _may_be_torn(each)}
        if any(map(_has_just_begun, trials[:number])):
            time.sleep(_LOOK_AGAIN)
        elif torn <= doubted:
            return trials
        doubted |= torn


def _may_be_torn(trial: FrozenTrial) -> bool:
    """Whether a trial lacks what this sampler writes before its parameters, as one of another sampler does, too."""
    return trial.state is TrialState.RUNNING and bool(trial.params) and MARK not in trial.system_attrs


def _has_just_begun(trial: FrozenTrial) -> bool:
    """Whether a trial has nothing yet, and may be one of another process that is about to keep what is pending."""
    if trial.state is not TrialState.RUNNING or trial.system_attrs or trial.params:
        return False
    return bool(abs(datetime.now() - trial.datetime_start) < _JUST)


def _complete(trials: Iterable[FrozenTrial]) -> int:
    return sum(trial.state is TrialState.COMPLETE for trial in trials)
