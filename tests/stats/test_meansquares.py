"""Intraclass correlations from mean squares: psych, irr, and what irr gets wrong."""

import csv
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import f as f_distribution

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.alpha import alpha_value
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.meansquares import IccForm, MeanSquares, icc_forms, mean_squares, one_way_anova

Floats = NDArray[np.float64]

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)
NAMES = ("ICC(1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,4)", "ICC(A,4)", "ICC(C,4)")


@pytest.fixture(scope="session")
def reference(shared: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((shared / "reference" / "stats" / "reference.json").read_text())
    return values


@pytest.fixture(scope="session")
def anxiety(shared: Path) -> Floats:
    return np.loadtxt(shared / "reference" / "stats" / "anxiety.csv", delimiter=",", skiprows=1)


def forms(table: Floats, level: float = 0.95) -> dict[str, IccForm]:
    return {form.name: form for form in icc_forms(mean_squares(table), level=level)}


def estimate(form: IccForm) -> Estimate:
    assert isinstance(form.estimate, Estimate)
    return form.estimate


def crossed(n: int, k: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    return 3.2 + 0.6 * rng.normal(size=(n, 1)) + 0.4 * rng.normal(size=k) + 0.9 * rng.normal(size=(n, k))


@pytest.mark.parametrize("i", range(6), ids=NAMES)
def test_value_test_and_interval_of_each_form_are_those_of_psych(reference: dict[str, Any], i: int) -> None:
    """From psych 2.2.9 ICC on Shrout and Fleiss (1979), 15 digits."""
    order = ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")
    expected = {entry["type"]: entry for entry in reference["r"]["shrout_fleiss"]["aov"]}[order[i]]
    form = icc_forms(mean_squares(SHROUT_FLEISS))[i]
    found = estimate(form)
    assert form.name == NAMES[i]
    assert found.value == pytest.approx(expected["ICC"], abs=1e-13)
    assert [form.f, form.df1, form.df2] == pytest.approx([expected["F"], expected["df1"], expected["df2"]], rel=1e-12)
    assert form.p == pytest.approx(expected["p"], rel=1e-11)
    assert [found.low, found.high] == pytest.approx([expected["lower"], expected["upper"]], abs=1e-12)


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("oneway consistency single", "ICC(1)"),
        ("oneway consistency average", "ICC(1,4)"),
        ("twoway consistency single", "ICC(C,1)"),
        ("twoway consistency average", "ICC(C,4)"),
        ("twoway agreement single", "ICC(A,1)"),
    ],
)
def test_value_and_interval_are_those_of_irr(reference: dict[str, Any], entry: str, name: str) -> None:
    """From irr 0.84.1 icc on Shrout and Fleiss (1979), 15 digits."""
    expected = reference["r"]["shrout_fleiss"]["irr_icc"][entry]
    form = forms(SHROUT_FLEISS)[name]
    found = estimate(form)
    assert found.value == pytest.approx(expected["value"], abs=1e-13)
    assert [found.low, found.high] == pytest.approx([expected["lbound"], expected["ubound"]], abs=1e-12)
    assert form.f == pytest.approx(expected["Fvalue"], rel=1e-12)
    if "agreement" not in entry:
        assert form.p == pytest.approx(expected["p.value"], rel=1e-11)


@pytest.mark.parametrize(
    ("entry", "name"), [("icc_tw_agr", "ICC(A,1)"), ("icc_tw_con", "ICC(C,1)"), ("icc_ow", "ICC(1)")]
)
def test_value_and_interval_on_the_anxiety_data_are_those_of_irr(
    reference: dict[str, Any], anxiety: Floats, entry: str, name: str
) -> None:
    """From irr 0.84.1 icc, 15 digits."""
    expected = reference["r"]["irr"]["anxiety"][entry]
    form = forms(anxiety)[name]
    found = estimate(form)
    assert found.value == pytest.approx(expected["value"], abs=1e-13)
    assert [found.low, found.high] == pytest.approx([expected["lbound"], expected["ubound"]], abs=1e-12)
    assert form.f == pytest.approx(expected["Fvalue"], rel=1e-12)
    if name != "ICC(A,1)":
        assert form.p == pytest.approx(expected["p.value"], rel=1e-11)


