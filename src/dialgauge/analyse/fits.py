"""The variance components of a block of dimensions: fitted and profiled together, since they share the design."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from dialgauge.analyse.tables import Block
from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import Floats, one_thread
from dialgauge.stats.design import Design
from dialgauge.stats.reml import Model, Panel, RemlFit, fit_panel
from dialgauge.stats.reml.intervals import IntervalMethod, odds_intervals
from dialgauge.stats.reml.odds import Form, Odds

MANY_LEVELS = 600
"""From this size of the smaller factor on, a second thread pays."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The fits of one dimension.

    ``fit`` is the richest model that could be estimated, ``one_way`` the model that takes severity for noise. ``odds``
    are profiled for ratings without replicates, ``odds_replicated`` for as many as the design has. ``remark`` says
    where a poorer model had to do.
    """

    fit: RemlFit
    one_way: RemlFit
    odds: dict[Form, Odds]
    odds_replicated: dict[Form, Odds]
    odds_one_way: Odds
    remark: str


def choose_model(design: Design) -> Model:
    """Return the richest model whose variance components ``design`` can tell apart."""
    if design.kind == "nested":
        return "nested" if design.replicates_max > 1 else "one_way"
    return "crossed_replicated" if design.replicates_max > 1 else "crossed"


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """How the intervals of the reliabilities are formed: their level, their method, and the seed of a bootstrap."""

    level: float = 0.95
    method: IntervalMethod = "profile"
    seed: int = 0


def fit_block(
    block: Block, names: Sequence[str], *, options: IntervalOptions
) -> dict[str, Fitted | CannotEstimateError]:
    """Fit the dimensions ``names`` of ``block`` and form their intervals.

    What cannot be estimated comes as the error that says why.
    """
    panel = Panel.build(block.target, block.rater)
    values = np.column_stack([block.values[name] for name in names])
    with one_thread() if panel.n_small < MANY_LEVELS else nullcontext():
        return _fit_panel(panel, block.design, values, names, options)


def _fit_panel(
    panel: Panel, design: Design, values: Floats, names: Sequence[str], options: IntervalOptions
) -> dict[str, Fitted | CannotEstimateError]:
    one_way = dict(zip(names, fit_panel(panel, values, model="one_way"), strict=True))
    model = choose_model(design)
    richest = one_way if model == "one_way" else dict(zip(names, fit_panel(panel, values, model=model), strict=True))
    found: dict[str, Fitted | CannotEstimateError] = {}
    chosen: dict[str, tuple[RemlFit, RemlFit, str]] = {}
    for name in names:
        simple, rich = one_way[name], richest[name]
        if isinstance(simple, CannotEstimateError):
            found[name] = simple
        elif isinstance(rich, CannotEstimateError):
            words = model.replace("_", " ")
            remark = f"The {words} model cannot be estimated ({rich.reason}): the one-way model answers."
            chosen[name] = simple, simple, remark
        else:
            chosen[name] = rich, simple, _remark(model)
    return {**found, **_with_intervals(chosen, design.replicates_harmonic, options)}


def _remark(model: Model) -> str:
    if model != "one_way":
        return ""
    return "Each rater rated one target only, so severity cannot be told from noise: the one-way model answers."


def _with_intervals(
    chosen: dict[str, tuple[RemlFit, RemlFit, str]], replicates: float, options: IntervalOptions
) -> dict[str, Fitted]:
    names = list(chosen)
    fits = [chosen[name][0] for name in names]
    simple = [chosen[name][1] for name in names]
    forms: tuple[Form, Form] = ("absolute", "relative")
    once = {form: _odds(fits, form, 1.0, options) for form in forms}
    often = once if replicates == 1.0 else {form: _odds(fits, form, replicates, options) for form in forms}
    one_way = _odds(simple, "absolute", 1.0, options)
    return {
        name: Fitted(
            fit=fits[i],
            one_way=simple[i],
            odds={form: once[form][i] for form in forms},
            odds_replicated={form: often[form][i] for form in forms},
            odds_one_way=one_way[i],
            remark=chosen[name][2],
        )
        for i, name in enumerate(names)
    }


def _odds(fits: Sequence[RemlFit], form: Form, replicates: float, options: IntervalOptions) -> list[Odds]:
    """Form the intervals of fits that may be of two models: those of one model share the work."""
    found: dict[int, Odds] = {}
    for model in {fit.model for fit in fits}:
        rows = [i for i, fit in enumerate(fits) if fit.model == model]
        odds = odds_intervals(
            [fits[i] for i in rows],
            method=options.method,
            form=form,
            replicates=replicates,
            level=options.level,
            rng=child_rng(options.seed, "bootstrap"),  # the same refits for every form
        )
        found.update(zip(rows, odds, strict=True))
    return [found[i] for i in range(len(fits))]
