"""Intraclass correlations from mean squares: complete tables, and unbalanced one-way data.

Names after McGraw and Wong (1996): ICC(1), ICC(A,1), ICC(C,1) for one rating, ICC(1,k), ICC(A,k), ICC(C,k) for the mean
of k. Shrout and Fleiss (1979) call the A forms ICC(2, .) and the C forms ICC(3, .).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, fdtri

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.ranges import require_open

WORDS = {
    "1": "agreement (absolute) of {what}, each target with raters of its own",
    "A": "agreement (absolute) of {what}, raters drawn at random and their severity counted as error",
    "C": "consistency (relative) of {what}, severity of the raters left out",
}

TINY = 1e-12
"""A sum of squares below this share of the total is rounding."""


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Mean squares of a complete table with ``n`` targets and ``k`` raters, in squared units of the ratings.

    ``target`` between targets (n - 1 df), ``rater`` between raters (k - 1), ``within`` within targets (n (k - 1)),
    ``residual`` target x rater ((n - 1) (k - 1)).
    """

    n: int
    k: int
    target: float
    rater: float
    within: float
    residual: float


@dataclass(frozen=True, slots=True)
class IccForm:
    """One of the six intraclass correlations of a complete table.

    ``name`` is McGraw and Wong's, ``words`` say agreement or consistency, and of what. ``f``, ``df1``, ``df2``, ``p``
    test that targets do not differ; ``f`` is infinite where there is no error. ``estimate`` is a Refusal where the mean
    squares do not determine the form.
    """

    name: str
    words: str
    estimate: Estimate | Refusal
    f: float
    df1: float
    df2: float
    p: float


@dataclass(frozen=True, slots=True)
class OneWay:
    """One-way analysis of variance: mean squares ``between`` and ``within`` targets, and what follows from them.

    ``n0`` is the number of ratings per target that stands for unequal ones. ``f``, ``df1``, ``df2``, ``p`` test that
    targets do not differ; ``f`` is infinite where the ratings of a target never differ.
    """

    between: float
    within: float
    n0: float
    icc1: Estimate
    icc1_k: Estimate | Refusal
    f: float
    df1: float
    df2: float
    p: float


@dataclass(frozen=True, slots=True)
class _Single:
    """The correlation of one rating: a value, bounds where there are any, and what is said about them."""

    value: float
    bounds: tuple[float, float] | None
    method: str
    covers: str
    flags: tuple[Flag, ...] = ()


def mean_squares(table: Floats) -> MeanSquares:
    """Return the mean squares of a complete table of ratings, shape (targets, raters).

    Makes one copy of the table. Raises ``InputError`` for a table that is not complete, ``CannotEstimateError`` for
    fewer than two targets or raters and for constant ratings.
    """
    y = np.asarray(table, dtype=np.float64)
    if y.ndim != 2 or not np.isfinite(y.sum()):
        raise InputError("mean squares need a complete table (targets, raters) of finite numbers; leave gaps to REML")
    n, k = y.shape
    if n < 2 or k < 2:
        raise CannotEstimateError(f"the table has {n} targets and {k} raters", remedy="give at least 2 of each")
    _check_variation(y)
    y = y - y[0, 0]  # exact, and keeps a large offset out of the squares
    row, column = y.mean(axis=1), y.mean(axis=0)
    grand = row.mean()
    rest = y - row[:, None]
    ss_target, ss_within = k * float(np.sum((row - grand) ** 2)), float(np.vdot(rest, rest))
    rest -= column - grand
    ss_rater, ss_residual = n * float(np.sum((column - grand) ** 2)), float(np.vdot(rest, rest))
    total = ss_target + ss_within
    return MeanSquares(
        n=n,
        k=k,
        target=_clean(ss_target, total) / (n - 1),
        rater=_clean(ss_rater, total) / (k - 1),
        within=_clean(ss_within, total) / (n * (k - 1)),
        residual=_clean(ss_residual, total) / ((n - 1) * (k - 1)),
    )


def icc_forms(ms: MeanSquares, *, level: float = 0.95) -> tuple[IccForm, ...]:
    """Return the six forms in the order ICC(1), ICC(A,1), ICC(C,1), ICC(1,k), ICC(A,k), ICC(C,k).

    Values and bounds are not cut. The intervals are exact F for (1) and (C); for (A) they are McGraw and Wong's, with
    Satterthwaite's degrees of freedom at the estimate. The mean of k has the interval of one rating, carried over by
    the formula of Spearman and Brown, of which it is a monotone function; the R package psych prints the same. (The R
    package irr puts the coefficient of k into the degrees of freedom for one, and prints another interval for
    ICC(A,k).) F is the mean square of targets over the one within targets for (1), over the residual for (A) and (C),
    as psych has it; irr gives the (A) forms Satterthwaite's degrees of freedom there, though under the hypothesis they
    are the same.
    """
    require_open("level", level, 0.0, 1.0)
    single = {"1": _one_way(ms, level), "A": _agreement(ms, level), "C": _consistency(ms, level)}
    return tuple(_form(ms, key, one, k=k, level=level) for k in (1, ms.k) for key, one in single.items())


