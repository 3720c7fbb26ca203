"""Krippendorff's alpha: his own example, his definition, and what must not change it."""

import csv
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.alpha import Metric, alpha_value, krippendorff_alpha, midranks, weighted_alpha
from dialgauge.stats.agreement.counts import tabulate, tabulate_dense
from dialgauge.stats.agreement.weights import rating_weights

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]
Table = Callable[[str], tuple[Codes, int]]
Ratings = tuple[Floats, Codes]

LEVELS: tuple[Metric, ...] = ("nominal", "ordinal", "interval", "ratio")


def by_coincidences(values: Floats, target: Codes, metric: Metric) -> float:
    """Alpha from the matrix of coincidences and the metric, word by word after Krippendorff (2011)."""
    distinct = np.unique(values)
    q = len(distinct)
    o = np.zeros((q, q))
    for u in np.unique(target):
        code = np.searchsorted(distinct, values[target == u])
        m = len(code)
        for i in range(m):
            for j in range(m):
                if i != j:
                    o[code[i], code[j]] += 1 / (m - 1)
    n_c = o.sum(axis=1)
    n = n_c.sum()
    delta = np.zeros((q, q))
    for c in range(q):
        for k in range(q):
            lo, hi = min(c, k), max(c, k)
            a, b = distinct[c], distinct[k]
            delta[c, k] = {
                "nominal": float(c != k),
                "ordinal": (n_c[lo : hi + 1].sum() - (n_c[c] + n_c[k]) / 2) ** 2,
                "interval": (a - b) ** 2,
                "ratio": ((a - b) / (a + b)) ** 2 if a + b > 0 else 0.0,
            }[metric]
    return float(1 - (n - 1) * np.sum(o * delta) / np.sum(np.outer(n_c, n_c) * delta))


@st.composite
def ratings(draw: st.DrawFn) -> Ratings:
    """Return values 0 .. 5 and targets of 4 to 30 ratings, two targets and two values of them pairable at least."""
    n = draw(st.integers(4, 30))
    values = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), dtype=float)
    target = np.array(draw(st.lists(st.integers(0, 7), min_size=n, max_size=n)))
    paired = np.bincount(target)[target] >= 2
    assume(len(np.unique(target[paired])) >= 2)
    assume(len(np.unique(values[paired])) >= 2)
    return values, target


@pytest.mark.parametrize("metric", LEVELS)
def test_alpha_of_krippendorffs_example_is_his_value(reference: dict[str, Any], table: Table, metric: Metric) -> None:
    """fast-krippendorff #4: ordinal .815, not .789. Values of irr 0.84.1, 15 digits."""
    codes, _ = table("krippendorff_4x12")
    target, rater = np.nonzero(codes >= 0)
    found = krippendorff_alpha((codes[target, rater] + 1).astype(float), target, metric=metric)
    assert found.value == pytest.approx(reference["r"]["irr"]["krippendorff_c"][metric], abs=1e-14)
    assert found.n == 40


@pytest.mark.parametrize(("metric", "kind"), [("nominal", "identity"), ("interval", "quadratic")])
def test_the_interval_from_sums_of_squares_is_that_of_irrcac_from_weights(
    reference: dict[str, Any], table: Table, metric: Metric, kind: str
) -> None:
    """From irrCAC 0.4.4 (Python), 12 decimals."""
    expected = reference["irrCAC_python_0_4_4"]
    for data in ("krippendorff_4x12", "anxiety"):
        codes, _ = table(data)
        target, rater = np.nonzero(codes >= 0)
        found = krippendorff_alpha(codes[target, rater].astype(float), target, metric=metric)
        assert [found.low, found.high] == pytest.approx(
            expected[f"{data}|{kind}"]["krippendorff"]["confidence_interval"], abs=1e-9
        )


@pytest.mark.parametrize("metric", LEVELS)
@given(data=ratings())
def test_alpha_follows_the_definition_by_coincidences(data: Ratings, metric: Metric) -> None:
    values, target = data
    paired = np.bincount(target)[target] >= 2
    direct = by_coincidences(values[paired], target[paired], metric)
    assert alpha_value(values, target, metric=metric) == pytest.approx(direct, abs=1e-11)


@given(ratings())
def test_ordinal_alpha_is_interval_alpha_of_the_midranks_of_the_pairable_values(data: Ratings) -> None:
    values, target = data
    paired = np.bincount(target)[target] >= 2
    ordinal = alpha_value(values, target, metric="ordinal")
    ranks = midranks(values[paired])
    assert alpha_value(ranks, target[paired], metric="interval") == pytest.approx(ordinal, abs=1e-12)


