"""The formulas of the abilities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.abilities import Crossing, Linear, estimate_mean, estimate_share, take_ratio
from dialgauge.stats.abilities.formulas import (
    FORMULAS,
    IDENTITY,
    RELIABILITY,
    SINCERITY,
    Formula,
    apply_formula,
    estimate_formula,
    spread_of,
)
from dialgauge.stats.estimate import Estimate

KNOWN = {
    "quality": ((0.6, 0.3, 0.5, 0.7), 5.0 * (0.6 + 0.3 + 0.6) / 3.0),
    "reliability": ((0.4 * 0.75,), 3.5),
    "sincerity": ((0.5, 0.1), 3.5),
    "cooperation": ((4.0, 3.0, 2.0, 0.5, 0.1), (4.0 + 3.5 + 3.0 + 2.0) / 4.0),
    "social_awareness": ((3.2,), 3.2),
    "identity": ((4.0, 0.25), 3.0),
}


def test_every_formula_has_a_worked_example() -> None:
    assert set(KNOWN) == set(FORMULAS)


@pytest.mark.parametrize("name", KNOWN)
def test_a_formula_gives_what_its_definition_says(name: str) -> None:
    values, expected = KNOWN[name]
    assert FORMULAS[name].function(*values) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_bounds_of_an_ability_are_those_of_its_best_and_worst_measures(name: str) -> None:
    formula = FORMULAS[name]
    good = {"acceptance", "recall_of_ceiling@50", "recommender_sr@10", "conversation_sr@10"}
    bad = {"deceptive", "non_existent", "harmful_change"}
    worst = [0.0 if m in good else 1.0 for m in formula.measures]
    best = [1.0 if m in good else 0.0 if m in bad else 5.0 for m in formula.measures]
    assert (formula.function(*worst), formula.function(*best)) == pytest.approx(formula.bounds)


@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data())
def test_the_delta_method_agrees_with_leaving_each_row_out(name: str, data: st.DataObject) -> None:
    formula, n = FORMULAS[name], 400
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    columns = [rng.uniform(size=n) for _ in formula.measures]
    found = apply_formula(formula, [take_ratio(column, np.ones(n)) for column in columns])
    whole = formula.function(*(column.mean() for column in columns))
    without = formula.function(*(column[1:].mean() for column in columns))
    assert found.value == pytest.approx(whole, abs=1e-12)
    assert whole - without == pytest.approx(found.influence[0], abs=5e-5)


def test_the_spread_is_range_over_mean() -> None:
    assert spread_of(np.array([1.0, 2.0, 3.0])) == pytest.approx(1.0)


@given(st.lists(st.floats(0.5, 5.0), min_size=2, max_size=9), st.floats(0.5, 4.0))
def test_the_spread_does_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    assert spread_of(factor * np.array(values)) == pytest.approx(spread_of(np.array(values)), abs=1e-9)


@pytest.mark.parametrize("values", [[2.0], [0.0, 0.0]])
def test_a_spread_without_two_personas_or_a_mean_is_refused(values: list[float]) -> None:
    with pytest.raises(CannotEstimateError):
        spread_of(np.array(values))


PEOPLE, WISHES = np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
CROSSED = Crossing(PEOPLE, WISHES)
RATED = 3.0 + 0.4 * np.sin(np.arange(24.0))
ONES = np.ones(24)
ALL_ALIKE = 1.0 - 0.025**0.25
"""What Clopper and Pearson leave possible in 4 clusters that are alike, by hand."""


def rate(formula: Formula, *parts: Linear) -> Estimate:
    own = [
        estimate_mean(part, CROSSED, bounds=(1.0, 5.0), covers="")
        if part.value > 1.0
        else estimate_share(part, CROSSED, covers="")
        for part in parts
    ]
    return estimate_formula(formula, parts, own, CROSSED, covers="", level=0.95)


def ends_of(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_a_part_that_is_exactly_0_brings_its_exact_bound_into_the_interval_in_quadrature() -> None:
    persuasive, deceptive = take_ratio(RATED, ONES), take_ratio(np.zeros(24), ONES)
    found = rate(IDENTITY, persuasive, deceptive)
    low, high = ends_of(estimate_mean(persuasive, CROSSED, bounds=(1.0, 5.0), covers=""))
    below = np.hypot(persuasive.value - low, persuasive.value * ALL_ALIKE)
    assert found.value == persuasive.value
    assert ends_of(found) == pytest.approx((found.value - below, high))


def test_intervals_of_parts_are_recovered_with_their_correlation() -> None:
    own_cluster = Crossing(np.arange(24), np.arange(24))
    bad, strange = (np.arange(24.0) % 4 == 0).astype(float), (np.arange(24.0) % 6 == 0).astype(float)
    parts = [take_ratio(bad, ONES), take_ratio(strange, ONES)]
    own = [estimate_share(part, own_cluster, covers="") for part in parts]
    r = np.corrcoef(bad, strange)[0, 1]
    to_high, to_low = (np.array([2.5 * abs(ends_of(one)[side] - one.value) for one in own]) for side in (1, 0))
    found = estimate_formula(SINCERITY, parts, own, own_cluster, covers="", level=0.95)
    below, above = (math.sqrt(d @ d + 2 * r * d[0] * d[1]) for d in (to_high, to_low))
    assert below > above, "skewed to the side of what was not seen"
    assert ends_of(found) == pytest.approx((found.value - below, found.value + above))


def test_an_ability_of_one_share_has_the_interval_of_that_share() -> None:
    part = take_ratio(np.arange(24.0) % 5 == 0, ONES)
    low, high = ends_of(estimate_share(part, CROSSED, covers=""))
    assert ends_of(rate(RELIABILITY, part)) == pytest.approx((5.0 * (1.0 - high), 5.0 * (1.0 - low)))


def test_parts_that_are_all_exact_are_added_up() -> None:
    zero = take_ratio(np.zeros(24), ONES)
    assert ends_of(rate(SINCERITY, zero, zero)) == pytest.approx((5.0 * (1.0 - ALL_ALIKE), 5.0))
    assert ends_of(rate(RELIABILITY, zero)) == pytest.approx((5.0 * (1.0 - ALL_ALIKE), 5.0))


def test_where_a_part_has_no_interval_the_ability_has_none_and_says_why() -> None:
    once = np.zeros(24)
    once[3] = 1.0
    found = rate(IDENTITY, take_ratio(4.0 * once, once), take_ratio(np.arange(24.0) % 3 == 0, ONES))
    assert (found.low, found.high, found.flags) == (None, None, ("no_interval",))
    assert found.method == "value without an interval: persuasiveness has none"
    assert found.n == 1


def test_an_ability_has_the_n_of_its_smallest_part() -> None:
    few = (PEOPLE < 3).astype(float)
    found = rate(IDENTITY, take_ratio(RATED * few, few), take_ratio(np.arange(24.0) % 5 == 0, ONES))
    assert found.n == 12


@given(
    st.lists(st.sampled_from([1.0, 2.0, 4.0, 5.0]), min_size=24, max_size=24),
    st.lists(st.sampled_from([0.0, 1.0]), min_size=24, max_size=24),
)
def test_an_interval_holds_its_value_and_the_bounds_hold_the_interval(rated: list[float], bad: list[float]) -> None:
    found = rate(IDENTITY, take_ratio(rated, ONES), take_ratio(bad, ONES))
    low, high = ends_of(found)
    assert IDENTITY.bounds[0] <= low <= found.value <= high <= IDENTITY.bounds[1]
