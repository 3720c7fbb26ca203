"""Profile-likelihood intervals for the correlation of target effects between kinds, and for each kind's reliability.

The REML criterion is minimised over all else at a fixed correlation, or at fixed odds of true to error variance; the
interval holds the values at which it rises by less than the quantile of chi-square with one degree of freedom (Venzon
and Moolgavkar 1988). Next to the edge at 1 or -1 this covers at least as often as it says, up to sampling error of the
variances, since the rise is cut off there (Self and Liang 1987).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.kinds.chart import CELL, RATER, RESIDUAL, Chart, Pin
from dialgauge.stats.kinds.criterion import Variances
from dialgauge.stats.kinds.fit import KindsFit
from dialgauge.stats.kinds.minimise import Minimum
from dialgauge.stats.kinds.search import SMALL_DESIGN
from dialgauge.stats.kinds.wald import correlation_slope, log_odds_slope, standard_error
from dialgauge.stats.reml.minimise import NoMinimumError
from dialgauge.stats.reml.odds import Form, Odds

ROOT_TOLERANCE = 1e-6
INNER_TOLERANCE = 1e-9
MAX_ROOT_STEPS = 60
SECOND_MINIMUM = 1e-5
LEAST_SHARED = 3
"""Two targets always lie on a line: a correlation needs more that are shared."""

LEAST_ODDS = 1e-4
"""Where the search for the upper end of odds begins whose estimate is zero."""

SECOND_END = 1e-4
"""A rise that much lower at an end, reached from elsewhere, shows another minimum."""

FARTHEST = 16.0
"""Log odds beyond which an end of an interval counts as zero or infinity."""


class ProfileLostError(CannotEstimateError):
    """The criterion could not be followed along its profile."""

    def __init__(self) -> None:
        super().__init__(
            "the profile of the criterion could not be certified",
            remedy="collect more ratings of targets by both kinds",
        )


@dataclass(frozen=True, slots=True)
class CorrelationProfile:
    """The correlation of the target effects on two kinds, with its interval.

    ``low`` and ``high`` are ``None`` where the interval could not be formed. An end of exactly 1 or -1 says that the
    criterion does not rise enough up to there.
    """

    value: float
    low: float | None
    high: float | None
    method: str


def profile_correlation(fit: KindsFit, first: int, second: int, *, level: float = 0.95) -> CorrelationProfile:
    """Profile the criterion over the correlation of the target effects on two kinds; ``level`` lies in (0, 1).

    Raises ``CannotEstimateError`` where the two share too few targets, or the target effects on either do not vary.
    """
    value = require_correlation(fit, first, second)
    reach = float(ndtri(0.5 + level / 2.0))
    profile = _Profile(fit, lambda rho: Chart.with_correlation(fit.slots, (first, second), rho))
    turn = standard_error(fit, correlation_slope(fit, first, second)) / max(math.sqrt(1.0 - value**2), 0.1)
    try:
        if any(_without_targets(fit, kind) <= reach**2 for kind in (first, second) if fit.layouts[kind].splits):
            low, high = -1.0, 1.0  # with no variance of targets at all, every correlation is as good
        else:
            low, high = (profile.end_of_correlation(value, side, reach, guess=reach * turn) for side in (-1.0, 1.0))
    except CannotEstimateError:
        return CorrelationProfile(value, None, None, "profile likelihood (not closed)")
    return CorrelationProfile(value, low, high, "profile likelihood")


def require_correlation(fit: KindsFit, first: int, second: int) -> float:
    """Return the correlation of two kinds; raise ``CannotEstimateError`` where there is none."""
    if fit.shared[first, second] < LEAST_SHARED:
        raise CannotEstimateError(
            f"{fit.shared[first, second]} targets were rated by both kinds, so their correlation is not identifiable",
            remedy="let both kinds rate the same targets",
        )
    value = fit.correlation(first, second)
    if value is None:
        raise CannotEstimateError(
            "the target variance of a kind is estimated as zero, so nothing of it can correlate",
            remedy="collect more ratings per target of that kind, or targets that differ more",
        )
    return value


def rise_at_correlation(fit: KindsFit, first: int, second: int, rho: float) -> float:
    """Return how far the criterion lies above its minimum where the correlation is fixed at ``rho``.

    Raises ``CannotEstimateError`` where that cannot be certified.
    """
    return _Profile(fit, lambda r: Chart.with_correlation(fit.slots, (first, second), r)).rise(rho)


def profile_odds(
    fit: KindsFit, kind: int, *, form: Form = "absolute", replicates: float = 1.0, level: float = 0.95
) -> Odds:
    """Profile the criterion over the odds of true to error variance of one rater of ``kind``.

    The rater gives ``replicates`` ratings to a target; ``form`` is ``"absolute"`` (fresh raters of that kind each time)
    or ``"relative"`` (severity taken out). Where there is one rater per target (``layouts[kind].own_view``) the only
    error is the residual. Raises ``CannotEstimateError`` where residual and target variance cannot be told apart.
    """
    weights = error_weights(fit, kind, form, replicates)
    at = fit.minimum.variances
    error = float((weights * np.stack([at.rater, at.cell, at.residual])).sum())
    value = float(at.sigma[kind, kind]) / error
    profile = _Profile(
        fit,
        lambda odds: Chart.with_odds(fit.slots, Pin(kind, odds, weights)),
        lambda odds: _severe(fit, kind, weights, odds),
    )
    reach = float(ndtri(0.5 + level / 2.0))
    guess = reach * standard_error(fit, log_odds_slope(fit, kind, weights)) if value > 0.0 else 0.0
    try:
        low, high = (profile.end_of_odds(value, side, reach, guess=guess) for side in (-1.0, 1.0))
    except CannotEstimateError:
        return Odds(value, None, None, "profile likelihood (not closed)")
    return Odds(value, low, high, "profile likelihood")


def error_weights(fit: KindsFit, kind: int, form: Form, replicates: float) -> Floats:
    """Return the weights (3, G) of the variances that are error of one rater of ``kind``."""
    if fit.layouts[kind].basis == "identical":
        raise CannotEstimateError(
            "all replicates of this kind are equal, so it has no noise that could be told from the targets",
            remedy="let a second rater of the kind rate the targets",
        )
    if not fit.layouts[kind].splits:
        raise CannotEstimateError(
            "each target has one rating of this kind, so its noise cannot be told from the targets",
            remedy="let a second rater of the kind rate the targets, or the same one again",
        )
    weights = np.zeros((3, fit.n_kinds))
    weights[RATER, kind] = 1.0 if form == "absolute" and not fit.layouts[kind].own_view else 0.0
    weights[CELL, kind] = 1.0
    weights[RESIDUAL, kind] = 1.0 / replicates
    return weights


def _severe(fit: KindsFit, kind: int, weights: Floats, odds: float) -> list[Variances]:
    """Return the fitted variances with so much severity that the odds come out without a change of the targets.

    With few raters much severity is hardly less likely than little, so that the profile may have its minimum there.
    """
    at = fit.minimum.variances
    rest = weights * np.stack([at.rater, at.cell, at.residual])
    rest[RATER] = 0.0
    needed = float(at.sigma[kind, kind]) / odds - float(rest.sum()) if odds > 0.0 else 0.0
    few = fit.layouts[kind].design.n_raters <= SMALL_DESIGN
    if not (few and weights[RATER].any() and needed > 0.0):
        return []
    rater = at.rater.copy()
    rater[kind] = needed
    return [replace(at, rater=rater)]


def _without_targets(fit: KindsFit, kind: int) -> float:
    """Return how far the criterion rises where the target effects on ``kind`` do not vary."""
    pin = Pin(kind, 0.0, np.zeros((3, fit.n_kinds)))
    return _Profile(fit, lambda _: Chart.with_odds(fit.slots, pin)).rise(0.0)


class _Profile:
    """The criterion minimised over all else, as a function of what a chart fixes.

    There may be several minima. Each search starts where the last one ended; an end found so is held against searches
    that start where the fit is and at ``others``, and where one of these gets lower, all are made at every step.
    """

    def __init__(
        self,
        fit: KindsFit,
        chart: Callable[[float], Chart],
        others: Callable[[float], list[Variances]] = lambda _: [],
    ) -> None:
        self.fit, self.chart, self.others = fit, chart, others
        self.last: Variances = fit.minimum.variances
        self.thorough = False

    def rise(self, value: float) -> float:
        """Return the rise at ``value``, not below zero."""
        found = self._least(value, thorough=self.thorough)
        self.last = found.variances
        return self._above(found)

    def _above(self, found: Minimum) -> float:
        above = found.at.criterion - self.fit.criterion
        if above < -SECOND_MINIMUM:
            raise ProfileLostError
        return max(above, 0.0)

    def _least(self, value: float, *, thorough: bool) -> Minimum:
        found: list[Minimum] = []
        for i, near in enumerate((self.last, self.fit.minimum.variances, *self.others(value))):
            if i and found and not thorough:
                break
            try:
                found.append(self.fit.least(self.chart(value), near, tolerance=INNER_TOLERANCE))
            except NoMinimumError:
                continue
        if not found:
            raise ProfileLostError
        return min(found, key=lambda one: one.at.criterion)

    def _within(self, value: float, reach: float) -> bool:
        """Whether the rise at ``value`` is not too high, all searches made."""
        self.last = self.fit.minimum.variances
        return self._above(self._least(value, thorough=True)) <= reach**2

    def end_of_correlation(self, value: float, side: float, reach: float, *, guess: float) -> float:
        """Return the end of the interval of a correlation on one side, sought in its arc sine."""
        limit = side * math.pi / 2.0
        try:
            if value == side or self._within(side, reach):
                return side
        except ProfileLostError:  # the criterion is far too high there
            limit *= 0.99
        line = _Line(math.asin(value), side * min(max(guess, 0.05), 0.5), limit)
        return self._end(math.sin, line, reach)

    def end_of_odds(self, value: float, side: float, reach: float, *, guess: float) -> float:
        """Return the end of the interval of the odds on one side, sought in their logarithm: 0 or infinity if none."""
        if side < 0.0 and (value == 0.0 or self._within(0.0, reach)):
            return 0.0
        start = math.log(value if value > 0.0 else LEAST_ODDS)
        line = _Line(start, side * min(max(guess, 0.05), 2.0), side * FARTHEST)
        found = self._end(math.exp, line, reach)
        return math.inf if found == math.exp(FARTHEST) else found

    def _end(self, value_at: Callable[[float], float], line: "_Line", reach: float) -> float:
        for thorough in (False, True):
            self.thorough, self.last = thorough, self.fit.minimum.variances
            found = value_at(line.cross(lambda x: self.rise(value_at(x)), reach))
            if self.fit.small or self.others(found):
                lowest = self._above(self._least(found, thorough=True))
                if lowest < reach**2 - SECOND_END:
                    continue
            return found
        return found


@dataclass(frozen=True, slots=True)
class _Line:
    """Where to look for an end: from ``start``, where the criterion does not rise, by ``step`` up to ``limit``."""

    start: float
    step: float
    limit: float

    def cross(self, rise: Callable[[float], float], reach: float) -> float:
        """Return where the root of the rise, nearly a straight line, reaches ``reach``; ``limit`` if it does not.

        Secant steps, kept between what is known to lie inside and outside.
        """
        side = math.copysign(1.0, self.step)
        inside, outside, x = self.start, self.limit, self.start + self.step
        seen = (self.start, 0.0)
        for _ in range(MAX_ROOT_STEPS):
            x = min(x, self.limit) if side > 0.0 else max(x, self.limit)
            height = math.sqrt(rise(x))
            if height <= reach and x == self.limit:
                return self.limit
            inside, outside = (x, outside) if height <= reach else (inside, x)
            slope = (height - seen[1]) / (x - seen[0])
            new = x + (reach - height) / slope if slope * side > 0.0 else 0.5 * (inside + outside)
            new = side * min(side * new, side * x + 3.0 * abs(self.step))
            if not side * inside < side * new < side * outside and outside != self.limit:
                new = 0.5 * (inside + outside)
            seen, moved, x = (x, height), abs(new - x), new
            if moved < ROOT_TOLERANCE:
                return new
        raise ProfileLostError
