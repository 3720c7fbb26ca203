"""Variance components of several kinds of rater in one model, by exact REML."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.kinds.chart import NONE, Chart, Slots
from dialgauge.stats.kinds.criterion import KindsEvaluation, Variances, evaluate
from dialgauge.stats.kinds.layout import (
    Facet,
    KindLayout,
    choose_slots,
    describe_kinds,
    drop_equal_replicates,
    shared_targets,
    too_few_shared,
)
from dialgauge.stats.kinds.minimise import Minimum, minimise
from dialgauge.stats.kinds.panel import KindsPanel, KindsResponses
from dialgauge.stats.kinds.search import SMALL_DESIGN, Search, off_edges

PERFECT = 1e-9
"""A correlation so near to 1 or -1 is there."""


class ConstantKindError(CannotEstimateError):
    """All ratings of the ``kinds`` are equal."""

    def __init__(self, kinds: tuple[int, ...]) -> None:
        super().__init__(
            "all ratings of a kind are equal, so there is no variance to divide",
            remedy="use targets that differ, or a finer scale, or leave that kind out",
        )
        self.kinds = kinds


class FewSharedError(CannotEstimateError):
    """The ``kinds`` have one rating per target and share too few targets."""

    def __init__(self, kinds: tuple[int, ...]) -> None:
        super().__init__(
            f"{len(kinds)} kinds with one rating per target share at most {len(kinds)} targets, which fit together "
            "whatever the ratings",
            remedy="let these kinds rate more of the same targets, or leave one out",
        )
        self.kinds = kinds


@dataclass(frozen=True, slots=True, eq=False)
class KindsFit:
    """Variance components of raters of G kinds, with the evidence that they are the REML solution.

    Variances are in squared units of the ratings. ``sigma`` (G, G) is the covariance matrix of the target effects;
    where a kind has one rating per target (``layouts[g].splits`` is false) its entry on the diagonal holds the residual
    variance too. ``rater``, ``cell`` and ``residual`` have an entry per kind, ``None`` where the model has no such
    variance. ``mean`` (G,) with ``mean_covariance`` (G, G) is generalised least squares, ``target_effect`` (n_targets,
    G) and ``rater_effect`` (n_raters,) are best linear unbiased predictions. ``shared`` (G, G) counts the targets that
    two kinds share.

    ``criterion`` is minus twice the restricted log likelihood as lme4 prints it, ``max_gradient`` its largest
    derivative in the coordinates of ``minimum``, and ``hessian`` its second derivative there.
    """

    layouts: tuple[KindLayout, ...]
    slots: Slots
    sigma: Floats
    rater: tuple[float | None, ...]
    cell: tuple[float | None, ...]
    residual: tuple[float | None, ...]
    mean: Floats
    mean_covariance: Floats
    target_effect: Floats
    rater_effect: Floats
    shared: Codes
    criterion: float
    evaluations: int
    max_gradient: float
    minimum: Minimum
    hessian: Floats
    panel: KindsPanel
    responses: KindsResponses

    @property
    def n_kinds(self) -> int:
        """Kinds of rater, G."""
        return len(self.layouts)

    @property
    def small(self) -> bool:
        """Whether there are so few raters or targets that the criterion may have several minima."""
        return min(self.panel.n_raters, self.panel.n_targets) <= SMALL_DESIGN

    def correlation(self, first: int, second: int) -> float | None:
        """Return the correlation of the target effects on two kinds; ``None`` where either does not vary."""
        spread = float(np.sqrt(self.sigma[first, first] * self.sigma[second, second]))
        if spread == 0.0:
            return None
        found = float(self.sigma[first, second]) / spread
        return float(np.sign(found)) if abs(found) > 1.0 - PERFECT else found

    def evaluate(self, at: Variances) -> KindsEvaluation:
        """Evaluate the criterion at other standardised variances."""
        return evaluate(self.panel, self.responses, at)

    def least(self, chart: Chart, near: Variances, *, tolerance: float) -> Minimum:
        """Return the minimum on another chart that is reached from about the variances ``near``, standardised."""
        start = off_edges(chart, chart.coordinates(near))
        return minimise(self.evaluate, chart, start, tolerance=tolerance)


def fit_kinds(
    target: Codes, rater: Codes, kind_of: Codes, values: Floats, *, common: Collection[Facet] = ()
) -> KindsFit:
    """Fit target effects that are correlated between kinds, with variances of severity and residual per kind.

    ``target`` and ``rater`` hold dense codes of shape (n,), ``kind_of`` the kind 0, 1, ... of each rater, ``values``
    the ratings (n,), none missing. What a kind's ratings cannot tell apart is left out of the model, see `KindLayout`.
    ``common`` names facets whose variance is one and the same for all kinds. Raises ``CannotEstimateError`` where a
    kind's ratings are constant (``ConstantKindError``), where kinds with one rating per target share very few of them
    (``FewSharedError``), where a residual variance runs to zero, and when no minimum can be certified.
    """
    kept = drop_equal_replicates(target, rater, kind_of, np.asarray(values, dtype=np.float64))
    layouts = describe_kinds(kept.target, kept.rater, kind_of, kept.repeats)
    constant = [g for g in range(len(layouts)) if not np.ptp(kept.values[kind_of[kept.rater] == g]) > 0.0]
    if constant:
        raise ConstantKindError(tuple(constant))
    few = too_few_shared(kept.target, kept.rater, kind_of, layouts)
    if few:
        raise FewSharedError(few)
    panel = KindsPanel.build(kept.target, kept.rater, kind_of)
    responses = KindsResponses.of(panel, kept.values, one_scale=bool(common))
    slots = choose_slots(layouts, common=common)
    search = Search(panel, responses, slots)
    minimum = search.run(layouts)
    hessian = search.second_derivative(minimum)
    at, scale = minimum.at, responses.scale
    found = minimum.variances.in_units(scale)
    unsplit = np.equal(slots.residual, NONE)
    return KindsFit(
        layouts=layouts,
        slots=slots,
        sigma=found.sigma + np.diag(np.where(unsplit, found.residual, 0.0)),
        rater=_present(found.rater, slots.rater),
        cell=_present(found.cell, slots.cell),
        residual=_present(found.residual, slots.residual),
        mean=responses.centre + scale * at.mean,
        mean_covariance=at.mean_covariance * np.outer(scale, scale),
        target_effect=at.target_effect * scale,
        rater_effect=at.rater_effect * scale[kind_of],
        shared=shared_targets(kept.target, kept.rater, kind_of),
        criterion=at.criterion,
        evaluations=search.evaluations,
        max_gradient=float(np.abs(np.where(minimum.open, minimum.gradient, 0.0)).max()),
        minimum=minimum,
        hessian=hessian,
        panel=panel,
        responses=responses,
    )


def _present(variances: Floats, slots: tuple[int, ...]) -> tuple[float | None, ...]:
    return tuple(None if slot == NONE else float(v) for slot, v in zip(slots, variances, strict=True))
