"""The variance components of a block of dimensions: fitted and profiled together, since they share the design."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from dialgauge.analyse.tables import Block
from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import one_thread
from dialgauge.stats.design import Design
from dialgauge.stats.reml import Model, Panel, RemlFit, fit_panel
from dialgauge.stats.reml.intervals import IntervalMethod, odds_intervals
from dialgauge.stats.reml.odds import Form, Odds

MANY_LEVELS = 600
"""From this size of the smaller factor on, a second thread pays."""

NESTED = "Each rater rated one target only, so severity cannot be told from noise: the one-way model answers."
FIRST_ONLY = (
    "ICC(1), alpha and percent agreement use the first rating of each rater on each target, "
    "so that no rating is compared with its own repetition."
)
COPIES = (
    "Every repeated rating is a copy of the first: repetition says nothing about noise here, and the copies count once."
)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The fits of one dimension.

    ``fit`` is the richest model that the design supports, on the ratings of ``block``; ``one_way`` takes severity for
    noise, on ``once``, which has one rating per rater and target. ``odds`` are those of one rating, ``odds_replicated``
    of as many as a rater gives a target in ``block``. ``remarks`` say what was not done as usual.
    """

    block: Block
    once: Block
    fit: RemlFit
    one_way: RemlFit
    odds: dict[Form, Odds]
    odds_replicated: dict[Form, Odds]
    odds_one_way: Odds
    remarks: tuple[str, ...]


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

    What cannot be estimated comes as the error that says why. Where all repeated ratings are copies of the first, they
    count once.
    """
    copies = [name for name in names if block.repeats_itself(name)]
    others = [name for name in names if name not in copies]
    return {
        **_fit_names(block, others, options, remarks=(FIRST_ONLY,) if block.design.replicates_max > 1 else ()),
        **_fit_names(block.averaged(), copies, options, remarks=(COPIES,)),
    }


def _fit_names(
    block: Block, names: Sequence[str], options: IntervalOptions, *, remarks: tuple[str, ...]
) -> dict[str, Fitted | CannotEstimateError]:
    if not names:
        return {}
    once, model = block.once(), choose_model(block.design)
    panel = Panel.build(block.target, block.rater)
    with one_thread() if panel.n_small < MANY_LEVELS else nullcontext():
        rich = _fit(panel, block, names, model)
        simple = rich if model == "one_way" else _fit(Panel.build(once.target, once.rater), once, names, "one_way")
        failed = {n: f for found in (simple, rich) for n, f in found.items() if isinstance(f, CannotEstimateError)}
        fits = {name: f for name, f in rich.items() if isinstance(f, RemlFit) and name not in failed}
        ones = [f for name in fits if isinstance(f := simple[name], RemlFit)]
        said = (*remarks, NESTED) if model == "one_way" else remarks
        return {**failed, **_with_intervals(block, once, fits, ones, options, said)}


def _fit(panel: Panel, block: Block, names: Sequence[str], model: Model) -> dict[str, RemlFit | CannotEstimateError]:
    values = np.column_stack([block.values[name] for name in names])
    return dict(zip(names, fit_panel(panel, values, model=model), strict=True))


def _with_intervals(
    block: Block,
    once: Block,
    fits: dict[str, RemlFit],
    ones: list[RemlFit],
    options: IntervalOptions,
    remarks: tuple[str, ...],
) -> dict[str, Fitted]:
    replicates = block.design.replicates_harmonic
    found = list(fits.values())
    forms: tuple[Form, Form] = ("absolute", "relative")
    single = {form: _odds(found, form, 1.0, options) for form in forms}
    often = single if replicates == 1.0 else {form: _odds(found, form, replicates, options) for form in forms}
    one_way = _odds(ones, "absolute", 1.0, options)
    return {
        name: Fitted(
            block=block,
            once=once,
            fit=found[i],
            one_way=ones[i],
            odds={form: single[form][i] for form in forms},
            odds_replicated={form: often[form][i] for form in forms},
            odds_one_way=one_way[i],
            remarks=remarks,
        )
        for i, name in enumerate(fits)
    }


def _odds(fits: Sequence[RemlFit], form: Form, replicates: float, options: IntervalOptions) -> list[Odds]:
    return odds_intervals(
        fits,
        method=options.method,
        form=form,
        replicates=replicates,
        level=options.level,
        rng=child_rng(options.seed, "bootstrap"),  # the same refits for every form
    )
