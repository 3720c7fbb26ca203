"""How many raters are enough: the numbers behind page, JSON and CSV."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.report.needs import UNREACHED, needs_of, record_needed, say_needed
from dialgauge.report.steps import at_k
from dialgauge.stats.estimate import Estimate

from .conftest import DESIGN, make_dimension

GOALS = [0.5, 0.75, 0.8, 0.9]


def measured(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, level=0.95, method="", covers="", n=1053)


@given(st.floats(0.02, 0.98))
def test_the_raters_needed_reach_the_goal_and_one_less_does_not(share: float) -> None:
    d = make_dimension("any", (share, 0.3 * (1 - share), 0.7 * (1 - share)))
    for needed in needs_of(d):
        k = needed.by_value
        assert isinstance(k, int)
        assert at_k(d.rel_k, k, measured_k=d.k)[0] >= needed.wanted - 1e-9
        assert k == 1 or at_k(d.rel_k, k - 1, measured_k=d.k)[0] < needed.wanted


def test_the_lower_limit_needs_more_raters_than_the_value() -> None:
    # CRS-Que accuracy, Rel(1) .327 [.266, .394]: odds of one rater .4859 and .3624; for .75, 3 / odds = 6.2 and 8.3
    accuracy = replace(make_dimension("accuracy"), rel_single=measured(0.327, 0.266, 0.394), k=1.0)
    accuracy = replace(accuracy, rel_k=accuracy.rel_single)
    assert [(n.wanted, n.by_value, n.by_lower_limit) for n in needs_of(accuracy)] == [
        (0.5, 3, 3), (0.75, 7, 9), (0.8, 9, 12), (0.9, 19, 25),
    ]  # fmt: skip


def test_where_targets_do_not_differ_no_number_of_raters_is_enough_and_the_reason_is_kept() -> None:
    flat = make_dimension("flat", (0.0, 0.25, 0.75))
    for needed in needs_of(flat):
        assert (say_needed(needed.by_value), say_needed(needed.by_lower_limit)) == (UNREACHED, UNREACHED)
        record = record_needed(needed)
        assert (record["by_value"], record["by_lower_limit"]) == (None, None)
        assert "the variance between targets may be zero" in str(record["reason"])
        assert record["remedy"]


def test_without_an_interval_the_value_still_has_its_number() -> None:
    single = Estimate(0.3, None, None, 0.95, "", "", 1053, ("no_interval",))
    records = [
        record_needed(n) for n in needs_of(replace(make_dimension("no"), rel_single=single, k=1.0, rel_k=single))
    ]
    assert [(record["wanted"], record["by_value"], record["by_lower_limit"]) for record in records] == [
        (goal, k, None) for goal, k in zip(GOALS, (3, 7, 10, 21), strict=True)
    ]
    assert all("interval could not be formed" in str(record["reason"]) for record in records)


def test_ratings_with_replicates_are_counted_by_raters_with_as_many_replicates() -> None:
    # rel_k is that of 5.2 raters with 2 replicates each, and so are the raters that are needed
    d = replace(make_dimension("twice"), replicates=2.0, rel_k=measured(0.8, 0.7, 0.9), k=DESIGN.k_harmonic)
    odds = 0.8 / 0.2 / DESIGN.k_harmonic
    assert needs_of(d)[1].by_value == pytest.approx(3 / odds, abs=1)


@pytest.mark.parametrize(("needed", "said"), [(1, "1"), (1000, "1,000"), (1001, "over 1,000")])
def test_a_number_beyond_all_use_is_said_to_be_large(needed: int, said: str) -> None:
    assert say_needed(needed) == said
