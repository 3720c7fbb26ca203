"""Slopes, differences of means and shares of pairs against textbook routes, and how often their intervals cover."""

import numpy as np
import pytest
from scipy import stats

from dialgauge.analyse.checking.linear import (
    Halves,
    Linear,
    average,
    compare_means,
    count_pairs,
    estimate_difference,
    estimate_share,
    estimate_slope,
    fit_slope,
)
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate, Refusal


def ones(n: int) -> Codes:
    return np.ones(n, dtype=np.intp)


def slope_of(x: Floats, y: Floats, group: Codes | None = None) -> Linear:
    n = x.size
    groups = np.zeros(n, dtype=np.intp) if group is None else group
    found = fit_slope(x, y, target=np.arange(n), group=groups, n_targets=n, n=ones(n))
    assert isinstance(found, Linear)
    return found


def hc3(design: Floats, y: Floats) -> tuple[float, float]:
    """Return the last coefficient and its HC3 error, by matrices as MacKinnon and White (1985) write them."""
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ y
    hat = np.diag(design @ inverse @ design.T)
    weights = ((y - design @ beta) / (1 - hat)) ** 2
    variance = inverse @ (design.T * weights) @ design @ inverse
    return float(beta[-1]), float(np.sqrt(variance[-1, -1]))


def drawn(n: int = 40) -> tuple[Floats, Floats, Codes]:
    rng = np.random.default_rng(11)
    x, group = rng.normal(7, 1, n), rng.integers(0, 3, n)
    return x, 0.1 * x + 0.2 * group + rng.normal(0, 0.1, n) * (1 + abs(x - 7)), group


def test_the_slope_and_its_interval_are_those_of_least_squares_with_hc3() -> None:
    x, y, _ = drawn()
    value, error = hc3(np.column_stack([np.ones(x.size), x]), y)
    found = estimate_slope(slope_of(x, y), level=0.9)
    margin = stats.t.ppf(0.95, x.size - 2) * error
    assert (found.value, found.low, found.high) == pytest.approx((value, value - margin, value + margin), rel=1e-10)


def test_the_slope_within_groups_is_that_with_an_intercept_for_each() -> None:
    x, y, group = drawn()
    value, error = hc3(np.column_stack([*(group == g for g in range(3)), x]).astype(float), y)
    found = estimate_slope(slope_of(x, y, group), level=0.95)
    margin = stats.t.ppf(0.975, x.size - 4) * error
    assert (found.value, found.low, found.high) == pytest.approx((value, value - margin, value + margin), rel=1e-10)


def test_a_group_of_one_target_changes_nothing() -> None:
    x, y, group = drawn()
    more = slope_of(np.append(x, 20.0), np.append(y, -5.0), np.append(group, 3))
    assert more.value == pytest.approx(slope_of(x, y, group).value)
    assert (more.lost, more.used.size) == (4, 40)


def test_the_influence_of_a_target_is_what_the_slope_changes_by_without_it() -> None:
    x, y, _ = drawn()
    without = [np.polyfit(np.delete(x, i), np.delete(y, i), 1)[0] for i in range(x.size)]
    assert slope_of(x, y).value - np.array(without) == pytest.approx(slope_of(x, y).influence, rel=1e-8, abs=1e-12)


def test_dimensions_on_the_same_targets_are_averaged_as_their_mean_is_fitted() -> None:
    x, y, _ = drawn()
    other = y[::-1].copy()
    both = estimate_slope(average([slope_of(x, y), slope_of(x, other)]), level=0.95)
    mean = estimate_slope(slope_of(x, (y + other) / 2), level=0.95)
    assert (both.value, both.low, both.high) == pytest.approx((mean.value, mean.low, mean.high), rel=1e-10)
    assert both.n == 2 * mean.n


@pytest.mark.parametrize(
    ("x", "why"),
    [
        (np.full(20, 6.0), "equally long"),
        (np.arange(9.0), "9 dialogues are too few"),
        (np.append(np.zeros(19), 1.0), "one dialogue alone"),
    ],
)
def test_what_determines_no_slope_is_refused_with_the_reason(x: Floats, why: str) -> None:
    zeros = np.zeros(x.size, dtype=np.intp)
    found = fit_slope(x, np.sin(x), target=np.arange(x.size), group=zeros, n_targets=x.size, n=ones(x.size))
    assert isinstance(found, Refusal)
    assert why in found.reason


def test_constant_ratings_have_a_slope_of_zero_and_no_interval_of_no_width() -> None:
    found = estimate_slope(slope_of(np.arange(20.0), np.full(20, 0.75)), level=0.95)
    assert (found.value, found.low, found.flags) == (0.0, None, ("no_interval",))


def halves_of(n_own: int, n_other: int, systems: Codes | None = None) -> tuple[Halves, Codes]:
    own = np.append(ones(n_own), np.zeros(n_other, dtype=np.intp))
    return Halves(own, own if systems is None else systems), own


def gap_of(y: Floats, own: Codes) -> Linear:
    return compare_means(y, own, target=np.arange(y.size), n_targets=y.size, n=ones(y.size))


