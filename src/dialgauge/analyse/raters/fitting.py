"""The crossed models behind severity and consistency: one a dimension, and one of the mean over dimensions."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np

from dialgauge.analyse.fits import MANY_LEVELS, choose_model
from dialgauge.analyse.raters.records import Unit
from dialgauge.analyse.raters.table import AnswerTable
from dialgauge.analyse.tables import Block, blocks
from dialgauge.errors import CannotEstimateError
from dialgauge.model import Ratings, Scale
from dialgauge.stats.arrays import Codes, Floats, one_thread
from dialgauge.stats.design import Design, detect
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.raters.consistency import Scatter, sum_scatter
from dialgauge.stats.raters.inverse import invert
from dialgauge.stats.raters.prediction import Predictions, predict_raters, require_rater_effect
from dialgauge.stats.raters.residuals import Residuals, conditional_residuals
from dialgauge.stats.reml import Model, Panel, RemlFit, fit_panel
from dialgauge.stats.reml.odds import Odds
from dialgauge.stats.reml.profile import profile_odds

_NOMINAL = Refusal(
    "the scale is nominal: its categories have no distances, so nobody is severe or lenient on it",
    "judge it by agreement, or declare an order of the categories if there is one",
)
UNLINKED = Refusal(
    "no target was rated by two raters, or there is one target only: raters cannot be compared",
    "let at least some targets be rated by two or more raters",
)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The fit of one dimension with its ratings.

    ``odds`` are those of the absolute form for as many replicates as the design has, profiled.
    """

    block: Block
    fit: RemlFit
    odds: Odds


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
    """All fits: ``judged`` and ``fitted`` by dimension, ``refused`` by dimension, and ``overall``.

    ``scatters`` are the residuals of each judged dimension summed per rater, where they could be had, ``correlation``
    (m, m) is that between them, and ``no_scatter`` says why there are none.
    """

    judged: Mapping[str, Judged]
    fitted: Mapping[str, Fitted]
    refused: Mapping[str, Refusal]
    scatters: Mapping[str, Scatter]
    no_scatter: Refusal
    correlation: Floats
    overall: Judged | Refusal
    unit: Unit


def fit_raters(ratings: Ratings, table: AnswerTable, *, level: float) -> Fits:
    """Fit every dimension of ``ratings`` that can be fitted, and the mean over these."""
    fitted, refused = _fit_dimensions(ratings, level)
    judged: dict[str, Judged] = {}
    scatters: dict[str, Scatter] = {}
    residuals = np.full(table.values.shape, np.nan)
    for d, name in enumerate(table.dimensions):
        if name not in fitted:
            continue
        found, block = fitted[name], fitted[name].block
        known = ~np.isnan(table.values[:, d])
        judged[name], rest = _judge(
            name, block.design, found.fit, table.rater[known], block.values[name], table.n_raters
        )
        if rest is not None:
            scatters[name] = sum_scatter(rest, table.rater[known], n_raters=table.n_raters)
            residuals[known, d] = rest.value
    unit = _unit([ratings.scale_for(name) for name in judged])
    return Fits(
        judged=judged,
        fitted={name: fitted[name] for name in judged},
        refused=refused,
        scatters=scatters,
        no_scatter=_first_reason(judged),
        correlation=_correlate(residuals[:, [name in scatters for name in table.dimensions]]),
        overall=_overall(ratings, table, judged, unit),
        unit=unit,
    )


def _threads_for(panel: Panel) -> AbstractContextManager[object]:
    """Return the context in which ``panel`` is fitted: on one thread, unless it is large."""
    return one_thread() if panel.n_small < MANY_LEVELS else nullcontext()


def comparable(ratings: Ratings, names: tuple[str, ...], values: Floats, unit: Unit) -> Floats:
    """Return the columns ``names`` as deviations from their means in ``unit``, higher always meaning better."""
    found = values - np.nanmean(values, axis=0)
    if unit == "standard deviations":
        found = found / np.nanstd(values, axis=0)
    signs = np.array([-1.0 if ratings.scale_for(n).direction == "lower_is_better" else 1.0 for n in names])
    return np.asarray(found * signs)


