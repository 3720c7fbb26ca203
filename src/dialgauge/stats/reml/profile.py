"""Profile-likelihood intervals for reliabilities.

The REML criterion is minimised over all else at fixed odds of true to error variance; the interval holds the odds at
which it rises by less than the quantile of chi-square with one degree of freedom (Venzon and Moolgavkar 1988).
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.special import ndtri

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.criterion import Evaluation, evaluate
from dialgauge.stats.reml.fit import CELL, SMALL_DESIGN, TARGET, RemlFit, merge
from dialgauge.stats.reml.minimise import Minima, Objective, Plane, minimise
from dialgauge.stats.reml.odds import Form, Odds, error_weights, odds_of
from dialgauge.stats.reml.panel import Panel, Responses

ROOT_TOLERANCE = 1e-7
INNER_TOLERANCE = 1e-5
MAX_ROOT_STEPS = 60
SECOND_MINIMUM = 1e-5
INNER_GRID = {1: (0.0, *np.geomspace(1e-3, 1e3, 25)), 2: (0.0, *np.geomspace(1e-2, 1e2, 9))}
LEAST_ODDS, MOST_ODDS = 1e-9, 1e9


def profile_odds(
    fits: Sequence[RemlFit], *, form: Form = "absolute", replicates: float = 1.0, level: float = 0.95
) -> list[Odds]:
    """Profile the criterion over the odds of true to error variance of one rater with ``replicates`` ratings.

    ``fits`` are fits of one model on one panel; they share the work. ``form`` is ``"absolute"`` (fresh raters each
    time) or ``"relative"`` (rater severity taken out); ``level`` lies in (0, 1).
    """
    if not fits:
        return []
    curves = _Curves(fits, form, replicates, reach=float(ndtri(0.5 + level / 2.0)))
    low, high = curves.ends()
    return [
        Odds(value=float(value), low=None, high=None, method="profile likelihood (not closed)")
        if np.isnan(a) or np.isnan(b)
        else Odds(value=float(value), low=float(a), high=float(b), method="profile likelihood")
        for value, a, b in zip(curves.best, low, high, strict=True)
    ]


class _Curves:
    """The profiled criterion of each fit as a function of its odds; both ends of all fits are sought side by side."""

    def __init__(self, fits: Sequence[RemlFit], form: Form, replicates: float, *, reach: float) -> None:
        first = fits[0]
        self.panel: Panel = first.panel
        self.responses = Responses.join([fit.responses for fit in fits])
        self.weights = error_weights(first.active, form, replicates)
        self.cell = CELL in first.active
        self.free = [i for i in first.active if i != TARGET]
        self.reach = reach
        self.least = np.array([fit.criterion for fit in fits])
        self.ratios = np.stack([fit.ratios for fit in fits])
        self.best = odds_of(self.ratios, self.weights)

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
        matrix[:, TARGET] = odds[:, None] * self.weights.ratios[self.free]
        base = np.zeros((m, 3))
        base[:, TARGET] = odds * self.weights.residual
        chosen = self.responses.take(rows)

        def objective(rows: Codes, ratios: Floats, *, second: bool) -> Evaluation:
            whole = len(rows) == m and rows[-1] == m - 1
            used = chosen if whole else chosen.take(rows)
            return evaluate(self.panel, used, ratios, cell=self.cell, second=second)

        plane = Plane(base, matrix)
        minima: Minima = minimise(objective, plane, start, tolerance=INNER_TOLERANCE)
        if self.panel.n_small <= SMALL_DESIGN and self.free:
            minima = self._lowest(objective, plane, minima)
        above = minima.at.criterion - self.least[rows]
        known = minima.found & (above > -SECOND_MINIMUM)
        slope = minima.at.gradient[:, TARGET] * self.weights.of(minima.ratios)
        return np.where(known, np.maximum(above, 0.0), np.nan), slope, np.maximum(minima.x, 1e-6)

    def _lowest(self, objective: Objective, plane: Plane, near: Minima) -> Minima:
        """Look for a lower minimum from the best point of a grid: with few levels the criterion may have several."""
        m, grid = len(near.found), np.array(list(product(INNER_GRID[len(self.free)], repeat=len(self.free))))
        rows = np.repeat(np.arange(m), len(grid))
        at_grid = objective(rows, plane.ratios(np.tile(grid, (m, 1)), rows), second=False).criterion.reshape(m, -1)
        other = minimise(objective, plane, grid[at_grid.argmin(axis=1)], tolerance=INNER_TOLERANCE)
        lower = other.found & (~near.found | (other.at.criterion < near.at.criterion))
        return merge(near, np.arange(m), other, np.flatnonzero(lower))

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