def share_of(y: Floats, own: Codes) -> Linear:
    return count_pairs(y, own, target=np.arange(y.size), n_targets=y.size, n=ones(y.size))


def test_the_difference_of_means_and_its_interval_are_those_of_welch() -> None:
    halves, own = halves_of(7, 30)
    y = np.random.default_rng(3).uniform(0, 1, 37) ** (1 + own)
    found = estimate_difference(gap_of(y, own), halves, most=1.0, level=0.95)
    welch = stats.ttest_ind(y[own == 1], y[own == 0], equal_var=False)
    expected = welch.confidence_interval(0.95)
    assert found.value == pytest.approx(y[own == 1].mean() - y[own == 0].mean())
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-10)
    assert found.covers == "targets of these systems"


def test_with_three_systems_on_each_side_the_difference_is_between_systems() -> None:
    systems = np.repeat(np.arange(7), 5)
    halves, own = halves_of(15, 20, systems)
    y = np.random.default_rng(4).uniform(0, 1, 35) + 0.3 * np.sin(systems)
    found = estimate_difference(gap_of(y, own), halves, most=9.0, level=0.95)
    means = y.reshape(7, 5).mean(axis=1)
    expected = stats.ttest_ind(means[:3], means[3:], equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-10)
    assert found.covers == "systems and their targets"


def test_the_share_of_pairs_is_that_of_mann_whitney_with_the_variance_of_delong_on_the_logit() -> None:
    halves, own = halves_of(8, 12)
    y = np.random.default_rng(6).integers(1, 6, 20) + 1.0 * own
    found = estimate_share(share_of(y, own), halves, level=0.95)
    first, other = y[own == 1], y[own == 0]
    wins = (first[:, None] > other) + 0.5 * (first[:, None] == other)
    p = stats.mannwhitneyu(first, other).statistic / 96
    parts = np.var(wins.mean(axis=1), ddof=1) / 8, np.var(wins.mean(axis=0), ddof=1) / 12
    df = sum(parts) ** 2 / (parts[0] ** 2 / 7 + parts[1] ** 2 / 11)
    margin = stats.t.ppf(0.975, df) * np.sqrt(sum(parts)) / (p * (1 - p))
    ends = [1 / (1 + np.exp(-(np.log(p / (1 - p)) + side * margin))) for side in (-1, 1)]
    assert found.value == pytest.approx(p) == pytest.approx(wins.mean())
    assert (found.low, found.high) == pytest.approx(tuple(ends), rel=1e-10)


def test_own_targets_that_always_come_first_leave_room_for_some_that_do_not() -> None:
    halves, own = halves_of(6, 20)
    y = own + np.linspace(0, 0.5, 26)
    found = estimate_share(share_of(y, own), halves, level=0.95)
    assert (found.value, found.low, found.high) == pytest.approx((1.0, 0.025 ** (1 / 6), 1.0))
    turned = estimate_share(share_of(-y, own), halves, level=0.95)
    assert (turned.value, turned.low, turned.high) == pytest.approx((0.0, 0.0, 1 - 0.025 ** (1 / 6)))


def test_constant_ratings_are_ties_without_an_interval() -> None:
    halves, own = halves_of(6, 6)
    share = estimate_share(share_of(np.full(12, 0.5), own), halves, level=0.95)
    gap = estimate_difference(gap_of(np.full(12, 0.5), own), halves, most=1.0, level=0.95)
    assert (share.value, share.low, gap.value, gap.low) == (0.5, None, 0.0, None)


def covered(found: Estimate, true: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= true <= found.high


def test_intervals_of_slopes_cover_as_often_as_they_say_though_noise_grows_with_length() -> None:
    rng, hits = np.random.default_rng(21), 0
    for _ in range(400):
        x, shared = rng.normal(6.5, 1, 40), rng.normal(0, 0.15, 40)
        noise = (rng.normal(0, 0.1, 40) * (1 + abs(x - 6.5)) for _ in range(3))
        parts = [slope_of(x, 0.05 * x + shared + own) for own in noise]
        hits += covered(estimate_slope(average(parts), level=0.9), 0.05)
    assert stats.binomtest(hits, 400, 0.9).pvalue > 0.01


def test_intervals_of_differences_and_shares_cover_as_often_as_they_say() -> None:
    rng, gaps, shares = np.random.default_rng(22), 0, 0
    halves, own = halves_of(12, 30)
    for _ in range(400):
        shared = rng.normal(0, 1, 42) + 0.5 * own
        tables = [shared + rng.normal(0, 1, 42) for _ in range(3)]
        gap, share = (average([f(y, own) for y in tables]) for f in (gap_of, share_of))
        gaps += covered(estimate_difference(gap, halves, most=9.0, level=0.9), 0.5)
        shares += covered(estimate_share(share, halves, level=0.9), float(stats.norm.cdf(0.25)))
    for hits in (gaps, shares):
        assert stats.binomtest(hits, 400, 0.9).pvalue > 0.01
