"""The last part of a method card: what seems to be wrong with the assumption, the model or f, and what to do."""

import numpy as np

from rembo.embedding import GaussianEmbedding
from rembo.plot.data.card.comparison import Comparison
from rembo.plot.data.card.entry import percent
from rembo.plot.data.card.evidence import Evidence
from rembo.plot.data.card.matters import Verdict
from rembo.plot.data.search import Search

_ENOUGH = 20  # values to judge a model by
_LITTLE = 0.25  # of the variance predicted
_OVERCONFIDENT = 0.7  # of the values in intervals that should hold 95 %
_FAILED = 0.25


def warnings(search: Search, found: Evidence | None, comparison: Comparison | None) -> list[str]:
    """Sentences, the gravest first; none where all seems well."""
    of_model = [] if found is None else [*_of_assumption(found), *_of_fit(found), *_of_region(found)]
    return [*_of_comparison(comparison), *of_model, *_of_failures(search)]


def _of_comparison(comparison: Comparison | None) -> list[str]:
    if comparison is None or 2 * comparison.better > len(comparison.theirs):
        return []
    beaten = f"better than {comparison.better} of {len(comparison.theirs)} random searches"
    return [f"At equal budget it is {beaten}: there is no sign of a structure that it could use."]


def _of_assumption(found: Evidence) -> list[str]:
    if found.matters is None or found.matters.verdict is not Verdict.MANY:
        return []
    return [f"f depends on {found.matters.finding} parameters: {found.matters.verdict.value}."]


def _of_fit(found: Evidence) -> list[str]:
    n, fit = len(found.model.posterior), found.calibration
    if n < _ENOUGH:
        return [f"{n} values are few to judge by: the evidence above may change much."]
    sentences = []
    if fit.explained < _LITTLE:
        cure = "f is rugged, noisy (try noise='learn'), or varies with too much to be told from so few values"
        sentences.append(f"The model predicts {percent(fit.explained)} of the variance: {cure}.")
    if fit.covered < _OVERCONFIDENT:
        sentences.append(f"The model is too sure: {percent(fit.covered)} of the values lie in its 95 % intervals.")
    return sentences


def _of_region(found: Evidence) -> list[str]:
    region = found.model.region
    on_edge = np.abs(found.model.best_at) >= region.half_width * (1.0 - 1e-9)
    if isinstance(found.model.embedding, GaussianEmbedding) and on_edge.any():
        return [
            "The best point lies on the edge of the region: a larger region=, or more runs=, may hold a better one."
        ]
    return []


def _of_failures(search: Search) -> list[str]:
    failed = sum(trial.value is None for trial in search.told) / max(len(search.told), 1)
    return [f"{percent(failed)} of the trials gave no value: mend f, or narrow the space."] if failed > _FAILED else []
