"""Whose residuals scatter more than those of the others."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dialgauge.stats.raters.consistency import Consistency, compare_scatter, sum_scatter
from dialgauge.stats.raters.inverse import invert
from dialgauge.stats.raters.residuals import Residuals, conditional_residuals
from dialgauge.stats.reml import Panel, RemlFit, fit_panel

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def design(rng: np.random.Generator, targets: int, raters: int, per_target: int) -> tuple[Codes, Codes]:
    rater = np.concatenate([rng.choice(raters, per_target, replace=False) for _ in range(targets)])
    return np.repeat(np.arange(targets), per_target).astype(np.intp), np.unique(rater, return_inverse=True)[1]


def together(rng: np.random.Generator, n: int, m: int, common: float) -> Floats:
    """Return m standard normal columns with the correlation ``common``."""
    return np.asarray(np.sqrt(common) * rng.normal(size=(n, 1)) + np.sqrt(1.0 - common) * rng.normal(size=(n, m)))


def compare(target: Codes, rater: Codes, values: Floats) -> Consistency:
    found = fit_panel(Panel.build(target, rater), values, model="crossed")
    residuals = [
        conditional_residuals(invert(fit), values[:, d]) for d, fit in enumerate(found) if isinstance(fit, RemlFit)
    ]
    correlation = np.corrcoef([r.value for r in residuals]).reshape(len(residuals), -1)
    n_raters = int(rater.max()) + 1
    return compare_scatter([sum_scatter(r, rater, n_raters=n_raters) for r in residuals], correlation, level=0.95)


@pytest.mark.parametrize(("raters", "per_target", "m"), [(30, 5, 1), (30, 5, 6), (5, 5, 1)])
def test_p_values_and_intervals_hold_where_all_raters_are_alike(raters: int, per_target: int, m: int) -> None:
    rng = np.random.default_rng(raters + m)
    p: list[float] = []
    inside: list[bool] = []
    for _ in range(60):
        target, rater = design(rng, 40, raters, per_target)
        values = 0.5 * together(rng, 40, m, 0.6)[target] + 0.4 * together(rng, raters, m, 0.4)[rater]
        found = compare(target, rater, values + 0.7 * together(rng, len(target), m, 0.3))
        p += list(found.p)
        inside += list((found.low <= 1.0) & (found.high >= 1.0))
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.025)
    assert np.mean(np.array(p) > 0.95) == pytest.approx(0.05, abs=0.025)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.025)


def test_p_values_hold_on_few_points_thanks_to_the_kurtosis() -> None:
    """Ratings of 1 or 2 with a rare 5 have heavy tails: without the correction p < .05 in one case of five."""
    rng = np.random.default_rng(4)
    p: list[float] = []
    for _ in range(60):
        target, rater = design(rng, 40, 20, 5)
        latent = 0.5 * rng.normal(size=40)[target] + 0.3 * rng.normal(size=20)[rater] + 0.8 * rng.normal(size=200)
        p += list(compare(target, rater, np.select([latent > 1.8, latent > 0.5], [5.0, 2.0], 1.0)[:, None]).p)
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.06, abs=0.03)


def test_the_ratio_estimates_that_of_the_residual_variances() -> None:
    """Rater 3 has four times the residual variance of the others; the mean of 40 ratios is near 4."""
    rng = np.random.default_rng(6)
    ratios, found_first = [], 0
    for _ in range(40):
        target, rater = design(rng, 60, 20, 5)
        noise = 0.6 * rng.normal(size=len(target)) * np.where(rater == 3, 2.0, 1.0)
        found = compare(target, rater, (0.6 * rng.normal(size=60)[target] + noise)[:, None])
        ratios.append(found.ratio[3])
        found_first += int(np.nanargmin(found.p) == 3)
    assert np.mean(ratios) == pytest.approx(4.0, abs=0.8)  # noise leaks into the others through the targets
    assert found_first >= 36


def test_a_single_dimension_of_independent_residuals_is_an_f_test() -> None:
    """Where nothing is taken up by effects and residuals are normal, ratio and p are those of the textbook."""
    rng = np.random.default_rng(1)
    rater = np.repeat(np.arange(3), 400)
    value = rng.normal(size=1200)
    residuals = Residuals(value=value, free=np.ones(1200), rater_free=np.full(3, 400.0))
    found = compare_scatter([sum_scatter(residuals, rater, n_raters=3)], np.eye(1), level=0.95)
    own, others = np.mean(value[:400] ** 2), np.mean(value[400:] ** 2)
    assert found.ratio[0] == pytest.approx(own / others)
    assert found.p[0] == pytest.approx(stats.f.sf(own / others, 400, 800), abs=0.02)  # up to sampled kurtosis


def test_a_unit_of_measurement_changes_nothing() -> None:
    rng = np.random.default_rng(9)
    target, rater = design(rng, 30, 10, 4)
    values = together(rng, 30, 3, 0.5)[target] + together(rng, len(target), 3, 0.3)
    found, again = compare(target, rater, values), compare(target, rater, 1000.0 * values - 7.0)
    for name in ("ratio", "low", "high", "p", "df"):
        assert getattr(again, name) == pytest.approx(getattr(found, name), rel=1e-4), name


def test_a_rater_without_ratings_is_not_compared() -> None:
    rng = np.random.default_rng(1)
    residuals = Residuals(value=rng.normal(size=40), free=np.full(40, 0.8), rater_free=np.full(2, 15.0))
    scatter = sum_scatter(residuals, np.repeat([0, 2], 20), n_raters=3)
    found = compare_scatter([scatter], np.eye(1), level=0.95)
    assert np.isnan([found.ratio[1], found.p[1], found.low[1], found.high[1]]).all()
    assert np.isfinite(found.ratio[[0, 2]]).all()
