"""Random numbers by index: the n-th number is a function of (seed, n) alone, in any process, in any order.

The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
What follows it uses only operations that IEEE 754 rounds exactly (+ - * / sqrt), never a library's log or cos, so the
numbers are the same to the last bit on every machine and with every version of NumPy. They are frozen: a golden test
holds them, because stored studies consist of seeds.
"""

import numpy as np
import numpy.typing as npt

from rembo.arrays import Array, Indices

Words = npt.NDArray[np.uint32]

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Philox4x32-10: each row of `counter`, (n, 4), to 4 random words under a key of 2 words."""
    c0, c1, c2, c3 = (counter[:, j].astype(np.uint64) for j in range(4))
    for number in range(_ROUNDS):
        k0, k1 = (np.uint64((word + number * step) & 0xFFFFFFFF) for word, step in zip(key, _WEYL, strict=True))
        left, right = _MULTIPLIERS[0] * c0, _MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (right >> _HALF) ^ c1 ^ k0, right & _LOW, (left >> _HALF) ^ c3 ^ k1, left & _LOW
    return np.stack([c0, c1, c2, c3], axis=1).astype(np.uint32)


def words(seed: int, index: Indices, width: int, stream: int = 0) -> Words:
    """`width` random words for each index, (len(index), width); streams of one seed are independent."""
    blocks = -(-width // 4)
    counter = np.empty((len(index), blocks, 4), dtype=np.uint32)
    counter[:, :, 0] = (index & 0xFFFFFFFF)[:, None]
    counter[:, :, 1] = (index >> 32)[:, None]
    counter[:, :, 2] = np.arange(blocks)
    counter[:, :, 3] = stream
    drawn = philox(counter.reshape(-1, 4), (seed & 0xFFFFFFFF, seed >> 32))
    return drawn.reshape(len(index), 4 * blocks)[:, :width]


def uniforms(seed: int, index: Indices, width: int, stream: int = 0) -> Array:
    """Uniform numbers strictly inside (0,1), (len(index), width): the middles of 2^32 equal shares."""
    return (words(seed, index, width, stream).astype(np.float64) + 0.5) * 2.0**-32


def normals(seed: int, index: Indices, width: int) -> Array:
    """Standard normal numbers, (len(index), width): the quantiles of the uniform ones, hence within +-6.3."""
    return normal_quantile(uniforms(seed, index, width))


def normal_quantile(p: Array) -> Array:
    """The p-quantile of N(0,1) for 1e-10 < p < 1 - 1e-10, correct to 1e-15 (Wichura 1988, algorithm AS 241)."""
    q = p - 0.5
    r = 0.180625 - q * q
    z = q * (_polynomial(_CENTRAL_TOP, r) / _polynomial(_CENTRAL_BOTTOM, r))
    tail = np.abs(q) > 0.425
    r = np.sqrt(-_log(np.minimum(p, 1.0 - p)[tail])) - 1.6
    z[tail] = np.copysign(_polynomial(_TAIL_TOP, r) / _polynomial(_TAIL_BOTTOM, r), q[tail])
    return np.asarray(z)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """Horner's rule, highest power first: separate products and sums, so that no compiler may fuse them."""
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def _log(x: Array) -> Array:
    """The natural logarithm from exactly rounded operations: log(m 2^e) = 2 artanh((m-1)/(m+1)) + e log 2."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < 0.7071067811865476
    mantissa = np.where(small, 2.0 * mantissa, mantissa)
    exponent = np.where(small, exponent - 1, exponent)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    return 2.0 * s * _polynomial(_ARTANH, s * s) + exponent * 0.6931471805599453


_ARTANH = tuple(1.0 / k for k in range(23, 0, -2))

_CENTRAL_TOP = (
    2.5090809287301226727e3,
    3.3430575583588128105e4,
    6.7265770927008700853e4,
    4.5921953931549871457e4,
    1.3731693765509461125e4,
    1.9715909503065514427e3,
    1.3314166789178437745e2,
    3.3871328727963666080e0,
)
_CENTRAL_BOTTOM = (
    5.2264952788528545610e3,
    2.8729085735721942674e4,
    3.9307895800092710610e4,
    2.1213794301586595867e4,
    5.3941960214247511077e3,
    6.8718700749205790830e2,
    4.2313330701600911252e1,
    1.0,
)
_TAIL_TOP = (
    7.74545014278341407640e-4,
    2.27238449892691845833e-2,
    2.41780725177450611770e-1,
    1.27045825245236838258e0,
    3.64784832476320460504e0,
    5.76949722146069140550e0,
    4.63033784615654529590e0,
    1.42343711074968357734e0,
)
_TAIL_BOTTOM = (
    1.05075007164441684324e-9,
    5.47593808499534494600e-4,
    1.51986665636164571966e-2,
    1.48103976427480074590e-1,
    6.89767334985100004550e-1,
    1.67638483018380384940e0,
    2.05319162663775882187e0,
    1.0,
)