def mcgraw_wong(ms: MeanSquares, rho: float, factor: float) -> tuple[float, float, float]:
    """Satterthwaite's df at ``rho`` with a = factor rho / (n (1 - rho)), and the bounds of ICC(A,k) that follow."""
    n, k = ms.n, ms.k
    a, b = factor * rho / (n * (1 - rho)), 1 + factor * rho * (n - 1) / (n * (1 - rho))
    v = (a * ms.rater + b * ms.residual) ** 2 / (
        (a * ms.rater) ** 2 / (k - 1) + (b * ms.residual) ** 2 / ((n - 1) * (k - 1))
    )
    low, high = f_distribution.ppf(0.975, n - 1, v), f_distribution.ppf(0.975, v, n - 1)
    return (
        v,
        n * (ms.target - low * ms.residual) / (low * (ms.rater - ms.residual) + n * ms.target),
        n * (high * ms.target - ms.residual) / (ms.rater - ms.residual + n * high * ms.target),
    )


@pytest.mark.parametrize("data", ["shrout_fleiss", "anxiety"])
def test_irr_takes_the_wrong_degrees_of_freedom_for_the_agreement_of_means(
    reference: dict[str, Any], anxiety: Floats, data: str
) -> None:
    """McGraw and Wong: a = k rho_1 / (n (1 - rho_1)), which equals rho_k / (n (1 - rho_k)); irr 0.84.1 takes k rho_k.

    With that slip its bounds come out digit by digit. They contradict its own interval for one rating, of which the
    mean of k is a monotone function; ours and that of psych do not.
    """
    source = reference["r"]["shrout_fleiss"]["irr_icc"] if data == "shrout_fleiss" else reference["r"]["irr"][data]
    keys = {"shrout_fleiss": ("twoway agreement single", "twoway agreement average")}
    single, average = (source[key] for key in keys.get(data, ("icc_tw_agr", "icc_tw_agr_k")))
    table = SHROUT_FLEISS if data == "shrout_fleiss" else anxiety
    ms = mean_squares(table)
    found = estimate(forms(table)[f"ICC(A,{ms.k})"])
    assert found.value == pytest.approx(average["value"], abs=1e-13)
    slip = mcgraw_wong(ms, found.value, factor=ms.k)
    assert slip == pytest.approx((average["df2"], average["lbound"], average["ubound"]), abs=1e-10)
    right = mcgraw_wong(ms, found.value, factor=1)
    assert right[0] == pytest.approx(single["df2"], rel=1e-10)
    assert (found.low, found.high) == pytest.approx(right[1:], abs=1e-12)
    stepped = [ms.k * b / (1 + (ms.k - 1) * b) for b in (single["lbound"], single["ubound"])]
    assert [found.low, found.high] == pytest.approx(stepped, abs=1e-12)


def test_irr_gives_the_test_of_agreement_the_degrees_of_freedom_of_the_interval(reference: dict[str, Any]) -> None:
    """Under the hypothesis rho = 0 Satterthwaite's df are (n - 1) (k - 1); irr puts in those at the estimate."""
    expected = reference["r"]["shrout_fleiss"]["irr_icc"]["twoway agreement single"]
    form = forms(SHROUT_FLEISS)["ICC(A,1)"]
    assert f_distribution.sf(form.f, form.df1, expected["df2"]) == pytest.approx(expected["p.value"], rel=1e-10)
    assert mcgraw_wong(mean_squares(SHROUT_FLEISS), 0.0, factor=4)[0] == pytest.approx(form.df2, rel=1e-12)


def test_raters_who_differ_by_a_constant_are_consistent_but_do_not_agree() -> None:
    """Pingouin #228: B = A + 2, A = 1 .. 6."""
    a = np.arange(1.0, 7.0)
    found = forms(np.column_stack([a, a + 2]))
    consistency, agreement = found["ICC(C,1)"], found["ICC(A,1)"]
    assert estimate(consistency).value == 1.0
    assert estimate(consistency).flags == ("boundary", "no_interval")
    assert (consistency.f, consistency.p) == (np.inf, 0.0)
    assert estimate(agreement).value == pytest.approx(3.5 / 5.5, abs=1e-15)
    assert consistency.words.startswith("consistency")
    assert agreement.words.startswith("agreement")


def test_each_form_says_what_its_interval_covers() -> None:
    covers = {name: estimate(form).covers for name, form in forms(SHROUT_FLEISS).items()}
    assert covers["ICC(C,1)"] == covers["ICC(C,4)"] == "targets (these raters only)"
    assert covers["ICC(1)"] == "targets (severity counts as noise)"
    assert covers["ICC(A,1)"] == "targets and raters"
    assert estimate(forms(SHROUT_FLEISS)["ICC(A,1)"]).flags == ("approximate", "few_raters")


