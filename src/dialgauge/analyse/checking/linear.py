r"""Slopes, differences of means and shares of pairs over targets, with the influence of each target on them.

All are averages over dimensions. With :math:`u_t` what target t adds to the deviation of one of them, its variance is
:math:`\sum_t u_t^2`: dimensions that were rated on the same targets are never taken for independent.

- Slope: least squares within groups. :math:`u_t = \tilde x_t e_t / ((1 - h_t) \sum \tilde x^2)`, with x centred in each
  group, residual e and leverage h, gives the variance HC3 (MacKinnon and White 1985; for n < 250, Long and Ervin 2000),
  and is also what the slope changes by without target t.
- Difference of two means: :math:`u_t = (y_t - \bar y) / n` in each half, corrected by n / (n - 1) and with the degrees
  of freedom of Welch (1947).
- Share of pairs in which the first half is higher, ties as one half: the same over the placements of each target
  (DeLong et al. 1988), on the logit (Pepe 2003).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, stdtrit
from scipy.stats import rankdata

from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.estimate import Estimate, Refusal

FEWEST_DF = 8
"""Residual degrees of freedom below which no slope is given: ten targets for a straight line."""

FEWEST_OF_EACH = 5
"""Targets of own and of other systems below which the two are not compared."""

FEWEST_SYSTEMS = 3
"""Own and other systems from which the systems, and not their targets, are what is sampled."""

TINY = 1e-12

_MORE = "rate more dialogues, of different lengths"


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A number with the influence on it of each target of the study, shape (targets,), 0 where it has none.

    ``used`` holds the codes of the targets it rests on, ``n`` counts the ratings. ``lost`` is the number of degrees of
    freedom that the fit took.
    """

    value: float
    influence: Floats
    used: Codes
    n: int
    lost: int = 0


def fit_slope(x: Floats, y: Floats, *, target: Codes, group: Codes, n_targets: int, n: Codes) -> Linear | Refusal:
    """Return the slope of ``y`` on ``x`` within groups; all of shape (targets rated,), ``target`` without repetition.

    ``n`` counts the ratings of each. Groups of one target say nothing and are left out. A Refusal where there are too
    few targets or no differences in x.
    """
    counts = np.bincount(group)
    kept = counts[group] > 1
    x, y, target, n = x[kept], y[kept], target[kept], n[kept]
    group = np.unique(group[kept], return_inverse=True)[1]
    counts = np.bincount(group)
    if x.size - counts.size - 1 < FEWEST_DF:
        return Refusal(f"{x.size} dialogues are too few for a slope", "rate more dialogues")
    across, up = (v - (sum_by(group, v) / counts)[group] for v in (x, y))
    spread = float(across @ across)
    if spread < TINY:
        return Refusal("the dialogues are all equally long", _MORE)
    slope = float(across @ up) / spread
    free = 1.0 - 1.0 / counts[group] - across**2 / spread
    if free.min() < TINY:
        return Refusal("one dialogue alone has another length", _MORE)
    influence = np.zeros(n_targets)
    influence[target] = across * (up - slope * across) / (free * spread)
    return Linear(slope, influence, target, int(n.sum()), counts.size + 1)


def compare_means(y: Floats, own: Codes, *, target: Codes, n_targets: int, n: Codes) -> Linear:
    """Return the mean of ``y`` where ``own`` is 1 minus that where it is 0; both occur, in shape (targets rated,)."""
    means, counts = sum_by(own, y) / np.bincount(own), np.bincount(own)
    influence = np.zeros(n_targets)
    influence[target] = (2 * own - 1) * (y - means[own]) / counts[own]
    return Linear(float(means[1] - means[0]), influence, target, int(n.sum()))


def count_pairs(y: Floats, own: Codes, *, target: Codes, n_targets: int, n: Codes) -> Linear:
    """Return the share of pairs with ``y`` higher where ``own`` is 1 than where it is 0, a tie counting one half."""
    counts = np.bincount(own)
    within = np.empty(y.size)
    for side in (0, 1):
        within[own == side] = rankdata(y[own == side])
    below = (rankdata(y) - within) / counts[1 - own]  # the share of the other half that lies below each
    share = float(below[own == 1].mean())
    influence = np.zeros(n_targets)
    influence[target] = np.where(own == 1, below - share, 1.0 - below - share) / counts[own]
    return Linear(share, influence, target, int(n.sum()))


