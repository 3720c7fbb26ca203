"""Lines for a terminal: bounded, aligned, in ASCII where it must be."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dialgauge.report.lines import Column, Lines, drop_to_fit, total_width


def columns(*ranks: int) -> list[Column]:
    return [Column(("", f"head {rank}"), ["1", "22"], rank=rank) for rank in ranks]


def test_columns_of_the_highest_rank_go_first_and_those_without_a_rank_stay() -> None:
    kept = drop_to_fit(columns(0, 2, 1, 0), 22)
    assert [column.rank for column in kept] == [0, 1, 0]
    assert total_width(kept) == 22
    assert [column.rank for column in drop_to_fit(columns(0, 2, 1, 0), 3)] == [0, 0]


def test_a_table_says_whether_all_columns_had_room() -> None:
    lines = Lines(width=44, ascii_only=False)
    assert lines.table(columns(0, 1), bold=[1])
    assert not lines.table(columns(*[1] * 9))
    text = lines.to_text(styled=True)
    assert "\x1b[1m" in text
    assert "─" * 14 in text


def test_grouped_columns_stand_below_a_common_heading() -> None:
    both = Column.group("power for", columns(0, 1), rank=3)
    assert both.lines() == ["power for    ", "head 0 head 1", "     1      1", "    22     22"]
    assert both.rank == 3


@given(st.text(max_size=400), st.integers(1, 200), st.booleans())
def test_no_sentence_is_wider_than_the_lines(text: str, width: int, ascii_only: bool) -> None:
    lines = Lines(width=width, ascii_only=ascii_only)
    lines.say(" ".join(text.split()), bullet="- ")
    assert 44 <= lines.width <= 100
    written = lines.to_text(styled=False)
    assert all(cell_len(line) <= lines.width for line in written.splitlines())
    assert written.isascii() or not ascii_only
