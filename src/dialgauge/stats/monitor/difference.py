"""How much an occasion differs from the baseline, with intervals: a shift of means, a change of reliability."""

import math

import numpy as np
from scipy.special import stdtrit

from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal

_FEW = Refusal("fewer than two targets have ratings on both occasions", "rate the anchor set again")
_FLAT = Refusal(
    "the ratings of an occasion do not vary, so their reliability is not defined", "use targets that differ"
)


def mean_shift(first: Floats, second: Floats, *, level: float = 0.95) -> Estimate | Refusal:
    """Return the mean difference of two tables (targets, replicates), complete: the second minus the first.

    The interval is that of the paired t, over targets; it is for this pair of occasions alone.
    """
    d = second.mean(axis=1) - first.mean(axis=1)
    n = len(d)
    if n < 2:
        return _FEW
    reach = float(stdtrit(n - 1, 0.5 + level / 2.0)) * float(d.std(ddof=1)) / math.sqrt(n)
    value = float(d.mean())
    method = "mean difference of target means, paired t"
    return Estimate(
        value, value - reach, value + reach, level, method, "replicates on the same targets", first.size * 2
    )


def reliability_change(first: Floats, second: Floats, *, level: float = 0.95) -> Estimate | Refusal:
    """Return ICC(1) of the second table (targets, replicates) minus that of the first, of the same targets.

    The interval is a jackknife over targets with Student's t, which keeps what the two have in common (Tukey 1958).
    """
    n = len(first)
    if n < 3:
        return _FEW
    values = _leave_out(second) - _leave_out(first)
    if not np.isfinite(values).all():
        return _FLAT
    value, rest = float(values[0]), values[1:]
    error = math.sqrt((n - 1) / n * float(np.sum((rest - rest.mean()) ** 2)))
    reach = float(stdtrit(n - 1, 0.5 + level / 2.0)) * error
    low, high = max(value - reach, -2.0), min(value + reach, 2.0)
    return Estimate(
        value,
        low,
        high,
        level,
        "difference of ICC(1), jackknife over targets",
        "targets and replicates",
        first.size * 2,
    )


def _leave_out(table: Floats) -> Floats:
    """Return ICC(1) of all targets, then without each of them, shape (n + 1,); NaN where it is not defined."""
    n, k = table.shape
    means, within = table.mean(axis=1) - table.mean(), table.var(axis=1, ddof=1)
    sums = [np.concatenate([[x.sum()], x.sum() - x]) for x in (means, means**2, within)]
    left = np.concatenate([[n], np.full(n, n - 1)]).astype(np.float64)
    between = k * (sums[1] - sums[0] ** 2 / left) / (left - 1.0)
    error = sums[2] / left
    total = between + (k - 1) * error
    return np.asarray(np.divide(between - error, total, out=np.full(n + 1, np.nan), where=total > 0.0))
