"""The crossed models behind severity and consistency: one a dimension, and one of the mean over dimensions."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dialgauge.analyse.fits import Fitted, choose_model, fit_block
from dialgauge.analyse.raters.records import Unit
from dialgauge.analyse.raters.table import AnswerTable
from dialgauge.analyse.tables import Block, blocks
from dialgauge.errors import CannotEstimateError
from dialgauge.model import Ratings, Scale
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.design import Design, detect
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.raters.consistency import Scatter, sum_scatter
from dialgauge.stats.raters.inverse import invert
from dialgauge.stats.raters.prediction import Predictions, predict_raters
from dialgauge.stats.raters.residuals import conditional_residuals
from dialgauge.stats.reml import Panel, RemlFit, fit_panel

NOMINAL = Refusal(
    "the scale is nominal: its categories have no distances, so nobody is severe or lenient on it",
    "judge it by agreement, or declare an order of the categories if there is one",
)
UNLINKED = Refusal(
    "no target was rated by two raters, or there is one target only: raters cannot be compared",
    "let at least some targets be rated by two or more raters",
)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One dimension, or the mean over dimensions, with what its fit says about raters.

    ``present`` numbers the raters that have ratings; arrays of ``predictions`` run over these. ``free`` are the degrees
    of freedom of the residual variance, ``sd`` is the standard deviation of one rating.
    """

    name: str
    design: Design
    fit: RemlFit
    predictions: Predictions | Refusal
    present: Codes
    n_ratings: Codes
    free: float

    @property
    def sd(self) -> float:
        """The standard deviation of one rating of a random target by a random rater."""
        return float(np.sqrt(self.fit.target + (self.fit.rater or 0.0) + (self.fit.cell or 0.0) + self.fit.residual))


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """All fits: ``judged`` by dimension with its block, ``refused`` by dimension, and ``overall``.

    ``scatters`` are the residuals of each judged dimension summed per rater, ``correlation`` (m, m) is that of the
    residuals.
    """

    judged: Mapping[str, Judged]
    fitted: Mapping[str, tuple[Block, Fitted]]
    refused: Mapping[str, Refusal]
    scatters: Mapping[str, Scatter]
    correlation: Floats
    overall: Judged | Refusal
    unit: Unit


def fit_raters(ratings: Ratings, table: AnswerTable, *, level: float) -> Fits:
    """Fit every dimension of ``ratings`` that can be fitted, and the mean over these."""
    fitted, refused = _fit_dimensions(ratings, level)
    names = tuple(name for name in ratings.dimensions if name in fitted)
    judged, scatters = {}, {}
    residuals = np.full((len(table.target), len(names)), np.nan)
    for d, name in enumerate(names):
        block, found = fitted[name]
        known = ~np.isnan(table.values[:, table.dimensions.index(name)])
        judged[name], scatters[name], residuals[known, d] = _judge(
            name, block.design, found.fit, table.rater[known], block.values[name], table.n_raters
        )
    unit = _unit([ratings.scale_for(name) for name in names])
    return Fits(
        judged=judged,
        fitted=fitted,
        refused=refused,
        scatters=scatters,
        correlation=_correlate(residuals),
        overall=_overall(ratings, table, judged, unit),
        unit=unit,
    )


def comparable(ratings: Ratings, names: tuple[str, ...], values: Floats, unit: Unit) -> Floats:
    """Return the columns ``names`` as deviations from their means in ``unit``, higher always meaning better."""
    found = values - np.nanmean(values, axis=0)
    if unit == "standard deviations":
        found = found / np.nanstd(values, axis=0)
    return found * np.array([-1.0 if ratings.scale_for(n).direction == "lower_is_better" else 1.0 for n in names])


def _fit_dimensions(
    ratings: Ratings, level: float
) -> tuple[dict[str, tuple[Block, Fitted]], dict[str, Refusal]]:
    fitted: dict[str, tuple[Block, Fitted]] = {}
    refused: dict[str, Refusal] = {}
    for block in blocks(ratings):
        able = []
        for name, values in block.values.items():
            reason = _why_not(ratings.scale_for(name), block, values)
            if reason is None:
                able.append(name)
            else:
                refused[name] = reason
        for name, found in (fit_block(block, able, level=level) if able else {}).items():
            if isinstance(found, CannotEstimateError):
                refused[name] = Refusal(found.reason, found.remedy)
            else:
                fitted[name] = block, found
    return fitted, refused


def _why_not(scale: Scale, block: Block, values: Floats) -> Refusal | None:
    if not len(values):
        return Refusal("there is no rating with a value", "look at the empty cells and at the filter")
    if scale.level == "nominal":
        return NOMINAL
    if not np.ptp(values) > 0.0:
        return Refusal(
            f"all {len(values)} ratings are {values[0]:g}: raters do not differ",
            "use targets that differ, or a finer scale",
        )
    return UNLINKED if block.design.kind == "unidentified" else None


def _judge(
    name: str, design: Design, fit: RemlFit, rater: Codes, values: Floats, n_raters: int
) -> tuple[Judged, Scatter, Floats]:
    inverse = invert(fit)
    residuals = conditional_residuals(inverse, values)
    predictions: Predictions | Refusal
    try:
        predictions = predict_raters(inverse)
    except CannotEstimateError as error:
        predictions = Refusal(error.reason, error.remedy)
    n_ratings = np.bincount(rater, minlength=n_raters)
    judged = Judged(
        name=name,
        design=design,
        fit=fit,
        predictions=predictions,
        present=np.flatnonzero(n_ratings),
        n_ratings=n_ratings,
        free=float(residuals.free.sum()),
    )
    return judged, sum_scatter(residuals, rater, n_raters=n_raters), residuals.value


def _unit(scales: list[Scale]) -> Unit:
    """Return the unit in which dimensions can be averaged."""
    bounds = {scale.bounds for scale in scales}
    return "scale points" if len(bounds) == 1 and np.isfinite(list(bounds)).all() else "standard deviations"


def _overall(
    ratings: Ratings, table: AnswerTable, judged: Mapping[str, Judged], unit: Unit
) -> Judged | Refusal:
    """Fit the mean over the dimensions that could be fitted."""
    names = tuple(judged)
    if not names:
        return Refusal("no dimension could be fitted", "see what would help each dimension")
    if len(names) == 1:
        ((only),) = judged.values()
        return only
    values = comparable(ratings, names, table.columns(names), unit)
    known = ~np.isnan(values).all(axis=1)
    target = np.unique(table.target[known], return_inverse=True)[1]
    rater = np.unique(table.rater[known], return_inverse=True)[1]
    mean = np.nanmean(values[known], axis=1)
    design = detect(target, rater)
    (fit,) = fit_panel(Panel.build(target, rater), mean[:, None], model=choose_model(design))
    if isinstance(fit, CannotEstimateError):
        return Refusal(f"the mean over dimensions cannot be fitted ({fit.reason})", fit.remedy)
    return _judge("overall", design, fit, table.rater[known], mean, table.n_raters)[0]


def _correlate(residuals: Floats) -> Floats:
    """Correlate the columns over the rows that two of them share."""
    known = (~np.isnan(residuals)).astype(np.float64)
    filled = np.nan_to_num(residuals)
    squares = (filled**2).T @ known
    scale = np.sqrt(squares * squares.T)
    found = np.divide(filled.T @ filled, scale, out=np.zeros_like(scale), where=scale > 0.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)
