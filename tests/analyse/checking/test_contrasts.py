"""A rater against variants of itself: what was put in is found, with the interval that a textbook gives."""

import numpy as np
import pytest
from scipy import stats

from dialgauge.analyse.checking import CheckMaterial, check_raters
from dialgauge.analyse.checking.records import Contrast, RaterChecks
from dialgauge.errors import InputError
from dialgauge.model import Scale, Variant
from dialgauge.stats.estimate import Estimate, Refusal

from .conftest import FIVE, material_of, rows_of

VALUES = np.random.default_rng(5).integers(1, 6, (20, 2)).astype(float)
NEW = np.random.default_rng(6).integers(1, 6, (20, 2)).astype(float)


def of(table: np.ndarray) -> dict[str, np.ndarray]:
    return {"a": table[:, 0], "b": table[:, 1]}


def compare(variant: Variant, new: np.ndarray = NEW, *, old: np.ndarray = VALUES) -> CheckMaterial:
    rows = rows_of("m", lambda i, d: float(of(old)[d][i]), n=len(old))
    rows += rows_of("v", lambda i, d: float(of(new)[d][i]), n=len(new))
    return material_of(rows, variants={variant: "v"}, several=variant == "reversed questions")


def whole(found: RaterChecks) -> Contrast:
    (one,) = (c for c in found.contrasts if c.dimension is None)
    return one


