"""The table of raters in a terminal."""

import pytest

from dialgauge.analyse.raters import RaterReport
from dialgauge.report.raters.terminal import render_raters


def test_no_line_is_wider_than_asked_for(report: RaterReport, crowded: RaterReport) -> None:
    for width in (44, 60, 80, 100, 200):
        for made in (report, crowded):
            assert max(map(len, render_raters(made, width=width).splitlines())) <= min(width, 100)


def test_those_worth_a_look_stand_first_with_rule_and_reason(report: RaterReport) -> None:
    text = render_raters(report)
    rows = [line for line in text.splitlines() if line.startswith("rater_")]
    assert len(rows) == 12
    assert rows[0].startswith("rater_03")
    assert "one value" in rows[0]
    assert any("speed" in row for row in rows[:4])
    assert "- rater_03: one value, 4, for all 60 ratings" in text
    assert "Without: Rel(k) changes by" in text


def test_at_most_twenty_raters_have_a_row_and_the_others_are_counted(crowded: RaterReport) -> None:
    text = render_raters(crowded)
    assert sum(line.startswith("rater_") for line in text.splitlines()) == 20
    assert "and 15 more, none of them worth a look; CSV, JSON and page have all." in text


def test_columns_that_hold_nothing_are_left_out_and_the_reason_is_given(plain: RaterReport) -> None:
    text = render_raters(plain)
    head = next(line for line in text.splitlines() if line.startswith("rater "))
    assert "halo" not in head
    assert "seconds" not in head
    assert "all raters, straight-lining: only 1 dimension on one scale" in text
    assert "--seconds" not in text  # what was not asked for is no gap


def test_a_narrow_terminal_leaves_columns_out_and_says_so(report: RaterReport, plain: RaterReport) -> None:
    assert "Some columns do not fit this terminal" in render_raters(report, width=50)
    assert "Some columns do not fit" not in render_raters(plain)


def test_ascii_has_no_other_character(report: RaterReport, hostile: RaterReport) -> None:
    for made in (report, hostile):
        text = render_raters(made, ascii_only=True)
        assert text.isascii()
        assert "\x1b" not in text


def test_names_cannot_steer_the_terminal(hostile: RaterReport) -> None:
    text = render_raters(hostile)
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


@pytest.mark.parametrize("styled", [True, False])
def test_bold_is_used_only_where_the_terminal_can(report: RaterReport, styled: bool) -> None:
    assert ("\x1b[1m" in render_raters(report, styled=styled)) == styled
