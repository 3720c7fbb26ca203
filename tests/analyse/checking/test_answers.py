"""Checks of the answers alone."""

import numpy as np
import pytest

from dialgauge.analyse.checking import check_raters
from dialgauge.analyse.checking.answers import FEWEST_TARGETS
from dialgauge.analyse.checking.records import CHECKS
from dialgauge.model import Scale

from .conftest import FIVE, Row, material_of, rows_of

KEYS = ["a", "b", "c", "d", "e"]


def failed(checks: object, name: str) -> list[str | None]:
    return [c.dimension for c in getattr(checks, "failed") if c.check == name]  # noqa: B009


def test_a_dimension_whose_ratings_are_all_the_same_fails_and_one_that_varies_passes() -> None:
    found = check_raters(material_of(rows_of("m", lambda i, d: 3.0 if d == "a" else float(1 + i % 5))))
    assert [(c.dimension, c.value, c.share) for c in found.constants] == [("a", 3.0, 1.0), ("b", 1.0, 0.25)]
    assert failed(found, "constant answers") == ["a"]


def test_ninety_eight_percent_is_not_constant_and_ninety_nine_is() -> None:
    rows = rows_of("m", lambda i, d: 4.0 if i < (98 if d == "a" else 99) else 2.0, n=100)
    assert failed(check_raters(material_of(rows)), "constant answers") == ["b"]


def test_too_few_targets_are_not_called_constant() -> None:
    found = check_raters(material_of(rows_of("m", lambda *_: 3.0, n=FEWEST_TARGETS - 1)))
    assert found.constants == ()
    assert any(one.check == "constant answers" and "10 targets" in one.reason for one in found.not_made)


def test_planted_dialogues_count_where_the_study_has_too_few() -> None:
    rows = rows_of("m", lambda *_: 3.0, n=4) + [
        (*row[:1], f"p{row[1]}", *row[2:]) for row in rows_of("m", lambda *_: 3.0, n=8, purpose="planted")
    ]
    (a, b) = check_raters(material_of(rows)).constants
    assert (a.n_targets, b.n_targets) == (12, 12)


def test_variants_are_not_checked_themselves() -> None:
    rows = rows_of("m", lambda i, _: float(1 + i % 5)) + rows_of("v", lambda *_: 3.0)
    found = check_raters(material_of(rows, variants={"other answers": "v"}))
    assert {c.rater for c in found.checks} == {"m"}


def along_keys(values: np.ndarray) -> list[Row]:
    return [
        ("study", f"t{i}", "m", key, 1, float(values[i, j]), None)
        for i in range(len(values))
        for j, key in enumerate(KEYS)
    ]


def calls(n: int) -> list[tuple[str, str, int, list[str]]]:
    return [("m", f"t{i}", 1, KEYS) for i in range(n)]


@pytest.mark.parametrize(("step", "direction"), [(1, "up"), (-1, "down")])
def test_answers_that_count_along_the_keys_fail(step: int, direction: str) -> None:
    start = np.random.default_rng(1).integers(0, 5, 20)
    values = 1 + (start[:, None] + step * np.arange(5)) % 5
    found = check_raters(material_of(along_keys(values), several=True, calls=calls(20)))
    (order,) = found.key_orders
    assert (order.share, order.direction, order.n_steps) == (1.0, direction, 80)
    assert order.p <= 0.01
    assert failed(found, "answers in key order") == [None]


def test_answers_at_random_pass_and_follow_the_keys_as_often_as_chance_says() -> None:
    values = np.random.default_rng(2).integers(1, 6, (200, 5))
    (order,) = check_raters(material_of(along_keys(values), several=True, calls=calls(200))).key_orders
    assert order.share == pytest.approx(0.2, abs=0.05)
    assert order.by_chance == pytest.approx(0.2, abs=0.03)
    assert order.share == pytest.approx(np.max([np.mean(np.diff(values) % 5 == k) for k in (1, 4)]), abs=0.03)


def test_the_permutation_p_is_small_as_seldom_as_it_says() -> None:
    small = 0
    for seed in range(60):
        values = np.random.default_rng(seed).integers(1, 6, (10, 5))
        (order,) = check_raters(material_of(along_keys(values), several=True, calls=calls(10))).key_orders
        small += order.p <= 0.1
    assert small <= 13  # binomial(60, .1) is above 13 once in a thousand


def test_keys_in_another_order_are_read_in_the_order_in_which_they_were_asked() -> None:
    shuffled = [KEYS[i] for i in (3, 0, 4, 1, 2)]
    rows: list[Row] = [
        ("study", f"t{i}", "m", key, 1, float(j + 1), None) for i in range(12) for j, key in enumerate(shuffled)
    ]
    material = material_of(rows, several=True, calls=[("m", f"t{i}", 1, shuffled) for i in range(12)])
    assert check_raters(material).key_orders[0].share == 1.0


def test_answers_on_scales_that_have_no_three_points_cannot_follow_the_keys() -> None:
    binary = Scale(level="binary", points=(0.0, 1.0))
    rows = [("study", f"t{i}", "m", key, 1, float(i % 2), None) for i in range(12) for key in KEYS]
    material = material_of(rows, several=True, calls=calls(12), scales=dict.fromkeys(KEYS, binary))
    found = check_raters(material)
    assert found.key_orders == ()
    assert any(one.check == "answers in key order" for one in found.not_made)


def test_the_mass_on_the_scale_is_judged_by_its_share_below_nine_tenths() -> None:
    masses = [("m", "a", 0.95)] * 9 + [("m", "a", 0.5), ("m", "b", 0.85), ("m", "b", None)]
    found = check_raters(material_of(rows_of("m", lambda i, _: float(1 + i % 5)), expected=True, masses=masses))
    a, b = found.masses
    assert (a.below, a.median, a.n, a.n_unknown) == (0.1, 0.95, 10, 0)
    assert (b.below, b.median, b.n, b.n_unknown) == (1.0, 0.85, 1, 1)
    assert failed(found, "mass on the scale") == ["b"]


def test_every_check_is_made_or_has_a_reason_why_not() -> None:
    found = check_raters(material_of(rows_of("m", lambda i, _: float(1 + i % 5))))
    made = {check.check for check in found.checks}
    assert len({one.check for one in found.not_made} | made) == len(CHECKS)
    assert made == {"constant answers"}
    assert all(one.reason for one in found.not_made)
    assert FIVE.bounds == (1.0, 5.0)
