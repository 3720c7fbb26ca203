"""Repeated measurement as it is printed: terminal, page, figures, LaTeX, JSON, CSV."""

import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from dialgauge.analyse.retest import Retest, analyse_retest
from dialgauge.report.retest.charts import COLOURS, draw_retest_figures
from dialgauge.report.retest.latex import retest_tables, retest_to_latex
from dialgauge.report.retest.page import render_retest_page
from dialgauge.report.retest.record import retest_schema, retest_to_csv, retest_to_dict, retest_to_json
from dialgauge.report.retest.terminal import render_retest
from dialgauge.simulate.retest import RepeatProfile, generate_retest_study

DOCS = Path(__file__).parents[3] / "docs"
NASTY = "<script>alert(1)</script> & 50% _x_ \x1b[31m"


@pytest.fixture(scope="module")
def analysis() -> Retest:
    return analyse_retest(generate_retest_study(seed=1, n_targets=60, missing_share=0.08), agreement_on="all")


@pytest.fixture(scope="module")
def nasty() -> Retest:
    profiles = [RepeatProfile(f"{NASTY}{i}", NASTY, 0.97) for i in range(2)]
    ratings = generate_retest_study(profiles, seed=1, n_targets=30, raters=(NASTY, "b"))
    return analyse_retest(replace(ratings, source=NASTY, notes=(NASTY,)))


def test_the_terminal_shows_counts_groups_values_and_the_three_answers(analysis: Retest) -> None:
    text = render_retest(analysis)
    assert max(map(len, text.splitlines())) <= 100
    for word in ("Study 1", "adaptive timing", "Study 3", "- H1, ", "- H2, ", "- H3, ", "model-c"):
        assert word in text
    assert re.search(r"^model-a +ICC\(3,1\) ", text, re.MULTILINE)


def test_few_rows_are_shown_one_by_one() -> None:
    ratings = generate_retest_study([RepeatProfile("pace", "g", 0.97)], seed=1, n_targets=200)
    text = render_retest(analyse_retest(ratings))
    assert re.search(r"^pace +model-a +\.9\d+ +\[.*\] +excellent +\.9\d+ +real-time$", text, re.MULTILINE)


@pytest.mark.parametrize("width", [44, 70])
def test_a_narrow_terminal_is_not_overrun(analysis: Retest, width: int) -> None:
    text = render_retest(analysis, width=width, ascii_only=True)
    assert text.isascii()


def test_the_page_is_whole_and_asks_nothing_of_the_network(analysis: Retest) -> None:
    page = render_retest_page(analysis)
    assert page.rstrip().endswith("</html>")
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    for anchor in set(re.findall(r'href="#([\w-]+)"', page)):
        assert f'id="{anchor}"' in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for title in ("Study 1", "Study 2", "Study 3", "All dimensions"):
        assert title in page


def test_names_are_escaped_everywhere(nasty: Retest) -> None:
    page, text = render_retest_page(nasty), render_retest(nasty)
    assert "<script" not in page
    assert "\x1b" not in page + text
    latex = retest_to_latex(nasty)
    assert r"\textless{}script\textgreater{}" in latex
    assert "\x1b" not in latex
    assert not re.search(r"(?<!\\)[&%_]x_", latex)


def test_a_large_study_has_several_heat_maps_and_one_row_a_dimension() -> None:
    profiles = [RepeatProfile(f"d{i:03d}", f"group {i % 4}", 0.9) for i in range(130)]
    found = analyse_retest(generate_retest_study(profiles, seed=1, n_targets=12, raters=("a", "b")))
    assert [figure.name for figure in draw_retest_figures(found)] == [
        "distribution",
        *(f"classes-{i}" for i in (1, 2, 3)),
    ]
    page = render_retest_page(found)
    assert len(re.findall(r'<tr><th scope="row">d\d{3}<br>', page)) == 130


def test_there_is_a_latex_table_for_each_rater_pair_and_study(analysis: Retest) -> None:
    tables = retest_tables(analysis)
    classes = [f"classes-{part}-{i}" for part in ("single", "mean") for i in (1, 2, 3)]
    across = [f"correspondence-{part}-{i}" for part in ("single", "mean") for i in (1, 2, 3)]
    assert set(tables) == {*classes, *across, "concordance-single", "concordance-mean", "agreement"}
    for table in tables.values():
        spec = re.search(r"\\begin\{tabular\}\{([lr ]+)\}", table)
        assert spec is not None
        columns = len(spec[1].replace(" ", ""))
        rows = [line for line in table.splitlines() if line.endswith(r"\\")]
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {columns}


def test_the_json_is_strict_and_its_keys_are_documented(analysis: Retest) -> None:
    record = json.loads(retest_to_json(analysis), parse_constant=pytest.fail)
    assert record == json.loads(json.dumps(retest_to_dict(analysis)))
    page = (DOCS / "retest.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`(\w+)`", page))
    parts = [
        record,
        record["repeats"][0],
        record["summaries"][0],
        record["universality"][0],
        record["universality"][0]["pairs"][0],
        record["universality"][0]["groups"][0],
        record["values"],
        record["values"]["pairs"][0],
        record["values"]["bands"][0],
    ]
    assert {key for part in parts for key in part} <= documented


def test_the_csv_has_a_row_per_dimension_and_rater_and_the_same_columns_always(
    analysis: Retest, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(retest_to_csv(analysis), encoding="utf-8")
    frame = pl.read_csv(tmp_path / "a.csv")
    assert frame.height == len(analysis.repeats)
    assert frame.columns == list(retest_schema())
    assert frame["single"].to_list() == pytest.approx([r.value("single") for r in analysis.repeats])


def test_figures_and_tables_mark_a_class_with_one_colour(analysis: Retest) -> None:
    page = render_retest_page(analysis)
    drawn = "".join(figure.svg for figure in draw_retest_figures(analysis))
    for name in {r.class_single for r in analysis.repeats} - {None}:
        assert name is not None
        assert f'th.{name}::before, .band.{name}::before {{ content: "■ "; color: {COLOURS[name]}; }}' in page
        assert f'fill="{COLOURS[name]}"' in drawn
