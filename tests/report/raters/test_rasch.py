"""The many-facet Rasch model in the terminal, on the page, in JSON and CSV."""

import json
from dataclasses import replace

import pytest
from rich.cells import cell_len

from dialgauge.analyse.raters import RaterReport
from dialgauge.analyse.raters.rasch import RaschReport, fit_rasch_dimensions
from dialgauge.io import from_frame
from dialgauge.report.numerals import decimal
from dialgauge.report.raters.numbers import signed
from dialgauge.report.raters.page import render_rater_page
from dialgauge.report.raters.record import raters_to_frame, raters_to_json
from dialgauge.report.raters.terminal import render_raters
from dialgauge.stats.estimate import Refusal

from .conftest import HOSTILE


@pytest.fixture(scope="module")
def rasch() -> RaschReport:
    """Return the model of dimension d0 by twelve raters of whom one has a hostile name, and a refusal."""
    rows = [
        {"target": f"t{t}", "rater": HOSTILE if j == 2 else f"rater_{j:02d}", "d0": 1 + (3 * t + 2 * j * j + t * j) % 5}
        for t in range(15)
        for j in range(12)
    ]
    found = fit_rasch_dimensions(from_frame(rows, target="target", rater="rater", dimensions=["d0"], scale="1:5"))
    return replace(found, refused={"d1": Refusal("the scale is continuous", "declare points")})


@pytest.fixture(scope="module")
def shown(report: RaterReport, rasch: RaschReport) -> RaterReport:
    return replace(report, rasch=rasch)


def test_the_terminal_shows_every_rater_with_severity_fit_and_separation(
    shown: RaterReport, rasch: RaschReport
) -> None:
    text = render_raters(shown)
    d = rasch.dimensions["d0"]
    for rater in d.raters:
        assert signed(rater.severity) in text
        assert rater.infit is not None
        assert f"{rater.infit:.2f}" in text
    assert decimal(d.of_targets.reliability, 2) in text
    assert "d1: the scale is continuous. What would help: declare points." in text


@pytest.mark.parametrize("width", [44, 70, 100])
def test_no_line_is_wider_than_the_terminal_and_hostile_names_do_nothing(shown: RaterReport, width: int) -> None:
    text = render_raters(shown, width=width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert render_raters(shown, width=width, ascii_only=True).isascii()


def test_many_dimensions_are_one_table_in_the_terminal(shown: RaterReport, rasch: RaschReport) -> None:
    many = replace(rasch, dimensions={f"d{i}": replace(rasch.dimensions["d0"], name=f"d{i}") for i in range(5)})
    text = render_raters(replace(shown, rasch=many))
    assert "The page, CSV and JSON have the raters of each dimension." in text
    assert "the most severe first" not in text


def test_the_page_has_a_section_only_where_it_was_asked_for(report: RaterReport, shown: RaterReport) -> None:
    assert 'id="rasch"' not in render_rater_page(report)
    page = render_rater_page(shown)
    assert 'id="rasch"' in page
    assert 'id="rasch-1"' in page
    assert "Thresholds with their standard errors" in page
    assert "<script" not in page
    assert not {"\x1b", "\x07", "\u202e"} & set(page)


def test_the_json_holds_the_model_or_null(report: RaterReport, shown: RaterReport, rasch: RaschReport) -> None:
    assert json.loads(raters_to_json(report))["rasch"] is None
    read = json.loads(raters_to_json(shown))["rasch"]
    d = rasch.dimensions["d0"]
    found = read["dimensions"]["d0"]
    assert read["model"] == "rating_scale"
    assert found["raters"][0]["severity"] == d.raters[0].severity
    assert found["separation"]["targets"]["reliability"] == d.of_targets.reliability
    assert [step["se"] for step in found["thresholds"]] == [step.se for step in d.thresholds]
    assert read["refused"]["d1"]["remedy"] == "declare points"


def test_the_csv_has_columns_of_the_model_only_where_it_was_asked_for(
    report: RaterReport, shown: RaterReport, rasch: RaschReport
) -> None:
    assert not [name for name in raters_to_frame(report).columns if name.startswith("rasch")]
    frame = raters_to_frame(shown)
    severity = {rater.name: rater.severity for rater in rasch.dimensions["d0"].raters}
    for name, value in frame.select("rater", "rasch_severity_d0").iter_rows():
        assert value == severity.get(name)
    assert frame["rasch_infit_d0"].null_count() < frame.height
