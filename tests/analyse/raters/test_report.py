"""What the report says follows from the ratings: invariance, dropping, refusals."""

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.raters import RaterReport, analyse_raters
from dialgauge.analyse.raters.parts import Severity, StraightLining
from dialgauge.analyse.raters.table import parts_of
from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.errors import InputError
from dialgauge.io import from_frame
from dialgauge.model import Instrument, Scale
from dialgauge.stats.estimate import Estimate, Refusal

from .conftest import Study, crowd, grid, rater_of, rules_of


def numbers(report: RaterReport) -> dict[str, list[float]]:
    """Return the numbers of every rater."""
    found: dict[str, list[float]] = {}
    for rater in report.raters:
        parts = [rater.severity.estimate if isinstance(rater.severity, Severity) else rater.severity]
        values = [
            part.value
            for part in (*parts, rater.consistency, rater.agreement, rater.halo)
            if isinstance(part, Estimate)
        ]
        lines = rater.straight_lining
        found[rater.name] = [*values, *([lines.share] if isinstance(lines, StraightLining) else [])]
    return found


def test_shuffled_rows_change_nothing() -> None:
    study = crowd(1)
    shuffled = Study(study.frame.sample(fraction=1.0, shuffle=True, seed=4), study.rng)
    first, second = numbers(study.report()), numbers(shuffled.report())
    assert list(first) == list(second)
    for name, values in first.items():
        assert second[name] == pytest.approx(values, abs=1e-5)


def test_new_names_for_targets_and_raters_change_nothing_else() -> None:
    study = grid()
    renamed = study.frame.with_columns(
        target="x" + pl.col("target").str.reverse(), rater="z" + (9 - pl.col("rater").str.slice(1).cast(int)).cast(str)
    )
    first, second = numbers(study.report()), numbers(Study(renamed, study.rng).report())
    for name, values in first.items():
        assert second[f"z{9 - int(name[1:])}"] == pytest.approx(values, abs=1e-5)


def test_long_and_wide_tables_say_the_same() -> None:
    study = grid()
    long = study.frame.unpivot(index=["target", "rater"], variable_name="dimension", value_name="value")
    ratings = from_frame(long, target="target", rater="rater", value="value", dimension="dimension", scale="1:5")
    first, second = numbers(study.report()), numbers(analyse_raters(ratings))
    for name, values in first.items():
        assert second[name] == pytest.approx(values, abs=1e-6)


def test_a_dimension_where_lower_is_better_is_turned_round_for_the_mean() -> None:
    study = grid()
    scale = {"level": "ordinal", "points": [1, 2, 3, 4, 5]}
    turned = study.frame.with_columns(d1=6.0 - pl.col("d1"))
    dimensions = [
        {"name": f"d{d}", "title": "x", "scale": {**scale, "direction": "lower_is_better" if d == 1 else "neutral"}}
        for d in range(4)
    ]
    instrument = Instrument.model_validate({"name": "i", "version": "1", "title": "x", "dimensions": dimensions})
    report = analyse_raters(from_frame(turned, target="target", rater="rater", instrument=instrument))
    for rater in study.report().raters:
        other = rater_of(report, rater.name)
        assert isinstance(rater.severity, Severity)
        assert isinstance(other.severity, Severity)
        assert other.severity.estimate.value == pytest.approx(rater.severity.estimate.value, abs=1e-5)
        mine, yours = rater.severities["d1"], other.severities["d1"]
        assert isinstance(mine, Severity)
        assert isinstance(yours, Severity)
        assert yours.estimate.value == pytest.approx(-mine.estimate.value, abs=1e-5)
    assert any("Turned round" in note and "d1" in note for note in report.notes)


def test_severity_by_dimension_is_that_of_the_dimension_alone() -> None:
    study = grid()
    alone = analyse_raters(
        from_frame(study.frame.select("target", "rater", "d2"), target="target", rater="rater", scale="1:5")
    )
    for rater in study.report().raters:
        mine, yours = rater.severities["d2"], rater_of(alone, rater.name).severity
        assert isinstance(mine, Severity)
        assert isinstance(yours, Severity)
        assert yours.estimate.value == pytest.approx(mine.estimate.value, abs=1e-6)
        assert yours.prediction_se == pytest.approx(mine.prediction_se, abs=1e-6)


