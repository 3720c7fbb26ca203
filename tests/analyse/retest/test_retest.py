"""The three studies of repeated measurement, on ratings whose reliability is known."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.retest import Retest, analyse_retest
from dialgauge.analyse.retest.classes import CLASSES, classify, is_supported, permit_use
from dialgauge.analyse.retest.records import Repeat
from dialgauge.errors import DuplicateRatingsError, InputError
from dialgauge.io import from_frame, read_ratings, write_long
from dialgauge.model import RATING_SCHEMA, Level, Ratings, Scale
from dialgauge.simulate.retest import RepeatProfile, generate_retest_study
from dialgauge.stats.estimate import Estimate, Refusal

Row = tuple[str, str, str, int, float | None, str | None]


def make(rows: Sequence[Row], **scales: Scale) -> Ratings:
    names = ["target", "rater", "dimension", "replicate", "value", "missing"]
    frame = pl.DataFrame(list(rows), schema=names, orient="row").with_row_index("row", offset=2)
    return Ratings(frame=frame.select(pl.col(n).cast(t) for n, t in RATING_SCHEMA.items()), scales=scales)


def of(found: Retest, dimension: str, rater: str = "model-a") -> Repeat:
    return next(r for r in found.repeats if (r.dimension, r.rater) == (dimension, rater))


def estimate(value: float, low: float | None) -> Estimate:
    flags = () if low is not None else ("no_interval",)
    return Estimate(value, low, 1.0 if low is not None else None, 0.95, "m", "c", 9, flags)  # type: ignore[arg-type]


FIVE = Scale(level="ordinal", points=(1, 2, 3, 4, 5))
PLANNED = [
    RepeatProfile(f"{group}_{i}", group, icc)
    for group, icc in (("timing", 0.96), ("affect", 0.82), ("safety", 0.62), ("style", 0.30), ("talk", 1.0))
    for i in range(6)
]


@pytest.fixture(scope="module")
def planned() -> Retest:
    return analyse_retest(generate_retest_study(PLANNED, seed=1, n_targets=600))


def test_the_class_tables_are_those_of_the_known_reliabilities(planned: Retest) -> None:
    whole = {(s.rater, s.part): s for s in planned.summaries if s.group is None}
    for rater in planned.raters:
        assert list(whole[rater, "single"].counts.values()) == [6, 6, 6, 6, 6]
        assert list(whole[rater, "mean"].counts.values()) == [6, 12, 6, 6, 0]  # .82 -> .948, .62 -> .867, .30 -> .632
    known = dict.fromkeys([p.name for p in PLANNED], 0.0) | {p.name: float(np.mean(p.icc)) for p in PLANNED}
    gaps = [abs((r.value("single") or 0.0) - known[r.dimension]) for r in planned.repeats]
    assert max(gaps) < 0.08  # four standard errors at .30 with 600 targets
    inside = [
        r.single.low <= known[r.dimension] <= r.single.high
        for r in planned.repeats
        if isinstance(r.single, Estimate) and r.single.low is not None and r.single.high is not None
    ]
    assert np.mean(inside) > 0.85


def test_each_group_has_its_counts_and_extremes(planned: Retest) -> None:
    timing = next(s for s in planned.summaries if (s.group, s.rater, s.part) == ("timing", "model-b", "single"))
    own = [r.value("single") or 0.0 for r in planned.repeats if r.group == "timing" and r.rater == "model-b"]
    assert (timing.n, timing.counts["excellent"], timing.supported["excellent"]) == (6, 6, 6)
    assert (timing.lowest, timing.highest) == (min(own), max(own))
    assert timing.average == pytest.approx(np.mean(own))


def test_universality_counts_concordant_pairs_and_excellent_dimensions(planned: Retest) -> None:
    single = planned.universality[0]
    assert single.groups[-1].counts == (0, 0, 0, 30)
    assert single.groups[-1].excellent == 12
    assert len(single.excellent) == 12
    assert [pair.table[i][i] for pair in single.pairs for i in range(5)] == [6] * 15
    assert single.share is not None
    assert single.share.value == pytest.approx(0.4)


def test_values_are_compared_on_the_dimensions_that_are_excellent_by_all(planned: Retest) -> None:
    assert planned.values.dimensions == planned.universality[0].excellent
    assert len(planned.values.pairs) == 12 * 3
    (bands,) = planned.values.bands
    assert all(sum(row) == 12 for row in bands.counts)


def test_ratings_without_noise_are_perfect_everywhere() -> None:
    levels: tuple[Level, ...] = ("interval", "ordinal", "binary", "nominal")
    profiles = [RepeatProfile(level, "g", 1.0, level, 1.0) for level in levels]
    found = analyse_retest(generate_retest_study(profiles, seed=2, n_targets=100))
    assert {r.class_single for r in found.repeats} == {"perfect"}
    assert {r.value("single") for r in found.repeats} == {1.0}
    assert found.universality[0].groups[-1].counts == (0, 0, 0, 4)
    assert [(b.measure, b.in_all[0]) for b in found.values.bands] == [("nmae", 1), ("kappa", 2), ("weighted_kappa", 1)]
    assert {p.result.value for p in found.values.pairs if isinstance(p.result, Estimate)} == {0.0, 1.0}
    assert all(s.counts["perfect"] == 3 for s in found.summaries if s.part == "mean" and s.group is None)


def test_order_of_rows_and_names_of_targets_change_nothing() -> None:
    ratings = generate_retest_study(seed=3, n_targets=30)
    renamed = pl.lit("x") + pl.col("target").str.reverse()
    other = replace(
        ratings, frame=ratings.frame.sample(fraction=1.0, shuffle=True, seed=1).with_columns(target=renamed)
    )
    first, second = analyse_retest(ratings, agreement_on="all"), analyse_retest(other, agreement_on="all")
    assert [r.value("single") for r in first.repeats] == pytest.approx([r.value("single") for r in second.repeats])
    assert [b.counts for b in first.values.bands] == [b.counts for b in second.values.bands]


def test_a_dimension_with_one_value_nearly_always_is_excluded_for_that_rater_only() -> None:
    rows: list[Row] = []
    for t in range(100):
        for s in (1, 2):
            rows.append((f"t{t}", "a", "d", s, 5.0 if t == 0 and s == 1 else 3.0, None))
            rows.append((f"t{t}", "b", "d", s, float(t % 5 + 1), None))
    found = analyse_retest(make(rows, d=FIVE), agreement_on="all")
    assert (of(found, "d", "a").status, of(found, "d", "b").status) == ("excluded", "ok")
    assert (of(found, "d", "a").dominant, of(found, "d", "a").dominant_share) == (3.0, 0.995)
    assert "takes 99.5% of the ratings" in of(found, "d", "a").reason
    assert found.values.why_none.startswith("Every dimension is excluded")
    assert of(analyse_retest(make(rows, d=FIVE), dominant=0.999), "d", "a").status == "ok"


def test_answers_off_the_scale_are_left_out_and_counted_with_the_other_reasons() -> None:
    rows: list[Row] = [(f"t{t}", "a", "d", s, float(t % 5 + 1), None) for t in range(20) for s in (1, 2, 3)]
    rows[0] = ("t0", "a", "d", 1, 7.0, None)
    rows[3] = ("t1", "a", "d", 1, None, "off-scale")
    rows[7] = ("t2", "a", "d", 2, None, "refused")
    found = of(analyse_retest(make(rows, d=FIVE)), "d", "a")
    assert found.missing == {"off-scale": 2, "refused": 1}
    assert found.left_out == ("t0", "t1", "t2")
    assert (found.n_targets, found.n_ratings, found.replicates) == (17, 57, 3)


def test_reml_on_all_ratings_stands_beside_where_more_than_a_little_is_missing() -> None:
    few = analyse_retest(generate_retest_study(seed=5, n_targets=60, missing_share=0.02))
    many = analyse_retest(generate_retest_study(seed=5, n_targets=60, missing_share=0.15))
    assert of(few, "attention").reml_single is None
    beside = of(many, "attention").reml_single
    assert isinstance(beside, Estimate)
    assert beside.n > 4 * of(many, "attention").n_targets
    assert any("REML on all ratings stands beside" in sentence for sentence in many.findings)


def test_the_form_that_was_not_asked_for_stands_beside() -> None:
    ratings = generate_retest_study(seed=6, n_targets=40)
    printed, other = analyse_retest(ratings), analyse_retest(ratings, form="shrout-fleiss")
    assert of(printed, "attention").other_single == of(other, "attention").single
    assert of(printed, "attention").single == of(other, "attention").other_single


def test_categories_without_an_order_get_alpha_and_no_mean() -> None:
    found = of(analyse_retest(generate_retest_study(seed=7, n_targets=60)), "kind_of_request")
    assert (found.coefficient, found.class_mean) == ("alpha", None)
    assert isinstance(found.mean, Refusal)


def test_without_an_excellent_dimension_nothing_is_compared_and_this_is_said() -> None:
    ratings = generate_retest_study([RepeatProfile("d", "g", 0.4)], seed=8, n_targets=60)
    found = analyse_retest(ratings)
    assert "No dimension is excellent by all raters" in found.values.why_none
    assert found.values.why_none in found.hypotheses[2]
    assert len(analyse_retest(ratings, agreement_on="all").values.pairs) == 3


def test_a_single_rater_has_study_1_only() -> None:
    found = analyse_retest(generate_retest_study([RepeatProfile("d", "g", 0.97)], seed=9, raters=("solo",)))
    assert found.universality == []
    assert "There is one rater" in found.hypotheses[1]
    assert "There is one rater" in found.hypotheses[2]


def test_raters_who_rated_nothing_twice_are_left_out_by_name() -> None:
    rows: list[Row] = [(f"t{t}", "a", "d", s, float(t % 5 + 1), None) for t in range(20) for s in (1, 2)]
    rows += [(f"t{t}", "once", "d", 1, 3.0, None) for t in range(20)]
    found = analyse_retest(make(rows, d=FIVE))
    assert found.raters == ("a",)
    assert "Left out, as they rated no target twice: once." in found.findings


def test_ratings_without_a_second_replicate_are_an_error_with_a_remedy() -> None:
    ratings = from_frame(
        pl.DataFrame({"target": ["x", "y"], "rater": ["a", "a"], "value": [1, 2]}), scale="1:5", value="value"
    )
    with pytest.raises(InputError, match="--replicate, or number"):
        analyse_retest(ratings)


def test_two_values_in_one_replicate_are_an_error_that_names_the_place() -> None:
    rows: list[Row] = [("t", "a", "d", 1, 2.0, None), ("t", "a", "d", 1, 3.0, None)]
    with pytest.raises(DuplicateRatingsError, match="of target 't' by 'a' in replicate 1 has two values"):
        analyse_retest(make(rows, d=FIVE))


@pytest.mark.parametrize(
    "options", [{"form": "x"}, {"agreement_on": "x"}, {"weights": "x"}, {"dominant": 1.0}, {"level": 95.0}]
)
def test_options_out_of_range_are_errors(options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        analyse_retest(generate_retest_study(seed=1), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "name"), [(0.9, "excellent"), (0.8999, "good"), (0.75, "good"), (0.5, "moderate"), (-0.2, "poor")]
)
def test_classes_begin_at_their_limits(value: float, name: str) -> None:
    assert classify(estimate(value, None), exact=False) == name
    assert classify(estimate(1.0, None), exact=True) == CLASSES[0]


def test_a_class_is_supported_when_the_lower_limit_reaches_it() -> None:
    assert is_supported(estimate(0.95, 0.9), "excellent") is True
    assert is_supported(estimate(0.95, 0.899), "excellent") is False
    assert is_supported(estimate(1.0, 0.91), "perfect") is True
    assert is_supported(Refusal("r", "x"), None) is None


def test_uses_rest_on_lower_limits() -> None:
    high, low, none = estimate(0.95, 0.91), estimate(0.95, 0.85), Refusal("r", "x")
    assert permit_use(high, high) == "real-time"
    assert permit_use(low, high) == "aggregate"
    assert permit_use(low, none) == "descriptive only"


def test_ratings_that_were_written_and_read_again_give_the_same_result(tmp_path: Path) -> None:
    ratings = generate_retest_study(seed=4, n_targets=20, missing_share=0.05)
    write_long(ratings, tmp_path / "r.csv")
    again = read_ratings(tmp_path / "r.csv", instrument=ratings.instrument)
    assert again.same_ratings(ratings)
    assert [r.value("single") for r in analyse_retest(again).repeats] == pytest.approx(
        [r.value("single") for r in analyse_retest(ratings).repeats]
    )
