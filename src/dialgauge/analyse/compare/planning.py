"""What a wanted difference takes: from the variances of the mixed model, or by the proportions of the study at hand."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dialgauge.analyse.compare.cases import Case, Layout
from dialgauge.errors import CannotEstimateError
from dialgauge.stats.compare import Comparison, NeededDesign
from dialgauge.stats.compare.needed import (
    PREFERENCES,
    RATERS,
    needed,
    needed_by_proportion,
    needed_dealt,
    pick_designs,
)
from dialgauge.stats.compare.terms import RATER
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Refusal

MOST_SIMULATED = 48
"""The personas that there are to simulate."""


def plan_mixed(
    found: Comparison, case: Case, layout: Layout, *, difference: float, power: float, alpha: float
) -> tuple[NeededDesign, ...] | Refusal:
    """Return designs from the variances of the mixed model, at most six, the cheapest first."""
    own = _count_different(case, layout)
    options = sorted({*PREFERENCES, own} - {0, 1})
    try:
        if layout.dealt and case.kind.family != "rated":
            designs = needed_dealt(
                found, difference=difference, power=power, alpha=alpha, n_pools=options, most_personas=MOST_SIMULATED
            )
        else:
            rated = case.n_raters is not None and not are_personas(case)
            designs = needed(
                found if rated else _without_raters(found),
                difference=difference,
                power=power,
                alpha=alpha,
                n_raters=_numbers_of_raters(case) if rated else None,
                n_preferences=options,
                n_panel=case.n_raters or 0,
            )
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)
    return pick_designs(designs, keep=own)


def plan_by_proportion(
    case: Case, layout: Layout, errors: Sequence[float], df: float, *, difference: float, power: float, alpha: float
) -> tuple[NeededDesign, ...] | Refusal:
    """Return the study at hand, made larger or smaller as a whole until it shows ``difference``.

    ``errors`` are the standard errors of the differences of all pairs, of which the root mean square counts, ``df``
    their least degrees of freedom.
    """
    error = math.sqrt(sum(e * e for e in errors) / len(errors)) if errors else 0.0
    if not error > 0.0:
        return Refusal(
            "the systems differ by the same amount everywhere, so there is no spread to plan from",
            "compare a measure that varies with --measure",
        )
    n = max(1, round(float(np.mean([one.n for one in case.estimates]))))
    try:
        factor = needed_by_proportion(error, n, groups=round(df) + 1, difference=difference, power=power, alpha=alpha)
    except CannotEstimateError as refused:
        return Refusal(refused.reason, refused.remedy)
    dialogues = math.ceil(n * factor - 1e-9)
    if not layout.known:
        return (NeededDesign(difference, power, alpha, 1, 1, dialogues, None, None, by_proportion=True),)
    personas = max(_scale(case, "persona", factor), 1) if "persona" in layout.known else 1
    if layout.dealt:
        personas = min(personas, MOST_SIMULATED)
    pool = max(_scale(case, "preference", factor), 1) if "preference" in layout.known else 1
    each = max(math.ceil(dialogues / personas), 1)
    return (
        NeededDesign(
            difference, power, alpha, personas, each, personas * each, None, max(pool, each), by_proportion=True
        ),
    )


def _numbers_of_raters(case: Case) -> Sequence[int]:
    """Return how many raters a dialogue may have: no more than there are where these are taken as given."""
    if not tells_raters(case):
        return (case.n_raters_each,)
    n = case.n_raters or 1
    return RATERS if n >= FEW_RATERS else [few for few in RATERS if few <= n]


def tells_raters(case: Case) -> bool:
    """Whether several rated a dialogue, and raters are not the personas themselves."""
    return case.n_raters_each > 1 and not are_personas(case)


def are_personas(case: Case) -> bool:
    """Whether each rater is one persona, and each persona one rater: users rated their own conversations."""
    panel = case.panel
    if panel is None or panel.rater is None:
        return False
    pairs = np.unique(np.stack([panel.rater, panel.persona]), axis=1).shape[1]
    return pairs > 1 and bool(pairs == np.unique(panel.rater).size == np.unique(panel.persona).size)


def _without_raters(found: Comparison) -> Comparison:
    """Return a comparison whose raters are its personas, without what it says of raters."""
    left_out = {name: why for name, why in found.left_out.items() if not name.startswith(RATER)}
    return replace(found, left_out=left_out)


def _scale(case: Case, name: str, factor: float) -> int:
    return math.ceil(factor * _count(case, name) - 1e-9)


def _count(case: Case, name: str) -> int:
    """Return the mean number of levels of a grouping that a system met."""
    each = [
        np.unique(getattr(crossing, name)[one.used]).size
        for crossing, one in zip(case.crossings, case.estimates, strict=True)
    ]
    return round(float(np.mean(each)))


def _count_different(case: Case, layout: Layout) -> int:
    return _count(case, "preference") if "preference" in layout.known else 0
