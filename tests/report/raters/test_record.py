"""Raters as JSON and CSV."""

import json

import polars as pl

from dialgauge.analyse.raters import RaterReport
from dialgauge.report.raters.record import raters_to_csv, raters_to_dict, raters_to_frame, raters_to_json


def test_the_json_is_strict_and_ascii_and_holds_every_rater(
    report: RaterReport, plain: RaterReport, hostile: RaterReport
) -> None:
    for made in (report, plain, hostile):
        text = raters_to_json(made)
        assert text.isascii()
        read = json.loads(text, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
        assert [rater["name"] for rater in read["raters"]] == [rater.name for rater in made.raters]
        assert read == raters_to_dict(made)


def test_the_keys_of_every_rater_are_the_same(report: RaterReport, plain: RaterReport) -> None:
    keys = {tuple(rater) for made in (report, plain) for rater in json.loads(raters_to_json(made))["raters"]}
    assert len(keys) == 1
    inner = {
        (name, tuple(sorted(rater[name])))
        for rater in json.loads(raters_to_json(report))["raters"]
        for name in ("severity", "straight_lining", "speed")
        if "reason" not in rater[name]
    }
    assert len(inner) == 3


def test_a_refusal_has_no_value_and_a_reason(plain: RaterReport) -> None:
    first = json.loads(raters_to_json(plain))["raters"][0]
    assert first["halo"]["value"] is None
    assert first["halo"]["flags"] == ["refused"]
    assert first["straight_lining"]["share"] is None
    assert "one scale" in first["straight_lining"]["reason"]
    assert first["speed"]["median"] is None


def test_what_dropping_changes_stands_with_the_rater_and_for_all_together(report: RaterReport) -> None:
    read = json.loads(raters_to_json(report))
    first = read["raters"][0]
    assert [c["dimension"] for c in first["without"]["changes"]] == ["d0", "d1", "d2", "d3"]
    assert {"rel_k_before", "rel_k_after", "band_before", "band_after", "within_interval"} <= set(
        first["without"]["changes"][0]
    )
    assert set(read["together"]["raters"]) == {r["name"] for r in read["raters"] if r["worth_a_look"]}
    assert read["raters"][-1]["without"] is None


def test_the_csv_has_a_row_per_rater_and_reads_back(report: RaterReport, plain: RaterReport) -> None:
    for made in (report, plain):
        frame = raters_to_frame(made)
        again = pl.read_csv(raters_to_csv(made).encode(), schema_overrides=frame.schema)
        assert again["rater"].to_list() == [rater.name for rater in made.raters]
        assert again.columns == frame.columns
        assert not frame.select(pl.col(pl.Float64).is_nan().any()).row(0).count(True)
    assert {f"severity_d{d}" for d in range(4)} <= set(raters_to_frame(report).columns)


def test_the_csv_has_the_numbers_of_the_record(report: RaterReport) -> None:
    row = raters_to_frame(report).row(0, named=True)
    read = json.loads(raters_to_json(report))["raters"][0]
    assert row["severity"] == read["severity"]["value"]
    assert row["consistency_high"] == read["consistency"]["high"]
    assert row["straight"] == read["straight_lining"]["n_straight"]
    assert row["rules"].split("; ") == [flag["rule"] for flag in read["flags"]]
