"""Agreement from ratings: values of the literature, options, refusals, and what the sentences say."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.agreement import Agreement, CoefficientName, DimensionAgreement, analyse_agreement
from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.errors import InputError
from dialgauge.io import from_frame, read_ratings
from dialgauge.model import Ratings, Scale
from dialgauge.stats.estimate import Estimate, Refusal

Wide = Callable[[str, Scale], Ratings]
Rows = list[tuple[str, str, float | str]]


def make(rows: Rows, scale: Scale | str, **options: Any) -> Ratings:  # noqa: ANN401 (passed on)
    frame = pl.DataFrame(rows, schema=["target", "rater", "value"], orient="row")
    return from_frame(frame, scale=scale, **options)


def grid(table: list[list[float]]) -> Rows:
    """Return the rows of a table of targets x raters."""
    return [(f"d{i:02}", f"r{j}", y) for i, row in enumerate(table) for j, y in enumerate(row)]


def estimate(d: DimensionAgreement, name: CoefficientName) -> Estimate:
    found = d.get(name)
    assert found is not None
    assert isinstance(found.result, Estimate)
    return found.result


def only(analysis: Agreement) -> DimensionAgreement:
    (d,) = analysis.dimensions
    return d


@pytest.fixture(scope="session")
def wide(shared: Path) -> Wide:
    """Return a reader of the reference tables, raters in columns."""

    def read(name: str, scale: Scale) -> Ratings:
        with (shared / "reference" / "stats" / f"{name}.csv").open() as file:
            raters, *rows = csv.reader(file)
        frame = pl.DataFrame(
            [
                {"target": f"t{i:05}", "rater": rater, "value": cell.partition(". ")[2] or cell}
                for i, row in enumerate(rows)
                for rater, cell in zip(raters, row, strict=True)
            ]
        )
        return from_frame(frame, scale=scale)

    return read


DIAGNOSES = Scale(level="nominal", labels=("Depression", "Personality Disorder", "Schizophrenia", "Neurosis", "Other"))


def test_the_diagnoses_of_fleiss_have_the_coefficients_of_the_literature(wide: Wide) -> None:
    """Fleiss (1971) prints .430 and .556; Conger and Light from irr 0.84.1, AC1 and B-P from irrCAC 0.4.4."""
    d = only(analyse_agreement(wide("diagnoses", DIAGNOSES)))
    values = {name: estimate(d, name).value for name in ("percent_agreement", "fleiss_kappa", "conger_kappa", "alpha")}
    assert values == pytest.approx(
        {"percent_agreement": 0.5556, "fleiss_kappa": 0.4302, "conger_kappa": 0.4418, "alpha": 0.4334}, abs=1e-4
    )
    assert (estimate(d, "light_kappa").value, estimate(d, "gwet_ac1").value) == pytest.approx((0.4589, 0.448), abs=1e-3)
    assert (d.metric, d.weights) == ("nominal", "identity")
    assert d.get("gwet_ac2") is None
    assert d.get("percent_weighted") is None
    assert d.get("kendall_w") is None


def test_the_ordinal_example_of_krippendorff_has_his_alphas_for_each_metric(wide: Wide) -> None:
    """Krippendorff's 4 x 12 example: .743, .815, .849 and .797."""
    ratings = wide("krippendorff_4x12", Scale.parse("1:5"))
    d = only(analyse_agreement(ratings, metrics=("nominal", "interval", "ratio", "ordinal")))
    found = [estimate(d, n).value for n in ("alpha_nominal", "alpha", "alpha_interval", "alpha_ratio")]
    assert found == pytest.approx([0.743421, 0.815388, 0.849107, 0.797403], abs=1e-6)
    assert d.get("alpha_ordinal") is None
    assert "no two-way jackknife because the ratio metric has none" in estimate(d, "alpha_ratio").method
    assert (d.n_missing, d.get("kendall_w") is not None) == (7, True)
    assert isinstance(d.get("kendall_w").result, Refusal)  # type: ignore[union-attr]


