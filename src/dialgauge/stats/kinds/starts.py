"""Where the search for the least criterion begins, and the grid that it is held against."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from dialgauge.stats.arrays import Floats
from dialgauge.stats.kinds.chart import CELL, RATER, RESIDUAL, UNSPLIT, Chart
from dialgauge.stats.kinds.criterion import Variances
from dialgauge.stats.kinds.layout import KindLayout
from dialgauge.stats.kinds.panel import KindsPanel, KindsResponses
from dialgauge.stats.reml import Model, fit_reml
from dialgauge.stats.reml.minimise import NoMinimumError, ResidualVanishesError

LEAST = 0.02
"""No variance starts nearer to zero, standardised."""

TYPICAL = (0.4, 0.1, 0.1, 0.4)


def starting_points(
    panel: KindsPanel, responses: KindsResponses, layouts: tuple[KindLayout, ...]
) -> Iterator[Variances]:
    """Return each kind as fitted alone, target effects correlated as observed, not at all, and nearly perfectly."""
    own = np.array([_alone(panel, responses, layout, g) for g, layout in enumerate(layouts)], dtype=np.float64).T
    own[:3] = np.maximum(own[:3], LEAST)
    sd, eye = np.sqrt(own[0]), np.eye(panel.n_kinds)
    observed = np.clip(_observed(panel, responses) / np.outer(sd, sd), -0.9, 0.9)
    for correlation in (observed, eye, np.full_like(eye, 0.9)):
        root = np.asarray(np.linalg.cholesky(_positive(correlation)) * sd[:, None], dtype=np.float64)
        yield Variances(root, own[RATER + 1], own[CELL + 1], own[RESIDUAL + 1])


def grid(chart: Chart) -> list[list[Variances]]:
    """Return points all over the possible variances and correlations, standardised, a list for each neighbourhood.

    Neighbourhoods differ in severity and correlation, in which the criterion of few raters may have several minima.
    """
    n_kinds = len(chart.order)
    each = (0.01, 0.3, 0.8) if n_kinds <= 2 else (0.1, 0.5)
    shares = list(product(each, repeat=n_kinds)) if n_kinds <= 3 else [(share,) * n_kinds for share in each]
    correlations = (-0.95, 0.0, 0.95) if n_kinds > 1 else (0.0,)
    has: Floats = np.asarray(np.sign(chart.members.sum(axis=0)))
    found = []
    for severity, rho in product((0.02, 0.3, 1.0) if has[RATER].any() else (0.0,), correlations):
        root = np.asarray(np.linalg.cholesky(_positive(np.full((n_kinds, n_kinds), rho))), dtype=np.float64)
        found.append(
            [
                _point(chart, root, np.where(has[RESIDUAL] > 0.0, share, 1.0), severity * has[RATER], cell * has[CELL])
                for share, cell in product(shares, (0.0, 0.4) if has[CELL].any() else (0.0,))
            ]
        )
    return found


def _point(chart: Chart, root: Floats, target: Floats, rater: Floats, cell: Floats) -> Variances:
    """Return the point with these variances, ``cell`` being its share of what targets leave of the variance."""
    left = 1.0 - target
    residual = np.where(chart.members[:, RESIDUAL].any(axis=0), left * (1.0 - cell), UNSPLIT)
    point = Variances(root * np.sqrt(target)[:, None], rater, left * cell, residual)
    return chart.variances(chart.coordinates(point))  # where kinds share a variance it becomes their mean


def _alone(panel: KindsPanel, responses: KindsResponses, layout: KindLayout, g: int) -> tuple[float, ...]:
    """Return the standardised variances of target, rater, cell and residual of one kind, from its ratings alone."""
    if not layout.splits:
        return 1.0, 0.1, 0.0, UNSPLIT
    cell = np.repeat(np.arange(panel.n_cells), panel.count.astype(np.intp))
    here = panel.kind[cell] == g
    target, rater = (np.unique(codes[cell][here], return_inverse=True)[1] for codes in (panel.target, panel.rater))
    try:
        (fit,) = fit_reml(target, rater, responses.values[here], model=_model(layout))
    except (NoMinimumError, ResidualVanishesError):  # the search in all kinds together will say so, and of which kind
        return TYPICAL
    return fit.target, fit.rater or 0.0, fit.cell or 0.0, fit.residual


def _model(layout: KindLayout) -> Model:
    """Return the model of one kind that has the same variances."""
    if layout.severity and layout.basis == "raters":
        return "crossed_replicated" if layout.interaction else "crossed"
    return "nested" if layout.interaction else "one_way"


def _observed(panel: KindsPanel, responses: KindsResponses) -> Floats:
    """Return the covariances of the observed target means of every two kinds, standardised."""
    counts = np.asarray(panel.to_group @ panel.count).reshape(-1, panel.n_kinds)
    sums = np.asarray(panel.to_group @ (panel.count * responses.cell_mean)).reshape(-1, panel.n_kinds)
    means, rated = sums / np.maximum(counts, 1.0), (counts > 0.0).astype(np.float64)
    return np.asarray(means.T @ means / np.maximum(rated.T @ rated, 1.0))


def _positive(correlation: Floats) -> Floats:
    """Return a correlation matrix with these entries, shrunk until it is safely positive definite."""
    eye = np.eye(len(correlation))
    found = np.where(eye == 1.0, 1.0, correlation)
    while np.linalg.eigvalsh(found)[0] < 0.02:
        found = 0.8 * found + 0.2 * eye
    return found
