r"""All pairs of systems together: critical values and adjusted p of the largest \|t\|, and ranks.

With R the correlation of the contrasts, of rank r, and a_j the rows of a root of it, the t statistics are a_j'z over
one common estimate of scale. Length and direction of z are independent, so that

.. math:: P(\max_j |t_j| > c) = E_u\, P\Bigl(F_{r, df} > \frac{c^2}{r \max_j (a_j'u)^2}\Bigr)

with u uniform on the sphere (Somerville 1998): only directions are sampled, by a Richtmyer sequence with random shifts
(Genz and Bretz 2009, ch. 4). With two systems it is exact, with three the directions are an even grid.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.optimize import brentq
from scipy.special import fdtrc, ndtri

from dialgauge.stats.arrays import Floats
from dialgauge.stats.compare.records import Contrast, RankInterval

SHIFTS, POINTS, NEIGHBOURS = 8, 8192, 32
"""Directions sampled: adjusted p are good to about 0.0005, critical values to about 0.001 (see `Family.error`)."""


class Family:
    """The distribution of the largest |t| over contrasts with covariance ``covariance`` (m, m) and ``df`` degrees."""

    def __init__(self, covariance: Floats, df: float, *, rng: np.random.Generator) -> None:
        sd = np.sqrt(np.diag(covariance))
        values, vectors = np.linalg.eigh(covariance / np.outer(sd, sd))
        kept = values > 1e-9 * values[-1]
        root = vectors[:, kept] * np.sqrt(values[kept])
        self.df, self.rank = df, int(kept.sum())
        self.reach = np.array([_longest(root, u) for u in _directions(self.rank, rng)])

    def p(self, t: float) -> float:
        """Return the probability (0 to 1) that the largest |t| exceeds ``t`` >= 0 where there is no difference."""
        return float(self._tails(t).mean())

    def error(self, t: float) -> float:
        """Return the standard error of ``p``, from the shifts."""
        tails = self._tails(t).mean(axis=1)
        return float(tails.std(ddof=1) / np.sqrt(len(tails))) if len(tails) > 1 else 0.0

    def critical(self, level: float) -> float:
        """Return the value that the largest |t| does not exceed with probability ``level`` (0 to 1)."""
        high = 2.0
        while self.p(high) > 1.0 - level:
            high *= 2.0
        return float(brentq(lambda t: self.p(t) - (1.0 - level), 1e-9, high, xtol=1e-10))

    def _tails(self, t: float) -> Floats:
        return np.asarray(fdtrc(self.rank, self.df, t**2 / (self.rank * self.reach**2)))


def _directions(rank: int, rng: np.random.Generator) -> list[Floats]:
    """Return directions in ``rank`` dimensions, shape (n, rank), one array a shift."""
    if rank == 1:
        return [np.ones((1, 1))]
    if rank == 2:
        angle = np.pi * (np.arange(POINTS) + 0.5) / POINTS
        return [np.stack([np.cos(angle), np.sin(angle)], axis=1)]
    step = np.sqrt(_primes(rank)) % 1.0
    found = []
    for shift in rng.random((SHIFTS, rank)):
        u = (np.arange(1, POINTS + 1)[:, None] * step + shift) % 1.0
        z = ndtri(np.clip(np.abs(2.0 * u - 1.0), 1e-15, 1.0 - 1e-15))
        found.append(z / np.linalg.norm(z, axis=1, keepdims=True))
    return found


def _primes(n: int) -> Floats:
    """Return the first ``n`` primes."""
    limit = 20 * n
    sieve = np.ones(limit, dtype=bool)
    sieve[:2] = False
    for i in range(2, int(limit**0.5) + 1):
        sieve[i * i :: i] = False
    return np.flatnonzero(sieve)[:n].astype(np.float64)


def _longest(root: Floats, u: Floats) -> Floats:
    """Return the largest |a_j'u|, sorted and averaged over neighbours, which hardly differ."""
    longest = np.sort(np.abs(u @ root.T).max(axis=1))
    return longest.reshape(-1, NEIGHBOURS).mean(axis=1) if longest.size > NEIGHBOURS else longest


def pairs(n_systems: int) -> list[tuple[int, int]]:
    """Return all pairs of systems, the first before the second, in the order of codes."""
    return list(combinations(range(n_systems), 2))


def contrast_matrix(n_systems: int) -> Floats:
    """Return the contrasts of all pairs, first minus second, shape (pairs, systems)."""
    eye = np.eye(n_systems)
    return np.array([eye[i] - eye[j] for i, j in pairs(n_systems)])


def rank_systems(
    values: Sequence[float], contrasts: Sequence[Contrast], *, higher_is_better: bool
) -> tuple[RankInterval, ...]:
    """Return the rank of each system (1 is best) with its interval.

    The best possible rank counts the systems that are better beyond the simultaneous intervals, the worst possible one
    those that are worse (Mohamad, van Zwet and Goeman 2019). A pair without an interval decides nothing.
    """
    side = 1.0 if higher_is_better else -1.0
    n = len(values)
    better, worse = np.zeros(n, dtype=int), np.zeros(n, dtype=int)
    for contrast in contrasts:
        low, high = contrast.simultaneous.low, contrast.simultaneous.high
        if low is None or high is None or low <= 0.0 <= high:
            continue
        above, below = (contrast.first, contrast.second) if side * low > 0.0 else (contrast.second, contrast.first)
        worse[above] += 1
        better[below] += 1
    found = []
    for i, value in enumerate(values):
        strictly = sum(side * other > side * value for other in values)
        tied = sum(other == value for other in values) - 1
        found.append(RankInterval(1.0 + strictly + tied / 2.0, 1 + int(better[i]), n - int(worse[i])))
    return tuple(found)
