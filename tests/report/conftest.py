"""A believable result, made by hand: what the report shows must not depend on how it was computed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from dialgauge.analyse.results import (
    Check,
    DimensionReliability,
    FitRecord,
    RefusedDimension,
    Reliability,
    VarianceComponents,
)
from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Estimate, Flag, Refusal

DESIGN = Design(
    n_targets=200,
    n_raters=117,
    n_ratings=1053,
    n_cells=1053,
    n_informative=200,
    k_harmonic=5.2,
    k_min=4,
    k_max=8,
    replicates_harmonic=1.0,
    replicates_max=1,
    n_components=1,
    kind="sparse_crossed",
)

COMPONENTS = {
    "accuracy": (0.3842, 0.1818, 0.6078),
    "cui_response_quality": (0.2992, 0.2158, 0.7740),
    "intention_to_purchase": (0.3400, 0.4100, 0.7600),
    "cui_rapport": (0.1480, 0.4100, 0.4420),
    "dull": (0.0, 0.2500, 0.7500),
}
"""Variances of target, rater and residual."""

DimensionMaker = Callable[..., DimensionReliability]


def estimate(value: float, *, spread: float = 0.06, method: str = "by hand", flags: tuple[Flag, ...] = ()) -> Estimate:
    """Return an Estimate with an interval around ``value``; none with the flag ``no_interval``."""
    none = "no_interval" in flags
    return Estimate(
        value=value,
        low=None if none else value - spread,
        high=None if none else value + spread,
        level=0.95,
        method=method,
        covers="targets and raters",
        n=1053,
        flags=flags,
    )


def make_dimension(
    name: str, components: tuple[float, float, float] = (0.38, 0.18, 0.61), *, alpha: float | None = 0.28
) -> DimensionReliability:
    """Return a dimension of the crossed model whose Rel follow from its variance components."""
    target, rater, residual = components
    k = DESIGN.k_harmonic
    flags: tuple[Flag, ...] = ("boundary",) if target == 0.0 else ()
    variance = VarianceComponents(target=target, rater=rater, target_x_rater=None, residual=residual)

    def rel(raters: float, *, severity: bool = True) -> Estimate:
        value = target / (target + ((rater if severity else 0.0) + residual) / raters)
        return Estimate(
            value=value,
            low=max(value - 0.08, 0.0),
            high=min(value + 0.07, 1.0),
            level=0.95,
            method="REML crossed, absolute, profile likelihood",
            covers="targets and raters",
            n=1053,
            flags=flags,
        )

    constant = Refusal("the ranks of all ratings are tied", "use a finer scale")
    return DimensionReliability(
        name=name,
        design=DESIGN,
        n_missing=3,
        mean=estimate(3.49, spread=0.12),
        model="crossed",
        variance=variance,
        k=k,
        replicates=1.0,
        rel_single=rel(1.0),
        rel_k=rel(k),
        rel_single_relative=rel(1.0, severity=False),
        rel_k_relative=rel(k, severity=False),
        icc1=rel(1.0),
        icc1_k=rel(k),
        icc1_anova=estimate(0.301 if target else -0.012),
        icc1_k_anova=estimate(0.691 if target else -0.066),
        alpha_ordinal=estimate(alpha) if alpha is not None else constant,
        alpha_interval=estimate(0.3012 if target else -0.012),
        percent_agreement=estimate(0.312, flags=("no_interval",)),
        complete_forms=(),
        band="moderate" if rel(k).value >= 0.5 else "poor",
        flags=flags,
        fit=FitRecord(
            criterion=2897.9647,
            criterion_one_way=2993.6910,
            mean_gls=3.4968,
            iterations=19,
            max_gradient=3e-9,
            boundary=("target",) if target == 0.0 else (),
        ),
        checks=(
            Check(name="interval alpha", relation="equal", first=0.3012, second=0.3014, gap=0.0002, tolerance=0.03),
            Check(name="criterion", relation="at_most", first=742.469, second=764.136, gap=0.0, tolerance=0.001),
        ),
        findings=("Raters differ in severity.",) if rater > target else (),
    )


def make_refused(name: str = "constant") -> RefusedDimension:
    """Return a dimension in which all ratings are equal."""
    return RefusedDimension(
        name=name,
        reason="all 1053 ratings are 4: there is no variance to divide",
        remedy="use targets that differ, or a finer scale",
        design=DESIGN,
        n_missing=0,
        mean=4.0,
        percent_agreement=1.0,
        marginals=(("1", 0), ("4", 1053), ("5", 0)),
    )


@pytest.fixture
def analysis() -> Reliability:
    """Return five dimensions and a refused one; "dull" is at the boundary and its ordinal alpha is refused."""
    dimensions = [
        make_dimension(name, components, alpha=0.28 if components[0] else None)
        for name, components in COMPONENTS.items()
    ]
    return Reliability(
        design=DESIGN,
        source="annotations.csv",
        scale="1..5 (ordinal)",
        level=0.95,
        seed=7,
        dimensions=tuple(sorted(dimensions, key=lambda d: -d.rel_k.value)),
        refused=(make_refused(),),
        notes=("The condition 'is_gold == 0' kept 1,053 of 1,170 rows and left out 117.",),
        findings=("The order of the dimensions is rough.",),
        versions={"python": "3.11.7", "dialgauge": "0.1.0"},
    )


HOSTILE = "<script>alert(1)</script> a & b_c $x^2$ 100% #1 {y} ~ \\z \x1b[31mred\x07\u202egnp"
"""A name that could break HTML, LaTeX and terminals."""


@pytest.fixture
def hostile(analysis: Reliability) -> Reliability:
    """Return a result with hostile text wherever text comes from a user's file."""
    first, *rest = analysis.dimensions
    return replace(
        analysis,
        source=HOSTILE,
        scale=HOSTILE,
        dimensions=(replace(first, name=HOSTILE, findings=(HOSTILE,)), *rest),
        refused=(replace(make_refused(HOSTILE), reason=HOSTILE, remedy=HOSTILE, marginals=((HOSTILE, 3),)),),
        notes=(HOSTILE,),
        findings=(HOSTILE,),
    )
