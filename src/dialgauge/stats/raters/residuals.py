r"""What a rating is off once target and rater are accounted for, and how much of it the fit has taken up.

The conditional residuals are R P y with P the projection of REML, so their variances are the residual variance times
:math:`1 - h`, the diagonal of P (in units of the residual variance); h is the leverage of a rating. So
:math:`\sum e^2 / \sum (1 - h)` estimates the residual variance without bias, over all ratings (there it is the REML
estimate itself) and over those of one rater.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.stats.arrays import Floats, sum_by
from dialgauge.stats.raters.inverse import Inverse
from dialgauge.stats.reml.fit import RATER


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """Conditional residuals in units of the residual standard deviation, in the order of the ratings.

    ``value`` (n,) are the residuals, ``free`` (n,) their variances 1 - h (0 to 1). ``rater_free`` (n_raters,) is the
    sum of all entries of P between ratings of one rater, that is the variance of a rater's summed residuals.
    """

    value: Floats
    free: Floats
    rater_free: Floats


def conditional_residuals(inverse: Inverse, values: Floats) -> Residuals:
    """Return the residuals of ``values`` of shape (n,), in the order in which the panel of the fit was built."""
    fit, panel = inverse.fit, inverse.panel
    cell = np.repeat(np.arange(panel.n_cells), panel.cell_count.astype(np.intp))
    target, rater = (panel.big, panel.small) if panel.small_is_rater else (panel.small, panel.big)
    ordered = values[panel.order] - fit.mean - (fit.target_effect[target] + fit.rater_effect[rater])[cell]
    cell_mean = np.add.reduceat(ordered, panel.cell_start) / panel.cell_count
    residual = ordered - (inverse.g * panel.cell_count * inverse.shrink * cell_mean)[cell]
    value, free = np.empty(panel.n), np.empty(panel.n)
    value[panel.order] = residual / np.sqrt(fit.residual)
    one, fitted = _cells(inverse)
    free[panel.order] = (1.0 - inverse.g * inverse.shrink - fitted - one**2 / inverse.total)[cell]
    return Residuals(value, free, _rater_free(inverse, float(fit.ratios[RATER])))


def _cells(inverse: Inverse) -> tuple[Floats, Floats]:
    """Return V^-1 1 of a rating of each cell, and what the effects take of its variance given the mean."""
    panel, pull = inverse.panel, inverse.pull
    seen = (inverse.a * inverse.one_big)[panel.big] + (inverse.b * inverse.one_small)[panel.small]
    fitted = np.diag(inverse.small)[panel.small] + (pull + pull**2 * inverse.big_through_small())[panel.big]
    for part in inverse.slices():
        cross = part.product[part.local, part.small]
        fitted[part.cells] -= 2.0 * pull[part.rows][part.local] * cross
    return inverse.shrink * (1.0 - seen), inverse.shrink**2 * fitted


def _rater_free(inverse: Inverse, ratio: float) -> Floats:
    """Return the diagonal of Zr'P Zr: from the prediction errors, or by summing where the ratio is zero."""
    panel = inverse.panel
    if ratio > 0.0:
        return (ratio - inverse.rater_errors()) / ratio**2
    # one of the ratios is zero, so S is diagonal
    if panel.small_is_rater:
        total = sum_by(panel.small, inverse.weight - inverse.weight**2 * inverse.pull[panel.big], panel.n_small)
        return total - inverse.one_small**2 / inverse.total
    seen = inverse.weight**2 * np.diag(inverse.small)[panel.small]
    total = sum_by(panel.big, inverse.weight - seen, panel.n_big)
    return total - inverse.one_big**2 / inverse.total
