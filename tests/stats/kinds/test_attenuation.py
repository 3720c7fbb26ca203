"""Correlations of means with the noise of one side taken out: against formulas by hand, and leaving one target out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr
from scipy.stats import t as student

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.kinds import fit_kinds
from dialgauge.stats.kinds.attenuation import Attenuation, correct_attenuation
from dialgauge.stats.kinds.profile import profile_correlation

Data = tuple[Floats, Codes, Floats]


def draw(n: int = 60, *, icc: float = 0.4, rho: float = 0.7, seed: int = 1) -> Data:
    """Return ratings by people of their own, three or four a target, and another value a target."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    target = np.repeat(np.arange(n), rng.choice([3, 4], n))
    values = math.sqrt(icc) * shared[target] + math.sqrt(1 - icc) * rng.normal(size=target.size)
    return values, target, rho * shared + math.sqrt(1 - rho**2) * rng.normal(size=n)


def by_hand(values: Floats, target: Codes, other: Floats) -> tuple[float, float]:
    """Return r and R from the definitions, group by group."""
    groups = [values[target == code] for code in np.unique(target)]
    sizes = np.array([len(group) for group in groups])
    means = np.array([group.mean() for group in groups])
    n, total = len(groups), sizes.sum()
    msb = (sizes * (means - values.mean()) ** 2).sum() / (n - 1)
    msw = sum(((group - group.mean()) ** 2).sum() for group in groups) / (total - n)
    n0 = (total - (sizes**2).sum() / total) / (n - 1)
    icc = (msb - msw) / (msb + (n0 - 1) * msw)
    k = n / (1 / sizes).sum()
    return float(pearsonr(means, other).statistic), float(k * icc / (1 + (k - 1) * icc))


def value(found: Estimate | Refusal) -> float:
    assert isinstance(found, Estimate)
    return found.value


def test_three_small_groups_give_the_numbers_of_a_calculation_on_paper() -> None:
    values, target = np.array([1.0, 2, 4, 5, 7, 9]), np.array([0, 0, 1, 1, 2, 2])
    found = correct_attenuation(values, target, np.array([1.0, 3.0, 4.0]))
    # means 1.5, 4.5, 8; MSB = 127/6, MSW = 1, ICC(1) = 121/133, ICC(1,2) = 121/127
    assert value(found.reliability) == pytest.approx(121 / 127, abs=1e-12)
    assert found.observed.value == pytest.approx((29 / 3) / math.sqrt(127 / 6 * 14 / 3), abs=1e-12)
    assert isinstance(found.corrected, Refusal)
    assert found.k == 2.0


def test_the_correlation_is_divided_by_the_root_of_the_reliability() -> None:
    data = draw()
    r, reliability = by_hand(*data)
    found = correct_attenuation(*data)
    assert found.observed.value == pytest.approx(r, abs=1e-12)
    assert value(found.reliability) == pytest.approx(reliability, abs=1e-12)
    assert value(found.corrected) == pytest.approx(r / math.sqrt(reliability), abs=1e-12)


def test_the_interval_is_the_jackknife_that_computes_all_anew_without_each_target() -> None:
    values, target, other = draw(25)
    left = []
    for code in range(25):
        kept = target != code
        r, reliability = by_hand(values[kept], target[kept], np.delete(other, code))
        left.append(r / math.sqrt(reliability))
    r, reliability = by_hand(values, target, other)
    error = math.sqrt(24 / 25 * ((np.array(left) - np.mean(left)) ** 2).sum())
    corrected = correct_attenuation(values, target, other, level=0.9).corrected
    assert isinstance(corrected, Estimate)
    assert corrected.low == pytest.approx(r / math.sqrt(reliability) - student.ppf(0.95, 24) * error, abs=1e-10)


def test_the_fit_of_kinds_says_much_the_same_by_another_route() -> None:
    values, target, other = draw(120)
    n = values.size
    rater = np.concatenate([np.arange(n), np.full(120, n)])
    kind_of = np.append(np.zeros(n, int), 1)
    fit = fit_kinds(np.concatenate([target, np.arange(120)]), rater, kind_of, np.concatenate([values, other]))
    route = profile_correlation(fit, 0, 1)
    corrected = correct_attenuation(values, target, other).corrected
    assert isinstance(corrected, Estimate)
    assert route.value == pytest.approx(corrected.value, abs=0.03)
    assert route.low == pytest.approx(corrected.low, abs=0.06)


@given(st.integers(0, 50), st.floats(0.1, 10.0), st.floats(-100.0, 100.0))
def test_the_scales_of_both_sides_and_the_order_of_rows_do_not_matter(seed: int, slope: float, shift: float) -> None:
    values, target, other = draw(20, icc=0.6, seed=seed)
    order = np.random.default_rng(seed).permutation(values.size)
    one = correct_attenuation(values, target, other)
    two = correct_attenuation(slope * values[order] + shift, target[order], 3.0 * other - shift)
    assert two.observed.value == pytest.approx(one.observed.value, abs=1e-8)
    if isinstance(one.corrected, Estimate):
        assert value(two.corrected) == pytest.approx(one.corrected.value, abs=1e-7)
    else:
        assert isinstance(two.corrected, Refusal)


