r"""The correlation of two sides that rated the same targets, with the noise of one of them taken out.

With x the mean of the :math:`m_i` ratings of target i by raters of its own, and y one other value a target, the
correlation of y with what the raters share is

.. math:: \rho = r_{xy} / \sqrt{R}, \qquad R = k\,\mathrm{ICC}(1) / (1 + (k - 1)\,\mathrm{ICC}(1))

(Spearman 1904), with k the harmonic mean of :math:`m_i` and ICC(1) from one-way mean squares (Donner 1986). The noise
of y stays in. It is a second route to what `fit_kinds` estimates by maximum likelihood.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.kinds.observed import observed_correlation
from dialgauge.stats.meansquares import one_way_anova
from dialgauge.stats.ranges import require_open

FEWEST = 10
"""Targets below which leaving one out says little of the error."""

CLEAR = 0.95
"""Level at which raters must tell targets apart before their noise can be taken out."""

METHOD = "Spearman's correction by ICC(1,k), delete-one jackknife over targets, t interval"


@dataclass(frozen=True, slots=True)
class Attenuation:
    """A correlation of target means as it stands, and without the noise of the raters.

    ``observed`` is Pearson's, with Fisher's interval. ``reliability`` is that of the mean of ``k`` raters, ICC(1,k).
    ``corrected`` is the correlation with what the raters share. ``n`` targets have a value on both sides.
    """

    observed: Estimate
    reliability: Estimate | Refusal
    corrected: Estimate | Refusal
    k: float
    n: int


def correct_attenuation(values: Floats, target: Codes, other: Floats, *, level: float = 0.95) -> Attenuation:
    """Correlate the target means of ``values`` with ``other``, as they stand and without the noise of the former.

    ``values`` and ``target`` (codes 0 to I - 1, each used) have shape (n,), ``other`` has shape (I,). The interval of
    the corrected correlation is that of the delete-one jackknife over targets (Tukey 1958), t with I - 1 degrees of
    freedom: r and R are computed anew without each target; value and interval are cut to -1 and 1. It is refused where
    the 95 % interval of ICC(1) does not lie above 0, and below ten targets.

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
    n = other.size
    left_out = r[1:] / np.sqrt(reliability[1:])
    value = float(r[0] / math.sqrt(reliability[0]))
    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    margin = float(stdtrit(n - 1, (1.0 + level) / 2.0)) * error
    low, high = (min(max(end, -1.0), 1.0) for end in (value - margin, value + margin))
    cut = min(max(value, -1.0), 1.0)
    flags: tuple[Flag, ...] = ("boundary",) if cut != value else ()
    return Estimate(cut, low, high, level, METHOD, "targets", values.size + n, flags)


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
