"""Interval for alpha that holds for new targets and for new raters: a two-way jackknife."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.alpha import keep_pairable, krippendorff_alpha, midranks
from dialgauge.stats.agreement.correction import TINY
from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_open

Metric = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True, eq=False)
class AlphaJackknife:
    """Alpha of all pairable values, and with one target, one rater, or one cell (target x rater) left out.

    Shapes: ``target`` (targets,), ``rater`` (raters,), ``cell`` (cells,), each in ascending order of the codes that
    occur among the pairable values; cells go by target, then rater. Without replicates a cell is a single rating.
    ``n`` counts the pairable values.
    """

    value: float
    target: Floats
    rater: Floats
    cell: Floats
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Codes from 0 of the target and the cell of each value, and of the target and the rater of each cell."""

    target: Codes
    cell: Codes
    cell_target: Codes
    cell_rater: Codes


def alpha_jackknife(values: Floats, target: Codes, rater: Codes, *, metric: Metric) -> AlphaJackknife:
    """Return alpha with each target, each rater and each cell left out; all arguments of shape (n,).

    A target that keeps a single value is left out of both parts of alpha, as the definition says. Ordinal alpha keeps
    the metric of the whole data: the mid-ranks are not ranked anew. Time is O(n log n), for ``nominal`` times the
    number of distinct values. Raises as ``krippendorff_alpha``, and ``CannotEstimateError`` where leaving one out
    leaves no two different values to compare.
    """
    if np.shape(rater) != np.shape(target):
        raise InputError(f"targets of shape {np.shape(target)} and raters of shape {np.shape(rater)}; give one of each")
    keep, code = keep_pairable(values, target)
    raters, rater_code = np.unique(rater[keep], return_inverse=True)
    cells, cell = np.unique(code * len(raters) + rater_code, return_inverse=True)
    return _leave_out(values[keep], metric, _Layout(code, cell, cells // len(raters), cells % len(raters)))


def two_way_jackknife(values: Floats, target: Codes, rater: Codes, *, metric: Metric, level: float = 0.95) -> Estimate:
    """Return alpha with an interval for new targets and new raters; arguments and errors as ``alpha_jackknife``.

    The interval is formed for log(1 - alpha), the log of a ratio of variances, and set back by the bias that the
    jackknife finds. Its variance is V_target + V_rater - V_cell (clustered both ways: Cameron, Gelbach and Miller
    2011), and not less than V_target. Its t quantile has Satterthwaite's degrees of freedom; targets or raters of
    which few carry the variance count for less. Where leaving one out leaves nothing that disagrees, the interval is
    that of ``krippendorff_alpha`` for these raters only, and says so.

    Measured coverage of 95 % intervals (normal crossed data, rater share .15, target shares .05 to .5, 2,000 draws
    each): 94 to 97 % on 30 x 5 complete, 100 targets x 5 of 30, 100 x 5 of 10 and 200 x 5 of 117 raters; 91 to 98 % on
    200 x 3 complete, where three raters are too few to tell. Intervals over targets only: 84 to 95 %, and 62 to 74 %.
    """
    require_open("level", level, 0.0, 1.0)
    try:
        left = alpha_jackknife(values, target, rater, metric=metric)
    except _NothingLeftError as refusal:
        return _these_raters_only(values, target, metric, level, refusal.reason)
    logs = _logarithms(left)
    if logs is None:
        return _these_raters_only(values, target, metric, level, "one target, rater or cell holds all disagreement")
    centre, se, df = _combine(math.log(1.0 - left.value), *logs)
    half = float(stdtrit(df, 0.5 + level / 2)) * se
    return Estimate(
        value=left.value,
        low=min(1.0 - math.exp(centre + half), left.value),
        high=max(1.0 - math.exp(centre - half), left.value),
        level=level,
        method=f"Krippendorff's alpha, {metric}; two-way jackknife of log(1 - alpha), t with {df:.1f} df",
        covers="targets and raters",
        n=left.n,
        flags=("few_raters",) if len(left.rater) < FEW_RATERS else (),
    )


class _NothingLeftError(CannotEstimateError):
    """Something left out leaves nothing to compare."""


def _coordinates(values: Floats, metric: Metric) -> Iterator[Floats]:
    """Yield the coordinates in which the metric is the squared Euclidean distance, each with mean zero."""
    if metric == "nominal":
        for value in np.unique(values):
            hit = (values == value).astype(np.float64)
            yield hit - hit.mean()
    elif metric in {"interval", "ordinal"}:
        x = values if metric == "interval" else midranks(values)
        yield x - x.mean()
    else:
        raise InputError(f"there is no jackknife for metric {metric!r}; choose nominal, ordinal or interval")


def _leave_out(values: Floats, metric: Metric, at: _Layout) -> AlphaJackknife:
    """Take each unit's part away from n, from the sum of m SS / (m - 1), and from the sum of squares about the mean."""
    m, n_cell = np.bincount(at.target).astype(np.float64), np.bincount(at.cell).astype(np.float64)
    stays = m[at.cell_target] - n_cell >= 2  # whether the target can still be compared without the cell

    def units(by_target: Floats, by_cell: Floats, remainder: Floats | None = None) -> list[Floats]:
        gone = by_target[at.cell_target]
        cell = np.where(stays, by_cell if remainder is None else gone - remainder, gone)
        return [np.zeros(1), by_target, sum_by(at.cell_rater, cell), cell]

    n = [len(values) - part for part in units(m, n_cell)]
    _check_left(n, "values")
    m_left = np.where(stays, m[at.cell_target] - n_cell, 2.0)
    within, total = [np.zeros(len(part)) for part in n], [np.zeros(len(part)) for part in n]
    for x in _coordinates(values, metric):
        s, q, s_cell, q_cell = (sum_by(code, part) for code in (at.target, at.cell) for part in (x, x * x))
        s_left, q_left = s[at.cell_target] - s_cell, q[at.cell_target] - q_cell
        a = m * (q - s * s / m) / (m - 1)
        a_left = m_left * (q_left - s_left**2 / m_left) / (m_left - 1)
        sums = zip(units(a, a, a_left), units(s, s_cell), units(q, q_cell), strict=True)
        for u, (da, ds, dq) in enumerate(sums):
            within[u] += a.sum() - da
            total[u] += (q.sum() - dq) - (s.sum() - ds) ** 2 / n[u]
    _check_left([part / total[0] for part in total], "two different values")
    whole, target, rater, cell = (1.0 - (n[u] - 1) / n[u] * np.maximum(within[u], 0.0) / total[u] for u in range(4))
    return AlphaJackknife(float(whole[0]), target, rater, cell, len(values))


def _check_left(parts: list[Floats], what: str) -> None:
    for unit, part in zip(("target", "rater", "cell"), parts[1:], strict=True):
        if part.min() <= TINY:
            raise _NothingLeftError(
                f"leaving out {unit} {int(part.argmin())} leaves no {what} to compare",
                remedy="add targets and raters, or use the interval for these raters only",
            )


def _logarithms(left: AlphaJackknife) -> tuple[Floats, Floats, Floats] | None:
    """Return log(1 - alpha) by unit left out; ``None`` where some of them agree perfectly or nothing varies."""
    ratios = (1.0 - left.target, 1.0 - left.rater, 1.0 - left.cell)
    if 1.0 - left.value <= TINY or min(float(r.min()) for r in ratios) <= TINY:
        return None
    target, rater, cell = (np.log(r) for r in ratios)
    return None if np.ptp(target) <= TINY else (target, rater, cell)


def _combine(full: float, target: Floats, rater: Floats, cell: Floats) -> tuple[float, float, float]:
    """Return centre, standard error and degrees of freedom from the values with one unit left out.

    The degrees of freedom of a variance from g contributions of kurtosis K are (g - 1) min(1, 2 / (K - 1)): g - 1 for
    normal ones. A rater's severity enters squared, so raters count for half at the most.
    """
    bias = [(len(part) - 1) * (part.mean() - full) for part in (target, rater, cell)]
    V_t, V_r, V_c = ((len(part) - 1) * part.var() for part in (target, rater, cell))
    V = max(V_t, V_t + V_r - V_c)
    df_t = (len(target) - 1) * min(1.0, 2 / (_kurtosis(target) - 1))
    df_r = (len(rater) - 1) * min(0.5, 2 / (_kurtosis(rater) - 1))
    df = V**2 / (V_t**2 / df_t + (V - V_t) ** 2 / df_r)
    return full - float(bias[0] + bias[1] - bias[2]), math.sqrt(V), max(float(df), 1.0)


def _kurtosis(part: Floats) -> float:
    square = (part - part.mean()) ** 2
    mean = float(square.mean())
    return max(float(np.mean(square**2)) / mean**2, 1.0 + TINY) if mean > 0 else 1.0 + TINY


def _these_raters_only(values: Floats, target: Codes, metric: Metric, level: float, why: str) -> Estimate:
    plain = krippendorff_alpha(values, target, metric=metric, level=level)
    flags = plain.flags if "no_interval" in plain.flags else (*plain.flags, "approximate")
    words = f"{plain.method}; no two-way jackknife because {why}"
    return Estimate(plain.value, plain.low, plain.high, level, words, plain.covers, plain.n, flags)
