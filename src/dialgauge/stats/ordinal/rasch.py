r"""Many-facet Rasch model: measures of targets and severities of raters in logits, by joint maximum likelihood.

.. math::
    \log \frac{P_k}{P_{k-1}} = \theta_{target} - \lambda_{rater} - \tau_k

(Linacre 1989; Andrich 1978 and Masters 1982 for the thresholds.) Joint estimates are those that Facets prints, so they
can be checked against it. They are biased outwards, away from the mean, since the number of parameters grows with the
number of targets: by about L / (L - 1) in dichotomous data with L ratings a target (Andersen 1973; Wright and Douglas
1977). With few ratings a target compare measures, and do not read their distances as unbiased; for variances and
reliabilities use the mixed model (``fit_clmm``), where targets are random.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.stats.arrays import Codes, Floats, one_thread
from dialgauge.stats.ordinal.checks import check_all_used, check_categories, check_codes, check_connected
from dialgauge.stats.ordinal.rasch_extreme import Peeling, Scale, measure_extremes, peel
from dialgauge.stats.ordinal.rasch_fit import MeanSquares, Separation, mean_squares, separate
from dialgauge.stats.ordinal.rasch_jmle import Calibration, RaschModel, calibrate

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class FacetMeasures:
    """Measures of all levels of a facet, in logits, each array of shape (n_levels,).

    ``measure`` is the measure of a target (high: rated high) or the severity of a rater (high: rates low). ``se``
    takes the other parameters as known, as Facets prints it; ``joint_se`` comes from the whole information matrix.

    ``extreme`` is -1 where all ratings are lowest, +1 where all are highest: such a measure rests on a score moved .3
    points inwards. ``calibrated`` is false there, and where all counterparts are extreme: these measures were found
    after the calibration, and both their standard errors take the other parameters as known. ``count`` and ``score``
    are the number of ratings and their sum in recoded categories. ``fit`` and ``separation_measurable`` are about the
    calibrated levels, ``separation`` about all.
    """

    measure: Floats
    se: Floats
    joint_se: Floats
    extreme: Codes
    calibrated: Flags
    count: Codes
    score: Codes
    fit: MeanSquares
    separation: Separation
    separation_measurable: Separation


@dataclass(frozen=True, slots=True, eq=False)
class RaschFit:
    """A many-facet Rasch model with the evidence that it is the maximum of the joint likelihood.

    ``categories`` are those of the declared scale that occur in ratings without extreme scores, recoded 0 .. q in this
    order; ``empty`` are the others: nobody used them, or only targets and raters with extreme scores did (these
    ratings count as the nearest category that is left). ``thresholds`` has shape (q,) with mean 0 or, for
    ``partial_credit``, (n_raters, q) with mean 0 in each row; a rater with an extreme score has the mean thresholds of
    the others. ``thresholds_se`` belongs to the first, or to the raters in ``calibrated_raters``.

    Severities have mean 0 over the raters that are not extreme. ``log_likelihood`` is that of the ``n_calibrated``
    ratings without extreme scores, of ``n`` in all. ``max_gradient`` is the largest difference between an observed and
    an expected score at the answer, ``last_move`` the largest change in logits that the last Newton step made.
    """

    model: RaschModel
    categories: tuple[int, ...]
    empty: tuple[int, ...]
    target: FacetMeasures
    rater: FacetMeasures
    thresholds: Floats
    thresholds_se: Floats
    calibrated_raters: Codes
    log_likelihood: float
    n: int
    n_calibrated: int
    iterations: int
    max_gradient: float
    last_move: float


def fit_rasch(
    target: Codes, rater: Codes, *, category: Codes, n_categories: int, model: RaschModel = "rating_scale"
) -> RaschFit:
    """Fit a many-facet Rasch model to ratings ``category`` of a declared scale of ``n_categories`` points.

    ``category`` holds 0 .. ``n_categories`` - 1 in ascending order of the scale, ``target`` and ``rater`` codes 0, 1,
    2, ...; all have shape (n,). ``rating_scale`` shares the thresholds among raters, ``partial_credit`` gives each
    thresholds of its own.

    Raises ``OffScaleError`` for a category outside the scale, ``InputError`` for codes with gaps, and
    ``CannotEstimateError`` for subsets that are not connected, for ratings without variation, for raters that leave a
    category unused under ``partial_credit``, and where the likelihood has no finite maximum.
    """
    check_categories(category, n_categories)
    target, rater = (check_codes(n, c, len(category)) for n, c in (("target", target), ("rater", rater)))
    check_connected(target, rater, "targets and raters")
    peeling = peel(target, rater, category)
    kept = peeling.kept
    used = np.unique(category[kept])
    recoded = np.searchsorted(used, np.clip(category, peeling.lowest, peeling.highest))
    levels, core_target = np.unique(target[kept], return_inverse=True)
    raters, core_rater = np.unique(rater[kept], return_inverse=True)
    check_connected(core_target, core_rater, "targets and raters without extreme scores")
    if model == "partial_credit":
        check_all_used(core_rater, recoded[kept])
    with one_thread():
        found = calibrate(core_target, core_rater, recoded[kept], model=model)
    ratings = _Ratings(target, rater, recoded, peeling)
    facets, thresholds = ratings.measures(found, levels, raters)
    return RaschFit(
        model=model,
        categories=tuple(int(c) for c in used),
        empty=tuple(int(c) for c in np.setdiff1d(np.arange(n_categories), used)),
        target=facets[0],
        rater=facets[1],
        thresholds=thresholds,
        thresholds_se=found.thresholds_joint,
        calibrated_raters=raters,
        log_likelihood=found.moments.log_likelihood,
        n=len(category),
        n_calibrated=len(kept),
        iterations=found.iterations,
        max_gradient=found.max_gradient,
        last_move=found.last_move,
    )


class _Ratings:
    """All ratings, those of levels that were set aside too."""

    def __init__(self, target: Codes, rater: Codes, recoded: Codes, peeling: Peeling) -> None:
        self.target, self.rater, self.recoded, self.peeling = target, rater, recoded, peeling

    def measures(
        self, found: Calibration, levels: Codes, raters: Codes
    ) -> tuple[tuple[FacetMeasures, FacetMeasures], Floats]:
        """Return the measures of targets and of raters, and the thresholds, from the calibration of some of them."""
        p = self.peeling
        n_t, n_r = len(p.target_round), len(p.rater_round)
        thresholds = found.thresholds
        if thresholds.ndim > 1:
            thresholds = np.tile(thresholds.mean(axis=0), (n_r, 1))
            thresholds[raters] = found.thresholds
        scale = Scale(
            target=_placed(found.target, levels, n_t),
            severity=_placed(found.severity, raters, n_r),
            thresholds=np.broadcast_to(thresholds, (n_r, thresholds.shape[-1])),
        )
        of_target, of_rater = measure_extremes(scale, self.target, self.rater, self.recoded, p)
        of_target[levels], of_rater[raters] = found.target_information, found.rater_information
        joint_target, joint_rater = 1.0 / np.sqrt(of_target), 1.0 / np.sqrt(of_rater)
        joint_target[levels], joint_rater[raters] = found.target_joint, found.severity_joint
        residual = self.recoded[p.kept] - found.moments.expected
        fits = [mean_squares(codes[p.kept], residual, found.moments) for codes in (self.target, self.rater)]
        facets = (
            self._facet(self.target, (scale.target, of_target, joint_target), p.target_extreme, fits[0]),
            self._facet(self.rater, (scale.severity, of_rater, joint_rater), p.rater_extreme, fits[1]),
        )
        return facets, thresholds

    def _facet(
        self, codes: Codes, numbers: tuple[Floats, Floats, Floats], extreme: Codes, fit: MeanSquares
    ) -> FacetMeasures:
        measure, information, joint_se = numbers
        se = 1.0 / np.sqrt(information)
        calibrated = np.zeros(len(measure), dtype=np.bool_)
        calibrated[fit.level] = True
        return FacetMeasures(
            measure=measure,
            se=se,
            joint_se=joint_se,
            extreme=extreme,
            calibrated=calibrated,
            count=np.bincount(codes),
            score=np.bincount(codes, self.recoded).astype(np.intp),
            fit=fit,
            separation=separate(measure, se),
            separation_measurable=separate(measure[calibrated], se[calibrated]),
        )


def _placed(values: Floats, levels: Codes, n_levels: int) -> Floats:
    out = np.full(n_levels, np.nan)
    out[levels] = values
    return out
