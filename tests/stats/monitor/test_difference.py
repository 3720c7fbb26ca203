"""Differences from the baseline, against SciPy and the plain formulas."""

import numpy as np
import pytest
from scipy import stats

from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.meansquares import one_way_anova
from dialgauge.stats.monitor.difference import mean_shift, reliability_change


def tables(seed: int, *, n: int = 40, noise: float = 0.5) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    u = rng.standard_normal((n, 1))
    return u + 0.5 * rng.standard_normal((n, 3)), u + noise * rng.standard_normal((n, 3))


def test_the_shift_is_the_paired_t_of_scipy() -> None:
    first, second = tables(1)
    found = mean_shift(first, second)
    assert isinstance(found, Estimate)
    expected = stats.ttest_rel(second.mean(axis=1), first.mean(axis=1)).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def icc(table: Floats) -> float:
    target = np.repeat(np.arange(len(table)), table.shape[1])
    return one_way_anova(table.ravel(), target, k=1.0).icc1.value


def test_the_change_of_reliability_is_the_difference_of_iccs_with_a_jackknife_done_by_hand() -> None:
    first, second = tables(2, noise=1.0)
    found = reliability_change(first, second)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(icc(second) - icc(first))
    left = [np.delete(np.arange(40), i) for i in range(40)]
    rest = np.array([icc(second[rows]) - icc(first[rows]) for rows in left])
    reach = stats.t.ppf(0.975, 39) * np.sqrt(39 / 40 * np.sum((rest - rest.mean()) ** 2))
    assert (found.low, found.high) == pytest.approx((found.value - reach, found.value + reach))


def test_the_interval_of_the_change_holds_no_change_about_as_often_as_it_says() -> None:
    found = [reliability_change(*tables(seed)) for seed in range(300)]
    holds = [isinstance(e, Estimate) and (e.low or 0.0) <= 0.0 <= (e.high or 0.0) for e in found]
    assert 0.91 <= np.mean(holds) <= 0.99


def test_ratings_that_do_not_vary_have_no_reliability_to_compare() -> None:
    first, _ = tables(1)
    assert isinstance(reliability_change(first, np.full_like(first, 3.0)), Refusal)
    assert isinstance(mean_shift(first[:1], first[:1]), Refusal)