def test_a_value_beyond_one_is_cut_and_flagged() -> None:
    found = [correct_attenuation(*draw(40, icc=0.3, rho=1.0, seed=seed)).corrected for seed in range(20)]
    cut = [one for one in found if isinstance(one, Estimate) and "boundary" in one.flags]
    assert cut
    assert all((one.value, one.high) == (1.0, 1.0) for one in cut)


def test_people_who_do_not_tell_targets_apart_leave_nothing_to_hold_against() -> None:
    found = correct_attenuation(*draw(60, icc=0.0, seed=4))
    assert isinstance(found.corrected, Refusal)
    assert "not shown to tell the targets apart" in found.corrected.reason
    assert isinstance(found.observed, Estimate)


def test_people_who_always_agree_have_no_noise_to_take_out() -> None:
    target = np.repeat(np.arange(12), 2)
    other = np.random.default_rng(1).normal(size=12)
    found = correct_attenuation(np.sin(target.astype(float)), target, other)
    assert value(found.corrected) == pytest.approx(found.observed.value, abs=1e-12)


def test_one_rating_a_target_has_no_reliability() -> None:
    found = correct_attenuation(np.arange(12.0), np.arange(12), np.arange(12.0) ** 2)
    assert isinstance(found.reliability, Refusal)
    assert isinstance(found.corrected, Refusal)


def test_a_side_that_one_target_alone_makes_differ_is_refused() -> None:
    values, target, _ = draw(20, icc=0.6)
    found: Attenuation = correct_attenuation(values, target, np.eye(20)[0])
    assert isinstance(found.corrected, Refusal)
    assert "one target holds all" in found.corrected.reason


def test_constant_values_and_shapes_that_do_not_match_are_errors() -> None:
    values, target, other = draw(20)
    with pytest.raises(CannotEstimateError, match="do not differ"):
        correct_attenuation(values, target, np.ones(20))
    with pytest.raises(InputError, match="do not match"):
        correct_attenuation(values, target, other[:-1])
    with pytest.raises(InputError, match="level"):
        correct_attenuation(values, target, other, level=2.0)


# ------------------------------------------------------------------------------------------------------ shared raters


def draw_shared(
    n: int = 100, *, raters: int = 4, severity: float = 1.0, seed: int = 1
) -> tuple[Floats, Codes, Codes, Floats]:
    """Return ratings of all targets by the same raters, and another value that correlates .6 with the truth."""
    rng = np.random.default_rng(seed)
    truth, other = rng.multivariate_normal([0.0, 0.0], [[1.0, 0.6], [0.6, 1.0]], n).T
    target, rater = (codes.ravel() for codes in np.indices((n, raters)))
    strict = severity * rng.normal(size=raters)
    return truth[target] + strict[rater] + 1.2 * rng.normal(size=target.size), target, rater, other


def test_severity_of_shared_raters_is_no_noise_of_a_complete_table() -> None:
    values, target, rater, other = draw_shared()
    found = correct_attenuation(values, target, other, rater=rater)
    table = values.reshape(100, 4)
    errors = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    noise, spread = (errors**2).sum() / (99 * 3), table.mean(axis=1).var(ddof=1)
    assert found.severity_out
    assert value(found.reliability) == pytest.approx(1 - noise / 4 / spread, abs=1e-12)
    r = pearsonr(table.mean(axis=1), other).statistic
    assert value(found.corrected) == pytest.approx(r / math.sqrt(1 - noise / 4 / spread), abs=1e-12)


@given(seed=st.integers(0, 50), severity=st.floats(0.0, 5.0))
def test_how_strict_shared_raters_are_changes_nothing(seed: int, severity: float) -> None:
    one, two = (draw_shared(20, severity=each, seed=seed) for each in (0.0, severity))
    found = [correct_attenuation(v, t, o, rater=r) for v, t, r, o in (one, two)]
    if isinstance(found[0].corrected, Refusal):
        assert isinstance(found[1].corrected, Refusal)
        return
    assert value(found[1].corrected) == pytest.approx(value(found[0].corrected), abs=1e-9)


def test_over_many_studies_with_shared_raters_the_correlation_is_neither_too_high_nor_too_low() -> None:
    shared, one_way = [], []
    for seed in range(60):
        values, target, rater, other = draw_shared(60, seed=seed)
        shared.append(value(correct_attenuation(values, target, other, rater=rater).corrected))
        alone = correct_attenuation(values, target, other).corrected
        one_way += [alone.value] if isinstance(alone, Estimate) else []
    assert np.mean(shared) == pytest.approx(0.6, abs=0.03)
    assert np.mean(one_way) > 0.64


def test_raters_of_their_own_and_raters_that_nothing_links_are_one_way() -> None:
    values, target, other = draw(40)
    own = np.arange(values.size)
    assert not correct_attenuation(values, target, other, rater=own).severity_out
    apart = np.where(target < 20, 0, 1) * 4 + np.concatenate([np.arange(n) for n in np.bincount(target)])
    assert not correct_attenuation(values, target, other, rater=np.unique(apart, return_inverse=True)[1]).severity_out