@given(ratings(), st.floats(0.01, 100), st.floats(-100, 100))
def test_interval_alpha_does_not_depend_on_unit_and_origin(data: Ratings, unit: float, origin: float) -> None:
    values, target = data
    one, other = (krippendorff_alpha(v, target, metric="interval") for v in (values, unit * values + origin))
    assert one.value == pytest.approx(other.value, abs=1e-9)
    assert (one.low is None) == (other.low is None)
    if one.low is not None:
        assert one.low == pytest.approx(other.low, abs=1e-8)


@given(ratings())
def test_turning_the_scale_round_changes_nothing(data: Ratings) -> None:
    values, target = data
    for metric in ("interval", "ordinal", "nominal"):
        assert alpha_value(-values, target, metric=metric) == pytest.approx(
            alpha_value(values, target, metric=metric), abs=1e-11
        )


@given(ratings())
def test_ordinal_alpha_depends_on_the_order_of_the_values_only(data: Ratings) -> None:
    values, target = data
    assert alpha_value(np.exp(values), target, metric="ordinal") == alpha_value(values, target, metric="ordinal")


@given(ratings(), st.permutations(range(6)))
def test_nominal_alpha_does_not_depend_on_the_names_of_the_categories(data: Ratings, names: list[int]) -> None:
    values, target = data
    renamed = np.array(names, dtype=float)[values.astype(int)]
    one, other = (krippendorff_alpha(v, target, metric="nominal") for v in (values, renamed))
    assert one.value == pytest.approx(other.value, abs=1e-12)


@given(ratings(), st.floats(0.01, 100))
def test_ratio_alpha_does_not_depend_on_the_unit(data: Ratings, unit: float) -> None:
    values, target = data
    assert alpha_value(unit * values, target, metric="ratio") == pytest.approx(
        alpha_value(values, target, metric="ratio"), abs=1e-11
    )


@pytest.mark.parametrize("metric", LEVELS)
@given(data=ratings(), seed=st.integers(0, 1000))
def test_shuffled_ratings_and_other_target_codes_change_nothing(data: Ratings, seed: int, metric: Metric) -> None:
    values, target = data
    rng = np.random.default_rng(seed)
    order, label = rng.permutation(len(values)), rng.permutation(8) * 5 - 9
    one = krippendorff_alpha(values, target, metric=metric)
    other = krippendorff_alpha(values[order], label[target[order]], metric=metric)
    assert one.value == pytest.approx(other.value, abs=1e-12)
    if one.low is not None:
        assert one.low == pytest.approx(other.low, abs=1e-9)


@given(ratings())
def test_a_value_alone_in_its_target_has_no_effect(data: Ratings) -> None:
    values, target = data
    for metric in LEVELS:
        one = krippendorff_alpha(values, target, metric=metric)
        other = krippendorff_alpha(np.append(values, 5.0), np.append(target, 99), metric=metric)
        assert (one.value, one.n) == (other.value, other.n)


@given(ratings())
def test_quadratic_weights_on_the_points_give_interval_alpha_and_its_interval(data: Ratings) -> None:
    values, target = data
    counts = tabulate(target, values.astype(np.intp), n_categories=6, rater_codes=np.arange(len(values)))
    one = weighted_alpha(counts, rating_weights("quadratic", np.arange(6.0)))
    other = krippendorff_alpha(values, target, metric="interval")
    assert one.value == pytest.approx(other.value, abs=1e-12)
    if other.low is not None:
        assert one.low == pytest.approx(other.low, abs=1e-9)


def test_interval_alpha_of_2400_distinct_reals_takes_no_table_of_distinct_values() -> None:
    """fast-krippendorff #38: a table of pairs would hold 46e6 bytes; tens of gigabytes went there."""
    rng = np.random.default_rng(0)
    y = 3.2 + 0.6 * rng.normal(size=(240, 1)) + 0.4 * rng.normal(size=10) + 0.9 * rng.normal(size=(240, 10))
    target = np.repeat(np.arange(240), 10)
    tracemalloc.start()
    found = alpha_value(y.ravel(), target, metric="interval")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6
    pairs = (y.ravel()[:, None] - y.ravel()) ** 2
    observed = np.mean([pairs[i : i + 10, i : i + 10].sum() / 90 for i in range(0, 2400, 10)])
    assert found == pytest.approx(1 - observed / (pairs.sum() / (2400 * 2399)), abs=1e-13)


