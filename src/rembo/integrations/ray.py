"""Ray Tune: a searcher, for `tune.TuneConfig(search_alg=RemboSearcher(seed=0), metric="loss", mode="min")`.

Tune runs the trials and says what came of them; the searcher says where. Nested configurations are flat in the space,
with names such as `optimizer/rate`. What is saved is JSON, the order of all that was asked and told: no pickles.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rembo.border import is_finite
from rembo.extras import absent
from rembo.integrations.journal import Journal
from rembo.integrations.searched import Fixed, Maker, Searched, choice_of, optimizer_of
from rembo.optimizer import Optimizer
from rembo.space import Float, Integer, Parameter, Space
from rembo.study.codec import decode, encode, to_text

try:
    from ray import tune
    from ray.tune.result import DEFAULT_METRIC
    from ray.tune.search import Searcher
    from ray.tune.search.sample import LogUniform, Uniform
    from ray.tune.search.variant_generator import parse_spec_vars
    from ray.tune.utils.util import flatten_dict, unflatten_dict
except ModuleNotFoundError as missing:
    raise absent("RemboSearcher needs Ray Tune", "ray") from missing


class RemboSearcher(Searcher):  # type: ignore[misc]  # skipped by the type checker: Ray is not always there
    """Suggests configurations to Ray Tune.

    `space` is a rembo.Space or one in Tune's own words, and then `metric` and `mode` are needed, too; without it, all
    three are those of the Tuner. `optimizer` makes the optimizer of a space and a seed, e.g.
    `functools.partial(rembo.Rembo, embedding_dim=4)`. A trial that ends with an error, or without a finite metric, is a
    failure: the search avoids the place.
    """

    def __init__(
        self,
        space: Space | Mapping[str, Any] | None = None,
        *,
        optimizer: Maker | None = None,
        seed: int | None = None,
        metric: str | None = None,
        mode: str | None = None,
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        self._metric: str | None = metric
        self._mode: str | None = mode
        self._maker = optimizer
        self._seed = seed
        self._constants: Mapping[str, Any] = {}
        self._running: dict[str, int] = {}
        self._journal: Journal | None = None  # Tune tells what is searched after the searcher is made
        if space is not None:
            self._begin(space)

    @property
    def optimizer(self) -> Optimizer:
        """What suggests, with all its trials; there as soon as it is known what is searched."""
        return self._begun().optimizer

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any) -> bool:
        """Take what the Tuner was told; whether its search space is used, which one of the searcher's own prevents."""
        self._metric = metric or self._metric
        self._mode = mode or self._mode
        if self._journal is not None:
            return False
        self._begin(config)
        return True

    def suggest(self, trial_id: str) -> dict[str, Any]:
        """The configuration of a trial."""
        self._sign()
        trial = self._begun().ask()
        self._running[trial_id] = trial.number
        configuration: dict[str, Any] = unflatten_dict({**trial.x, **self._constants})
        return configuration

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Learn what came of a trial; of one that was suggested after the last save nothing is known."""
        number = self._running.pop(trial_id, None)
        if number is not None:
            self._close(number, (result or {}).get(self._metric or DEFAULT_METRIC), error)

    def add_evaluated_point(
        self,
        parameters: dict[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: list[float] | None = None,
    ) -> None:
        """Learn from a configuration that was evaluated elsewhere, or a ValueError if it cannot be represented."""
        flat, space = flatten_dict(parameters), self.optimizer.space
        assert isinstance(space, Space)  # there is no other way to begin
        x = {name: flat[name] for name in space.parameters}
        self._close(self._begun().adopt(x).number, value, error or pruned)

    def save(self, checkpoint_path: str) -> None:
        """Write everything to a file."""
        state = {
            "journal": self._begun().data(),
            "running": self._running,
            "constants": encode(self._constants, "constants"),
            "metric": self._metric,
            "mode": self._mode,
        }
        Path(checkpoint_path).write_text(to_text(state), encoding="utf-8")

    def restore(self, checkpoint_path: str) -> None:
        """Go on from a file that was saved."""
        state = json.loads(Path(checkpoint_path).read_text(encoding="utf-8"))
        self._journal = Journal.of_data(state["journal"])
        self._running = state["running"]
        self._constants = decode(state["constants"])
        self._metric, self._mode = state["metric"], state["mode"]

    def _begin(self, space: Space | Mapping[str, Any]) -> None:
        searched = Searched(space, {}) if isinstance(space, Space) else _searched_in(space)
        self._constants = searched.constants
        self._journal = Journal(optimizer_of(self._maker, searched.space, self._seed))

    def _begun(self) -> Journal:
        if self._journal is None:
            raise RuntimeError("it is not known what to search: give a space, or run the searcher in a tune.Tuner")
        return self._journal

    def _close(self, number: int, value: Any, error: bool) -> None:
        if error or not is_finite(value):
            reason = "the trial ended with an error" if error else f"{self._metric or DEFAULT_METRIC} is {value!r}"
            self._begun().fail(number, reason)
        else:
            self._begun().tell(number, self._sign() * float(value))

    def _sign(self) -> float:
        if self._mode not in ("min", "max"):
            cure = "give metric and mode to TuneConfig, or to a searcher with a space of its own"
            raise RuntimeError(f"mode must be 'min' or 'max', not {self._mode!r}: {cure}")
        return 1.0 if self._mode == "min" else -1.0


def _searched_in(config: Mapping[str, Any]) -> Searched:
    """What is searched of a configuration in Tune's words; what is the same in all trials, Tune adds itself."""
    if not isinstance(config, Mapping):
        raise TypeError(
            f"space must be a rembo.Space, or a dict such as {{'rate': tune.uniform(0, 1)}}, not {config!r}"
        )
    _, domains, grids = parse_spec_vars(dict(config))
    if grids:
        raise ValueError(f"{_name(grids[0][0])} is a grid, of which all values are tried: use tune.choice instead")
    return Searched.of({_name(path): _entry(_name(path), domain) for path, domain in domains})


def _name(path: tuple[Any, ...]) -> str:
    """The name of a value that stands in dicts within dicts."""
    if not all(isinstance(step, str) for step in path):
        raise ValueError(f"{path} stands in a list, where Tune cannot put a suggestion: write a dict with names")
    return "/".join(path)


def _entry(name: str, domain: Any) -> Parameter | Fixed:
    """A domain of Tune's as a parameter; its whole numbers end before `upper`."""
    sampler = domain.get_sampler()
    if isinstance(sampler, (Uniform, LogUniform)):
        log = isinstance(sampler, LogUniform)
        match domain:
            case tune.search.sample.Float():
                return Float(domain.lower, domain.upper, log)
            case tune.search.sample.Integer():
                last = domain.upper - 1
                return Integer(domain.lower, last, log) if domain.lower < last else Fixed(last)
            case tune.search.sample.Categorical():
                return choice_of(domain.categories)
    known = "uniform, loguniform, randint, lograndint and choice are known here"
    raise ValueError(f"{name} is {type(domain).__name__} by {type(sampler).__name__}: {known}; round in your function")