def _fit_dimensions(ratings: Ratings, level: float) -> tuple[dict[str, Fitted], dict[str, Refusal]]:
    fitted: dict[str, Fitted] = {}
    refused: dict[str, Refusal] = {}
    for block in blocks(ratings):
        able = []
        for name, values in block.values.items():
            reason = _why_not(ratings.scale_for(name), block, values)
            if reason is None:
                able.append(name)
            else:
                refused[name] = reason
        for name, found in (_fit_block(block, able, level) if able else {}).items():
            if isinstance(found, Refusal):
                refused[name] = found
            else:
                fitted[name] = found
    return fitted, refused


def _fit_block(block: Block, names: Sequence[str], level: float) -> dict[str, Fitted | Refusal]:
    """Fit each dimension by the richest model, or by the one-way model where that fails; profile what was fitted."""
    values = np.column_stack([block.values[name] for name in names])
    fits = fit_columns(block.target, block.rater, values, choose_model(block.design))
    failed = [d for d, fit in enumerate(fits) if isinstance(fit, Refusal)]
    if failed:
        simple = fit_columns(block.target, block.rater, values[:, failed], "one_way")
        fits = [simple[failed.index(d)] if d in failed else fit for d, fit in enumerate(fits)]
    found: dict[str, Fitted | Refusal] = {
        n: fit for n, fit in zip(names, fits, strict=True) if isinstance(fit, Refusal)
    }
    done = {name: fit for name, fit in zip(names, fits, strict=True) if isinstance(fit, RemlFit)}
    for model in {fit.model for fit in done.values()}:
        some = {name: fit for name, fit in done.items() if fit.model == model}
        odds = profile_odds(list(some.values()), replicates=block.design.replicates_harmonic, level=level)
        found |= {name: Fitted(block, fit, one) for (name, fit), one in zip(some.items(), odds, strict=True)}
    return found


def fit_columns(target: Codes, rater: Codes, values: Floats, model: Model) -> list[RemlFit | Refusal]:
    """Fit ``model`` to each column of ``values`` (n, m); what cannot be estimated comes back as its reason."""
    try:
        panel = Panel.build(target, rater)
        with _threads_for(panel):
            fits = fit_panel(panel, values, model=model)
    except CannotEstimateError as error:  # too large
        return [Refusal(error.reason, error.remedy)] * values.shape[1]
    return [Refusal(fit.reason, fit.remedy) if isinstance(fit, CannotEstimateError) else fit for fit in fits]


def _why_not(scale: Scale, block: Block, values: Floats) -> Refusal | None:
    if not len(values):
        return Refusal("there is no rating with a value", "look at the empty cells and at the filter")
    if scale.level == "nominal":
        return _NOMINAL
    if not np.ptp(values) > 0.0:
        return Refusal(
            f"all {len(values)} ratings are {values[0]:g}: raters do not differ",
            "use targets that differ, or a finer scale",
        )
    return UNLINKED if block.design.kind == "unidentified" else None


def _judge(
    name: str, design: Design, fit: RemlFit, rater: Codes, values: Floats, n_raters: int
) -> tuple[Judged, Residuals | None]:
    """Say what ``fit`` tells about the raters with the codes ``rater``, with the residuals where they can be had."""
    predictions: Predictions | Refusal
    residuals = None
    try:
        require_rater_effect(fit)
        inverse = invert(fit)
        residuals = conditional_residuals(inverse, values)
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
        free=float(fit.panel.n - 1 if residuals is None else residuals.free.sum()),
    )
    return judged, residuals


def _first_reason(judged: Mapping[str, Judged]) -> Refusal:
    reasons = [j.predictions for j in judged.values() if isinstance(j.predictions, Refusal)]
    return reasons[0] if reasons else Refusal("no dimension could be fitted", "see what would help each dimension")


def _unit(scales: list[Scale]) -> Unit:
    """Return the unit in which dimensions can be averaged."""
    bounds = {scale.bounds for scale in scales}
    return "scale points" if len(bounds) == 1 and np.isfinite(list(bounds)).all() else "standard deviations"


def _overall(ratings: Ratings, table: AnswerTable, judged: Mapping[str, Judged], unit: Unit) -> Judged | Refusal:
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
    (fit,) = fit_columns(target, rater, mean[:, None], choose_model(design))
    if isinstance(fit, Refusal):
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