def test_ratio_alpha_of_many_distinct_values_is_computed_in_blocks() -> None:
    """4,000 distinct values: their table would hold 128e6 bytes."""
    rng = np.random.default_rng(1)
    values, target = rng.uniform(0.0, 9.0, 4000), np.repeat(np.arange(1000), 4)
    tracemalloc.start()
    found = alpha_value(values, target, metric="ratio")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6
    metric = ((values[:, None] - values) / (values[:, None] + values)) ** 2
    observed = np.mean([metric[i : i + 4, i : i + 4].sum() / 12 for i in range(0, 4000, 4)])
    assert found == pytest.approx(1 - observed / (metric.sum() / (4000 * 3999)), abs=1e-12)


def test_alpha_of_every_dimension_of_the_redial_study_is_the_reference_value(shared: Path) -> None:
    """reference/crs_que_redial.json, 4 decimals: 1,053 ratings of 200 dialogues by 117 raters."""
    expected = json.loads((shared / "reference" / "crs_que_redial.json").read_text())["dimensions"]
    with (shared / "data" / "crs_que_redial" / "annotations.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["is_gold_standard"] == "0"]
    target = np.unique([row["dialogue_id"] for row in rows], return_inverse=True)[1]
    for name, dimension in expected.items():
        values = np.array([float(row[name]) for row in rows])
        for metric in ("ordinal", "interval"):
            found = alpha_value(values, target, metric=metric)
            assert found == pytest.approx(dimension[f"alpha_{metric}"], abs=5.1e-5), name


@pytest.mark.parametrize("metric", LEVELS)
def test_constant_values_are_refused(metric: Metric) -> None:
    """The value 0.1 is not a binary number: its sums must not pass for variation."""
    with pytest.raises(CannotEstimateError, match=r"all 30 values .* are the same"):
        krippendorff_alpha(np.full(30, 0.1), np.repeat(np.arange(10), 3), metric=metric)


def test_values_that_vary_only_where_nothing_is_pairable_are_refused() -> None:
    counts = tabulate_dense(np.array([[1, 1], [1, 1], [0, -1]]), 2)
    with pytest.raises(CannotEstimateError, match="all 4 values"):
        weighted_alpha(counts)
    with pytest.raises(CannotEstimateError, match="all 4 values"):
        alpha_value(np.array([1.0, 1, 1, 1, 0]), np.array([0, 0, 1, 1, 2]), metric="nominal")


def test_targets_with_one_rating_each_are_refused() -> None:
    """Pingouin #231: five items, one rating each."""
    with pytest.raises(CannotEstimateError, match="no target has two ratings"):
        krippendorff_alpha(np.array([1.0, 2, 3, 2, 1]), np.arange(5), metric="interval")


def test_a_single_target_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="only one target"):
        krippendorff_alpha(np.array([1.0, 2, 3]), np.zeros(3, dtype=int), metric="interval")


def test_perfect_agreement_is_1_without_an_interval() -> None:
    found = krippendorff_alpha(np.array([1.0, 1, 2, 2]), np.array([0, 0, 1, 1]), metric="interval")
    assert found.value == 1.0
    assert found.flags == ("boundary", "no_interval")


def test_systematic_disagreement_is_negative_and_not_clipped() -> None:
    assert alpha_value(np.array([0.0, 1, 0, 1]), np.array([0, 0, 1, 1]), metric="nominal") == pytest.approx(-0.5)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_value_that_is_no_number_is_refused_with_its_place(bad: float) -> None:
    with pytest.raises(InputError, match="value 2 is"):
        krippendorff_alpha(np.array([1.0, 2.0, bad, 1.0]), np.array([0, 0, 1, 1]), metric="interval")


def test_a_negative_value_is_no_ratio() -> None:
    with pytest.raises(InputError, match=r"no negative value like -1\.0"):
        krippendorff_alpha(np.array([-1.0, 2.0, 3.0, 1.0]), np.array([0, 0, 1, 1]), metric="ratio")


def test_arrays_that_do_not_match_are_refused() -> None:
    with pytest.raises(InputError, match="one of each"):
        krippendorff_alpha(np.array([1.0, 2.0]), np.array([0]), metric="interval")


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InputError, match="choose nominal, ordinal, interval or ratio"):
        alpha_value(np.array([1.0, 2, 1, 1]), np.array([0, 0, 1, 1]), metric="metric")  # type: ignore[arg-type]
