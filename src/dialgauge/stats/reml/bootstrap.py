"""Parametric bootstrap: ratings drawn from the fitted model on the same design, refitted side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.reml.fit import RemlFit, fit_panel
from dialgauge.stats.reml.odds import Form, Odds, error_weights, odds_of

SLICE = 20_000_000
"""Most ratings that are drawn at a time (160 MB)."""

LEAST_KEPT = 0.9
"""Share of the refits that must succeed for an interval."""


@dataclass(frozen=True, slots=True, eq=False)
class Refits:
    """The ratios (n, 3) of the refits that succeeded; those at zero are kept. ``failed`` counts the others."""

    ratios: Floats
    failed: int
    at_zero: int


def refit(fit: RemlFit, *, n: int, rng: np.random.Generator) -> Refits:
    """Draw ``n`` sets of ratings from ``fit`` on its own design and fit its model to each."""
    found: list[Floats] = []
    failed = 0
    width = max(1, SLICE // fit.panel.n)
    for first in range(0, n, width):
        for one in fit_panel(fit.panel, draw(fit, n=min(width, n - first), rng=rng), model=fit.model):
            if isinstance(one, CannotEstimateError):
                failed += 1
            else:
                found.append(one.ratios)
    ratios = np.array(found).reshape(-1, 3)
    at_zero = (ratios[:, list(fit.active)] == 0.0).any(axis=1)
    return Refits(ratios=ratios, failed=failed, at_zero=int(at_zero.sum()))


def draw(fit: RemlFit, *, n: int, rng: np.random.Generator) -> Floats:
    """Draw ``n`` sets of ratings from the fitted model, shape (ratings, n), in the order of the panel's ratings."""
    panel = fit.panel
    variances = (fit.target, fit.rater or 0.0)
    big_sd, small_sd = np.sqrt(variances if panel.small_is_rater else variances[::-1])
    cells = big_sd * rng.standard_normal((panel.n_big, n))[panel.big]
    cells += small_sd * rng.standard_normal((panel.n_small, n))[panel.small]
    if fit.cell:
        cells += np.sqrt(fit.cell) * rng.standard_normal(cells.shape)
    y = np.empty((panel.n, n))
    y[panel.order] = np.repeat(cells, panel.cell_count.astype(np.intp), axis=0)
    y += np.sqrt(fit.residual) * rng.standard_normal(y.shape)
    return fit.mean + y


def bootstrap_odds(
    fits: Sequence[RemlFit],
    *,
    rng: np.random.Generator,
    form: Form = "absolute",
    replicates: float = 1.0,
    level: float = 0.95,
    n: int = 999,
) -> list[Odds]:
    """Return the odds of each fit with the percentile interval of ``n`` parametric bootstrap refits.

    Refits at zero stay in the quantiles, refits that failed are counted in ``method``; with too many of them there is
    no interval.
    """
    return [_percentiles(fit, form, replicates, level, refit(fit, n=n, rng=rng)) for fit in fits]


def _percentiles(fit: RemlFit, form: Form, replicates: float, level: float, refits: Refits) -> Odds:
    weights = error_weights(fit.active, form, replicates)
    value, kept = float(odds_of(fit.ratios, weights)), len(refits.ratios)
    method = f"parametric bootstrap, percentile ({kept} refits, {refits.at_zero} at zero, {refits.failed} failed)"
    if kept < LEAST_KEPT * (kept + refits.failed):
        return Odds(value=value, low=None, high=None, method=method)
    low, high = np.quantile(odds_of(refits.ratios, weights), [0.5 - level / 2.0, 0.5 + level / 2.0])
    return Odds(value=value, low=float(low), high=float(high), method=method)