def test_the_difference_and_its_interval_are_those_of_paired_means_over_targets() -> None:
    one = whole(check_raters(compare("other answers")))
    means = (NEW - VALUES).mean(axis=1) / 4
    expected = stats.ttest_1samp(means, 0.0).confidence_interval(0.95)
    assert isinstance(one.difference, Estimate)
    assert one.difference.value == pytest.approx(means.mean(), rel=1e-12)
    assert (one.difference.low, one.difference.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert one.changed == pytest.approx(np.mean(NEW != VALUES))
    assert (one.n_pairs, one.n_targets) == (40, 20)


def test_each_dimension_has_a_contrast_of_its_own() -> None:
    found = check_raters(compare("other answers"))
    for number, name in enumerate("ab"):
        (one,) = (c for c in found.contrasts if c.dimension == name)
        gap = (NEW - VALUES)[:, number] / 4
        low, high = stats.ttest_1samp(gap, 0.0).confidence_interval(0.95)
        assert isinstance(one.difference, Estimate)
        assert (one.difference.low, one.difference.high) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize(
    ("variant", "check"),
    [("other answers", "free against constrained answers"), ("reversed questions", "order of the questions")],
)
def test_a_variant_that_rates_a_point_or_two_higher_fails(variant: Variant, check: str) -> None:
    old = np.clip(VALUES, 1, 3)
    more = 1.0 + (np.arange(20) % 4 == 0)[:, None]
    found = check_raters(compare(variant, old + more, old=old))
    assert {c.check for c in found.failed} == {check}
    difference = whole(found).difference
    assert isinstance(difference, Estimate)
    assert difference.value == pytest.approx(1.25 / 4)


def test_a_variant_that_rates_alike_passes_with_a_limit_that_is_not_zero() -> None:
    found = check_raters(compare("other answers", VALUES))
    assert found.failed == ()
    difference = whole(found).difference
    assert isinstance(difference, Estimate)
    assert difference.high == pytest.approx(1 - 0.025 ** (1 / 20))


def test_noise_alone_hardly_ever_fails_a_check() -> None:
    failures, covered = 0, 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        old, new = (np.clip(np.rint(draw.normal(3, 0.7, (20, 2))), 1, 5) for _ in range(2))
        found = check_raters(compare("other answers", new, old=old))
        failures += bool(found.failed)
        difference = whole(found).difference
        assert isinstance(difference, Estimate)
        covered += difference.low is not None and difference.high is not None and difference.low <= 0 <= difference.high
    assert stats.binomtest(covered, 200, 0.95).pvalue > 0.01
    assert failures <= 6


def test_a_rater_that_takes_the_first_answer_listed_fails_the_order_of_the_answers() -> None:
    found = check_raters(compare("reversed scale", np.full((20, 2), 5.0), old=np.full((20, 2), 1.0)))
    one = whole(found)
    assert isinstance(one.first_over_last, Estimate)
    assert one.first_over_last.value == 1.0
    assert {c.check for c in found.failed} >= {"order of the answers"}


def test_a_rater_that_reads_the_answers_chooses_neither_first_nor_last_for_their_place() -> None:
    one = whole(check_raters(compare("reversed scale", VALUES)))
    assert isinstance(one.first_over_last, Estimate)
    assert one.first_over_last.value == 0.0


def test_first_over_last_is_counted_over_both_orders() -> None:
    first = (VALUES == 1).mean() + (NEW == 5).mean()
    last = (VALUES == 5).mean() + (NEW == 1).mean()
    one = whole(check_raters(compare("reversed scale")))
    assert isinstance(one.first_over_last, Estimate)
    assert one.first_over_last.value == pytest.approx((first - last) / 2)


def test_missing_ratings_are_counted_for_each_and_leave_the_pair_out() -> None:
    rows = rows_of("m", lambda i, _: float(1 + i % 5)) + rows_of("v", lambda i, _: None if i < 3 else float(1 + i % 5))
    one = whole(check_raters(material_of(rows, variants={"other answers": "v"})))
    assert (dict(one.missing), dict(one.missing_variant), one.n_pairs) == ({}, {"refused": 6}, 18)


def test_with_a_variant_of_the_same_dimensions_that_is_what_others_are_compared_with() -> None:
    rows = rows_of("m", lambda *_: 1.0) + rows_of("s", lambda *_: 4.0) + rows_of("v", lambda *_: 4.0)
    variants: dict[Variant, str] = {"same dimensions": "s", "reversed questions": "v"}
    difference = whole(check_raters(material_of(rows, variants=variants, several=True))).difference
    assert isinstance(difference, Estimate)
    assert difference.value == 0.0


def test_categories_have_no_difference_but_a_share_that_changed() -> None:
    nominal = Scale(level="nominal", labels=("x", "y", "z"))
    rows = rows_of("m", lambda i, _: float(1 + i % 3)) + rows_of("v", lambda i, _: float(1 + (i + 1) % 3))
    material = material_of(rows, variants={"other answers": "v"}, scales={"a": nominal, "b": nominal})
    found = check_raters(material)
    one = whole(found)
    assert isinstance(one.difference, Refusal)
    assert one.changed == 1.0
    assert any(n.check == "free against constrained answers" for n in found.not_made)


def test_the_change_of_halo_is_that_of_the_mean_correlation_with_a_jackknife_interval() -> None:
    draw = np.random.default_rng(7)
    shared = draw.normal(size=(30, 1))
    old, new = (np.clip(np.rint(3 + w * shared + draw.normal(size=(30, 2))), 1, 5) for w in (0.2, 1.5))
    (halo,) = check_raters(compare("reversed questions", new, old=old)).halos
    r = [stats.pearsonr(*table.T).statistic for table in (old, new)]
    assert (halo.declared, halo.reverse) == pytest.approx(tuple(r), rel=1e-12)

    def change(rows: list[int]) -> float:
        return float(stats.pearsonr(*new[rows].T).statistic - stats.pearsonr(*old[rows].T).statistic)

    left_out = np.array([change([j for j in range(30) if j != i]) for i in range(30)])
    error = np.sqrt(29 / 30 * np.sum((left_out - left_out.mean()) ** 2))
    assert isinstance(halo.change, Estimate)
    assert halo.change.value == pytest.approx(r[1] - r[0])
    low = halo.change.value - stats.t.ppf(0.975, 29) * error
    assert halo.change.low == pytest.approx(low, rel=1e-9)


def test_halo_of_dimensions_without_variance_is_not_judged() -> None:
    found = check_raters(compare("reversed questions", np.full((20, 2), 3.0)))
    assert found.halos == ()
    assert any(one.check == "halo under another order" for one in found.not_made)


def test_an_impossible_level_is_refused() -> None:
    with pytest.raises(InputError, match="level"):
        check_raters(compare("other answers"), level=0.0)
    assert FIVE.points is not None