def one_way_anova(values: Floats, target: Codes, *, k: float, level: float = 0.95) -> OneWay:
    """Return the one-way analysis of variance of ratings in long form; ``values`` and ``target`` have shape (n,).

    n0 = (N - sum n_i^2 / N) / (I - 1), ICC(1) = (MSB - MSW) / (MSB + (n0 - 1) MSW); ICC(1,k) is that of a mean of ``k``
    ratings. The interval is exact F where all targets have n0 ratings, and else approximate with n0 in their place.
    Nothing is cut. Raises ``InputError`` for values that are not finite; ``CannotEstimateError`` for one target, for
    constant values, and where no target has two ratings. Source: Donner (1986); Searle, Casella and McCulloch (1992).
    """
    require_open("level", level, 0.0, 1.0)
    x, code = _read_long(values, target)
    m = np.bincount(code)
    N = len(x)
    df1, df2 = len(m) - 1, N - len(m)
    mean = np.bincount(code, x) / m
    ss_between, ss_within = float(np.sum(m * (mean - x.mean()) ** 2)), float(np.sum((x - mean[code]) ** 2))
    msb = _clean(ss_between, ss_between + ss_within) / df1
    msw = _clean(ss_within, ss_between + ss_within) / df2
    n0 = (N - float(np.sum(m**2)) / N) / df1
    balanced = bool(m.min() == m.max())
    one = _Single(
        value=(msb - msw) / (msb + (n0 - 1) * msw),
        bounds=_f_bounds(msb, msw, df1, df2, n0, level),
        method=f"one-way mean squares, {'exact F interval' if balanced else 'F interval with n0 ratings per target'}",
        covers="targets (severity counts as noise)",
        flags=() if balanced else ("approximate",),
    )
    f, p = _test(msb, msw, df1, df2)
    icc1 = _report(one, one.value, one.bounds, N, level)
    return OneWay(msb, msw, n0, icc1, _of_mean(one, k, N, level), f, df1, df2, p)


def _one_way(ms: MeanSquares, level: float) -> _Single:
    return _Single(
        value=(ms.target - ms.within) / (ms.target + (ms.k - 1) * ms.within),
        bounds=_f_bounds(ms.target, ms.within, ms.n - 1, ms.n * (ms.k - 1), ms.k, level),
        method="one-way mean squares, exact F interval",
        covers="targets (severity counts as noise)",
    )


def _agreement(ms: MeanSquares, level: float) -> _Single | Refusal:
    n, k, MSR, MSC, MSE = ms.n, ms.k, ms.target, ms.rater, ms.residual
    total = MSR + (k - 1) * MSE + k / n * (MSC - MSE)
    if total == 0:
        return Refusal("neither targets nor raters differ in their means", "rate targets that differ")
    r = (MSR - MSE) / total
    bounds = None
    if r < 1:
        a, b = k * r / (n * (1 - r)) * MSC, (1 + k * r * (n - 1) / (n * (1 - r))) * MSE
        spread = a**2 / (k - 1) + b**2 / ((n - 1) * (k - 1))
        v = (a + b) ** 2 / spread if spread > 0 else 0.0
        low_f, high_f = _f_quantile(n - 1, v, level), _f_quantile(v, n - 1, level)
        low = n * (MSR - low_f * MSE) / (low_f * (k * MSC + (k * n - k - n) * MSE) + n * MSR)
        high = n * (high_f * MSR - MSE) / (k * MSC + (k * n - k - n) * MSE + n * high_f * MSR)
        bounds = (low, high) if math.isfinite(low) and math.isfinite(high) else None
    return _Single(
        value=r,
        bounds=bounds,
        method="two-way mean squares, McGraw and Wong's interval with Satterthwaite's df",
        covers="targets and raters",
        flags=("approximate", "few_raters") if k < FEW_RATERS else ("approximate",),
    )