def test_two_raters_have_cohens_kappa_and_the_test_of_equal_marginals(wide: Wide) -> None:
    """Stuart (1955): 11.96 with 3 degrees of freedom on the vision data."""
    scale = Scale.from_labels(["1st grade", "2nd grade", "3rd grade", "4th grade"])
    analysis = analyse_agreement(wide("vision", scale))
    d = only(analysis)
    assert d.homogeneity is not None
    assert (round(d.homogeneity.chi2, 2), d.homogeneity.df) == (11.96, 3)
    assert estimate(d, "cohen_kappa").covers == "targets (these raters only)"
    assert any("do not use the points equally often" in sentence for sentence in d.findings)
    assert analysis.findings[0].startswith("Two raters say nothing about other raters")
    assert "too long" in d.get("kendall_w").result.reason  # type: ignore[union-attr]


def test_three_raters_have_kendalls_w_with_its_test(wide: Wide) -> None:
    """From irr 0.84.1 on the anxiety data: W .540, chi2 30.8, p .0429."""
    d = only(analyse_agreement(wide("anxiety", Scale.parse("1:6"))))
    assert d.concordance is not None
    assert (estimate(d, "kendall_w").value, d.concordance.chi2, d.concordance.p) == pytest.approx(
        (0.540, 30.8, 0.0429), rel=2e-3
    )
    assert [name for name, _ in d.rater_marginals] == ["rater1", "rater2", "rater3"]
    assert sum(sum(counts) for _, counts in d.rater_marginals) == 60


def test_on_the_crowd_study_alpha_and_ac2_differ_and_the_finding_says_why(crowd: Ratings) -> None:
    """Alpha .28 and AC2 .62 on accuracy, by ordinal weights; expected .83 for Fleiss and .66 for AC2."""
    analysis = analyse_agreement(crowd)
    d = next(d for d in analysis.dimensions if d.name == "accuracy")
    assert (round(estimate(d, "alpha").value, 4), round(estimate(d, "gwet_ac2").value, 3)) == (0.2796, 0.622)
    fleiss, ac = d.get("fleiss_kappa"), d.get("gwet_ac2")
    assert fleiss is not None
    assert ac is not None
    assert (fleiss.observed, fleiss.expected, ac.expected) == pytest.approx((0.8725, 0.8279, 0.6630), abs=1e-4)
    (sentence,) = (s for s in analysis.findings if "they differ in what chance would do" in s)
    assert "18 of 18 dimensions" in sentence
    assert "the ratings (43% are “agree”)" in sentence
    assert "below .667 on all 18 dimensions" in analysis.findings[0]
    assert [d.name for d in analysis.dimensions][:2] == ["satisfaction", "accuracy"]


def test_intervals_for_new_raters_are_those_of_the_two_way_jackknife_and_wider(crowd: Ratings) -> None:
    random, these = (only(analyse_agreement(one(crowd, "cui_rapport"), raters=scope)) for scope in ("random", "these"))
    for name in ("percent_agreement", "alpha", "fleiss_kappa", "conger_kappa", "brennan_prediger", "gwet_ac2"):
        wide, narrow = estimate(random, name), estimate(these, name)
        assert wide.value == pytest.approx(narrow.value, abs=1e-12)
        assert (wide.covers, narrow.covers) == ("targets and raters", "targets (these raters only)")
        assert None not in {wide.low, wide.high, narrow.low, narrow.high}
        assert wide.high - wide.low > narrow.high - narrow.low  # type: ignore[operator]


def one(ratings: Ratings, name: str) -> Ratings:
    return replace(ratings, frame=ratings.of(name), scales={name: ratings.scales[name]})


@pytest.mark.parametrize(
    ("scale", "weights", "metric"),
    [
        (Scale.parse("1:5"), "ordinal", "ordinal"),
        (Scale(level="interval", points=(1, 2, 3, 4, 5)), "quadratic", "interval"),
        (Scale(level="nominal", points=(1, 2, 3, 4, 5)), "identity", "nominal"),
    ],
)
def test_weights_and_metric_follow_the_declared_level(scale: Scale, weights: str, metric: str) -> None:
    rows = grid([[1, 2, 1], [4, 5, 5], [3, 3, 2], [5, 4, 4], [2, 2, 1]])
    d = only(analyse_agreement(make(rows, scale)))
    assert (d.weights, d.metric) == (weights, metric)


