r"""Reliabilities from variance components, with profile-likelihood intervals.

Every reliability is a monotone function of an odds c of true to error variance. For the absolute form with k raters of
r ratings each

.. math::
    \mathrm{Rel} = \frac{\sigma_t^2}{\sigma_t^2 + (\sigma_r^2 + \sigma_{tr}^2 + \sigma_e^2 / r) / k}
    = \frac{k c}{1 + k c}, \qquad c = \frac{\sigma_t^2}{\sigma_r^2 + \sigma_{tr}^2 + \sigma_e^2 / r}

and the relative form leaves :math:`\sigma_r^2` out of c (Brennan 2001, ch. 3). So one profile of the REML criterion
over c, minimised over all else, gives the interval for every k.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import chi2

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate, Flag
from dialgauge.stats.reml.criterion import Evaluation, evaluate
from dialgauge.stats.reml.fit import CELL, RATER, TARGET, RemlFit
from dialgauge.stats.reml.minimise import Minima, Plane, minimise
from dialgauge.stats.reml.panel import Panel, Responses

Form = Literal["absolute", "relative"]

ROOT_TOLERANCE = 1e-7
INNER_TOLERANCE = 1e-5
MAX_ROOT_STEPS = 60
SECOND_MINIMUM = 1e-5
LEAST_ODDS, MOST_ODDS = 1e-9, 1e9


@dataclass(frozen=True, slots=True)
class Odds:
    """Odds of true to error variance of one rater, with the ends of its profile interval.

    ``low`` is 0 where the criterion at no target variance at all lies within the interval, ``high`` is infinite where
    no error variance at all does. Both are ``None`` where the profile could not be followed to its ends.
    """

    value: float
    low: float | None
    high: float | None

    def reliability(self, k: float) -> tuple[float, float | None, float | None]:
        """Return value, low and high of the reliability of the mean of ``k`` raters."""
        low, high = (None if end is None else step_up(end, k) for end in (self.low, self.high))
        return step_up(self.value, k), low, high


def step_up(odds: float, k: float) -> float:
    """Reliability of the mean of ``k`` raters from the odds of one (Spearman 1910, Brown 1910)."""
    if math.isinf(odds):
        return 1.0
    return k * odds / (1.0 + k * odds)


def profile_odds(
    fits: Sequence[RemlFit], *, form: Form = "absolute", replicates: float = 1.0, level: float = 0.95
) -> list[Odds]:
    """Profile the criterion over the odds of true to error variance of one rater with ``replicates`` ratings.

    ``fits`` are fits of one model on one panel; they share the work. ``form`` is ``"absolute"`` (fresh raters each
    time) or ``"relative"`` (rater severity taken out); ``level`` lies in (0, 1).
    """
    if not fits:
        return []
    curves = _Curves(fits, form, replicates, reach=math.sqrt(float(chi2.ppf(level, 1))))
    low, high = curves.ends()
    return [
        Odds(value=float(value), low=None, high=None)
        if np.isnan(a) or np.isnan(b)
        else Odds(value=float(value), low=float(a), high=float(b))
        for value, a, b in zip(curves.best, low, high, strict=True)
    ]


class _Curves:
    """The profiled criterion of each fit as a function of its odds; both ends of all fits are sought side by side."""

    def __init__(self, fits: Sequence[RemlFit], form: Form, replicates: float, *, reach: float) -> None:
        first = fits[0]
        self.panel: Panel = first.panel
        self.responses = Responses.join([fit.responses for fit in fits])
        self.weights = np.zeros(3)
        self.weights[RATER] = 1.0 if form == "absolute" and RATER in first.active else 0.0
        self.weights[CELL] = 1.0 if CELL in first.active else 0.0
        self.rest = 1.0 / replicates
        self.cell = CELL in first.active
        self.free = [i for i in first.active if i != TARGET]
        self.reach = reach
        self.least = np.array([fit.criterion for fit in fits])
        self.ratios = np.stack([fit.ratios for fit in fits])
        self.best = self.ratios[:, TARGET] / (self.ratios @ self.weights + self.rest)

    def ends(self) -> tuple[Floats, Floats]:
        """Return the lower and the upper ends: zero or infinity where the curve never rises enough, NaN if unknown."""
        m = len(self.best)
        rows = np.arange(m)
        start = np.maximum(self.ratios[:, self.free], 1e-3)
        low = np.zeros(m)
        above, _, _ = self._rise(rows, np.zeros(m), start)
        risen = rows[(self.best > 0.0) & ~(above <= self.reach**2)]
        sides = np.concatenate([np.full(len(risen), -1.0), np.ones(m)])
        both = np.concatenate([risen, rows])
        first = np.where(self.best > 0.0, 1.5 * self.best, 1.0 / max(self.panel.n_big, 1))
        guess = np.concatenate([0.5 * self.best[risen], np.maximum(first, 1e-4)])
        found = self._solve(both, sides, np.clip(guess, LEAST_ODDS, MOST_ODDS), start[both])
        low[risen] = found[: len(risen)]
        return low, found[len(risen) :]

    def _rise(self, rows: Codes, odds: Floats, start: Floats) -> tuple[Floats, Floats, Floats]:
        """Return how far the profiled criterion lies above its minimum (NaN if unknown), its slope, and where."""
        m = len(rows)
        matrix = np.tile(np.eye(3)[:, self.free], (m, 1, 1))
        matrix[:, TARGET] = odds[:, None] * self.weights[self.free]
        base = np.zeros((m, 3))
        base[:, TARGET] = odds * self.rest
        chosen = self.responses.take(rows)

        def objective(some: Codes, ratios: Floats) -> Evaluation:
            return evaluate(self.panel, chosen if len(some) == m else chosen.take(some), ratios, cell=self.cell)

        minima: Minima = minimise(objective, Plane(base, matrix), start, tolerance=INNER_TOLERANCE)
        above = minima.at.criterion - self.least[rows]
        known = minima.found & (above > -SECOND_MINIMUM)
        slope = minima.at.gradient[:, TARGET] * (minima.ratios @ self.weights + self.rest)
        return np.where(known, np.maximum(above, 0.0), np.nan), slope, np.maximum(minima.x, 1e-6)

    def _solve(self, rows: Codes, sides: Floats, guess: Floats, start: Floats) -> Floats:
        """Find where the root of the rise reaches the quantile, by safeguarded Newton steps in log odds."""
        x = np.log(guess)
        with np.errstate(divide="ignore"):
            inner = np.log(self.best[rows])
        outer = sides * np.inf
        found = np.full(len(rows), np.nan)
        open_ = np.arange(len(rows))
        for _ in range(MAX_ROOT_STEPS):
            if not open_.size:
                break
            above, slope, where = self._rise(rows[open_], np.exp(x[open_]), start[open_])
            start[open_] = where
            known = ~np.isnan(above)
            open_, above, slope = open_[known], above[known], slope[known]
            root = np.sqrt(above)
            gap = self.reach - root
            inner[open_] = np.where(gap > 0.0, x[open_], inner[open_])
            outer[open_] = np.where(gap > 0.0, outer[open_], x[open_])
            with np.errstate(divide="ignore", invalid="ignore"):
                step = gap * 2.0 * root / (sides[open_] * slope * np.exp(x[open_]))
            step = np.where(np.isfinite(step) & (step * gap > 0.0), step, np.sign(gap))
            new = x[open_] + sides[open_] * np.clip(step, -2.0, 2.0)
            new = _inside(new, x[open_], inner[open_], outer[open_], sides[open_] * np.sign(gap))
            still = np.abs(new - x[open_]) < ROOT_TOLERANCE
            beyond = new > math.log(MOST_ODDS)
            found[open_[still]] = np.exp(new[still])
            found[open_[beyond]] = np.inf
            found[open_[new < math.log(LEAST_ODDS)]] = 0.0
            x[open_] = new
            open_ = open_[~still & ~beyond & ~(new < math.log(LEAST_ODDS))]
        return found


def _inside(new: Floats, x: Floats, inner: Floats, outer: Floats, direction: Floats) -> Floats:
    """Keep each step inside its bracket: the middle of a finite one, one unit on in a half-open one."""
    outside = (new <= np.minimum(inner, outer)) | (new >= np.maximum(inner, outer))
    finite = np.isfinite(inner) & np.isfinite(outer)
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (inner + outer)
    return np.where(outside, np.where(finite, middle, x + direction), new)


def profiled_reliability(
    fit: RemlFit,
    odds: Odds,
    *,
    k: float,
    level: float,
    form: Form = "absolute",
    covers: str = "targets and raters",
    flags: tuple[Flag, ...] = (),
) -> Estimate:
    """Put the reliability of the mean of ``k`` raters, from a fit and its profiled odds, into an Estimate."""
    value, low, high = odds.reliability(k)
    found: list[Flag] = [*flags]
    if fit.boundary:
        found.append("boundary")
    if low is None:
        found.append("no_interval")
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        method=f"REML {fit.model.replace('_', ' ')}, {form}, profile likelihood",
        covers=covers,
        n=fit.panel.n,
        flags=tuple(dict.fromkeys(found)),
    )
