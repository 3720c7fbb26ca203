"""The sentences that are made of the numbers."""

from dataclasses import replace

import pytest

from dialgauge.analyse.results import Reliability
from dialgauge.report.sentences import conclude, describe_design, list_gaps
from dialgauge.report.words import COEFFICIENTS, coefficient_of
from dialgauge.stats.estimate import Estimate

from .conftest import estimate, make_dimension


def with_rel_k(value: float, low: float) -> Estimate:
    return Estimate(value=value, low=low, high=min(value + 0.05, 1.0), level=0.95, method="", covers="", n=9)


def test_the_conclusion_counts_estimates_and_whole_intervals_apart(analysis: Reliability) -> None:
    rels = [with_rel_k(0.93, 0.91), with_rel_k(0.80, 0.70), with_rel_k(0.60, 0.45), with_rel_k(0.30, 0.10)]
    rated = tuple(replace(make_dimension(f"d{i}"), rel_k=rel) for i, rel in enumerate(rels))
    assert conclude(replace(analysis, dimensions=rated)) == (
        "The reliability of the mean of 5.2 raters is at least moderate in 3 of 4 dimensions, at least good in 2 and "
        "excellent in 1. Counted by the lower limit of its 95% interval, it is at least moderate in 2, at least good "
        "in 1 and excellent in 1. One rating alone reaches .325 at best (d0)."
    )


def test_the_conclusion_says_when_no_dimension_reaches_the_first_band(analysis: Reliability) -> None:
    rated = tuple(replace(make_dimension(name), rel_k=with_rel_k(0.3, 0.1)) for name in "ab")
    assert "is poor in all 2 dimensions. One" in conclude(replace(analysis, dimensions=rated))


def test_the_conclusion_says_when_no_lower_limit_reaches_the_first_band(analysis: Reliability) -> None:
    rated = tuple(replace(make_dimension(name), rel_k=with_rel_k(0.6, 0.1)) for name in "ab")
    assert "Counted by the lower limit of its 95% interval, it is moderate in none." in conclude(
        replace(analysis, dimensions=rated)
    )


@pytest.mark.parametrize(
    ("rel", "end"),
    [
        (
            with_rel_k(0.80, 0.76),
            "has a reliability of .800 (moderate); the 95% interval, .760 to .850, is good throughout.",
        ),
        (with_rel_k(0.60, 0.45), "the 95% interval, .450 to .650, reaches from poor to moderate."),
        (estimate(0.60, flags=("no_interval",)), "no interval could be formed."),
    ],
)
def test_the_conclusion_on_one_dimension_speaks_of_its_interval(analysis: Reliability, rel: Estimate, end: str) -> None:
    only = replace(make_dimension("trust"), rel_k=rel)
    assert conclude(replace(analysis, dimensions=(only,))).endswith(end)


def test_without_dimensions_the_conclusion_points_to_the_reasons(analysis: Reliability) -> None:
    assert (
        conclude(replace(analysis, dimensions=())) == "No reliability could be computed; the reasons are given below."
    )


def test_a_disconnected_design_is_not_said_twice(analysis: Reliability) -> None:
    design = replace(analysis.design, kind="disconnected", n_components=3)
    assert "k = 5.2 (harmonic mean), disconnected, scale" in describe_design(replace(analysis, design=design))
    nested = replace(analysis.design, kind="nested", n_components=200)
    assert "nested, 200 groups that share nothing" in describe_design(replace(analysis, design=nested))


def test_gaps_of_the_same_kind_stand_together(analysis: Reliability) -> None:
    dull = [replace(make_dimension(name, alpha=None)) for name in ("x", "y")]
    gaps = list_gaps(replace(analysis, dimensions=tuple(dull), refused=()))
    assert [(gap.what, gap.dimensions) for gap in gaps] == [("Krippendorff’s alpha, ordinal", ("x", "y"))]


def test_every_coefficient_of_a_dimension_has_a_title(analysis: Reliability) -> None:
    first = analysis.dimensions[0]
    held = {name for name in first.__slots__ if isinstance(getattr(first, name), Estimate)} - {"mean"}
    assert held == set(COEFFICIENTS)
    assert all(coefficient_of(first, name) is getattr(first, name) for name in COEFFICIENTS)
