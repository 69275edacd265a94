"""SI-BO: find the subspace that matters by finite differences, then search it with GP-UCB.

Djolonga, Krause and Cevher (2013), "High-dimensional Gaussian process bandits", NIPS 26. They assume f(x) = g(A^T x)
with an unknown A of d orthonormal columns, so that every gradient of f is a combination of these columns. Values at m_X
random base points, and a step away from each along m_Phi random directions of equal entries with random signs, give
slopes of f. Slopes are linear in the D x m_X matrix of gradients, X = A G, which has rank d and is recovered from fewer
slopes than it has entries; its left singular vectors span the subspace. What remains is optimization in d dimensions,
by a Gaussian process and its upper confidence bound.

Different from the publication:

- Slopes are used one by one. It adds up the i-th slopes of all base points and recovers X from these m_Phi sums.
- The rank of X is given. It looks for the X of least nuclear norm that explains the slopes (the Dantzig selector); here
  X = U V^T with d columns each is fitted by alternating least squares, begun at the least-norm gradients.
- The box takes the place of a ball: base points are uniform in [-1,1]^D; the search is over y with x = clip(A y); and
  the kernel measures distance between shadows A^T clip(A y), on which alone f depends. The cube of all y is twice as
  wide as the smallest that holds the shadows of the box, since clipping shortens them; even so some that lie close to
  the edge of what the box can reach are out of reach.
- The length scale is learned, by Algorithm 3 of the REMBO paper, on values with a drawn-in tail; and beta is 4 rather
  than the bound's theoretical value, which explores more than a few hundred evaluations allow.
- Points that users bring are data too, at their shadows, wherever they lie. Those of the identification are not.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy

from rembo.acquisition import UpperConfidenceBound
from rembo.arrays import Array, Indices
from rembo.border import check_whole, is_finite
from rembo.embedding import Embedding, Point, Region
from rembo.embedding.counter import uniforms
from rembo.gp import LogTail
from rembo.kernel import SquaredExponential
from rembo.kernel.features import FeatureMap
from rembo.learning import Schedule
from rembo.maximizer import Ascent
from rembo.optimizer.mutation import mutants
from rembo.optimizer.optimizer import Optimizer, Suggestion, around, as_point, derived_seed, stream
from rembo.optimizer.rembo import NOISELESS, Parts, Run
from rembo.optimizer.trial import Trial, TrialState
from rembo.space import Domain, DomainLike, parts_of

Probe: TypeAlias = tuple[int, int]

MOST_DIMENSIONS = 1_000
OVERSAMPLING = 1.5  # slopes for each degree of freedom of the gradients; with 1.2 some recoveries fail
SWEEPS = 200  # of alternating least squares, of which 20 to 80 are usual ...
STEPS = 20  # ... each with so many of LSQR
STILL = 1e-6  # a subspace that turns by less in a sweep, in radians, is found
WIDTH = 2.0  # of the cube searched, in cubes of shadows
LIFTS = 100  # steps towards the y of a given shadow, of which one is enough where nothing is clipped
_DESIGN, _RECOVER, _ASK, _LEARN = range(4)  # the uses of randomness


class SIBO(Optimizer):
    """Subspace identification, then GP-UCB in the d = `embedding_dim` dimensions that were found; for real numbers.

    Identification evaluates f at `bases` points (m_X; by default 2 d, lest gradients that are alike hide a direction)
    and from each at the ends of `directions` steps of length `step` in [-1,1]^D (m_Phi; by default 1.5 slopes for each
    of the d (D + m_X - d) degrees of freedom that the gradients have, at most D): 88 evaluations for D = 25 and d = 2.
    A failed step is left out, a failed base point replaced. A noisy f needs noise="learn", a step whose effect stands
    out from the noise, and more base points: differences of near values are what noise spoils first.
    """

    def __init__(
        self,
        space: DomainLike,
        embedding_dim: int,
        *,
        bases: int | None = None,
        directions: int | None = None,
        step: float = 1e-3,
        beta: float | None = 4.0,
        noise: float | Literal["learn"] = NOISELESS,
        seed: int | None = None,
    ) -> None:
        super().__init__(space, seed)
        D, d = _check_continuous(self.space), check_whole(embedding_dim, "embedding_dim", 1, self.space.size)
        m_X = 2 * d if bases is None else check_whole(bases, "bases", d)
        m_Phi = enough_directions(D, d, m_X) if directions is None else _check_directions(directions)
        design = Design(D, _check_step(step), derived_seed(self.seed, _DESIGN))
        self._identification = Identification(design, m_X, m_Phi)
        acquisition, kernel = UpperConfidenceBound(beta), SquaredExponential(on=Shadow())
        self._parts = Parts(kernel, acquisition, Ascent(), Schedule(), LogTail(), noise)
        self._embedding_dim = d
        self._beta = beta
        self._run: Run | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The numbers that were given, or chosen in place of none."""
        identification = self._identification
        return {
            "embedding_dim": self._embedding_dim,
            "bases": identification.bases,
            "directions": identification.directions,
            "step": identification.design.step,
            "beta": self._beta,
            "noise": self._parts.noise,
        }

    @property
    def basis(self) -> Array | None:
        """Orthonormal columns, (D, d), that span the subspace found, the steepest first; None before it is found."""
        return None if self._run is None else self._run.embedding.rows(np.arange(self.space.size, dtype=np.int64))

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        if self._run is None:
            return Suggestion(next(self._identification.unasked(self._probes())))
        busy = [self._place(trial, self._run) for trial in pending if not self._is_probe(trial)]
        nomination = self._run.suggest(np.reshape(busy, (-1, self._embedding_dim)), stream(self.seed, _ASK, turn))
        return Suggestion(self._run.point(nomination.y))

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        run = self._run
        if run is None or best is None:
            return next(around(best, self.space.size, rng))
        return Suggestion(run.point(next(mutants(self._place(best, run), run.region, rng))))

    def _observe(self, trial: Trial) -> None:
        if self._run is not None:
            self._learn([trial], self._run)
        elif self._identification.is_complete(self._probes()):
            self._run = self._begin()
            self._learn([earlier for earlier in self.trials if earlier.state is not TrialState.RUNNING], self._run)

    def _locate(self, x: Any) -> Suggestion:
        return Suggestion(as_point(x, self.space))

    def _begin(self) -> Run:
        slopes = self._identification.slopes(self._probes())
        A = OrthonormalEmbedding(recover(slopes, self._embedding_dim, stream(self.seed, _RECOVER)))
        return Run(self.space, A, A.region, self._parts)

    def _learn(self, trials: Sequence[Trial], run: Run) -> None:
        for trial in trials:
            if not self._is_probe(trial):
                value = math.nan if trial.value is None else trial.value
                run.observe(self._place(trial, run), value, None, stream(self.seed, _LEARN, trial.number))

    def _place(self, trial: Trial, run: Run) -> Array:
        """The y of a trial: its own, or that of its shadow."""
        own = trial.point.embedding == run.embedding
        return run.region.clip(trial.y if own else run.embedding.preimage(np.asarray(trial.point)))

    def _is_probe(self, trial: Trial) -> bool:
        return trial.point.embedding == self._identification.design

    def _probes(self) -> dict[Probe, Trial]:
        """The trials of the identification."""
        return {(int(trial.y[0]), int(trial.y[1])): trial for trial in self.trials if self._is_probe(trial)}


