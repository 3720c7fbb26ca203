"""The search for the least criterion of several kinds of rater, and the proof that it was found."""

from dataclasses import replace

import numpy as np

from dialgauge.stats.arrays import Floats
from dialgauge.stats.kinds.chart import Chart, Slots, pivot_order
from dialgauge.stats.kinds.criterion import KindsEvaluation, Variances, evaluate, slope_matrix
from dialgauge.stats.kinds.layout import KindLayout
from dialgauge.stats.kinds.minimise import CURVED, Minimum, StuckError, minimise, second_derivative, way_down
from dialgauge.stats.kinds.panel import KindsPanel, KindsResponses
from dialgauge.stats.kinds.starts import grid, starting_points
from dialgauge.stats.reml.minimise import NoMinimumError

SMALL_DESIGN = 12
"""With so few raters or targets the criterion may have several minima: no point of a grid may lie below the answer."""

MAX_DESCENTS = 4

LOWER = 1e-6
"""How much lower another minimum must be to be another one."""

OFF_EDGE = 0.05


class Search:
    """One model on one set of ratings; ``evaluations`` counts how often the criterion was evaluated."""

    def __init__(self, panel: KindsPanel, responses: KindsResponses, slots: Slots) -> None:
        self.panel, self.responses, self.slots = panel, responses, slots
        self.chart = Chart.free(slots)
        self.evaluations = 0

    def objective(self, at: Variances) -> KindsEvaluation:
        """Evaluate the criterion at standardised variances; raise ``NoMinimumError`` where rounding forbids it.

        That happens where the search follows a residual variance to zero.
        """
        self.evaluations += 1
        try:
            return evaluate(self.panel, self.responses, at)
        except np.linalg.LinAlgError:
            raise NoMinimumError from None

    def run(self, layouts: tuple[KindLayout, ...]) -> Minimum:
        """Return the lowest minimum, of several starts and held against a grid where there may be more than one.

        Raises ``NoMinimumError`` where none can be certified.
        """
        best: Minimum | None = None
        for start in starting_points(self.panel, self.responses, layouts):
            best = self._lower(best, start)
            if best is not None and not self._doubtful(best):
                return best
        if best is None:
            raise NoMinimumError
        return self._against_grid(best)

    def second_derivative(self, found: Minimum) -> Floats:
        """Return the second derivative in the coordinates, by differences of the gradient.

        Raises ``NoMinimumError`` where it does not prove a minimum.
        """
        hessian = second_derivative(self.objective, found.chart, found.x)
        if way_down(hessian, found.open) is not None:
            raise NoMinimumError
        return hessian

    def _doubtful(self, found: Minimum) -> bool:
        few = min(self.panel.n_raters, self.panel.n_targets) <= SMALL_DESIGN
        return few or bool((found.x == 0.0).any())

    def _lower(self, best: Minimum | None, start: Variances) -> Minimum | None:
        """Return the minimum reached from ``start`` where it is lower than ``best``."""
        try:
            found = self._within_cone(self._minimise(start))
        except NoMinimumError:
            return best
        return found if best is None or found.at.criterion < best.at.criterion - LOWER else best

    def _minimise(self, start: Variances) -> Minimum:
        """Return the minimum reached from ``start``, in another triangle where the first one is a poor one.

        Next to a perfect correlation of two kinds, a third one turns freely unless the two stand last.
        """
        try:
            return minimise(self.objective, self.chart, off_edges(self.chart, self.chart.coordinates(start)))
        except StuckError as error:
            chart = Chart.free(self.slots, pivot_order(error.variances.sigma))
            return minimise(self.objective, chart, chart.coordinates(error.variances))

    def _within_cone(self, found: Minimum) -> Minimum:
        """Hold the first derivatives against every step that Sigma may take, not only those of the triangle.

        At a minimum over all positive semidefinite Sigma, M of d criterion = tr(M dSigma) is positive semidefinite.
        """
        for _ in range(MAX_DESCENTS):
            values, vectors = np.linalg.eigh(slope_matrix(found.at.gradient, self.panel.n_kinds))
            if values[0] >= -CURVED * max(float(np.abs(values).max()), 1.0):
                return found
            lifted = found.variances.sigma + 0.03 * np.outer(vectors[:, 0], vectors[:, 0])
            root = np.asarray(np.linalg.cholesky(lifted + 1e-9 * np.eye(len(values))), dtype=np.float64)
            found = self._minimise(replace(found.variances, root=root))
        raise NoMinimumError

    def _against_grid(self, best: Minimum) -> Minimum:
        """Go down from the lowest point of each neighbourhood too; no point of the grid may lie below the answer."""
        lowest = np.inf
        for points in grid(self.chart):
            heights = [self.objective(point).criterion for point in points]
            best = self._lower(best, points[int(np.argmin(heights))]) or best
            lowest = min(lowest, *heights)
        if lowest < best.at.criterion - LOWER:
            raise NoMinimumError
        return best


def off_edges(chart: Chart, x: Floats) -> Floats:
    """Move coordinates away from zero, where the gradient vanishes whether it is a minimum or not."""
    x = x.copy()
    x[chart.deviations] = np.maximum(x[chart.deviations], OFF_EDGE)
    x[chart.diagonal] = np.where(np.abs(x[chart.diagonal]) < OFF_EDGE, OFF_EDGE, x[chart.diagonal])
    return x
