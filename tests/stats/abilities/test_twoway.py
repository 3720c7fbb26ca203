"""Means and shares over crossed personas and preferences."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dialgauge.errors import CannotEstimateError, ConsistencyError, InputError
from dialgauge.stats.abilities import Crossing, combine, estimate_mean, estimate_share, take_ratio
from dialgauge.stats.clusters import mean_of_clusters

LIMITS = (-math.inf, math.inf)
PERSONA = np.array([0, 0, 1, 1, 2, 2, 3, 3, 3, 4])
PREFERENCE = np.array([0, 1, 0, 2, 1, 2, 0, 1, 2, 2])
SCORE = np.array([1.0, 2.0, 2.0, 5.0, 3.0, 4.0, 0.0, 1.0, 2.0, 7.0])
HITS = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])
CROSSING = Crossing(PERSONA, PREFERENCE)


def by_hand(y: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the two-way standard error, written out level by level."""
    u = (y - y.mean()) / y.size
    parts = []
    for codes in (PERSONA, PREFERENCE, PERSONA * 10 + PREFERENCE):
        levels = sorted(set(codes.tolist()))
        sums = [sum(float(v) for v, code in zip(u, codes, strict=True) if code == level) for level in levels]
        parts.append(len(levels) / (len(levels) - 1) * sum(s * s for s in sums))
    return math.sqrt(max(parts[0] + parts[1] - parts[2], parts[0], parts[1]))


def test_the_interval_of_a_mean_is_t_times_the_two_way_error() -> None:
    found = estimate_mean(take_ratio(SCORE, np.ones(10)), CROSSING, bounds=LIMITS, covers="all")
    margin = float(stats.t.ppf(0.975, 2)) * by_hand(SCORE)
    assert found.value == pytest.approx(SCORE.mean(), abs=1e-12)
    assert (found.low, found.high) == pytest.approx((SCORE.mean() - margin, SCORE.mean() + margin), abs=1e-10)


def test_rows_with_a_persona_and_a_preference_of_their_own_give_the_t_interval_of_independent_values() -> None:
    own = np.arange(10)
    found = estimate_mean(take_ratio(SCORE, np.ones(10)), Crossing(own, own), bounds=LIMITS, covers="all")
    plain = mean_of_clusters(SCORE, own, covers="all")
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=1e-10)


def test_a_share_of_independent_rows_has_the_interval_of_clopper_and_pearson() -> None:
    own = np.arange(10)
    found = estimate_share(take_ratio(HITS, np.ones(10)), Crossing(own, own), covers="all")
    u = (HITS - 0.4) / 10
    size = min(10.0, 0.4 * 0.6 / (10 / 9 * float(u @ u)))
    low, high = stats.beta.ppf(0.025, 0.4 * size, 0.6 * size + 1), stats.beta.ppf(0.975, 0.4 * size + 1, 0.6 * size)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)
    exact = stats.binomtest(4, 10).proportion_ci()
    assert found.low is not None
    assert found.low <= exact.low


def test_a_share_of_clustered_rows_has_fewer_effective_rows_than_rows() -> None:
    hits = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    found = estimate_share(take_ratio(hits, np.ones(10)), CROSSING, covers="all")
    own = np.arange(10)
    apart = estimate_share(take_ratio(hits, np.ones(10)), Crossing(own, own), covers="all")
    assert found.low is not None
    assert found.high is not None
    assert apart.low is not None
    assert apart.high is not None
    assert found.high - found.low > apart.high - apart.low


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_share_without_spread_has_the_interval_of_as_many_rows_as_clusters(value: float) -> None:
    found = estimate_share(take_ratio(np.full(10, value), np.ones(10)), CROSSING, covers="all")
    bound = 1.0 - 0.025 ** (1.0 / 3.0)
    assert (found.low, found.high) == pytest.approx((0.0, bound) if value == 0.0 else (1.0 - bound, 1.0))


def test_one_persona_has_no_interval() -> None:
    crossing = Crossing(np.zeros(10, dtype=np.intp), PREFERENCE)
    found = take_ratio(HITS, np.ones(10))
    for result in (
        estimate_share(found, crossing, covers=""),
        estimate_mean(found, crossing, bounds=(0, 1), covers=""),
    ):
        assert result.flags == ("no_interval",)


def test_rows_without_a_denominator_change_nothing() -> None:
    more = Crossing(np.append(PERSONA, [9, 9]), np.append(PREFERENCE, [8, 9]))
    under = np.append(np.ones(10), [0.0, 0.0])
    found = estimate_mean(take_ratio(np.append(SCORE, [99.0, 0.0]), under), more, bounds=LIMITS, covers="")
    assert found == estimate_mean(take_ratio(SCORE, np.ones(10)), CROSSING, bounds=LIMITS, covers="")


def test_nothing_counted_is_a_refusal() -> None:
    with pytest.raises(CannotEstimateError, match="denominator"):
        take_ratio([1.0, 2.0], [0.0, 0.0])


def test_a_negative_denominator_is_refused() -> None:
    with pytest.raises(InputError, match="negative"):
        take_ratio([1.0], [-1.0])


@given(st.permutations(range(10)), st.permutations(range(5)), st.permutations(range(3)))
def test_order_of_rows_and_names_of_levels_do_not_matter(
    rows: list[int], personas: list[int], wishes: list[int]
) -> None:
    crossing = Crossing(np.array(personas)[PERSONA][rows], np.array(wishes)[PREFERENCE][rows])
    found = estimate_mean(take_ratio(SCORE[rows], np.ones(10)), crossing, bounds=LIMITS, covers="")
    first = estimate_mean(take_ratio(SCORE, np.ones(10)), CROSSING, bounds=LIMITS, covers="")
    assert (found.value, found.low, found.high) == pytest.approx((first.value, first.low, first.high), abs=1e-9)


@given(st.lists(st.floats(-10, 10), min_size=10, max_size=10), st.floats(-3, 3), st.floats(-3, 3))
def test_a_sum_of_means_has_the_interval_of_the_mean_of_sums(values: list[float], a: float, b: float) -> None:
    other = np.array(values)
    parts = [take_ratio(SCORE, np.ones(10)), take_ratio(other, np.ones(10))]
    joined = combine(a * parts[0].value + b * parts[1].value, parts, [a, b])
    direct = take_ratio(a * SCORE + b * other, np.ones(10))
    assert joined.influence == pytest.approx(direct.influence, abs=1e-9)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_a_value_beyond_what_is_possible_is_an_error_and_never_cut(value: float) -> None:
    found = replace(take_ratio(SCORE, np.ones(10)), value=value)
    with pytest.raises(ConsistencyError, match="lies beyond 0 to 1"):
        estimate_mean(found, CROSSING, bounds=(0.0, 1.0), covers="")


def test_what_lies_beyond_by_rounding_is_put_at_the_end() -> None:
    found = replace(take_ratio(SCORE, np.ones(10)), value=1.0 + 1e-14)
    assert estimate_mean(found, CROSSING, bounds=(0.0, 1.0), covers="").value == 1.0
