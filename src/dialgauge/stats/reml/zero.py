"""Is a variance component zero? The likelihood ratio test with the mixture that the boundary asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.criterion import Evaluation, evaluate
from dialgauge.stats.reml.fit import CELL, FACETS, RemlFit
from dialgauge.stats.reml.minimise import Plane, minimise
from dialgauge.stats.reml.panel import Responses


@dataclass(frozen=True, slots=True)
class ZeroVarianceTest:
    """A test that the variance of ``facet`` is zero.

    ``statistic`` is the rise of the REML criterion, ``p`` comes from the half-and-half mixture of chi-square with 0
    and 1 degrees of freedom (Self and Liang 1987). ``p`` is ``None`` where the restricted minimum could not be
    certified.
    """

    facet: str
    statistic: float | None
    p: float | None


def zero_variance_tests(fits: Sequence[RemlFit], facet: int) -> list[ZeroVarianceTest]:
    """Test for each of ``fits`` (one model, one panel) that the ratio numbered ``facet`` is zero."""
    first = fits[0]
    free = [i for i in first.active if i != facet]
    responses = Responses.join([fit.responses for fit in fits])
    m = len(fits)

    def objective(rows: Codes, ratios: Floats, *, second: bool) -> Evaluation:
        return evaluate(first.panel, responses.take(rows), ratios, cell=CELL in free, second=second)

    plane = Plane(base=np.zeros((m, 3)), matrix=np.broadcast_to(np.eye(3)[:, free], (m, 3, len(free))))
    start = np.maximum(np.stack([fit.ratios[free] for fit in fits]), 1e-3)
    least = minimise(objective, plane, start)
    found = []
    for i, fit in enumerate(fits):
        if not least.found[i]:
            found.append(ZeroVarianceTest(facet=FACETS[facet], statistic=None, p=None))
            continue
        zero = fit.ratios[facet] == 0.0  # both minima are then the same, up to rounding
        rise = 0.0 if zero else max(float(least.at.criterion[i]) - fit.criterion, 0.0)
        found.append(ZeroVarianceTest(FACETS[facet], rise, 0.5 * float(chdtrc(1.0, rise)) if rise > 0.0 else 1.0))
    return found