def average(parts: Sequence[Linear]) -> Linear:
    """Return the mean of ``parts`` (at least one), each with the same weight."""
    return Linear(
        value=float(np.mean([part.value for part in parts])),
        influence=np.mean([part.influence for part in parts], axis=0),
        used=np.unique(np.concatenate([part.used for part in parts])),
        n=sum(part.n for part in parts),
        lost=max(part.lost for part in parts),
    )


def estimate_slope(found: Linear, *, level: float) -> Estimate:
    """Return a slope with its t interval; without one where the points lie on a line, such as constant ratings."""
    error = math.sqrt(float(found.influence @ found.influence))
    if error < TINY:
        method = "least squares, without an interval: no residual"
        return Estimate(found.value, None, None, level, method, "targets", found.n, ("no_interval",))
    df = found.used.size - found.lost
    margin = float(stdtrit(df, (1.0 + level) / 2.0)) * error
    method = f"least squares, HC3 (MacKinnon and White 1985), t with {df} df"
    return Estimate(found.value, found.value - margin, found.value + margin, level, method, "targets", found.n)


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """Which targets of the study are of own systems (1) or of others (0), and their systems: codes of shape (targets,).

    With three own and three other systems or more, among the targets of an estimate, the systems are what is sampled.
    """

    own: Codes
    system: Codes

    def by_system(self, used: Codes) -> bool:
        """Tell whether intervals over the targets ``used`` take systems as clusters."""
        return min(np.unique(self.system[used][self.own[used] == side]).size for side in (0, 1)) >= FEWEST_SYSTEMS


def estimate_difference(found: Linear, halves: Halves, *, most: float, level: float) -> Estimate:
    """Return a difference of means with its t interval, cut to -``most`` and ``most``."""
    error, df = _error(found, halves)
    by_system = halves.by_system(found.used)
    covers = "systems and their targets" if by_system else "targets of these systems"
    if error < TINY:
        method = "difference of means, without an interval: all alike in each half"
        return Estimate(found.value, None, None, level, method, covers, found.n, ("no_interval",))
    margin = float(stdtrit(df, (1.0 + level) / 2.0)) * error
    low, high = max(found.value - margin, -most), min(found.value + margin, most)
    return Estimate(found.value, low, high, level, f"difference of means, t with {df:.1f} df (Welch)", covers, found.n)


def estimate_share(found: Linear, halves: Halves, *, level: float) -> Estimate:
    """Return a share of pairs (0 to 1) with its interval; at 0 and 1 the exact bound for the half with fewer targets.

    The bound is 1 - ((1 - level) / 2)^(1 / G) (Clopper and Pearson 1934), G being targets or systems.
    """
    error, df = _error(found, halves)
    by_system = halves.by_system(found.used)
    covers = "systems and their targets" if by_system else "targets of these systems"
    p = min(max(found.value, 0.0), 1.0)
    if min(p, 1.0 - p) < TINY:
        fewest = min(_clusters(found, halves, side).size for side in (0, 1))
        room = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / fewest)
        low, high = (0.0, room) if p < 0.5 else (1.0 - room, 1.0)
        return Estimate(round(p), low, high, level, "share of pairs, exact bound", covers, found.n)
    if error < TINY:
        method = "share of pairs, without an interval: all alike in each half"
        return Estimate(p, None, None, level, method, covers, found.n, ("no_interval",))
    margin = float(stdtrit(df, (1.0 + level) / 2.0)) * error / (p * (1.0 - p))
    low, high = (float(expit(logit(p) + side * margin)) for side in (-1.0, 1.0))
    method = f"share of pairs (DeLong), logit, t with {df:.1f} df (Welch)"
    return Estimate(p, low, high, level, method, covers, found.n)


def _clusters(found: Linear, halves: Halves, side: int) -> Floats:
    """Return the sums of influence over the targets, or the systems, of one half."""
    used = found.used[halves.own[found.used] == side]
    codes = halves.system[used] if halves.by_system(found.used) else used
    return sum_by(np.unique(codes, return_inverse=True)[1], found.influence[used])


def _error(found: Linear, halves: Halves) -> tuple[float, float]:
    """Return standard error and degrees of freedom."""
    variances, weights = [], 0.0
    for side in (0, 1):
        sums = _clusters(found, halves, side)
        variance = sums.size / (sums.size - 1) * float(sums @ sums)
        variances.append(variance)
        weights += variance**2 / (sums.size - 1)
    total = sum(variances)
    return math.sqrt(total), total**2 / weights if weights > 0.0 else math.inf