def test_dropping_a_rater_is_the_analysis_of_the_other_ratings() -> None:
    study = crowd(5)
    study.replace("rater_08", lambda v: study.rng.integers(1, 6, v.shape).astype(float))
    report = study.report()
    dropped = rater_of(report, "rater_08").without
    assert dropped is not None
    everyone = {d.name: d for d in analyse_reliability(study.read()).dimensions}
    rest = Study(study.frame.filter(pl.col("rater") != "rater_08"), study.rng).read()
    for change in dropped.changes:
        before = everyone[change.dimension]
        (after,) = (d for d in analyse_reliability(rest, k=before.k).dimensions if d.name == change.dimension)
        assert change.rel_single == pytest.approx((before.rel_single.value, after.rel_single.value), abs=1e-6)
        assert change.rel_k == pytest.approx((before.rel_k.value, after.rel_k.value), abs=1e-6)
        assert change.mean == pytest.approx((before.mean.value, after.mean.value))
        assert change.band == (before.band, after.band)
        low, high = before.rel_k.low, before.rel_k.high
        assert low is not None
        assert high is not None
        assert change.within == (low <= after.rel_k.value <= high)


def test_all_flagged_raters_are_dropped_together_and_the_severe_kept_apart() -> None:
    study = crowd(5)
    study.replace("rater_08", lambda v: study.rng.integers(1, 6, v.shape).astype(float))
    study.replace("rater_20", lambda v: np.clip(v - 2.0, 1.0, 5.0))
    report = study.report()
    assert report.together is not None
    assert set(report.together.raters) == {rater.name for rater in report.flagged}
    assert report.but_severe is not None
    assert "rater_08" in report.but_severe.raters
    assert "rater_20" not in report.but_severe.raters


def test_a_given_k_is_kept() -> None:
    report = analyse_raters(grid().read(), k=3)
    assert set(report.k.values()) == {3.0}


def test_those_worth_a_look_come_first_and_care_before_severity() -> None:
    study = crowd(5)
    study.hurry("rater_13", 10.0)
    study.replace("rater_20", lambda v: np.clip(v - 2.0, 1.0, 5.0))
    report = study.report(timed=True)
    flagged = [bool(rater.flags) for rater in report.raters]
    assert flagged == sorted(flagged, reverse=True)
    assert report.raters[0].name == "rater_13"


def test_one_dimension_has_no_straight_lining_and_no_halo_and_says_so() -> None:
    report = grid(dimensions=1).report()
    for rater in report.raters:
        assert isinstance(rater.straight_lining, Refusal)
        assert "only 1 dimension" in rater.straight_lining.reason
        assert isinstance(rater.halo, Refusal)
        assert isinstance(rater.severity, Severity)


def test_a_rater_with_one_rating_is_described_and_refused_what_one_rating_cannot_tell() -> None:
    study = grid()
    extra = pl.DataFrame([{"target": "t03", "rater": "solo", "d0": 5.0}], schema=study.frame.schema)
    report = Study(pl.concat([study.frame, extra]), study.rng).report()
    solo = rater_of(report, "solo")
    assert (solo.n_ratings, solo.n_targets, solo.flags) == (1, 1, ())
    assert isinstance(solo.severity, Severity)
    others = rater_of(report, "r0").severity
    assert isinstance(others, Severity)
    assert solo.severity.prediction_se > others.prediction_se
    assert all(isinstance(part, Refusal) for part in (solo.agreement, solo.straight_lining, solo.halo))


def test_a_constant_rater_has_no_agreement_and_is_named_by_its_value() -> None:
    study = grid()
    study.replace("r3", lambda v: np.full(v.shape, 4.0))
    rater = rater_of(study.report(), "r3")
    assert isinstance(rater.agreement, Refusal)
    reasons = {flag.rule: flag.reason for flag in rater.flags}
    assert reasons["one_value"] == "one value, 4, for all 80 ratings"