def test_weights_can_be_asked_for_and_are_refused_on_a_nominal_scale() -> None:
    rows = grid([[1, 2, 1], [4, 5, 5], [3, 3, 2], [5, 4, 4], [2, 2, 1]])
    assert only(analyse_agreement(make(rows, "1:5"), weights="linear")).weights == "linear"
    with pytest.raises(InputError, match="is declared as nominal: its categories have no distances"):
        analyse_agreement(make(rows, Scale(level="nominal", points=(1, 2, 3, 4, 5))), weights="linear")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "cubic"}, "weights: there is no 'cubic'; choose among auto, identity"),
        ({"raters": "all"}, "raters: there is no 'all'; choose among random, these"),
        ({"metrics": ("polar",)}, "metrics: there is no 'polar'"),
        ({"level": 95}, "level must lie between 0 and 1"),
    ],
)
def test_options_out_of_range_are_refused_with_the_known_ones(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        analyse_agreement(make(grid([[1, 2], [2, 2], [3, 3]]), "1:3"), **options)


def test_constant_ratings_keep_percent_agreement_and_the_reason_of_the_others() -> None:
    d = only(analyse_agreement(make(grid([[4.0, 4.0, 4.0]] * 5), "1:5")))
    assert estimate(d, "percent_agreement").value == 1.0
    alpha = d.get("alpha")
    assert alpha is not None
    assert isinstance(alpha.result, Refusal)
    assert alpha.value is None
    assert "All 15 ratings are “4”" in d.findings[0]
    assert [count for _, count in d.marginals] == [0, 0, 0, 15, 0]


def test_no_target_with_two_ratings_is_refused_by_name() -> None:
    rows: Rows = [("a", "r1", 1.0), ("b", "r2", 2.0), ("c", "r1", 2.0)]
    analysis = analyse_agreement(make(rows, "1:3"))
    assert not analysis.dimensions
    assert [(r.reason, r.design.n_ratings) for r in analysis.refused] == [("no target has two ratings", 3)]
    assert analysis.findings == ()


def test_a_continuous_scale_has_alpha_only() -> None:
    rng = np.random.default_rng(1)
    table = np.clip(rng.random((12, 1)) + 0.1 * rng.normal(size=(12, 4)), 0, 1)
    d = only(analyse_agreement(make(grid(table.tolist()), "0.0:1.0")))
    assert estimate(d, "alpha").covers == "targets and raters"
    assert {c.name for c in d.coefficients if isinstance(c.result, Estimate)} == {"alpha", "kendall_w"}
    refusal = d.get("fleiss_kappa").result  # type: ignore[union-attr]
    assert isinstance(refusal, Refusal)
    assert "continuous" in refusal.reason
    assert d.marginals == ()


def test_means_of_repeated_ratings_have_alpha_but_no_categories() -> None:
    rows = [*grid([[1, 2], [2, 2], [3, 3], [1, 1]]), ("d00", "r0", 2.0)]
    d = only(analyse_agreement(make(rows, "1:3", duplicates="mean")))
    assert isinstance(d.get("alpha").result, Estimate)  # type: ignore[union-attr]
    assert "1 ratings lie between the points" in d.get("gwet_ac1").result.reason  # type: ignore[union-attr]


def test_replicates_are_counted_as_agreement_with_oneself_and_told() -> None:
    rows = [*grid([[1, 2], [2, 2], [3, 3], [1, 1]]), ("d00", "r0", 2.0), ("d01", "r0", 2.0)]
    d = only(analyse_agreement(make(rows, "1:3", duplicates="replicate")))
    assert any("25% of the compared pairs are two ratings by one rater" in s for s in d.findings)
    assert "several times" in d.get("cohen_kappa").result.reason  # type: ignore[union-attr]


def test_points_that_nobody_used_are_named_with_their_effect() -> None:
    table = [[1.0, 1.0, 2.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0], [1.0, 1.0, 1.0], [2.0, 3.0, 2.0], [3.0, 3.0, 2.0]]
    few, many = (only(analyse_agreement(make(grid(table), scale))) for scale in ("1:3", "1:5"))
    (sentence,) = (s for s in many.findings if s.startswith("Never used: 4, 5."))
    assert f"Brennan-Prediger {few.value('brennan_prediger'):.3f}".replace("0.", ".") in sentence
    assert many.value("brennan_prediger") != few.value("brennan_prediger")
    assert many.value("alpha") == pytest.approx(few.value("alpha"))
    assert not any(s.startswith("Never used") for s in few.findings)


def test_skewed_ratings_are_told_with_what_one_point_of_agreement_does() -> None:
    """Of 60 ratings 54 are alike: chance gives .82, so one point of observed agreement moves kappa by 5.6 points."""
    table = [[1.0, 1.0, 1.0]] * 16 + [[1.0, 1.0, 2.0], [1.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 2.0, 2.0]]
    d = only(analyse_agreement(make(grid(table), Scale(level="binary", points=(1, 2)))))
    (sentence,) = (s for s in d.findings if "hang on few ratings" in s)
    assert sentence.startswith("90% of the ratings are “1”: chance alone gives an agreement of .820")
    assert "by 5.6 points" in sentence


def test_alpha_below_zero_is_told_and_not_cut_off() -> None:
    table = [[1.0, 5.0], [5.0, 1.0], [2.0, 4.0], [4.0, 2.0], [1.0, 4.0], [5.0, 2.0], [3.0, 3.0]] * 4
    d = only(analyse_agreement(make(grid(table), "1:5"), raters="these"))
    assert (d.value("alpha") or 0.0) < -0.5
    assert any("Alpha is below zero" in s and "turned scale" in s for s in d.findings)


def test_raters_that_use_the_scale_differently_are_told() -> None:
    rng = np.random.default_rng(0)
    y = np.clip(
        np.round(3 + rng.normal(size=(60, 1)) + np.array([-1.2, 0, 1.2]) + 0.4 * rng.normal(size=(60, 3))), 1, 5
    )
    d = only(analyse_agreement(make(grid(y.tolist()), "1:5")))
    assert any("raters use the scale differently" in s for s in d.findings)
    assert "few_raters" in d.flags


def test_alpha_that_reaches_a_limit_of_krippendorff_is_told_with_its_interval() -> None:
    rng = np.random.default_rng(2)
    y = np.clip(np.round(3 + 1.3 * rng.normal(size=(80, 1)) + 0.25 * rng.normal(size=(80, 8))), 1, 5)
    analysis = analyse_agreement(make(grid(y.tolist()), "1:5"))
    (sentence,) = (s for s in analysis.findings if "limit for conclusions" in s)
    assert sentence.endswith("and so does its whole interval.")
    assert estimate(only(analysis), "light_kappa").covers == "targets and raters"


def test_shuffled_rows_and_renamed_raters_give_the_same_agreement(crowd: Ratings) -> None:
    ratings = one(crowd, "accuracy")
    rng = np.random.default_rng(0)
    names = ratings.frame["rater"].unique().sort().to_list()
    others = dict(zip(names, rng.permutation([f"z{i}" for i in range(len(names))]).tolist(), strict=True))
    frame = ratings.frame.with_columns(rater=pl.col("rater").replace_strict(others))
    changed = replace(ratings, frame=frame.sample(fraction=1.0, shuffle=True, seed=3))
    first, second = (only(analyse_agreement(r)) for r in (ratings, changed))
    for a, b in zip(first.coefficients, second.coefficients, strict=True):
        assert isinstance(a.result, Estimate)
        assert isinstance(b.result, Estimate)
        assert (a.result.value, a.result.low) == pytest.approx((b.result.value, b.result.low), abs=1e-10)


def test_ratings_without_any_value_are_an_error(crowd: Ratings) -> None:
    empty = one(crowd, "accuracy")
    frame = empty.frame.with_columns(value=pl.lit(None, dtype=pl.Float64), missing=pl.lit("empty"))
    with pytest.raises(InputError, match="holds no rating with a value"):
        analyse_agreement(replace(empty, frame=frame))


def test_a_dimension_without_any_value_is_refused_and_the_others_go_on(crowd: Ratings) -> None:
    frame = pl.concat([crowd.of("accuracy"), crowd.of("novelty").with_columns(value=None, missing=pl.lit("empty"))])
    scales = {name: crowd.scales[name] for name in ("accuracy", "novelty")}
    analysis = analyse_agreement(replace(crowd, frame=frame, scales=scales))
    assert [(r.name, r.reason, r.n_missing) for r in analysis.refused] == [
        ("novelty", "there is no rating with a value", 1053)
    ]
    assert [d.name for d in analysis.dimensions] == ["accuracy"]


def test_groups_of_ratings_with_a_single_disagreement_are_told_that_their_intervals_hold_for_these_raters() -> None:
    table = [[float(i % 5 + 1)] * 4 for i in range(10)]
    table[0][0] = 5.0
    analysis = analyse_agreement(make(grid(table), "1:5"))
    assert any("some intervals hold for these raters only" in sentence for sentence in analysis.findings)


def repeated(n_raters: int) -> Rows:
    """Return 20 targets that each rater rated twice, on which the raters agree fairly."""
    rng = np.random.default_rng(5)
    return [
        (f"d{t:02}", f"r{j}", float(np.clip(np.round(3 + seen + 0.7 * rng.normal() + 0.5 * j), 1, 5)))
        for t, seen in enumerate(rng.normal(size=20))
        for j in range(n_raters)
        for _ in range(2)
    ]


def test_with_two_raters_the_intervals_are_for_these_two_whether_they_rated_once_or_repeatedly() -> None:
    ratings = make(repeated(2), "1:5", duplicates="replicate")
    asked, these = (only(analyse_agreement(ratings, raters=scope)) for scope in ("random", "these"))
    for name in ("percent_agreement", "alpha", "fleiss_kappa", "conger_kappa", "brennan_prediger", "gwet_ac2"):
        found, plain = estimate(asked, name), estimate(these, name)
        assert (found.low, found.high, found.covers) == (plain.low, plain.high, plain.covers), name
        assert "no two-way jackknife because there are two raters" in found.method
    three = only(analyse_agreement(make(repeated(3), "1:5", duplicates="replicate")))
    assert estimate(three, "alpha").covers == "targets and raters"


def checked_study(*, planted: int = 60) -> Rows:
    """Return 100 targets by four of 60 raters each, and a poor one that ``planted`` of them saw."""
    rng = np.random.default_rng(11)
    rows: Rows = [
        (f"d{t:03}", f"r{j:02}", float(np.clip(np.round(3.4 + 0.4 * seen + 0.9 * rng.normal()), 1, 5)))
        for t, seen in enumerate(rng.normal(size=100))
        for j in rng.choice(60, 4, replace=False)
    ]
    return rows + [("planted", f"r{j:02}", float(rng.choice([1, 2], p=[0.8, 0.2]))) for j in range(planted)]


def test_few_targets_that_hold_many_ratings_are_named_with_alpha_without_them() -> None:
    whole = only(analyse_agreement(make(checked_study(), "1:5")))
    without = only(analyse_agreement(make(checked_study(planted=0), "1:5")))
    (said,) = [sentence for sentence in whole.findings if "planted" in sentence]
    assert said.startswith("1 of 101 targets (planted) holds 13% of the ratings; without it alpha is .")
    assert f"alpha is {estimate(without, 'alpha').value:.3f}".replace("0.", ".") in said
    assert f"instead of {estimate(whole, 'alpha').value:.3f}".replace("0.", ".") in said
    assert estimate(whole, "alpha").value > estimate(without, "alpha").value + 0.1
    assert not any("planted" in sentence for sentence in without.findings)


def test_where_few_targets_dominate_nothing_is_said_of_how_raters_use_the_scale() -> None:
    d = only(analyse_agreement(make(checked_study(), "1:5")))
    assert estimate(d, "conger_kappa").value - estimate(d, "fleiss_kappa").value > 0.03
    assert not any("use the scale differently" in sentence for sentence in d.findings)


def test_the_crowd_study_with_its_planted_dialogues_says_what_alpha_owes_to_them(shared: Path) -> None:
    path = shared / "data" / "crs_que_redial" / "annotations.csv"
    ratings = read_ratings(path, instrument="crs-que", dimensions="accuracy")
    d = only(analyse_agreement(ratings))
    expected = (
        "2 of 202 targets (GOLD_001, GOLD_002) hold 10% of the ratings; without them alpha is .280 instead of .456."
    )
    assert expected in d.findings
    reliability = analyse_reliability(ratings).dimensions[0]
    assert expected.replace("alpha is", "ordinal alpha is") in reliability.findings


def test_a_pair_of_raters_that_cannot_be_compared_is_named_by_its_raters() -> None:
    rows: Rows = [(f"d{t}", rater, float(1 + (t + t // 3) % 3)) for t in range(8) for rater in ("ann", "bo")]
    rows += [(f"e{t}", rater, float(1 + t % 3)) for t in range(8) for rater in ("bo", "cy")]
    light = only(analyse_agreement(make(rows, "1:3"))).get("light_kappa")
    assert light is not None
    assert isinstance(light.result, Refusal)
    assert "raters ann and cy" in light.result.reason
