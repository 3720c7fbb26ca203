"""Self-preference: what was put in is found beside others, and a system that all find better is none."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dialgauge.analyse.checking import CheckMaterial, RaterChecks, check_raters
from dialgauge.analyse.checking.records import SelfPreference
from dialgauge.model import Scale

from .conftest import Row, material_of, rows_of

WIDE = Scale(level="interval", low=0.0, high=1.0)
NEUTRAL = Scale(level="interval", low=0.0, high=1.0, direction="neutral")
N = 45
SYSTEMS = ["mine" if i % 3 == 0 else "theirs" if i % 3 == 1 else "third" for i in range(N)]
OWN = np.array([system == "mine" for system in SYSTEMS])
RNG = np.random.default_rng(9)
TRUE = RNG.normal(0.5, 0.08, N)
NOISE = {name: RNG.normal(0, 0.04, (N, 2)) for name in ("m", "n", "p", "q")}


def by(rater: str, bonus: float, *, better: float = 0.0) -> list[Row]:
    """Return ratings in dimensions a and b with ``bonus`` for "mine", which truly is ``better``."""
    return rows_of(rater, lambda i, d: TRUE[i] + (bonus + better) * OWN[i] + NOISE[rater][i, "ab".index(d)], n=N)


def material(rows: Iterable[Row], *, systems: list[str | None] | None = None, **more: object) -> CheckMaterial:
    targets = [(f"t{i:02d}", system, 50) for i, system in enumerate(systems or SYSTEMS)]
    settings = {"scales": {"a": WIDE, "b": WIDE}, "own_systems": ("mine",), "people": ["p", "q"], "targets": targets}
    return material_of(rows, **{**settings, **more})  # type: ignore[arg-type]


def whole(found: RaterChecks, rater: str = "m") -> SelfPreference:
    (one,) = (b for b in found.self_preferences if b.rater == rater and b.dimension is None)
    return one


def failed(found: RaterChecks) -> set[tuple[str, str | None]]:
    return {(c.rater, c.dimension) for c in found.failed if c.check == "self-preference"}


def why_not(found: RaterChecks, rater: str = "m") -> str:
    (reason,) = (n.reason for n in found.not_made if (n.rater, n.check) == (rater, "self-preference"))
    return reason


def test_a_preference_beyond_that_of_people_is_found_and_fails() -> None:
    found = check_raters(material([*by("m", 0.15, better=0.1), *by("p", 0.0, better=0.1), *by("q", 0.0, better=0.1)]))
    one = whole(found)
    assert (one.beside, one.own, one.n_own, one.n_other) == ("people", ("mine",), 15, 30)
    assert one.preference.value == pytest.approx(0.15, abs=0.03)
    assert one.preference.value == pytest.approx(one.difference.value - one.difference_others.value)
    assert one.first.value > one.first_others.value > 0.5
    assert failed(found) == {("m", None), ("m", "a"), ("m", "b")}


def test_the_interval_is_that_of_welch_on_the_differences_between_raters() -> None:
    rows = [*by("m", 0.15), *by("p", 0.0)]
    one = whole(check_raters(material(rows)))
    gap = (NOISE["m"] - NOISE["p"]).mean(axis=1) + 0.15 * OWN
    expected = stats.ttest_ind(gap[OWN], gap[~OWN], equal_var=False).confidence_interval(0.95)
    assert (one.preference.low, one.preference.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    mine = np.array([TRUE + 0.15 * OWN + NOISE["m"][:, k] for k in (0, 1)])
    shares = [stats.mannwhitneyu(y[OWN], y[~OWN]).statistic / (15 * 30) for y in mine]
    assert one.first.value == pytest.approx(np.mean(shares))


def test_a_system_that_people_find_better_too_is_no_preference() -> None:
    found = check_raters(material([*by("m", 0.0, better=0.2), *by("p", 0.0, better=0.2)]))
    assert whole(found).difference.low is not None
    assert whole(found).difference.value > 0.15
    assert failed(found) == set()


def test_a_rater_that_puts_its_own_systems_down_fails_too() -> None:
    found = check_raters(material([*by("m", -0.2), *by("p", 0.0)]))
    assert whole(found).preference.value < -0.1
    assert ("m", None) in failed(found)


def test_a_model_with_a_system_of_its_own_among_them_is_no_other_rater() -> None:
    rows = [*by("m", 0.15), *by("n", 0.0)]
    alone = check_raters(material(rows, people=(), others={"n": ("theirs",)}))
    assert why_not(alone) == "no other rater without a system of its own among these is there"
    assert why_not(alone, "n") == "no other rater without a system of its own among these is there"
    elsewhere = check_raters(material(rows, people=(), others={"n": ("not here",)}))
    assert whole(elsewhere).beside == "other models"
    assert why_not(elsewhere, "n") == "it has rated no dialogue of a system of its own"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"own_systems": ()}, "no system of its own is named"),
        ({"own_systems": ("elsewhere",)}, "it has rated no dialogue of a system of its own"),
        ({"own_systems": ("mine", "theirs", "third")}, "it has rated no dialogue of other systems than its own"),
        ({"systems": ["mine"] * N}, "the dialogues that it has rated are of one system"),
        ({"systems": [None] * N}, "it has rated no dialogue that names its system"),
        ({"scales": dict.fromkeys("ab", NEUTRAL)}, "it has rated no dialogue in a dimension with a better end"),
        ({"people": ()}, "no other rater without a system of its own among these is there"),
        ({"systems": ["mine"] * 4 + ["theirs"] * (N - 4)}, "other raters have not rated 5 dialogues of its own"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(more: dict[str, object], why: str) -> None:
    found = check_raters(material([*by("m", 0.2), *by("p", 0.0)], **more))  # type: ignore[arg-type]
    assert found.self_preferences == ()
    assert why_not(found).startswith(why)


def test_dimensions_without_a_better_end_have_no_part() -> None:
    rows = [*by("m", 0.2), *by("p", 0.0)]
    found = check_raters(material(rows, scales={"a": NEUTRAL, "b": WIDE}))
    assert [one.dimension for one in found.self_preferences] == [None, "b"]


@given(st.floats(0.1, 50), st.floats(-20, 20), st.booleans())
def test_another_scale_and_another_direction_change_nothing(width: float, start: float, turned: bool) -> None:
    rows = [*by("m", 0.15), *by("p", 0.0)]
    scale = Scale(
        level="interval",
        low=start,
        high=start + width,
        direction="lower_is_better" if turned else "higher_is_better",
    )
    other = [(*r[:5], start + width * (1 - (r[5] or 0.0) if turned else (r[5] or 0.0)), r[6]) for r in rows]
    plain, found = (
        whole(check_raters(material(some, scales=dict.fromkeys("ab", s)))) for some, s in ((rows, WIDE), (other, scale))
    )
    for name in ("preference", "difference", "difference_others", "first", "first_others"):
        one, same = getattr(found, name), getattr(plain, name)
        assert (one.value, one.low, one.high) == pytest.approx((same.value, same.low, same.high), abs=1e-9)


def test_noise_alone_hardly_ever_fails_the_check() -> None:
    failures, hits = 0, 0
    for seed in range(100):
        draw = np.random.default_rng(seed)
        true = draw.normal(0.5, 0.1, N)
        rows = [
            row
            for name in ("m", "p", "q")
            for row in rows_of(name, lambda i, _: float(true[i] + draw.normal(0, 0.1)), n=N)  # noqa: B023 (used at once)
        ]
        found = check_raters(material(rows))
        failures += bool(failed(found))
        one = whole(found).preference
        hits += one.low is not None and one.high is not None and one.low <= 0.0 <= one.high
    assert stats.binomtest(hits, 100, 0.95).pvalue > 0.01
    assert failures <= 3
