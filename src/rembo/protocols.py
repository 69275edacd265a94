"""The paper's REMBO, ready made: as its text says, and as the authors' released code has it.

The two differ in nearly every part; docs/paper.md has them side by side. "Released" is github.com/ziyuw/rembo, whose
files the comments name.
"""

import math
from dataclasses import dataclass, replace

from rembo.acquisition import LogExpectedImprovement, UpperConfidenceBound
from rembo.border import check_whole
from rembo.embedding import Region, paper_region
from rembo.gp import Raw, Standardized
from rembo.kernel import Hamming, Image, Kernel, Product, SquaredExponential
from rembo.learning import Schedule
from rembo.maximizer import CMAES, BestOf, Direct, InTurn, NelderMead
from rembo.optimizer import Rembo
from rembo.space import Box, Domain, DomainLike, check_domain, parts_of


def text(
    space: DomainLike,
    embedding_dim: int,
    *,
    runs: int = 1,
    kernel: Kernel | None = None,
    projection: bool = True,
    seed: int | None = None,
) -> Rembo:
    """REMBO as the paper's text describes it: Algorithms 2 and 3.

    Parameters
    ----------
    space : Space, Box, or list of bounds
        What is searched.
    embedding_dim, runs : int
        The paper's d, and k interleaved runs.
    kernel : Kernel, optional
        The paper's choice for the space unless told: k^d on real numbers, k_lambda on categoricals.
    projection : bool
        Whether f is evaluated at p_X(A y), as the text says, or at A y, outside of the box, too.
    seed : int, optional
        The same seed gives the same search.

    Examples
    --------
    >>> optimizer = text(Box(1000), 2, runs=4, seed=0)
    >>> optimizer.settings["learning"].every
    20
    """
    check_whole(embedding_dim, "embedding_dim", 1)
    return Rembo(
        space,
        embedding_dim,
        runs=runs,  # Section 3.1: k interleaved runs
        region=paper_region(embedding_dim),  # Section 4: [-sqrt d, sqrt d]^d
        kernel=kernel,  # Section 3.2
        acquisition=LogExpectedImprovement(),  # Section 2: expected improvement, here by its logarithm
        maximizer=BestOf(Direct(), CMAES()),  # Section 3.3: DIRECT and CMA-ES, the better result
        learning=Schedule(),  # Algorithm 3
        values=Standardized(),  # the text says nothing of units
        projection=projection,
        seed=seed,
    )


def released(space: DomainLike, embedding_dim: int, *, runs: int = 1, seed: int | None = None) -> Rembo:
    """REMBO as the authors' released code has it: as in its demo of Branin on a Box, of lp_solve on other spaces.

    Parameters
    ----------
    space : Space, Box, or list of bounds
        What is searched. f of a Box of real numbers is evaluated outside of it, too.
    embedding_dim, runs : int
        The paper's d and k. The demo makes its runs one after the other; here they take turns.
    seed : int, optional
        The same seed gives the same search.

    Examples
    --------
    >>> released(Box(25), 4, seed=0).runs[0].region.half_width
    2.0794415416798357
    """
    space = check_domain(space)
    check_whole(embedding_dim, "embedding_dim", 1)
    part = _of_real_numbers(embedding_dim) if isinstance(space, Box) else _of_others(space, embedding_dim)
    return Rembo(
        space,
        embedding_dim,
        runs=runs,
        region=part.region,
        kernel=part.kernel,
        acquisition=UpperConfidenceBound(delta=0.1),  # sparse_opt.m chooses it, acq.m has it: pi^2 / 0.3
        maximizer=InTurn(Direct(500, 200), NelderMead(800)),  # sparse_opt.m, maximize_acq.m
        learning=replace(
            part.learning,
            threshold=2.0 * math.sqrt(part.noise),  # update_model.m: exploiting if sqrt(v) <= 2 sqrt(noise)
            search=Direct(400, 300),  # update_model.m: DIRECT on the marginal likelihood
            since=1,  # update_model.m: n - 1 = 20, 40, ...
        ),
        values=Raw(),  # init_model.m: prior mean 0, and a signal variance of 1 that is never learned
        noise=part.noise,
        projection=part.projection,
        seed=seed,
    )


@dataclass(frozen=True)
class _Demo:
    """What the two demos of the released code have each for itself."""

    region: Region
    kernel: Kernel
    learning: Schedule
    noise: float
    projection: bool


def _of_real_numbers(d: int) -> _Demo:
    """demos/branin/testBranin.m."""
    region = Region(d, max(1.5 * math.log(d), 1.0))
    return _Demo(region, SquaredExponential(scale=0.1), Schedule(), noise=1e-10, projection=False)


def _of_others(space: Domain, d: int) -> _Demo:
    """src/highdim_opt.m, with the noise of demos/lpsolve/lpsolve.yaml.

    Its kernel of categoricals is exp(-h / l) with l = 1 at first; ours is exp(-h / (2 s^2)), so s = sqrt(l / 2).
    """
    categories = Hamming(scale=math.sqrt(0.5), power=1)
    numbers = SquaredExponential(scale=1.0, on=Image())
    bounds = Schedule()
    ordered = [part.parameter.ordered for part in parts_of(space)]
    kernel: Kernel = numbers if all(ordered) else Product(numbers, categories)
    if not any(ordered):
        kernel = categories
        bounds = Schedule(lower=math.sqrt(0.01 / 2.0), upper=math.sqrt(50.0 / 2.0), shrink=math.sqrt(0.9))
    return _Demo(Region(d, max(1.5 * math.log(d), 1.5)), kernel, bounds, noise=1e-5, projection=True)
