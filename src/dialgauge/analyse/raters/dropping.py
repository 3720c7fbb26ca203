"""What would change without some raters: every dimension is fitted again on what is left."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dialgauge.analyse.bands import band
from dialgauge.analyse.fits import MANY_LEVELS, choose_model
from dialgauge.analyse.raters.fitting import UNLINKED, Fitted, fit_columns
from dialgauge.analyse.raters.parts import Change, Without
from dialgauge.analyse.raters.table import AnswerTable
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.design import detect
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.reml import Model, RemlFit
from dialgauge.stats.reml.odds import error_weights, odds_of, step_up

MOST_REFITS, MOST_LARGE_REFITS = 20, 3
"""Raters without whom all dimensions are fitted again, one by one; fewer where a single fit takes long."""

Mask = NDArray[np.bool_]

Judged = Mapping[str, Fitted]


def most_refits(fitted: Judged) -> int:
    """Return for how many raters all dimensions of ``fitted`` may be fitted again."""
    large = any(one.fit.panel.n_small >= MANY_LEVELS for one in fitted.values())
    return MOST_LARGE_REFITS if large else MOST_REFITS


def drop(table: AnswerTable, fitted: Judged, raters: Sequence[int], k: Mapping[str, float]) -> Without:
    """Return what dropping the raters numbered ``raters`` would change in every dimension of ``fitted``.

    ``k`` (by dimension) is the number of raters that Rel(k) averages over, before and after.
    """
    changes: dict[str, Change] = {}
    for names in _by_block(fitted):
        block = fitted[names[0]].block
        known = ~np.isnan(table.values[:, table.dimensions.index(names[0])])
        kept = ~np.isin(table.rater[known], raters)
        values = np.column_stack([block.values[name] for name in names])
        simple = [fitted[name].fit.model == "one_way" for name in names]
        refits = _refit(block.target[kept], block.rater[kept], values[kept], simple)
        for d, name in enumerate(names):
            changes[name] = _compare(fitted[name], values[:, d], kept, refits[d], k[name], name)
    return Without(
        raters=tuple(table.raters[j] for j in raters),
        n_ratings=int(np.isin(table.rater, raters) @ (~np.isnan(table.values)).sum(axis=1)),
        changes=tuple(changes[name] for name in fitted),
    )


def _by_block(fitted: Judged) -> list[list[str]]:
    """Return the dimensions that share a block."""
    found: dict[int, list[str]] = {}
    for name, one in fitted.items():
        found.setdefault(id(one.block), []).append(name)
    return list(found.values())


def _refit(target: Codes, rater: Codes, values: Floats, simple: Sequence[bool]) -> list[RemlFit | Refusal]:
    """Fit each column of ``values``; those that the one-way model had to answer before by that model again."""
    if not len(target):
        return [Refusal("no rating is left", "keep some raters")] * values.shape[1]
    target, rater = (np.unique(codes, return_inverse=True)[1] for codes in (target, rater))
    design = detect(target, rater)
    if design.kind == "unidentified":
        return [UNLINKED] * values.shape[1]
    models: tuple[Model, Model] = (choose_model(design), "one_way")
    found: dict[int, RemlFit | Refusal] = {}
    for poorer, model in enumerate(models):
        columns = [d for d, one_way in enumerate(simple) if one_way == bool(poorer)]
        found |= dict(zip(columns, fit_columns(target, rater, values[:, columns], model), strict=True))
    return [found[d] for d in range(len(simple))]


def _compare(before: Fitted, values: Floats, kept: Mask, after: RemlFit | Refusal, k: float, name: str) -> Change:
    replicates = before.block.design.replicates_harmonic
    single, averaged = _reliabilities(before.fit, k, replicates)
    mean = float(values.mean())
    if isinstance(after, Refusal):
        return Change(
            dimension=name,
            rel_single=(single, None),
            rel_k=(averaged, None),
            mean=(mean, None),
            band=(band(averaged), None),
            within=None,
            refusal=after,
        )
    new_single, new_averaged = _reliabilities(after, k, replicates)
    _, low, high = before.odds.reliability(k)
    return Change(
        dimension=name,
        rel_single=(single, new_single),
        rel_k=(averaged, new_averaged),
        mean=(mean, float(values[kept].mean())),
        band=(band(averaged), band(new_averaged)),
        within=None if low is None or high is None else low <= new_averaged <= high,
    )


def _reliabilities(fit: RemlFit, k: float, replicates: float) -> tuple[float, float]:
    """Return the absolute Rel(1) of one rating, and Rel(k) with ``replicates`` ratings each."""
    single, averaged = (
        step_up(float(odds_of(fit.ratios, error_weights(fit.active, "absolute", r))), n)
        for r, n in ((1.0, 1.0), (replicates, k))
    )
    return single, averaged
