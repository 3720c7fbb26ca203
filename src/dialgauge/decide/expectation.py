r"""How much more has to be collected until a limit of the interval is expected to be beyond the threshold.

With m ratings per target and the odds c = Rel / (1 - Rel) of one rating, the statistic

.. math:: z = \ln(1 + m c)

has a standard error that hardly depends on the reliability and shrinks with the root of the number of targets: it is
the logarithm of F, and half of it Fisher's z of an intraclass correlation (Fisher 1925; Walter, Eliasziw and Donner
1998). So with the estimate as it is, an end of the interval at distance d from it is expected at distance d sqrt(n / N)
with N targets in the place of n. Raters and replicates per target stay as they are; where raters differ in severity,
their number is meant to grow with the targets. Where every target repeated exactly, the lower limit rests on the
largest share of targets that could differ, and its distance from 1 shrinks with n itself (Hanley and Lippman-Hand
1983).
"""

import math


def targets_until(value: float, end: float, threshold: float, *, n: float, per_target: float) -> float:
    """Return how many targets there must be until ``end`` is expected at ``threshold``; infinite where it never is.

    ``value``, ``end`` and ``threshold`` are odds of true to error variance of one rating; ``end`` is the end of the
    interval on the other side of ``threshold`` from ``value``, with ``n`` targets of ``per_target`` ratings.
    """
    if math.isinf(value):
        return n * (1.0 + threshold) / (1.0 + end)
    at_value, at_end, at_threshold = (_z(odds, per_target) for odds in (value, end, threshold))
    gap = at_value - at_threshold
    if gap == 0.0 or math.isinf(at_end):
        return math.inf
    return n * ((at_value - at_end) / gap) ** 2


def targets_per_system_until(value: float, low: float, threshold: float, *, per_system: float) -> float:
    """Return how many targets per system there must be until the lower limit is expected at ``threshold``.

    ``value`` and ``low`` are odds of the variance of systems to that of targets in a system, found with ``per_system``
    targets each; ``threshold`` is a reliability. The expected F is 1 + N c, and the quantile that divides it is taken
    as it was: (F / F_crit - 1) / (F / F_crit) = threshold solved for N.
    """
    if not value > 0.0:
        return math.inf
    quantile = (1.0 + per_system * value) / (1.0 + per_system * low) if 1.0 + per_system * low > 0.0 else math.inf
    return (quantile / (1.0 - threshold) - 1.0) / value


def _z(odds: float, per_target: float) -> float:
    return math.log1p(max(per_target, 2.0) * max(odds, 0.0)) if math.isfinite(odds) else math.inf
