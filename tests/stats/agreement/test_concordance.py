"""Kendall's W with ties."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import spearmanr, t

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.concordance import kendall_w

Floats = NDArray[np.float64]


@pytest.fixture(scope="session")
def anxiety(shared: Path) -> Floats:
    return np.loadtxt(shared / "reference" / "stats" / "anxiety.csv", delimiter=",", skiprows=1)


def test_w_chi2_and_p_are_those_of_irr_with_ties_corrected(reference: dict[str, Any], anxiety: Floats) -> None:
    """From irr 0.84.1 kendall(correct = TRUE)."""
    expected = reference["r"]["irr"]["anxiety"]["kendallW_ties"]
    found = kendall_w(anxiety)
    assert found.estimate.value == pytest.approx(expected["value"], abs=1e-13)
    assert found.chi2 == pytest.approx(expected["statistic"], abs=1e-11)
    assert found.p == pytest.approx(expected["p.value"], abs=1e-12)
    assert found.df == 19


def test_without_ties_w_is_tied_to_the_mean_rank_correlation() -> None:
    """Kendall (1970): W = (1 + (m - 1) mean rho) / m."""
    scores = np.random.default_rng(0).normal(size=(12, 3))
    rho = spearmanr(scores).statistic
    mean = (rho[0, 1] + rho[0, 2] + rho[1, 2]) / 3
    assert kendall_w(scores).estimate.value == pytest.approx((1 + 2 * mean) / 3, abs=1e-12)


@given(arrays(np.float64, st.tuples(st.integers(4, 9), st.integers(2, 4)), elements=st.integers(0, 4).map(float)))
def test_the_interval_is_the_jackknife_of_ranking_the_other_targets_anew(scores: Floats) -> None:
    n = len(scores)
    assume(all(np.any(np.ptp(np.delete(scores, i, axis=0), axis=0) > 0) for i in range(n)))
    without = [kendall_w(np.delete(scores, i, axis=0)).estimate.value for i in range(n)]
    se = np.sqrt((n - 1) * np.var(without))
    found = kendall_w(scores).estimate
    if found.low is None:
        assert se < 1e-9
    else:
        assert found.value - found.low == pytest.approx(t.ppf(0.975, n - 1) * se, abs=1e-9)


def test_raters_who_rank_alike_reach_1_and_opposite_raters_0() -> None:
    up = np.arange(6.0)
    assert kendall_w(np.column_stack([up, up, up])).estimate.value == pytest.approx(1.0)
    assert kendall_w(np.column_stack([up, -up])).estimate.value == pytest.approx(0.0)


def test_a_table_with_gaps_is_refused(anxiety: Floats) -> None:
    gaps = anxiety.copy()
    gaps[0, 0] = np.nan
    with pytest.raises(InputError, match="complete table"):
        kendall_w(gaps)


def test_raters_who_tell_no_targets_apart_are_refused() -> None:
    with pytest.raises(CannotEstimateError, match="no ranks to compare"):
        kendall_w(np.ones((5, 3)))


@pytest.mark.parametrize("shape", [(2, 3), (5, 1)])
def test_too_small_a_table_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(CannotEstimateError, match="at least 3 targets and 2 raters"):
        kendall_w(np.random.default_rng(0).normal(size=shape))
