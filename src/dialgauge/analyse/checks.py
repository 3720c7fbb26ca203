"""Two routes to the same number, wherever theory ties two together.

A gap that only a defect of the program can make raises ``ConsistencyError``; one that odd data can make is reported.
"""

import numpy as np

from dialgauge.analyse.results import Check
from dialgauge.errors import CannotEstimateError, ConsistencyError
from dialgauge.stats.agreement.alpha import alpha_value
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.design import Design
from dialgauge.stats.meansquares import mean_squares, one_way_anova
from dialgauge.stats.reml import RemlFit

EXACT = 1e-6
"""Relative gap that rounding may leave between two exact routes."""

ALPHA_GAP, FEW_TARGETS = 0.03, 3.0
"""Gap between interval alpha and the one-way ICC that unbalanced targets explain; it grows as targets are few."""


def check_routes(target: Codes, values: Floats, design: Design, *, fit: RemlFit, one_way: RemlFit) -> tuple[Check, ...]:
    """Compute every pair of routes that exists for this design.

    ``target`` holds dense codes of shape (n,), sorted by target, then rater. Raises ``ConsistencyError`` where exact
    routes disagree.
    """
    alpha = _alpha_and_icc(target, values)
    balanced = np.ptp(np.bincount(target)) == 0
    exact = [*_nested_models(fit, one_way), *_balanced(target, values, one_way), *(alpha if balanced else [])]
    if design.kind == "complete" and fit.model == "crossed":
        exact += _complete(values.reshape(design.n_targets, design.n_raters), fit)
    for check in exact:
        if not check.holds:
            msg = (
                f"{check.name}: {check.first!r} should be {check.relation.replace('_', ' ')} {check.second!r} "
                f"and fails by {check.gap:.2g}; "
                "this is a defect of Dialgauge, please report it"
            )
            raise ConsistencyError(msg)
    return (*exact, *([] if balanced else alpha))


def _check(name: str, first: float, second: float, tolerance: float) -> Check:
    gap = abs(first - second)
    return Check(name=name, relation="equal", first=first, second=second, gap=gap, tolerance=tolerance)


def _nested_models(fit: RemlFit, one_way: RemlFit) -> list[Check]:
    """Compare criteria: a model with more facets can only fit better, unless its optimiser missed the minimum."""
    if fit.model == "one_way" or fit.panel.n != one_way.panel.n:  # with replicates the one-way model has other data
        return []
    return [
        Check(
            name="criterion of the fitted model, against the one-way model inside it",
            relation="at_most",
            first=fit.criterion,
            second=one_way.criterion,
            gap=max(fit.criterion - one_way.criterion, 0.0),
            tolerance=EXACT * (1.0 + abs(one_way.criterion)),
        )
    ]


def _balanced(target: Codes, values: Floats, one_way: RemlFit) -> list[Check]:
    per_target = np.bincount(target)
    if per_target.min() != per_target.max() or one_way.boundary:
        return []
    anova = one_way_anova(values, target, k=1.0)
    reml = one_way.target / (one_way.target + one_way.residual)
    return [_check("ICC(1): REML and mean squares, balanced one-way", reml, anova.icc1.value, EXACT)]


def _complete(table: Floats, fit: RemlFit) -> list[Check]:
    """On a complete table REML equals the mean squares wherever these give no negative variance."""
    squares = mean_squares(table)
    n_targets, n_raters = table.shape
    from_squares = {
        "target": (squares.target - squares.residual) / n_raters,
        "rater": (squares.rater - squares.residual) / n_targets,
        "residual": squares.residual,
    }
    if min(from_squares["target"], from_squares["rater"]) <= 0.0 or fit.boundary:
        return []
    scale = EXACT * sum(from_squares.values())
    found = {"target": fit.target, "rater": fit.rater or 0.0, "residual": fit.residual}
    return [
        _check(f"variance of the {facet}: REML and mean squares, complete table", found[facet], value, scale)
        for facet, value in from_squares.items()
    ]


def _alpha_and_icc(target: Codes, values: Floats) -> list[Check]:
    """Interval alpha and the one-way ICC are one quantity up to the degrees of freedom.

    On balanced data (1 - alpha) / (1 - ICC) = (N - 1) / (N - 1 - (k - 1) ICC) exactly.
    """
    per_target = np.bincount(target)
    paired = per_target[target] > 1
    codes = np.unique(target[paired], return_inverse=True)[1]
    y = values[paired]
    try:
        anova = one_way_anova(y, codes, k=1.0)
        alpha = alpha_value(y, codes, metric="interval")
    except CannotEstimateError:
        return []
    icc, n = anova.icc1.value, len(y)
    from_icc = 1.0 - (1.0 - icc) * (n - 1) / (n - 1 - (anova.n0 - 1.0) * icc)
    counts = np.bincount(codes)
    tolerance = EXACT if counts.min() == counts.max() else ALPHA_GAP + FEW_TARGETS / len(counts)
    return [_check("interval alpha: by definition and from the ANOVA ICC(1)", alpha, from_icc, tolerance)]
