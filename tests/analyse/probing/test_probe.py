"""Shifts by injected texts: what was put in is found, and nothing is found where nothing was."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from scipy import stats

from dialgauge.analyse.probing import ProbeMaterial, ProbeReport, analyse_probe
from dialgauge.errors import InputError
from dialgauge.model import Scale
from dialgauge.stats.estimate import Estimate

TEXTS = (("up", 1), ("down", -1))
RATINGS = {
    "target": pl.String(),
    "rater": pl.String(),
    "dimension": pl.String(),
    "value": pl.Float64(),
    "missing": pl.String(),
}


def probe(value: Callable[[str, str, int, str], float | None], *, n: int = 10) -> ProbeReport:
    """Analyse a probe in which ``value`` gives the rating by text, form, number of the source and dimension."""
    probes, ratings = [], []
    for text, direction in TEXTS:
        for i in range(n):
            for dimension in ("a", "b"):
                ids = [f"{text}-{form}-{i}" for form in ("injected", "neutral")]
                pushed = 5.0 if direction == 1 else 1.0
                probes.append((text, "plain", direction, f"s{i:02d}", dimension, pushed, *ids))
                for form, name in zip(("injected", "neutral"), ids, strict=True):
                    v = value(text, form, i, dimension)
                    ratings.append((name, "m", dimension, v, "refused" if v is None else None))
    names = ["injection", "form", "direction", "source", "dimension", "pushed", "injected", "neutral"]
    material = ProbeMaterial(
        raters=("m",),
        scales=dict.fromkeys("ab", Scale.parse("1:5")),
        probes=pl.DataFrame(probes, schema=names, orient="row"),
        ratings=pl.DataFrame(ratings, schema=RATINGS, orient="row"),
    )
    return analyse_probe(material)


def test_a_shift_is_counted_in_the_direction_that_the_text_pushes_to() -> None:
    def obeys(text: str, form: str, i: int, _: str) -> float:
        return (5.0 if text == "up" else 1.0) if form == "injected" else float(2 + i % 3)

    found = probe(obeys)
    assert [s.movement for s in found.shifts] == ["moved"] * 3
    overall, up, down = found.shifts
    assert (up.landed, down.landed, up.landed_neutral) == (1.0, 1.0, 0.0)
    gaps = [(5 - (2 + i % 3)) / 4 for i in range(10)], [((2 + i % 3) - 1) / 4 for i in range(10)]
    for shift, gap in zip((up, down), gaps, strict=True):
        low, high = stats.ttest_1samp(gap, 0.0).confidence_interval(0.95)
        assert isinstance(shift.shift, Estimate)
        assert shift.shift.value == pytest.approx(np.mean(gap))
        assert (shift.shift.low, shift.shift.high) == pytest.approx((low, min(high, 1.0)), rel=1e-9)
    assert (overall.n_pairs, overall.n_targets) == (40, 10)


def test_the_overall_interval_takes_targets_as_clusters() -> None:
    draw = np.random.default_rng(4)
    table = {(t, f, i, d): float(draw.integers(1, 6)) for t, _ in TEXTS for f in ("injected", "neutral")
             for i in range(10) for d in "ab"}  # fmt: skip
    overall = probe(lambda *key: table[key]).shifts[0]
    means = [
        np.mean([s * (table[t, "injected", i, d] - table[t, "neutral", i, d]) / 4 for t, s in TEXTS for d in "ab"])
        for i in range(10)
    ]
    low, high = stats.ttest_1samp(means, 0.0).confidence_interval(0.95)
    assert isinstance(overall.shift, Estimate)
    assert (overall.shift.low, overall.shift.high) == pytest.approx((low, high), rel=1e-9)


def test_a_rater_that_does_not_move_is_not_called_safe_but_given_a_limit() -> None:
    overall = probe(lambda _t, _f, i, _d: float(1 + i % 5)).shifts[0]
    assert overall.movement == "not moved"
    assert isinstance(overall.shift, Estimate)
    assert overall.shift.high == pytest.approx(1 - 0.025 ** (1 / 10))


def test_a_rater_that_moves_away_from_the_text_is_said_to() -> None:
    def defies(text: str, form: str, i: int, _: str) -> float:
        return (1.0 if text == "up" else 5.0) if form == "injected" else float(2 + i % 3)

    assert probe(defies).shifts[0].movement == "moved the other way"


def test_refusals_are_counted_and_their_pairs_left_out() -> None:
    found = probe(lambda t, f, i, _d: None if (t, f) == ("up", "injected") else float(1 + i % 5))
    _, up, down = found.shifts
    assert (up.movement, up.n_pairs, dict(up.missing), dict(up.missing_neutral)) == (
        "not measured",
        0,
        {"refused": 20},
        {},
    )
    assert (up.landed, down.movement) == (None, "not moved")


def test_one_target_gives_no_interval_and_so_no_verdict() -> None:
    assert {s.movement for s in probe(lambda *_: 3.0, n=1).shifts} == {"not measured"}


def test_intervals_hold_zero_as_often_as_they_say_where_texts_do_nothing() -> None:
    held = 0
    for seed in range(150):
        draw = np.random.default_rng(seed)
        shift = probe(lambda *_, draw=draw: float(np.clip(np.rint(draw.normal(3, 0.8)), 1, 5))).shifts[0].shift
        assert isinstance(shift, Estimate)
        held += shift.low is not None and shift.high is not None and shift.low <= 0.0 <= shift.high
    assert stats.binomtest(held, 150, 0.95).pvalue > 0.01


def test_an_impossible_level_is_refused() -> None:
    material = ProbeMaterial(raters=(), scales={}, probes=pl.DataFrame(), ratings=pl.DataFrame())
    with pytest.raises(InputError, match="level"):
        analyse_probe(material, level=2.0)
