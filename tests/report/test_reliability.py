"""The door of the library, from a frame or a file to a report."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dialgauge
from dialgauge.errors import InputError, TableError
from dialgauge.report.reliability import ReliabilityReport, reliability

ROWS = [
    {"dialogue": f"d{target}", "rater": rater, "accuracy": accuracy, "same": 4}
    for target, ratings in enumerate([(5, 4, 5), (2, 1, 3), (4, 4, 4), (3, 2, 3), (1, 1, 2), (4, 3, 5)])
    for rater, accuracy in zip("abc", ratings, strict=True)
]


def analyse(table: Any) -> ReliabilityReport:  # noqa: ANN401 (any library's frame)
    return reliability(table, target="dialogue", rater="rater", scale="1:5")


@pytest.fixture(scope="module")
def report() -> ReliabilityReport:
    return analyse(pl.DataFrame(ROWS))


def test_every_kind_of_table_gives_the_same_numbers(report: ReliabilityReport, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    pl.DataFrame(ROWS).write_csv(path)
    for table in (ROWS, pd.DataFrame(ROWS), pa.Table.from_pylist(ROWS), path, str(path)):
        assert analyse(table).dimensions == report.dimensions


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (pl.DataFrame(ROWS), pl.DataFrame),
        (pd.DataFrame(ROWS), pd.DataFrame),
        (pa.Table.from_pylist(ROWS), pa.Table),
        (ROWS, pl.DataFrame),
    ],
    ids=["polars", "pandas", "pyarrow", "dicts"],
)
def test_the_frame_is_of_the_callers_kind(
    table: Any,  # noqa: ANN401 (any library's frame)
    kind: type,
    report: ReliabilityReport,
) -> None:
    frame: Any = analyse(table).to_frame()
    as_polars = pl.DataFrame(frame)
    assert type(frame) is kind
    assert as_polars["dimension"].to_list() == ["accuracy", "same"]
    assert as_polars["rel_k"].to_list() == [report.dimensions[0].rel_k.value, None]
    assert as_polars.columns == report.to_frame().columns


def test_the_report_prints_as_the_table(report: ReliabilityReport) -> None:
    text = str(report)
    assert "accuracy" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) == 100
    assert not text.endswith("\n")


def test_the_parts_of_the_analysis_are_at_hand(report: ReliabilityReport) -> None:
    assert report.design.n_targets == 6
    assert [d.name for d in report.dimensions] == ["accuracy"]
    assert [d.name for d in report.refused] == ["same"]
    assert report.notes
    assert report.findings


def test_the_report_is_saved_in_every_form(report: ReliabilityReport, tmp_path: Path) -> None:
    report.save_html(tmp_path / "a.html")
    report.to_csv(tmp_path / "a.csv")
    assert report.to_latex(tmp_path / "a.tex") == (tmp_path / "a.tex").read_text(encoding="utf-8")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").startswith("dimension,status,")
    assert json.loads(report.to_json()) == json.loads(json.dumps(report.to_dict()))
    assert "<table>" in report._repr_html_()


def test_a_page_that_cannot_be_written_is_an_input_error(report: ReliabilityReport, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        report.save_html(tmp_path / "none" / "a.html")


def test_options_reach_reader_and_analysis() -> None:
    report = dialgauge.reliability(
        pl.DataFrame(ROWS), target="dialogue", rater="rater", scale="1:5", dimensions="accuracy", k=2, level=0.9, seed=5
    )
    assert (report.dimensions[0].k, report.analysis.level, report.analysis.seed, len(report.refused)) == (2, 0.9, 5, 0)


@pytest.mark.parametrize(("k", "level"), [(0.0, 0.95), (float("nan"), 0.95), (2.0, 1.0), (2.0, 0.0)])
def test_options_out_of_range_are_input_errors(k: float, level: float) -> None:
    with pytest.raises(InputError):
        reliability(ROWS, target="dialogue", rater="rater", scale="1:5", k=k, level=level)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(TableError, match="give a pandas, Polars or PyArrow table"):
        reliability(42, scale="1:5")
