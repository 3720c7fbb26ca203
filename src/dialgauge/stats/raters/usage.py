"""Which parts of the scale each rater uses."""

from dataclasses import dataclass

import numpy as np

from dialgauge.stats.arrays import Codes, Floats, sum_by


@dataclass(frozen=True, slots=True, eq=False)
class ScaleUse:
    """How each rater spreads ratings over a scale; arrays of shape (n_raters, ...).

    ``counts`` (n_raters, n_parts) are the ratings at each point, or in each part of a continuous scale. ``entropy`` is
    that of Shannon (1948) over its maximum: 0 for one part only, 1 for all equally often. ``extremes`` is the share at
    both ends of the scale. ``low``, ``high``, ``mean`` and ``spread`` (the standard deviation) are in scale units. All
    are NaN for raters without ratings.
    """

    counts: Codes
    entropy: Floats
    extremes: Floats
    low: Floats
    high: Floats
    mean: Floats
    spread: Floats


def tabulate_use(rater: Codes, values: Floats, *, edges: Floats, ends: tuple[float, float], n_raters: int) -> ScaleUse:
    """Tabulate ``values`` (n,) per ``rater`` (n,).

    Part i holds the values from ``edges[i]`` to below ``edges[i + 1]``, the last one all from its edge on; the first
    holds those below too. ``ends`` are the lowest and highest value of the scale.
    """
    part = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 1)
    counts = np.bincount(rater * len(edges) + part, minlength=n_raters * len(edges)).reshape(n_raters, len(edges))
    n = counts.sum(axis=1).astype(np.float64)
    n[n == 0.0] = np.nan
    shares = counts / n[:, None]
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0.0)
    mean = sum_by(rater, values, n_raters) / n
    low, high = np.full(n_raters, np.inf), np.full(n_raters, -np.inf)
    np.minimum.at(low, rater, values)
    np.maximum.at(high, rater, values)
    square = sum_by(rater, (values - mean[rater]) ** 2, n_raters)
    at_ends = np.isin(values, ends).astype(np.float64)
    return ScaleUse(
        counts=counts,
        entropy=np.abs((shares * logs).sum(axis=1)) / np.log(len(edges)) if len(edges) > 1 else 0.0 * n,
        extremes=sum_by(rater, at_ends, n_raters) / n,
        low=np.where(np.isnan(n), np.nan, low),
        high=np.where(np.isnan(n), np.nan, high),
        mean=mean,
        spread=np.sqrt(square / n),
    )
