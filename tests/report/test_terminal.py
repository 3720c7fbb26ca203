"""The table in a terminal: its width, its alignment, its safety."""

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from dialgauge.analyse.results import Reliability
from dialgauge.report.terminal import render

from .conftest import estimate, make_dimension

LONG = "a_dimension_with_a_name_that_no_table_of_a_hundred_columns_can_hold"


def widths(text: str) -> list[int]:
    return [cell_len(line) for line in text.splitlines()]


def table_of(text: str) -> list[str]:
    """Return the lines of the table below its rule."""
    lines = text.splitlines()
    rule = next(i for i, line in enumerate(lines) if set(line) in ({"─"}, {"-"}))
    return lines[rule + 1 : lines.index("", rule)]


def test_the_rule_is_exactly_a_hundred_columns_wide_and_nothing_is_wider(analysis: Reliability) -> None:
    text = render(analysis)
    assert "─" * 100 in text.splitlines()
    assert max(widths(text)) == 100


def test_a_name_is_whole_where_narrower_gaps_make_room_for_it(analysis: Reliability) -> None:
    free = 100 - cell_len(table_of(render(analysis))[0].rstrip())
    name = "cui_understanding_x" + "y" * max(free, 0)
    text = render(replace(analysis, dimensions=(make_dimension(name), *analysis.dimensions)))
    assert max(widths(text)) == 100
    assert any(line.startswith(f"{name} ") for line in table_of(text))


@pytest.mark.parametrize("name", [LONG, "対話の自然さと一貫性についての評価尺度の名前です" * 3, "x" * 500])
def test_a_long_name_is_cut_so_that_the_table_fits(analysis: Reliability, name: str) -> None:
    text = render(replace(analysis, dimensions=(make_dimension(name), *analysis.dimensions), findings=(name,)))
    assert max(widths(text)) == 100
    assert "…" in table_of(text)[0]


def test_negative_values_keep_the_decimal_points_below_each_other(analysis: Reliability) -> None:
    negative = replace(
        make_dimension("negative"), rel_single=estimate(-0.412), rel_k=estimate(-0.9), alpha_ordinal=estimate(-0.317)
    )
    text = render(replace(analysis, dimensions=(*analysis.dimensions, negative)))
    points = [[i for i, sign in enumerate(line) if sign == "."] for line in table_of(text)]
    full = max(points, key=len)
    assert all(set(row) <= set(full) for row in points)
    assert "−.317" in text
    assert max(widths(text)) == 100


def test_rows_stand_in_the_order_of_rel_k(analysis: Reliability) -> None:
    assert [line.split()[0] for line in table_of(render(analysis))] == [d.name for d in analysis.dimensions]


def test_the_design_stands_above_the_table_in_one_sentence(analysis: Reliability) -> None:
    flat = " ".join(render(analysis).split())
    assert "200 targets × 117 raters, 1,053 ratings per dimension, k = 5.2 (harmonic mean), sparse crossed" in flat
    assert "connected, scale 1..5 (ordinal)" in flat


def test_what_could_not_be_computed_comes_with_reason_and_remedy(analysis: Reliability) -> None:
    flat = " ".join(render(analysis).split())
    assert "constant: all 1053 ratings are 4: there is no variance to divide. What would help: use targets" in flat
    assert "dull, Krippendorff’s alpha, ordinal: the ranks of all ratings are tied. What would help: use" in flat


def test_a_finding_of_several_dimensions_is_said_once(analysis: Reliability) -> None:
    text = render(analysis)
    assert "intention_to_purchase, cui_rapport and dull: Raters differ in severity." in text
    assert text.count("Raters differ in severity.") == 1


def test_an_interval_that_could_not_be_formed_is_shown_as_open(analysis: Reliability) -> None:
    open_ended = replace(make_dimension("open"), rel_k=estimate(0.6, flags=("no_interval",)))
    assert ".600 [–, –]" in render(replace(analysis, dimensions=(open_ended,)))


def test_hostile_names_reach_the_terminal_as_plain_text(hostile: Reliability) -> None:
    for styled in (False, True):
        text = render(hostile, styled=styled)
        assert "\x1b[31m" not in text
        assert "\x07" not in text
        assert "\u202e" not in text
        assert r"\x1b[31mred" in text
    assert "\x1b" not in render(hostile)


def test_ascii_output_is_ascii_and_as_wide(analysis: Reliability) -> None:
    text = render(replace(analysis, notes=("größe → Ω",)), ascii_only=True)
    assert text.isascii()
    assert "-" * 100 in text.splitlines()
    assert max(widths(text)) == 100


def test_styles_add_codes_and_change_no_character(analysis: Reliability) -> None:
    styled = render(analysis, styled=True)
    assert "\x1b[" in styled
    assert re.sub(r"\x1b\[[0-9;]*m", "", styled) == render(analysis)


@pytest.mark.parametrize("width", [44, 60, 80, 99])
def test_a_narrow_terminal_gets_fewer_columns_and_is_told(analysis: Reliability, width: int) -> None:
    text = render(analysis, width=width)
    assert max(widths(text)) == width
    assert "Rel(k)" in text
    assert ("Some columns do not fit" in text) == (width < 94)


def test_a_wide_terminal_gets_a_hundred_columns(analysis: Reliability) -> None:
    assert render(analysis, width=250) == render(analysis)


def test_without_any_dimension_the_reasons_stand_alone(analysis: Reliability) -> None:
    text = render(replace(analysis, dimensions=(), findings=()))
    assert "─" not in text
    assert "all 1053 ratings are 4" in text


def test_a_k_that_was_asked_for_is_said_to_be(analysis: Reliability) -> None:
    asked = tuple(replace(d, k=10.0) for d in analysis.dimensions)
    assert "k = 10 (asked for)" in render(replace(analysis, dimensions=asked))


def test_dimensions_whose_intervals_cover_something_else_are_named(analysis: Reliability) -> None:
    *others, last = analysis.dimensions
    alone = replace(last, rel_k=replace(last.rel_k, covers="targets"))
    flat = " ".join(render(replace(analysis, dimensions=(*others, alone))).split())
    assert "95% interval, covering the sampling of targets and raters (for dull: targets). res.: residual." in flat


def test_long_lists_are_cut_in_the_terminal_only(analysis: Reliability) -> None:
    many = tuple(replace(make_dimension(f"d{i:02d}"), findings=(f"Value .{i:03d} here.",)) for i in range(20))
    names = ", ".join(d.name for d in many)
    long = replace(analysis, dimensions=many, findings=(f"Poor: {names}.",))
    flat = " ".join(render(long).split())
    assert "- Poor: d00, d01, d02, d03, d04 and 15 more." in flat
    assert "- d00: Value .000 here. Likewise d01 (.001); d02 (.002)" in flat
    assert "d06 (.006); and 13 more." in flat