@dataclass(frozen=True)
class Design:
    """Where slopes are measured: y = (j, 0) is base point j, y = (j, i) the end of the i-th step from there.

    Both are functions of (seed, j, i), and the steps stay in the box.
    """

    ambient_dim: int
    step: float
    seed: int

    @property
    def embedding_dim(self) -> int:
        """Two: the numbers of the base point and of the step."""
        return 2

    def image(self, y: Array, index: Indices) -> Array:
        """Coordinates `index` of the point."""
        j, i = int(y[0]), int(y[1])
        base = (1.0 - self.step) * self._uniform((j, 0), index)
        return base + self.step * self.direction((j, i), index) if i else base

    def direction(self, probe: Probe, index: Indices) -> Array:
        """Coordinates `index` of a step of length 1: signs over sqrt D."""
        return np.sign(self._uniform(probe, index)) / math.sqrt(self.ambient_dim)

    def _uniform(self, probe: Probe, index: Indices) -> Array:
        j, i = probe
        return 2.0 * uniforms(self.seed, index, width=1, stream=j * (MOST_DIMENSIONS + 1) + i)[:, 0] - 1.0


@dataclass(frozen=True)
class Identification:
    """Slopes along `directions` steps from each of `bases` points, and from as many more as failed."""

    design: Design
    bases: int
    directions: int

    def unasked(self, asked: Mapping[Probe, Trial]) -> Iterator[Point]:
        """What to evaluate next, without end: while the last values are awaited, further base points and steps."""
        for j in count():
            if (j, 0) not in asked:
                yield self._point((j, 0))
            if (j, 0) not in asked or asked[j, 0].state is not TrialState.FAIL:
                yield from (self._point(probe) for probe in self._steps(j) if probe not in asked)

    def is_complete(self, asked: Mapping[Probe, Trial]) -> bool:
        """Whether enough base points have all their slopes."""
        return len(self._measured(asked)) >= self.bases

    def slopes(self, asked: Mapping[Probe, Trial]) -> "Slopes":
        """All slopes at the base points that have them."""
        measured = self._measured(asked)
        values = {probe: trial.value for probe, trial in asked.items() if trial.value is not None}
        ends = [end for j in measured for end in self._steps(j) if end in values]
        unit = max(map(abs, values.values())) or 1.0  # so that no difference overflows
        rises = np.array([values[end] / unit - values[end[0], 0] / unit for end in ends])
        every = np.arange(self.design.ambient_dim, dtype=np.int64)
        return Slopes(
            rises / (np.abs(rises).max() or 1.0),
            np.array([self.design.direction(end, every) for end in ends]),
            np.array([measured.index(j) for j, _ in ends]),
        )

    def _measured(self, asked: Mapping[Probe, Trial]) -> list[int]:
        """The base points with a value whose steps have all come back, not all of them failed."""
        valued = [j for (j, i), trial in asked.items() if i == 0 and trial.value is not None]
        return [j for j in valued if self._has_slopes([asked.get(probe) for probe in self._steps(j)])]

    def _has_slopes(self, steps: Sequence[Trial | None]) -> bool:
        told = [step for step in steps if step is not None and step.state is not TrialState.RUNNING]
        return len(told) == self.directions and any(step.value is not None for step in told)

    def _steps(self, j: int) -> list[Probe]:
        return [(j, i) for i in range(1, self.directions + 1)]

    def _point(self, probe: Probe) -> Point:
        return Point(self.design, np.array(probe, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class Slopes:
    """Slopes of f, (n,), in a unit of their own, along directions, (n, D), at base points 0, 1, ..., (n,)."""

    values: Array
    directions: Array
    bases: Indices

    def gradients(self, U: Array) -> Array:
        """V, (m_X, k): the gradient at base point j is U V[j], as far as the span of U, (D, k), can tell."""
        there = [self.bases == j for j in range(int(self.bases.max()) + 1)]
        return np.array([np.linalg.lstsq(self.directions[at] @ U, self.values[at], rcond=None)[0] for at in there])

    def improved(self, U: Array, V: Array) -> Array:
        """The U, (D, d), that with this V, (m_X, d), explains the slopes better, or best where STEPS suffice."""
        shape, weights = U.shape, V[self.bases]
        slopes_of = scipy.sparse.linalg.LinearOperator(
            (len(self.values), U.size),
            matvec=lambda u: ((self.directions @ u.reshape(shape)) * weights).sum(axis=1),
            rmatvec=lambda r: (self.directions.T @ (r.reshape(-1, 1) * weights)).ravel(),
        )
        solved = scipy.sparse.linalg.lsqr(slopes_of, self.values, atol=1e-10, btol=1e-10, iter_lim=STEPS, x0=U.ravel())
        return np.asarray(solved[0].reshape(shape))


def recover(slopes: Slopes, rank: int, rng: np.random.Generator) -> Array:
    """The left singular vectors, (D, rank), of the gradients X = U V^T of this rank that explain the slopes.

    What the slopes say nothing about, where f is flat or linear, is drawn at random.
    """
    D = slopes.directions.shape[1]
    drawn = 1e-12 * rng.standard_normal((D, rank))
    U = _singular_vectors(slopes.gradients(np.eye(D)).T, drawn)
    for _ in range(SWEEPS):
        Q, R = np.linalg.qr(slopes.gradients(U))  # X = U V^T = (U R^T) Q^T
        turned = _singular_vectors(slopes.improved(U @ R.T, Q), drawn)
        still = np.linalg.norm(turned - U @ (U.T @ turned)) < STILL
        U = turned
        if still:
            break
    return U


def _singular_vectors(X: Array, drawn: Array) -> Array:
    """As many left singular vectors of X as columns were drawn, which fill up what the rank of X leaves open."""
    return np.asarray(np.linalg.svd(np.hstack([X, drawn]), full_matrices=False)[0][:, : drawn.shape[1]])


@dataclass(frozen=True, eq=False)
class OrthonormalEmbedding:
    """y -> A y with orthonormal columns, A: (D, d)."""

    A: Array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OrthonormalEmbedding) and np.array_equal(self.A, other.A)

    __hash__ = None  # type: ignore[assignment]  # compared by its numbers, never hashed

    @property
    def ambient_dim(self) -> int:
        """D."""
        return len(self.A)

    @property
    def embedding_dim(self) -> int:
        """The number of columns, d."""
        return int(self.A.shape[1])

    @property
    def region(self) -> Region:
        """WIDTH times the smallest cube that holds the shadow A^T x of each x in [-1,1]^D: |a_j^T x| <= |a_j|_1."""
        return Region(self.embedding_dim, WIDTH * float(np.abs(self.A).sum(axis=0).max()))

    def rows(self, index: Indices) -> Array:
        """Rows `index` of A, (len(index), d)."""
        return np.asarray(self.A[index])

    def image(self, y: Array, index: Indices) -> Array:
        """Coordinates `index` of A y, summed from left to right: a matrix product may round by its own shape."""
        total = np.zeros(len(index))
        for j in range(self.embedding_dim):
            total += self.A[index, j] * y[j]
        return total

    def preimage(self, x: Array) -> Array:
        """A y whose point in the box has the shadow of x, so that f(clip(A y)) = f(x) where f is g(A^T x).

        A^T clip(A y) is the gradient of a convex function of y with curvature at most 1: unit steps find its value.
        """
        shadow = y = self.A.T @ x
        for _ in range(LIFTS):
            y = y + shadow - self.A.T @ np.clip(self.A @ y, -1.0, 1.0)
        return np.asarray(y)


@dataclass(frozen=True)
class Shadow:
    """Distance measured on A^T p_X(A y): what f depends on, if it is a function of the subspace alone."""

    def bind(self, space: Domain, embedding: Embedding, projected: bool) -> FeatureMap:
        """The map for this embedding, whose columns are orthonormal."""
        return _Shadows(embedding.rows(np.arange(embedding.ambient_dim, dtype=np.int64)))


@dataclass(frozen=True, eq=False)
class _Shadows:
    A: Array

    def __call__(self, Y: Array) -> Array:
        return np.asarray(np.clip(Y @ self.A.T, -1.0, 1.0) @ self.A)

    def pull_back(self, Y: Array, G: Array) -> Array:
        inside = np.abs(Y @ self.A.T) < 1.0
        return np.asarray(((G @ self.A.T) * inside) @ self.A)


def enough_directions(D: int, d: int, bases: int) -> int:
    """Steps from each base point for a D x bases matrix of rank d to follow from its slopes; D say all."""
    return min(D, math.ceil(OVERSAMPLING * d * (D + bases - d) / bases))


def _check_continuous(space: Domain) -> int:
    """The number of dimensions, all of them real numbers."""
    if space.size > MOST_DIMENSIONS:
        raise ValueError(f"SIBO in {space.size} dimensions is more than {MOST_DIMENSIONS}: use Rembo")
    discrete = [part.parameter for part in parts_of(space) if part.parameter.levels]
    if discrete:
        raise ValueError(f"SIBO takes differences, which {discrete[0]} has none of: use Float and Box alone, or Rembo")
    return space.size


def _check_directions(directions: int) -> int:
    return check_whole(directions, "directions", 1, MOST_DIMENSIONS)


def _check_step(step: float) -> float:
    if not (is_finite(step) and 0.0 < step <= 1.0):
        raise ValueError(f"step {step!r} must be a length in [-1,1]^D above 0 and at most 1, e.g. 0.001")
    return float(step)