def _consistency(ms: MeanSquares, level: float) -> _Single | Refusal:
    MSR, MSE = ms.target, ms.residual
    if MSR + (ms.k - 1) * MSE == 0:
        return Refusal("targets do not differ, and raters differ by constants only", "rate targets that differ")
    return _Single(
        value=(MSR - MSE) / (MSR + (ms.k - 1) * MSE),
        bounds=_f_bounds(MSR, MSE, ms.n - 1, (ms.n - 1) * (ms.k - 1), ms.k, level),
        method="two-way mean squares, exact F interval",
        covers="targets (these raters only)",
    )


def _form(ms: MeanSquares, key: str, one: _Single | Refusal, *, k: int, level: float) -> IccForm:
    error, df2 = (ms.within, ms.n * (ms.k - 1)) if key == "1" else (ms.residual, (ms.n - 1) * (ms.k - 1))
    f, p = _test(ms.target, error, ms.n - 1, df2)
    name = "ICC(1)" if key == "1" and k == 1 else f"ICC({key},{k})"
    what = "one rating" if k == 1 else f"the mean of {k} ratings"
    n = ms.n * ms.k
    if isinstance(one, Refusal):
        estimate: Estimate | Refusal = one
    else:
        estimate = _report(one, one.value, one.bounds, n, level) if k == 1 else _of_mean(one, k, n, level)
    return IccForm(name, WORDS[key].format(what=what), estimate, f, ms.n - 1, df2, p)


def _of_mean(one: _Single, k: float, n: int, level: float) -> Estimate | Refusal:
    """Carry value and bounds over to the mean of k ratings (Spearman 1910, Brown 1910)."""
    value = _step_up(one.value, k)
    if value is None:
        return Refusal(
            f"targets differ so little that the correlation of a mean of {k:g} ratings is not defined",
            "use the coefficient of one rating, or rate targets that differ",
        )
    bounds = None
    if one.bounds is not None:
        low, high = (_step_up(bound, k) for bound in one.bounds)
        bounds = None if low is None or high is None else (low, high)
    return _report(one, value, bounds, n, level)


def _step_up(r: float, k: float) -> float | None:
    spread = 1 + (k - 1) * r
    return k * r / spread if spread > TINY else None


def _report(one: _Single, value: float, bounds: tuple[float, float] | None, n: int, level: float) -> Estimate:
    if bounds is None:
        flags: tuple[Flag, ...] = (*one.flags, "boundary", "no_interval")
        return Estimate(value, None, None, level, one.method, one.covers, n, flags)
    return Estimate(value, *bounds, level, one.method, one.covers, n, one.flags)


def _f_bounds(between: float, error: float, df1: int, df2: int, k: float, level: float) -> tuple[float, float] | None:
    if error == 0 or between == 0:
        return None
    f = between / error
    low, high = f / _f_quantile(df1, df2, level), f * _f_quantile(df2, df1, level)
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _f_quantile(df1: float, df2: float, level: float) -> float:
    return float(fdtri(df1, df2, 0.5 + level / 2)) if df1 > 0 and df2 > 0 else math.inf


def _test(between: float, error: float, df1: int, df2: int) -> tuple[float, float]:
    """Return F and its p; where nothing varies either way, F = 0 says that targets do not differ."""
    if error == 0:
        return (math.inf, 0.0) if between > 0 else (0.0, 1.0)
    return between / error, float(fdtrc(df1, df2, between / error))


def _clean(part: float, total: float) -> float:
    return part if part > TINY * total else 0.0


def _read_long(values: Floats, target: Codes) -> tuple[Floats, Codes]:
    if np.ndim(values) != 1 or np.shape(values) != np.shape(target):
        raise InputError(
            f"values of shape {np.shape(values)} and targets of shape {np.shape(target)}; give one of each"
        )
    x = np.asarray(values, dtype=np.float64)
    if not np.isfinite(x.sum()):
        raise InputError("values must be finite numbers; leave missing ratings out before")
    code = np.unique(target, return_inverse=True)[1]
    n_targets = int(code.max()) + 1 if len(code) else 0
    if n_targets < 2:
        raise CannotEstimateError(f"there are ratings of {n_targets} targets", remedy="give ratings of at least two")
    if len(x) == n_targets:
        raise CannotEstimateError(
            "no target has two ratings, so the variance of targets cannot be told from that of ratings",
            remedy="let at least two raters rate the same targets",
        )
    _check_variation(x)
    return x - x[0], code  # exact, and keeps a large offset out of the squares


def _check_variation(y: Floats) -> None:
    if y.min() == y.max():
        raise CannotEstimateError(
            f"all {y.size} ratings are the same, so no share of variance is defined",
            remedy="report percent agreement and the marginals, or rate targets that differ",
        )
