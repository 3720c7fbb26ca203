"""The many-facet Rasch model of each ordinal dimension: severities in logits, with the fit of each rater."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from dialgauge.errors import CannotEstimateError
from dialgauge.model import Ratings, Scale
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.ordinal.rasch import RaschFit, fit_rasch
from dialgauge.stats.ordinal.rasch_fit import Separation
from dialgauge.stats.ordinal.rasch_jmle import RaschModel

FIT_LOW, FIT_HIGH = 0.5, 1.5
"""Mean squares between these are productive for measurement (Wright and Linacre 1994)."""

MOST_NAMES = 4


@dataclass(frozen=True, slots=True)
class RaschThreshold:
    """The step from one point of the scale to the next that is used, in logits; ``se`` is its standard error."""

    below: str
    above: str
    value: float
    se: float | None


@dataclass(frozen=True, slots=True)
class RaschRater:
    """A rater on one dimension, in logits: ``severity`` above 0 gives lower ratings than the mean rater.

    ``se`` takes all else as known. ``extreme`` is -1 or +1 where all ratings are the lowest or the highest; there, and
    where all counterparts are extreme, the fit statistics are ``None``. ``infit`` and ``outfit`` are 1 where the model
    holds, ``infit_z`` and ``outfit_z`` about standard normal. ``thresholds`` are the rater's own (partial credit).
    """

    name: str
    n_ratings: int
    severity: float
    se: float
    extreme: int
    infit: float | None
    infit_z: float | None
    outfit: float | None
    outfit_z: float | None
    thresholds: tuple[RaschThreshold, ...] = ()


@dataclass(frozen=True, slots=True)
class RaschDimension:
    """The many-facet Rasch model of one dimension, the most severe rater first.

    ``thresholds`` are those that all raters share; empty with partial credit. ``of_raters`` and ``of_targets`` say how
    clearly the levels of a facet differ; the ``_measurable`` ones leave extreme scores out. ``unused`` are points of
    the scale without a place in the model. ``n_calibrated`` counts the ratings without extreme scores.
    """

    name: str
    n_ratings: int
    n_calibrated: int
    raters: tuple[RaschRater, ...]
    thresholds: tuple[RaschThreshold, ...]
    unused: tuple[str, ...]
    of_raters: Separation
    of_raters_measurable: Separation
    of_targets: Separation
    of_targets_measurable: Separation
    log_likelihood: float
    max_gradient: float
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RaschReport:
    """The many-facet Rasch model of every dimension that allows it, and why the others do not."""

    model: RaschModel
    dimensions: Mapping[str, RaschDimension]
    refused: Mapping[str, Refusal]


def fit_rasch_dimensions(ratings: Ratings, *, model: RaschModel = "rating_scale") -> RaschReport:
    """Fit the many-facet Rasch model (Linacre 1989) to each dimension of ``ratings`` with an ordered scale of points.

    ``rating_scale`` shares the thresholds among raters, ``partial_credit`` gives each rater thresholds of its own.
    """
    done: dict[str, RaschDimension] = {}
    refused: dict[str, Refusal] = {}
    for name in ratings.dimensions:
        found = _fit(ratings, name, model)
        if isinstance(found, Refusal):
            refused[name] = found
        else:
            done[name] = found
    return RaschReport(model, done, refused)


def _fit(ratings: Ratings, name: str, model: RaschModel) -> RaschDimension | Refusal:
    scale, frame = ratings.scale_for(name), ratings.of(name).filter(pl.col("value").is_not_null())
    if scale.level == "nominal":
        return Refusal("the scale is nominal: its categories have no order, so nobody is severe on it",
                       "judge it by agreement, or declare an order of the categories if there is one")  # fmt: skip
    if scale.points is None:
        return Refusal("the scale is continuous, and the Rasch model is one of ordered points",
                       "read severity in scale units, or declare a scale with points")  # fmt: skip
    if not frame.height:
        return Refusal("there is no rating with a value", "look at the empty cells and at the filter")
    points, values = np.asarray(scale.points), frame["value"].to_numpy()
    category = np.minimum(np.searchsorted(points, values), len(points) - 1)
    if np.any(points[category] != values):
        return Refusal("averaged ratings lie between the points of the scale", "keep duplicates another way")
    target = np.unique(frame["target"].to_numpy(), return_inverse=True)[1]
    raters, rater = np.unique(frame["rater"].to_numpy(), return_inverse=True)
    try:
        fit = fit_rasch(target, rater, category=category, n_categories=len(points), model=model)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)
    return _describe(name, fit, [str(label) for label in raters], _labels(scale))


def _labels(scale: Scale) -> list[str]:
    return list(scale.labels or (f"{point:g}" for point in scale.points or ()))


def _describe(name: str, fit: RaschFit, names: Sequence[str], labels: Sequence[str]) -> RaschDimension:
    found = [_rater(fit, j, rater, labels) for j, rater in enumerate(names)]
    shared = fit.thresholds.ndim == 1
    thresholds = _thresholds(fit, fit.thresholds, fit.thresholds_se, labels) if shared else ()
    return RaschDimension(
        name=name,
        n_ratings=fit.n,
        n_calibrated=fit.n_calibrated,
        raters=tuple(sorted(found, key=lambda rater: (-rater.severity, rater.name))),
        thresholds=thresholds,
        unused=tuple(labels[c] for c in fit.empty),
        of_raters=fit.rater.separation,
        of_raters_measurable=fit.rater.separation_measurable,
        of_targets=fit.target.separation,
        of_targets_measurable=fit.target.separation_measurable,
        log_likelihood=fit.log_likelihood,
        max_gradient=fit.max_gradient,
        findings=(*_separations(fit), *_misfits(found), *_order(thresholds), *_extremes(found)),
    )


def _rater(fit: RaschFit, j: int, name: str, labels: Sequence[str]) -> RaschRater:
    facet = fit.rater
    place = np.flatnonzero(facet.fit.level == j)
    fits = [float(part[place[0]]) if len(place) else None
            for part in (facet.fit.infit, facet.fit.infit_z, facet.fit.outfit, facet.fit.outfit_z)]  # fmt: skip
    own: tuple[RaschThreshold, ...] = ()
    if fit.thresholds.ndim > 1:
        at = np.flatnonzero(fit.calibrated_raters == j)
        own = _thresholds(fit, fit.thresholds[j], fit.thresholds_se[at[0]] if len(at) else None, labels)
    return RaschRater(
        name=name,
        n_ratings=int(facet.count[j]),
        severity=float(facet.measure[j]),
        se=float(facet.se[j]),
        extreme=int(facet.extreme[j]),
        infit=fits[0],
        infit_z=fits[1],
        outfit=fits[2],
        outfit_z=fits[3],
        thresholds=own,
    )


def _thresholds(
    fit: RaschFit, values: Floats, errors: Floats | None, labels: Sequence[str]
) -> tuple[RaschThreshold, ...]:
    steps = [(labels[a], labels[b]) for a, b in pairwise(fit.categories)]
    return tuple(
        RaschThreshold(below, above, float(values[i]), None if errors is None else float(errors[i]))
        for i, (below, above) in enumerate(steps)
    )


def _separations(fit: RaschFit) -> list[str]:
    raters = fit.rater.separation
    p = "p < .001" if raters.p < 0.001 else f"p = {raters.p:.3f}".replace("0.", ".")
    differ = "differ in severity" if raters.p < 0.05 else "do not differ in severity beyond sampling error"
    return [f"Raters {differ} (chi-square {raters.chi2:.1f}, {raters.df} df, {p})."]


def _misfits(raters: Sequence[RaschRater]) -> list[str]:
    noisy = [r.name for r in raters if max(r.infit or 0.0, r.outfit or 0.0) > FIT_HIGH]
    smooth = [r.name for r in raters if r.infit is not None and r.name not in noisy and r.infit < FIT_LOW]
    found = []
    if noisy:
        found.append(f"Infit or outfit above {FIT_HIGH:g}, noisier than the model expects: {_some(noisy)}.")
    if smooth:
        found.append(f"Infit below {FIT_LOW:g}, more predictable than the model expects: {_some(smooth)}.")
    return found


def _order(thresholds: Sequence[RaschThreshold]) -> list[str]:
    turned = [low.above for low, high in pairwise(thresholds) if low.value > high.value]
    return [f"Thresholds are not in order: nowhere most likely is the point {_some(turned)}."] if turned else []


def _extremes(raters: Sequence[RaschRater]) -> list[str]:
    found = [r.name for r in raters if r.extreme]
    if not found:
        return []
    return [f"All ratings lowest or all highest, so severity is a bound moved .3 points inwards: {_some(found)}."]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