@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(-100, 100))
def test_unit_origin_and_order_of_targets_and_raters_change_nothing(seed: int, unit: float, origin: float) -> None:
    table = crossed(7, 4, seed)
    rng = np.random.default_rng(seed)
    other = (unit * table + origin)[rng.permutation(7)][:, rng.permutation(4)]
    for name, form in forms(table).items():
        one, two = estimate(form), forms(other)[name].estimate
        assert isinstance(two, Estimate)
        assert one.value == pytest.approx(two.value, rel=1e-6, abs=1e-8)
        if one.low is not None:
            assert one.low == pytest.approx(two.low, rel=1e-6, abs=1e-8)


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_the_mean_of_k_follows_spearman_and_brown(seed: int, k: int) -> None:
    found = forms(crossed(9, k, seed))
    for key in ("1", "A", "C"):
        single, mean = found["ICC(1)" if key == "1" else f"ICC({key},1)"].estimate, found[f"ICC({key},{k})"].estimate
        if isinstance(single, Estimate) and isinstance(mean, Estimate):
            assert mean.value == pytest.approx(k * single.value / (1 + (k - 1) * single.value), rel=1e-9)


@given(st.integers(0, 10_000))
def test_one_way_analysis_of_a_complete_table_is_its_form_icc1(seed: int) -> None:
    table = crossed(8, 3, seed)
    long = one_way_anova(table.ravel(), np.repeat(np.arange(8), 3), k=3)
    for found, name in ((long.icc1, "ICC(1)"), (long.icc1_k, "ICC(1,3)")):
        want = forms(table)[name]
        assert isinstance(found, Estimate)
        assert [found.value, found.low, found.high] == pytest.approx(
            [estimate(want).value, estimate(want).low, estimate(want).high], rel=1e-9, abs=1e-11
        )
        assert found.flags == ()
        assert (long.f, long.p) == pytest.approx((want.f, want.p), rel=1e-9)
    assert long.n0 == 3


@given(st.integers(0, 10_000))
def test_interval_alpha_is_icc1_with_the_total_variance_in_its_usual_form(seed: int) -> None:
    """Two routes: 1 - alpha = MSW / (total sum of squares / (N - 1)) on complete tables."""
    table = crossed(10, 4, seed)
    ms = mean_squares(table)
    total = (ms.target * 9 + ms.within * 30) / 39
    alpha = alpha_value(table.ravel(), np.repeat(np.arange(10), 4), metric="interval")
    assert alpha == pytest.approx(1 - ms.within / total, abs=1e-12)


