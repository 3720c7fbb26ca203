r"""The correlation of two sides that rated the same targets, with the noise of one of them taken out.

With x the mean of the :math:`m_i` ratings of target i by raters of its own, and y one other value a target, the
correlation of y with what the raters share is

.. math:: \rho = r_{xy} / \sqrt{R}, \qquad R = k\,\mathrm{ICC}(1) / (1 + (k - 1)\,\mathrm{ICC}(1))

(Spearman 1904), with k the harmonic mean of :math:`m_i` and ICC(1) from one-way mean squares (Donner 1986). The noise
of y stays in. It is a second route to what `fit_kinds` estimates by maximum likelihood.

Where the same raters rate many targets, their severity cancels from :math:`r_{xy}` and must not count as noise: then x
are the means without severity (`take_severity_out`), and R is relative,
:math:`1 - \hat\sigma_e^2 / (k\, \widehat{\mathrm{Var}}(x))`.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtri

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.clusters import jackknife_margin
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.kinds.observed import observed_correlation
from dialgauge.stats.kinds.severity import shares_raters, take_severity_out
from dialgauge.stats.meansquares import one_way_anova
from dialgauge.stats.ranges import require_open

FEWEST = 10
"""Targets below which leaving one out says little of the error."""

CLEAR = 0.95
"""Level at which raters must tell targets apart before their noise can be taken out."""

METHOD = "Spearman's correction by ICC(1,k), delete-one jackknife over targets, t interval"

SHARED = "Spearman's correction by the relative reliability, severity out, delete-one jackknife over targets"

RELATIVE = "relative reliability of the mean, severity out by least squares, delete-one jackknife over targets"


@dataclass(frozen=True, slots=True)
class Attenuation:
    """A correlation of target means as it stands, and without the noise of the raters.

    ``observed`` is Pearson's, with Fisher's interval. ``reliability`` is that of the mean of ``k`` raters, ICC(1,k).
    ``corrected`` is the correlation with what the raters share. ``n`` targets have a value on both sides.
    ``severity_out`` says that raters were shared, so that their severity was taken out and ``reliability`` is relative.
    """

    observed: Estimate
    reliability: Estimate | Refusal
    corrected: Estimate | Refusal
    k: float
    n: int
    severity_out: bool = False


def correct_attenuation(
    values: Floats, target: Codes, other: Floats, *, rater: Codes | None = None, level: float = 0.95
) -> Attenuation:
    """Correlate the target means of ``values`` with ``other``, as they stand and without the noise of the former.

    ``values`` and ``target`` (codes 0 to I - 1, each used) have shape (n,), ``other`` has shape (I,). The interval of
    the corrected correlation is that of the delete-one jackknife over targets (Tukey 1958), t with I - 1 degrees of
    freedom: r and R are computed anew without each target; value and interval are cut to -1 and 1. It is refused where
    the 95 % interval of ICC(1) does not lie above 0, and below ten targets. ``rater`` (codes of shape (n,)) names the
    raters; where some are shared and all are linked through targets, their severity is taken out.

    Raises CannotEstimateError where fewer than three targets differ on both sides, InputError for shapes that do not
    match and a ``level`` outside (0, 1).
    """
    require_open("level", level, 0.0, 1.0)
    if values.shape != target.shape or other.shape != (int(target.max(initial=-1)) + 1,):
        raise InputError(
            f"{values.size} values, {target.size} targets and {other.size} other values do not match; give a target "
            "for each value and one other value for each target"
        )
    observed = _observe(values, target, other, level=level)
    if rater is not None and shares_raters(target, rater) and take_severity_out(values, target, rater) is not None:
        return _correct_shared(values, target, rater, other, observed=observed)
    k = other.size / float(np.sum(1.0 / np.bincount(target)))
    try:
        one_way = one_way_anova(values, target, k=k, level=level)
        apart = _tell_apart(one_way_anova(values, target, k=k, level=CLEAR).icc1)
    except CannotEstimateError as error:
        refused = Refusal(error.reason, error.remedy)
        return Attenuation(observed, refused, refused, k, other.size)
    corrected: Estimate | Refusal
    if not apart:
        corrected = Refusal(
            "the raters are not shown to tell the targets apart, so there is nothing to hold the correlation against",
            "let more raters rate the targets",
        )
    elif other.size < FEWEST:
        corrected = Refusal(f"there are {other.size} shared targets, and it takes {FEWEST}", "rate more targets")
    else:
        corrected = _jackknife(values, target, other, level=level)
    return Attenuation(observed, one_way.icc1_k, corrected, k, other.size)


def _correct_shared(values: Floats, target: Codes, rater: Codes, other: Floats, *, observed: Estimate) -> Attenuation:
    """Return the correction where raters are shared: the jackknife over targets of r and of the relative R."""
    n, level = other.size, observed.level
    k = n / float(np.sum(1.0 / np.bincount(target)))
    found = [_relative(values, target, rater, other, without=i) for i in range(-1, n)]
    whole = found[0]
    lacks: tuple[str, str] | None = None
    if whole is None or not whole[2]:
        lacks = (
            "the raters are not shown to tell the targets apart, so there is nothing to hold the correlation against",
            "let more raters rate the targets",
        )
    elif n < FEWEST:
        lacks = (f"there are {n} shared targets, and it takes {FEWEST}", "rate more targets")
    elif any(one is None or one[1] <= 0.0 for one in found):
        lacks = ("one target holds all that links the raters or tells apart", "let more raters rate more targets")
    if lacks is not None:
        refused = Refusal(*lacks)
        return Attenuation(observed, refused, refused, k, n, severity_out=True)
    pairs = np.array([one[:2] for one in found if one is not None])
    size = values.size
    reliability = _interval(pairs[:, 1], (0.0, 1.0), RELATIVE, level=level, n=size)
    corrected = _interval(pairs[:, 0] / np.sqrt(pairs[:, 1]), (-1.0, 1.0), SHARED, level=level, n=size + n)
    return Attenuation(observed, reliability, corrected, k, n, severity_out=True)


def _relative(
    values: Floats, target: Codes, rater: Codes, other: Floats, *, without: int
) -> tuple[float, float, bool] | None:
    """Return r, R and whether targets differ beyond chance, without one target; None where they cannot be told."""
    kept = target != without
    codes = (np.unique(part[kept], return_inverse=True)[1] for part in (target, rater))
    codes_t, codes_r = codes
    y = other if without < 0 else np.delete(other, without)
    found = take_severity_out(values[kept], codes_t, codes_r)
    spread = 0.0 if found is None else float(np.var(found.means, ddof=1))
    if found is None or not spread > 0.0 or not np.ptp(y) > 0.0:
        return None
    noise = found.residual * float(np.mean(1.0 / np.bincount(codes_t)))
    r = float(np.corrcoef(found.means, y)[0, 1])
    ratio = spread / noise if noise > 0.0 else math.inf
    apart = ratio > float(fdtri(y.size - 1, found.df, (1.0 + CLEAR) / 2.0))
    return r, 1.0 - 1.0 / ratio, apart


def _interval(found: Floats, bounds: tuple[float, float], method: str, *, level: float, n: int) -> Estimate:
    """Return the first of ``found`` with the jackknife interval of the others, both cut to ``bounds``."""
    value, margin = float(found[0]), jackknife_margin(found[1:], level=level)
    low, cut, high = (min(max(end, bounds[0]), bounds[1]) for end in (value - margin, value, value + margin))
    flags: tuple[Flag, ...] = ("boundary",) if cut != value else ()
    return Estimate(cut, low, high, level, method, "targets", n, flags)


def _observe(values: Floats, target: Codes, other: Floats, *, level: float) -> Estimate:
    kind = np.repeat([0, 1], [target.size, other.size])
    both = np.concatenate([target, np.arange(other.size)]), kind, np.concatenate([values, other])
    found = observed_correlation(*both, (0, 1), level=level)
    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        level=level,
        method="Pearson's correlation of the target means, noise included, Fisher's z",
        covers="targets",
        n=values.size + other.size,
        flags=("no_interval",) if found.low is None else (),
    )


def _tell_apart(icc: Estimate) -> bool:
    """Whether targets differ beyond chance; raters who never differ on a target have no interval."""
    return icc.value >= 1.0 if icc.low is None else icc.low > 0.0


def _jackknife(values: Floats, target: Codes, other: Floats, *, level: float) -> Estimate | Refusal:
    with np.errstate(divide="ignore", invalid="ignore"):
        r, reliability = _statistics(values - values.mean(), target, other - other.mean())
    if not (np.isfinite(r).all() and (reliability > 0.0).all()):
        return Refusal("one target holds all that either side tells apart", "let more raters rate more targets")
    return _interval(r / np.sqrt(reliability), (-1.0, 1.0), METHOD, level=level, n=values.size + other.size)


def _statistics(values: Floats, target: Codes, other: Floats) -> tuple[Floats, Floats]:
    """Return r and R of all targets, then without each in turn, shape (I + 1,) each."""
    m = np.bincount(target).astype(np.float64)
    s, q = (np.bincount(target, part).astype(np.float64) for part in (values, values**2))
    x, y = s / m, other

    def totals(part: Floats) -> Floats:
        whole = part.sum()
        return np.concatenate([[whole], whole - part])

    n = totals(np.ones_like(m))
    sx, sy, sxx, syy, sxy = (totals(part) for part in (x, y, x * x, y * y, x * y))
    r = (n * sxy - sx * sy) / np.sqrt((n * sxx - sx**2) * (n * syy - sy**2))
    N, S, Q, between = (totals(part) for part in (m, s, q, s * s / m))
    msb = (between - S**2 / N) / (n - 1)
    msw = (Q - between) / (N - n)
    n0 = (N - totals(m * m) / N) / (n - 1)
    icc = (msb - msw) / (msb + (n0 - 1) * msw)
    k = n / totals(1.0 / m)
    return r, k * icc / (1 + (k - 1) * icc)
