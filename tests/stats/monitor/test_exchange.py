"""The e-value: its expectation is 1 under exchange, exactly, and it grows with a change."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dialgauge.errors import InputError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.monitor.exchange import Sides, exchange_evidence

TABLES = arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(2, 4)), elements=st.integers(-3, 3).map(float))


def exchanged(table: Floats) -> list[Floats]:
    """Return the table with every choice of who is the baseline of each target, all equally likely."""
    n, m = table.shape
    return [
        np.stack([np.roll(row, -j) for row, j in zip(table, chosen, strict=True)])
        for chosen in product(range(m), repeat=n)
    ]


@given(TABLES, st.sampled_from(["both", "up"]))
def test_the_mean_over_all_exchanges_is_one_whatever_the_ratings(table: Floats, sides: Sides) -> None:
    values = [math.exp(exchange_evidence(each, sides=sides)) for each in exchanged(table)]
    assert np.mean(values) == pytest.approx(1.0, rel=1e-9)


@given(TABLES, st.floats(0.1, 50.0), st.floats(-20.0, 20.0))
def test_another_unit_and_another_zero_change_nothing(table: Floats, factor: float, offset: float) -> None:
    assert exchange_evidence(table * factor) == pytest.approx(exchange_evidence(table), abs=1e-9)
    if np.ptp(table) > 0:
        assert exchange_evidence(table + offset) == pytest.approx(exchange_evidence(table), abs=1e-6)


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_targets_and_of_later_occasions_changes_nothing(table: Floats, random: object) -> None:
    rng = np.random.default_rng(getattr(random, "randrange")(1000))  # noqa: B009 (Hypothesis gives it no type)
    later = 1 + rng.permutation(table.shape[1] - 1)
    mixed = table[rng.permutation(len(table))][:, [0, *later]]
    assert exchange_evidence(mixed) == pytest.approx(exchange_evidence(table), abs=1e-9)


def test_for_one_later_occasion_it_is_the_ratio_of_tilted_signs() -> None:
    d = np.array([0.5, -0.25, 1.0, 0.75])
    spread = math.sqrt(np.sum(d**2))
    ratios = [np.prod(np.exp(z * d / spread) / np.cosh(z * d / spread)) for z in (2.5, 4.0, 6.5, -2.5, -4.0, -6.5)]
    found = exchange_evidence(np.stack([np.zeros(4), d], axis=1))
    assert found == pytest.approx(math.log(np.mean(ratios)), abs=1e-12)


def test_nothing_that_differs_is_no_evidence() -> None:
    assert exchange_evidence(np.full((20, 3), 4.0)) == 0.0


def test_evidence_grows_with_the_targets_that_moved_together() -> None:
    rng = np.random.default_rng(1)
    base = rng.standard_normal((200, 1))
    table = base + 0.3 * rng.standard_normal((200, 2)) + [0.0, 0.2]
    assert exchange_evidence(table[:20]) < exchange_evidence(table[:80]) < exchange_evidence(table)
    assert exchange_evidence(table) > math.log(1000)
    assert exchange_evidence(table, sides="up") > math.log(1000)
    assert exchange_evidence(-table, sides="up") < 0.0


@pytest.mark.parametrize("table", [np.zeros((3, 1)), np.zeros(3), np.array([[1.0, np.nan]])])
def test_a_table_that_is_not_complete_is_refused(table: Floats) -> None:
    with pytest.raises(InputError, match="complete table"):
        exchange_evidence(table)
