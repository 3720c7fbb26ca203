"""Halo: the mean correlation between dimensions beyond the others' means."""

import numpy as np
import pytest

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.raters.halo import rate_halo


def mean_correlation(x: np.ndarray) -> float:
    m = x.shape[1]
    return float(np.corrcoef(x.T)[np.triu_indices(m, 1)].mean())


def test_it_is_the_mean_correlation_with_a_jackknife_over_targets() -> None:
    rng = np.random.default_rng(2)
    x = 0.8 * rng.normal(size=(15, 1)) + rng.normal(size=(15, 5))
    found = rate_halo(x, level=0.95)
    z = np.arctanh([mean_correlation(np.delete(x, i, axis=0)) for i in range(15)])
    se = np.sqrt(14 / 15 * np.sum((z - z.mean()) ** 2))
    centre = np.arctanh(mean_correlation(x))
    assert found.value == pytest.approx(mean_correlation(x))
    assert np.arctanh([found.low, found.high]) == pytest.approx(
        [centre - 2.144787 * se, centre + 2.144787 * se], abs=1e-6
    )  # the quantile of t with 14 df
    assert (found.n_targets, found.n_dimensions) == (15, 5)


def test_the_interval_covers_the_true_halo() -> None:
    """Five dimensions with a common correlation of .4 over 25 targets: 88 to 99 of 100 intervals hold it."""
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(100):
        x = np.sqrt(0.4) * rng.normal(size=(25, 1)) + np.sqrt(0.6) * rng.normal(size=(25, 5))
        found = rate_halo(x, level=0.95)
        inside += int(found.low < 0.4 < found.high)
    assert 88 <= inside <= 99


def test_targets_with_a_missing_deviation_and_flat_dimensions_are_left_out() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(10, 4))
    holes = x.copy()
    holes[3, 1] = np.nan
    flat = np.column_stack([holes, np.ones(10)])
    assert rate_halo(flat, level=0.9) == rate_halo(np.delete(x, 3, axis=0), level=0.9)


@pytest.mark.parametrize(
    ("shape", "reason"),
    [((4, 5), "4 targets in common"), ((1, 5), "1 target in common"), ((9, 2), "2 dimensions only")],
)
def test_too_little_is_refused_with_the_count(shape: tuple[int, int], reason: str) -> None:
    with pytest.raises(CannotEstimateError, match=reason):
        rate_halo(np.random.default_rng(1).normal(size=shape), level=0.95)


def test_perfect_halo_has_no_infinite_interval() -> None:
    x = np.tile(np.arange(8.0)[:, None], 4)
    found = rate_halo(x, level=0.95)
    assert found.value == pytest.approx(1.0)
    assert np.isfinite([found.low, found.high]).all()
