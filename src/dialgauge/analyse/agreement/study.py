"""Ratings in, the agreement of raters on every dimension out."""

import importlib.metadata
import platform
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from dialgauge.analyse.agreement.case import Case
from dialgauge.analyse.agreement.coefficients import compute_all, concordance_test
from dialgauge.analyse.agreement.findings import findings_across, findings_of
from dialgauge.analyse.agreement.records import (
    Agreement,
    DimensionAgreement,
    Metric,
    RaterScope,
    RefusedAgreement,
    WeightsChoice,
)
from dialgauge.analyse.tables import Block, blocks, marginals
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.model import Ratings
from dialgauge.stats.agreement.marginals import MarginalTest, stuart_maxwell
from dialgauge.stats.agreement.weights import Kind
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.ranges import require_level


def analyse_agreement(
    ratings: Ratings,
    *,
    weights: WeightsChoice = "auto",
    raters: RaterScope = "random",
    level: float = 0.95,
    metrics: Sequence[Metric] = (),
) -> Agreement:
    """Compute how closely raters agree on every dimension of ``ratings``.

    ``weights`` says how much a near miss counts in weighted percent agreement, the kappas and AC2; ``auto`` uses what
    the declared level carries, as alpha does: exact matches on nominal and binary scales, Gwet's ordinal weights (order
    only) on ordinal ones, quadratic weights (distances) on interval and ratio ones. Alpha uses the metric of the
    declared level; ``metrics`` asks for others besides. ``raters`` is ``random`` for intervals that cover new targets
    and new raters, ``these`` for new targets rated by the same raters; ``level`` is the confidence level in (0, 1). A
    dimension none of whose coefficients exists is refused with its reason and the others go on. Raises ``InputError``
    for options out of range, for weights that a nominal scale does not carry, and for ratings without a value.
    """
    _check_options(weights, raters, level, metrics)
    table = blocks(ratings)
    if not any(len(block.target) for block in table):
        msg = f"{ratings.source or 'the table'} holds no rating with a value; look at its empty cells and at the filter"
        raise InputError(msg)
    cases = [
        Case(name, block, values, ratings.scale_for(name), _names(ratings, name, block), weights, raters, level)
        for block in table
        for name, values in block.values.items()
    ]
    for case in cases:
        case.check_options()
    found = [_analyse(case, metrics) for case in cases]
    done = sorted((d for d in found if isinstance(d, DimensionAgreement)), key=_by_alpha)
    return Agreement(
        design=max((block.design for block in table), key=lambda d: d.n_ratings),
        source=ratings.source,
        scale="; ".join(dict.fromkeys(str(ratings.scale_for(name)) for name in ratings.dimensions)),
        level=level,
        raters=raters,
        weights=weights,
        dimensions=tuple(done),
        refused=tuple(d for d in found if isinstance(d, RefusedAgreement)),
        notes=ratings.notes,
        findings=(*ratings.findings, *findings_across(done, raters)),
        versions={
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("dialgauge", "numpy", "scipy", "polars")},
        },
    )


def _check_options(weights: str, raters: str, level: float, metrics: Sequence[str]) -> None:
    require_level(level)
    known: list[tuple[str, Sequence[str], tuple[str, ...]]] = [
        ("weights", [weights], ("auto", *get_args(Kind))),
        ("raters", [raters], get_args(RaterScope)),
        ("metrics", metrics, get_args(Metric)),
    ]
    for what, given, allowed in known:
        for word in given:
            if word not in allowed:
                raise InputError(f"{what}: there is no {word!r}; choose among {', '.join(allowed)}")


def _names(ratings: Ratings, dimension: str, block: Block) -> tuple[str, ...]:
    """Return the names of the raters of a dimension in the order of their codes; empty for many raters."""
    if block.design.n_raters > 10:
        return ()
    rows = ratings.of(dimension).drop_nulls("value")
    return tuple(rows["rater"].unique().sort().to_list())


def _analyse(case: Case, metrics: Sequence[Metric]) -> DimensionAgreement | RefusedAgreement:
    n_missing = case.block.n_missing[case.name]
    shown = marginals(case.values, case.scale) if case.scale.points is not None else ()
    if not len(case.values):
        reason, remedy = "there is no rating with a value", "look at the empty cells and at the filter"
        return RefusedAgreement(case.name, reason, remedy, case.design, n_missing, shown)
    coefficients = compute_all(case, metrics)
    if not any(isinstance(c.result, Estimate) for c in coefficients):
        first = next(c.result for c in coefficients if isinstance(c.result, Refusal))
        return RefusedAgreement(case.name, first.reason, first.remedy, case.design, n_missing, shown)
    flags = [flag for c in coefficients if isinstance(c.result, Estimate) for flag in c.result.flags]
    found = DimensionAgreement(
        name=case.name,
        scale=str(case.scale),
        metric=case.metric,
        weights=case.weights,
        design=case.design,
        n_missing=n_missing,
        marginals=shown,
        coefficients=coefficients,
        rater_marginals=_rater_marginals(case),
        concordance=concordance_test(case) if case.few and case.metric != "nominal" else None,
        homogeneity=_homogeneity(case),
        flags=tuple(dict.fromkeys(flags)),
    )
    return replace(found, findings=findings_of(found, case))


def _rater_marginals(case: Case) -> tuple[tuple[str, tuple[int, ...]], ...]:
    if not case.few or case.scale.points is None:
        return ()
    return tuple(
        (name, tuple(count for _, count in marginals(case.values[case.block.rater == code], case.scale)))
        for code, name in enumerate(case.raters)
    )


def _homogeneity(case: Case) -> MarginalTest | None:
    if case.design.n_raters != 2:
        return None
    try:
        return stuart_maxwell(case.table(case.count()), len(case.points))
    except CannotEstimateError:
        return None


def _by_alpha(d: DimensionAgreement) -> float:
    value = d.value("alpha")
    return np.inf if value is None else -value
