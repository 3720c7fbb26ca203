"""Known groups: a rater that tells good from bad passes, a coin does not."""

import numpy as np
import pytest
from scipy import stats

from dialgauge.analyse.checking import RaterChecks, check_raters
from dialgauge.model import Scale
from dialgauge.stats.estimate import Estimate

from .conftest import FIVE, Row, material_of

DIMENSIONS = ("a", "b", "c")


def check(values: np.ndarray, *, signs: tuple[int, ...] = (1, 1, 1), scale: Scale = FIVE) -> RaterChecks:
    """Check ratings of shape (triplets, 3 qualities, 3 dimensions); NaN is a refused rating."""
    rows: list[Row] = []
    planted = []
    for t, q, d in np.ndindex(values.shape):
        v = values[t, q, d]
        target = f"p{t}-{q}"
        given = None if np.isnan(v) else float(v)
        rows.append(("planted", target, "m", DIMENSIONS[d], 1, given, "refused" if given is None else None))
        planted.append((target, f"triplet{t}", q, DIMENSIONS[d], signs[d]))
    return check_raters(material_of(rows, planted=planted, scales=dict.fromkeys(DIMENSIONS, scale)))


def rising(n: int = 6) -> np.ndarray:
    return np.broadcast_to(np.array([1.0, 3.0, 5.0])[:, None], (n, 3, 3)).copy()


def test_a_rater_that_is_always_right_passes_with_six_triplets() -> None:
    found = check(rising())
    (known,) = found.known_groups
    assert (known.right.value, known.full, known.ties, known.n_pairs) == (1.0, 1.0, 0, 18)
    assert known.right.low == pytest.approx(stats.binomtest(6, 6).proportion_ci(0.95, method="exact").low)
    assert known.p == 1 / 64
    assert known.p_exact
    assert found.failed == ()


def test_four_triplets_are_too_few_to_pass_even_where_all_are_right() -> None:
    found = check(rising(4))
    assert [c.check for c in found.failed] == ["known groups in order"]


def test_the_share_of_right_pairs_has_the_interval_over_triplets() -> None:
    values = np.random.default_rng(3).integers(1, 6, (6, 3, 3)).astype(float)
    values[:, 2] = np.minimum(values[:, 2] + 1, 5)
    (known,) = check(values).known_groups
    gap = values[:, 2] - values[:, 0]
    right = np.where(gap > 0, 1.0, np.where(gap < 0, 0.0, 0.5))
    expected = stats.ttest_1samp(right.mean(axis=1), 0.0).confidence_interval(0.95)
    assert known.right.value == pytest.approx(right.mean())
    assert (known.right.low, known.right.high) == pytest.approx(
        (max(expected.low, 0.0), min(expected.high, 1.0)), rel=1e-9
    )
    assert known.ties == np.sum(gap == 0)
    test = stats.permutation_test(
        ((right - 0.5).sum(axis=1),), np.sum, permutation_type="samples", alternative="greater"
    )
    assert known.p == pytest.approx(test.pvalue, abs=1e-9)
    full = (values[:, 0] < values[:, 1]) & (values[:, 1] < values[:, 2])
    assert known.full == pytest.approx(full.mean())


def test_good_minus_bad_is_in_units_of_the_range_with_an_interval_over_triplets() -> None:
    values = rising()
    values[:, 2, 0] = [5, 4, 3, 5, 4, 3]
    (known,) = check(values).known_groups
    gap = (values[:, 2] - values[:, 0])[:, 0] / 4
    expected = stats.ttest_1samp(gap, 0.0).confidence_interval(0.95)
    found = known.differences["a"]
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(gap.mean())
    assert (found.low, found.high) == pytest.approx((expected.low, min(expected.high, 1.0)), rel=1e-9)
    assert list(known.differences) == [None, "a", "b", "c"]


def test_a_dimension_that_falls_from_bad_to_good_is_right_when_it_falls() -> None:
    values = rising()
    values[:, :, 2] = values[:, ::-1, 2]
    assert check(values, signs=(1, 1, -1)).known_groups[0].right.value == 1.0
    assert check(values).known_groups[0].right.value == pytest.approx(2 / 3)


def test_constant_ratings_are_ties_and_do_not_pass() -> None:
    found = check(np.full((6, 3, 3), 3.0))
    (known,) = found.known_groups
    assert (known.right.value, known.ties, known.full) == (0.5, 18, 0.0)
    assert [c.check for c in found.failed if c.check.startswith("known")] == ["known groups in order"]


def test_a_coin_passes_as_seldom_as_the_rule_says() -> None:
    passed = 0
    for seed in range(150):
        values = np.random.default_rng(seed).integers(1, 6, (6, 3, 3)).astype(float)
        passed += not any(c.check.startswith("known") for c in check(values).failed)
    assert passed <= 11  # of 150 at 2.5 %, more than 11 come once in a thousand times


def test_pairs_without_a_rating_are_counted_and_left_out() -> None:
    values = rising()
    values[0, 2, 0] = np.nan
    (known,) = check(values).known_groups
    assert (known.n_pairs, known.n_missing) == (17, 1)


def test_on_a_binary_scale_the_middling_dialogue_has_no_place_in_the_order() -> None:
    values = np.broadcast_to(np.array([0.0, 1.0, 1.0])[:, None], (6, 3, 3))
    (known,) = check(values, scale=Scale(level="binary", points=(0.0, 1.0))).known_groups
    assert (known.right.value, known.full, known.n_full) == (1.0, None, 0)


def test_without_planted_dialogues_known_groups_are_said_to_be_not_available() -> None:
    rows: list[Row] = [("study", f"t{i}", "m", "a", 1, float(1 + i % 5), None) for i in range(12)]
    found = check_raters(material_of(rows))
    assert found.known_groups == ()
    (one,) = (n for n in found.not_made if n.check == "known groups in order")
    assert one.reason.startswith("not available")
