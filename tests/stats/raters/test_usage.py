"""Use of the scale, speed, and p-values for many raters."""

import numpy as np
import pytest
from scipy import stats

from dialgauge.stats.raters.screening import adjust_p
from dialgauge.stats.raters.speed import time_raters
from dialgauge.stats.raters.usage import tabulate_use


def test_counts_entropy_extremes_and_range_are_those_of_each_rater() -> None:
    rater = np.array([0, 0, 0, 0, 1, 1, 3])
    values = np.array([1.0, 5.0, 5.0, 3.0, 2.0, 2.0, 4.0])
    found = tabulate_use(rater, values, edges=np.arange(1.0, 6.0), ends=(1.0, 5.0), n_raters=4)
    assert found.counts.tolist() == [[1, 0, 1, 0, 2], [0, 2, 0, 0, 0], [0] * 5, [0, 0, 0, 1, 0]]
    assert found.entropy[0] == pytest.approx(stats.entropy([1, 1, 2]) / np.log(5))
    assert found.entropy[[1, 3]] == pytest.approx(0.0)
    assert found.extremes[[0, 1, 3]] == pytest.approx([0.75, 0.0, 0.0])
    assert (found.low[0], found.high[0], found.mean[0]) == (1.0, 5.0, 3.5)
    assert found.spread[0] == pytest.approx(np.std([1, 5, 5, 3]))
    assert np.isnan([found.entropy[2], found.low[2], found.mean[2]]).all()


def test_equal_use_of_all_points_has_entropy_one() -> None:
    found = tabulate_use(
        np.zeros(10, dtype=int), np.tile(np.arange(1.0, 6.0), 2), edges=np.arange(1.0, 6.0), ends=(1, 5), n_raters=1
    )
    assert found.entropy[0] == pytest.approx(1.0)


def test_the_last_part_of_a_range_holds_its_end() -> None:
    edges = np.linspace(0.0, 1.0, 11)[:-1]
    found = tabulate_use(np.zeros(3, dtype=int), np.array([0.0, 0.99, 1.0]), edges=edges, ends=(0.0, 1.0), n_raters=1)
    assert found.counts[0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]


def test_speed_is_held_against_the_median_over_raters() -> None:
    rater = np.array([0, 0, 0, 1, 1, 1, 3])
    found = time_raters(rater, np.array([90.0, 30.0, 120.0, 10.0, 20.0, 90.0, 60.0]), fraction=1 / 3, n_raters=4)
    assert found.median[[0, 1, 3]] == pytest.approx([90.0, 20.0, 60.0])
    assert found.panel == pytest.approx(60.0)
    assert found.threshold == pytest.approx(20.0)
    assert found.fast[[0, 1, 3]] == pytest.approx([0.0, 1 / 3, 0.0])
    assert np.isnan(found.fast[2])


def test_adjusted_p_values_are_those_of_benjamini_and_hochberg() -> None:
    p = np.array([0.01, 0.04, np.nan, 0.03, 0.005, 0.5])
    expected = stats.false_discovery_control(p[~np.isnan(p)])
    assert adjust_p(p)[~np.isnan(p)] == pytest.approx(expected)
    assert np.isnan(adjust_p(p)[2])
    assert adjust_p(np.array([])).size == 0