def test_unbalanced_one_way_values_of_the_redial_study_are_the_reference_values(shared: Path) -> None:
    """reference/crs_que_redial.json: ANOVA ICC(1) and F, 7 decimals, of 18 dimensions."""
    expected = json.loads((shared / "reference" / "crs_que_redial.json").read_text())
    with (shared / "data" / "crs_que_redial" / "annotations.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["is_gold_standard"] == "0"]
    target = np.unique([row["dialogue_id"] for row in rows], return_inverse=True)[1]
    for name, dimension in expected["dimensions"].items():
        found = one_way_anova(np.array([float(row[name]) for row in rows]), target, k=expected["k_harmonic"])
        assert found.icc1.value == pytest.approx(dimension["one_way"]["icc1_anova"], abs=5.1e-8), name
        assert found.f == pytest.approx(dimension["one_way"]["F"], abs=5.1e-8), name
        assert found.icc1.flags == ("approximate",)
        assert (found.df1, found.df2, found.icc1.n) == (199, 853, 1053)


def test_dyestuff_has_the_variance_components_of_the_closed_form(shared: Path, reference: dict[str, Any]) -> None:
    """Davies (1947), lme4's Dyestuff: 1764.05 and 2451.25; the exact F interval [.0838361, .8478768] (lme4 #838)."""
    with (shared / "reference" / "stats" / "Dyestuff.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    batch = np.unique([row[-2] for row in rows], return_inverse=True)[1]
    found = one_way_anova(np.array([float(row[-1]) for row in rows]), batch, k=5)
    expected = reference["closed_form"]["Dyestuff"]
    assert found.within == pytest.approx(expected["resid"], abs=1e-9)
    assert (found.between - found.within) / found.n0 == pytest.approx(expected["batch"], abs=1e-9)
    assert found.icc1.value == pytest.approx(0.4184874, abs=5.1e-8)
    assert [found.icc1.low, found.icc1.high] == pytest.approx([0.0838361, 0.8478768], abs=5.1e-8)


def test_the_published_failure_of_an_optimiser_is_plain_in_the_analysis_of_variance(shared: Path) -> None:
    """Statsmodels #10239: paper1like_seed0 has ICC(1) .213 and interval alpha .212, not 0."""
    data = np.loadtxt(shared / "reference" / "stats" / "paper1like_seed0.csv", delimiter=",", skiprows=1)
    target = data[:, 0].astype(np.intp)
    assert one_way_anova(data[:, 2], target, k=5).icc1.value == pytest.approx(0.213, abs=1e-3)
    assert alpha_value(data[:, 2], target, metric="interval") == pytest.approx(0.212, abs=5.1e-4)


def test_negative_values_are_not_clipped() -> None:
    found = one_way_anova(np.array([1.0, 3, 1, 3, 1.5, 3]), np.array([0, 0, 1, 1, 2, 2]), k=2)
    assert found.icc1.value < -0.9
    assert isinstance(found.icc1_k, Estimate)
    assert found.icc1_k.value < -10


def test_ratings_that_agree_perfectly_give_1_without_an_interval() -> None:
    found = one_way_anova(np.array([1.0, 1, 2, 2, 3]), np.array([0, 0, 1, 1, 2]), k=2)
    assert (found.icc1.value, found.icc1.low, found.f, found.p) == (1.0, None, np.inf, 0.0)
    assert found.icc1.flags == ("approximate", "boundary", "no_interval")


def test_sums_of_ratings_that_are_no_binary_numbers_do_not_pass_for_error() -> None:
    found = forms(np.column_stack([0.1 * np.arange(1, 8)] * 3))
    assert estimate(found["ICC(A,1)"]).value == 1.0
    assert estimate(found["ICC(A,1)"]).low is None


def test_each_target_with_one_rating_is_refused() -> None:
    """Pingouin #231: items 0 .. 4, raters a, b, c, a, b, values 1, 2, 3, 2, 1."""
    with pytest.raises(CannotEstimateError, match="no target has two ratings"):
        one_way_anova(np.array([1.0, 2, 3, 2, 1]), np.arange(5), k=1)


def test_one_target_with_two_ratings_is_enough_for_an_estimate() -> None:
    found = one_way_anova(np.array([1.0, 2, 3, 2, 1, 2]), np.array([0, 1, 2, 3, 4, 4]), k=2)
    assert found.df2 == 1
    assert found.icc1.flags == ("approximate",)


def test_a_single_target_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="ratings of 1 targets"):
        one_way_anova(np.array([1.0, 2]), np.array([3, 3]), k=2)


@pytest.mark.parametrize("value", [0.1, 3.0])
def test_constant_ratings_are_refused(value: float) -> None:
    with pytest.raises(CannotEstimateError, match="are the same"):
        one_way_anova(np.full(9, value), np.repeat(np.arange(3), 3), k=3)
    with pytest.raises(CannotEstimateError, match="are the same"):
        mean_squares(np.full((3, 3), value))


def test_targets_without_differences_leave_some_forms_undetermined_and_the_others_stand() -> None:
    found = forms(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert estimate(found["ICC(1)"]).value == -1.0
    assert estimate(found["ICC(1)"]).flags == ("boundary", "no_interval")
    for name in ("ICC(A,1)", "ICC(1,2)", "ICC(A,2)", "ICC(C,2)"):
        assert isinstance(found[name].estimate, Refusal)
    assert isinstance(forms(np.array([[1.0, 2.0], [1.0, 2.0]]))["ICC(C,1)"].estimate, Refusal)


@pytest.mark.parametrize("shape", [(1, 5), (5, 1)])
def test_a_table_of_one_row_or_column_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(CannotEstimateError, match="at least 2 of each"):
        mean_squares(np.random.default_rng(0).normal(size=shape))


def test_a_table_with_gaps_is_refused() -> None:
    with pytest.raises(InputError, match="complete table"):
        mean_squares(np.array([[1.0, np.nan], [2.0, 3.0]]))


def test_values_that_are_no_numbers_or_do_not_match_are_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        one_way_anova(np.array([1.0, np.nan, 2.0]), np.array([0, 0, 1]), k=2)
    with pytest.raises(InputError, match="one of each"):
        one_way_anova(np.array([1.0, 2.0]), np.array([0]), k=2)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_confidence_level_outside_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        icc_forms(mean_squares(SHROUT_FLEISS), level=level)


def test_a_table_of_a_million_ratings_takes_well_under_a_second() -> None:
    table = crossed(100_000, 10, seed=0)
    start = time.perf_counter()
    icc_forms(mean_squares(table))
    assert time.perf_counter() - start < 1.0  # measured: 0.03 s
