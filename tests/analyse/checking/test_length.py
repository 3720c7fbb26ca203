"""Length bias: what was put in is found beside others, and a slope that all share is no fault."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.analyse.checking import CheckMaterial, RaterChecks, check_raters
from dialgauge.analyse.checking.records import LengthBias
from dialgauge.model import Scale
from dialgauge.stats.estimate import Estimate, Refusal

from .conftest import Row, material_of, rows_of

WIDE = Scale(level="interval", low=0.0, high=1.0)
N = 40
RNG = np.random.default_rng(8)
WORDS = [int(n) for n in np.exp2(RNG.uniform(4, 8, N))]
LONG = np.log2(WORDS)
TRUE = RNG.normal(0, 0.1, N)
NOISE = {name: RNG.normal(0, 0.04, (N, 2)) for name in ("m", "n", "p", "q")}
SYSTEMS = ["x" if i % 2 else "y" for i in range(N)]


def by(rater: str, slope: float, *, start: float = 0.5) -> list[Row]:
    """Return ratings in dimensions a and b that rise by ``slope`` of the range per doubling."""
    return rows_of(rater, lambda i, d: start + TRUE[i] + slope * (LONG[i] - 6) + NOISE[rater][i, "ab".index(d)], n=N)


def material(
    rows: Iterable[Row], *, scale: Scale = WIDE, words: list[int] | None = None, **more: object
) -> CheckMaterial:
    targets = [(f"t{i:02d}", SYSTEMS[i], n) for i, n in enumerate(words or WORDS)]
    return material_of(rows, scales={"a": scale, "b": scale}, **{"targets": targets, **more})  # type: ignore[arg-type]


def whole(found: RaterChecks, rater: str = "m") -> LengthBias:
    (one,) = (b for b in found.lengths if b.rater == rater and b.dimension is None)
    return one


def value(found: object) -> float:
    assert isinstance(found, Estimate)
    return found.value


def failed(found: RaterChecks) -> set[tuple[str, str | None]]:
    return {(c.rater, c.dimension) for c in found.failed if c.check == "length bias"}


def test_a_bias_beyond_that_of_people_is_found_and_fails() -> None:
    found = check_raters(material([*by("m", 0.12), *by("p", 0.02), *by("q", 0.02)], people=["p", "q"]))
    one = whole(found)
    assert one.beside == "people"
    assert value(one.slope) == pytest.approx(0.12 + np.polyfit(LONG, TRUE, 1)[0], abs=0.01)
    assert value(one.difference) == pytest.approx(0.10, abs=0.02)
    assert value(one.difference) == pytest.approx(value(one.slope) - value(one.slope_others))
    assert value(one.difference_within) == pytest.approx(0.10, abs=0.02)
    assert failed(found) == {("m", None), ("m", "a"), ("m", "b")}
    assert (one.n_targets, one.n_common, one.n_wordless) == (N, N, 0)


def test_a_slope_that_people_share_is_reported_and_passes() -> None:
    found = check_raters(material([*by("m", 0.12), *by("p", 0.12)], people=["p"]))
    one = whole(found)
    assert isinstance(one.slope, Estimate)
    assert one.slope.low is not None
    assert one.slope.low > 0.05
    assert failed(found) == set()
    assert any(check.check == "length bias" and check.passed for check in found.checks)


def test_without_others_the_slope_is_reported_and_nothing_is_judged() -> None:
    found = check_raters(material(by("m", 0.12)))
    one = whole(found)
    assert (one.beside, one.difference, one.slope_others, one.n_common) == (None, None, None, 0)
    assert value(one.slope) > 0.1
    assert not any(check.check == "length bias" for check in found.checks)
    (why,) = (n.reason for n in found.not_made if n.check == "length bias")
    assert why.startswith("no other rater")


def test_people_come_before_other_models_and_models_stand_in_where_there_are_too_few() -> None:
    rows = [*by("m", 0.1), *by("n", 0.1), *by("p", 0.0)]
    people = check_raters(material(rows, people=["p"], others={"n": ()}))
    few = [row for row in rows if row[2] != "p" or row[1] < "t09"]
    models = check_raters(material(few, people=["p"], others={"n": ()}))
    assert (whole(people).beside, whole(models).beside) == ("people", "other models")
    assert value(whole(people).difference) == pytest.approx(0.1, abs=0.02)
    assert value(whole(models).difference) == pytest.approx(0.0, abs=0.02)


def test_a_preference_between_systems_of_two_lengths_is_none_within_them() -> None:
    longer = [w * (4 if s == "x" else 1) for w, s in zip(WORDS, SYSTEMS, strict=True)]
    rows = rows_of("m", lambda i, _: 0.3 + 0.3 * (SYSTEMS[i] == "x") + NOISE["m"][i, 0], n=N)
    one = whole(check_raters(material([*rows, *by("p", 0.0)], words=longer, people=["p"])))
    assert isinstance(one.slope_within, Estimate)
    assert value(one.slope) > 0.05
    assert one.slope_within.low is not None
    assert one.slope_within.low < 0.0 < (one.slope_within.high or 0.0)


def test_with_one_system_there_is_nothing_within() -> None:
    targets = [(f"t{i:02d}", "x", n) for i, n in enumerate(WORDS)]
    one = whole(check_raters(material(by("m", 0.1), targets=targets)))
    assert (one.slope_within, one.difference_within) == (None, None)


def test_replicates_are_averaged_first_so_that_a_target_counts_once() -> None:
    once = whole(check_raters(material(by("m", 0.1))))
    again = [(*row[:4], 2, *row[5:]) for row in by("m", 0.1)]
    twice = whole(check_raters(material([*by("m", 0.1), *again])))
    assert isinstance(once.slope, Estimate)
    assert isinstance(twice.slope, Estimate)
    assert (twice.slope.value, twice.slope.low) == pytest.approx((once.slope.value, once.slope.low))
    assert (once.slope.n, twice.slope.n) == (2 * N, 4 * N)


def turn(rows: Iterable[Row], f: Callable[[float], float]) -> list[Row]:
    return [(*row[:5], None if row[5] is None else f(row[5]), row[6]) for row in rows]


def ends(found: LengthBias) -> list[float | None]:
    each = (found.slope, found.slope_within, found.slope_others, found.difference, found.difference_within)
    return [end for one in each if isinstance(one, Estimate) for end in (one.value, one.low, one.high)]


@given(st.floats(0.1, 50), st.floats(-20, 20), st.booleans())
def test_another_scale_and_another_direction_change_nothing(width: float, start: float, turned: bool) -> None:
    rows = [*by("m", 0.1), *by("p", 0.0)]
    plain = whole(check_raters(material(rows, people=["p"])))
    scale = Scale(
        level="interval",
        low=start,
        high=start + width,
        direction="lower_is_better" if turned else "higher_is_better",
    )
    other = turn(rows, lambda v: start + width * (1 - v if turned else v))
    found = whole(check_raters(material(other, scale=scale, people=["p"])))
    assert ends(found) == pytest.approx(ends(plain), abs=1e-9)


@given(st.integers(2, 50))
def test_words_of_another_unit_change_nothing(times: int) -> None:
    rows = by("m", 0.1)
    plain, found = (whole(check_raters(material(rows, words=[w * k for w in WORDS]))) for k in (1, times))
    assert ends(found) == pytest.approx(ends(plain), abs=1e-9)


def test_dimensions_without_a_better_end_have_a_slope_and_no_part_in_the_mean() -> None:
    neutral = Scale(level="interval", low=0.0, high=1.0, direction="neutral")
    rows = [*by("m", 0.1), *by("p", 0.1)]
    mixed = material_of(
        rows, scales={"a": WIDE, "b": neutral}, targets=[(f"t{i:02d}", None, n) for i, n in enumerate(WORDS)]
    )
    found = {one.dimension: one for one in check_raters(mixed).lengths}
    assert value(found[None].slope) == value(found["a"].slope) != value(found["b"].slope)
    only = check_raters(material(rows, scale=neutral, people=["p"]))
    assert isinstance(whole(only).slope, Refusal)
    assert {c.dimension for c in only.checks if c.check == "length bias"} == {"a", "b"}


def test_dialogues_without_words_of_a_system_are_left_out_and_counted() -> None:
    one = whole(check_raters(material(by("m", 0.1), words=[0, 0, 0, *WORDS[3:]])))
    assert (one.n_targets, one.n_wordless) == (N - 3, 3)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([0] * N, "no dialogue that it has rated has words of a system"),
        ([50] * N, "the dialogues are all equally long"),
    ],
)
def test_lengths_that_do_not_differ_or_are_not_there_are_told(words: list[int], why: str) -> None:
    found = check_raters(material([*by("m", 0.1), *by("p", 0.1)], words=words, people=["p"]))
    assert found.lengths == ()
    assert [n.reason for n in found.not_made if n.check == "length bias"] == [why]


def test_missing_ratings_and_planted_dialogues_have_no_part() -> None:
    rows = [*by("m", 0.1), *(("planted", *row[1:]) for row in rows_of("m", lambda *_: 1.0, n=N))]
    rows[0] = (*rows[0][:5], None, "refused")
    found = {one.dimension: one for one in check_raters(material(rows)).lengths}
    assert (found["a"].n_targets, found["b"].n_targets) == (N - 1, N)
    assert value(found["b"].slope) == pytest.approx(value(whole(check_raters(material(by("m", 0.1)))).slope), abs=0.01)


def test_a_rater_of_categories_alone_has_no_slope() -> None:
    nominal = Scale(level="nominal", labels=("x", "y", "z"))
    found = check_raters(material(rows_of("m", lambda i, _: float(1 + i % 3), n=N), scale=nominal))
    assert found.lengths == ()
    (why,) = (n.reason for n in found.not_made if n.check == "length bias")
    assert why == "it has rated no dialogue on an ordered scale with two ends"