def test_two_raters_are_not_told_apart_by_their_scatter() -> None:
    report = grid(raters=2).report()
    assert all(isinstance(rater.consistency, Refusal) for rater in report.raters)


def test_raters_who_share_no_target_are_refused_with_the_reason() -> None:
    frame = grid().frame.with_row_index().with_columns(rater=pl.format("r{}", "index")).drop("index")
    report = Study(frame, np.random.default_rng(1)).report()
    assert all(isinstance(rater.severity, Refusal) for rater in report.raters)
    assert all(isinstance(rater.consistency, Refusal) for rater in report.raters)
    assert "each rater rated one target only" in str(report.raters[0].severity)


def test_a_nominal_dimension_is_refused_and_the_others_go_on() -> None:
    study = grid()
    scale = {"points": [1, 2, 3, 4, 5]}
    dimensions = [
        {"name": f"d{d}", "title": "x", "scale": {**scale, "level": "nominal" if d == 0 else "ordinal"}}
        for d in range(4)
    ]
    instrument = Instrument.model_validate({"name": "i", "version": "1", "title": "x", "dimensions": dimensions})
    report = analyse_raters(from_frame(study.frame, target="target", rater="rater", instrument=instrument))
    assert list(report.refused) == ["d0"]
    assert report.dimensions == ("d1", "d2", "d3")


def test_replicates_are_repeated_answers_and_not_further_targets() -> None:
    frame = pl.concat([grid(seed=s).frame.with_columns(replicate=pl.lit(s)) for s in (1, 2)])
    ratings = from_frame(frame, target="target", rater="rater", replicate="replicate", scale="1:5")
    report = analyse_raters(ratings)
    assert {rater.n_targets for rater in report.raters} == {20}
    assert {rater.n_ratings for rater in report.raters} == {160}


def test_the_sentences_accuse_nobody() -> None:
    study = crowd(5)
    study.replace("rater_08", lambda v: study.rng.integers(1, 6, v.shape).astype(float))
    study.hurry("rater_13", 10.0)
    report = study.report(timed=True)
    said = " ".join([*report.findings, *(flag.reason for rater in report.flagged for flag in rater.flags)]).lower()
    assert not {"bad", "cheat", "careless", "fraud", "lazy", "wrong", "unreliable"} & set(said.replace(",", "").split())
    assert "worth a look" in said


def test_seconds_and_order_belong_to_their_rows() -> None:
    study = grid()
    slow = pl.DataFrame({"row": np.arange(2, 122), "value": np.where(study.frame["rater"] == "r1", 5.0, 100.0)})
    order = pl.DataFrame({"row": np.arange(2, 122), "value": np.arange(120.0)})
    report = analyse_raters(study.read(), seconds=slow, order=order)
    assert "speed" in rules_of(report, "r1")
    lines = rater_of(report, "r0").straight_lining
    assert isinstance(lines, StraightLining)
    assert lines.longest_run
    assert report.norms.seconds == 100.0


@pytest.mark.parametrize("options", [{"k": 0.0}, {"k": float("nan")}, {"level": 1.0}, {"level": 0.0}])
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(InputError):
        analyse_raters(grid().read(), **options)  # type: ignore[arg-type]


def test_ratings_without_a_value_are_refused() -> None:
    frame = pl.DataFrame({"target": ["a"], "rater": ["b"], "x": [None]}, schema_overrides={"x": pl.Float64})
    ratings = from_frame(frame, target="target", rater="rater", dimensions="x", scale="1:5")
    with pytest.raises(InputError, match="no rating with a value"):
        analyse_raters(ratings)


def test_parts_of_a_narrow_range_far_from_zero_have_labels_of_their_own() -> None:
    edges, labels = parts_of(Scale(level="interval", low=999_999_999.0, high=1_000_000_001.0), np.array([1e9]))
    assert len(edges) == len(set(labels)) == 10
    assert labels[0] == "999999999 to 999999999.2"
    assert parts_of(Scale(level="interval", low=0.0, high=1.0), np.array([0.5]))[1][0] == "0 to 0.1"
