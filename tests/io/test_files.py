"""A table is read from a file as it stands, and a file that is no table is refused with the line and the remedy."""

import contextlib
import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import TableError
from dialgauge.io.files import read_table

TEXT = "target,rater,value\nd1,r1,4\nd2,r1,5\n"


def save(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def cells(path: Path) -> list[tuple[str, ...]]:
    table = read_table(path)
    return table.frame.select(table.columns).rows()


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_comma_semicolon_and_tab_are_told_apart(tmp_path: Path, sign: str) -> None:
    table = read_table(save(tmp_path, TEXT.replace(",", sign)))
    assert table.columns == ["target", "rater", "value"]
    assert table.frame.height == 2


def test_the_delimiter_is_the_one_that_splits_header_and_first_row_alike(tmp_path: Path) -> None:
    path = save(tmp_path, 'target;rater;a, b, c and d\nd1;r1;"x;y"\n')
    assert read_table(path).columns == ["target", "rater", "a, b, c and d"]
    assert cells(path) == [("d1", "r1", "x;y")]


def test_a_tsv_file_is_split_at_tabs_only(tmp_path: Path) -> None:
    assert cells(save(tmp_path, "target\tvalue\na,b,c\t4\n", "t.tsv")) == [("a,b,c", "4")]


def test_a_byte_order_mark_is_no_part_of_the_first_column_name(tmp_path: Path) -> None:
    assert read_table(save(tmp_path, b"\xef\xbb\xbf" + TEXT.encode())).columns == ["target", "rater", "value"]


def test_blanks_around_column_names_go_and_cells_stay_as_they_are(tmp_path: Path) -> None:
    table = read_table(save(tmp_path, " target , value\n 007 ,4 \n"))
    assert table.columns == ["target", "value"]
    assert table.frame.row(0)[:2] == (" 007 ", "4 ")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_carry_the_line_on_which_they_begin_also_after_blank_lines_and_cells_of_several_lines(
    tmp_path: Path, end: str
) -> None:
    text = 'target,value\n"a\nb",1\n\nc,2\n"d\n\ne",3\nf,4\n'.replace("\n", end)
    assert read_table(save(tmp_path, text)).rows.to_list() == [2, 5, 6, 9]


def test_rows_and_columns_without_any_entry_are_left_out_and_counted(tmp_path: Path) -> None:
    table = read_table(save(tmp_path, ",target,value\n0,d1,4\n,,\n2,d2,5\n,,\n"))
    assert table.columns == ["target", "value"]
    assert table.rows.to_list() == [2, 4]
    assert table.notes == ("Left out: 2 rows without any entry.", "Left out: 1 column without a name.")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n\n", "is empty"),
        (b"target,value\n", "no rows below its header"),
        (b",,\n1,2,3\n", "names no column"),
        (b"target,rater,rater\na,b,c\n", "more than one column named 'rater'"),
        (b"target,value\na,1\nb,2,3\nc,3\n", "line 3 .* has 3 fields where the header has 2"),
        (b'target,value\n"a\nb",1\nc\n', "line 4 .* has 1 fields where the header has 2"),
        (b'target,value\na,1\n"b,2\nc,3\n', "line 3 .* quotation marks"),
        (b'target,value\na,1\n"b"x,2\n', "line 3 .* quotation marks"),
        (b'"target,value\na,1\n', "line 1 .* quotation marks"),
        ("target,value\na,1\né,1\n".encode("latin-1"), "not UTF-8 text .byte 0xe9 on line 3"),
        (TEXT.encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04rest of a workbook", "Excel workbook"),
        (b"\x1f\x8b\x08rest", "compressed"),
        (b"PAR1rest", "Parquet"),
        (b"a,b\n\0\1\2", "binary"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_what_is_wrong(tmp_path: Path, content: bytes, problem: str) -> None:
    path = save(tmp_path, content)
    with pytest.raises(TableError, match=problem) as error:
        read_table(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_wrong_byte_far_down_is_found_on_its_line(tmp_path: Path) -> None:
    path = save(tmp_path, b"target,value\n" + b"d,1\n" * 100_000 + b"\xff,1\n")
    with pytest.raises(TableError, match="0xff on line 100002"):
        read_table(path)


def test_a_ragged_row_far_down_is_found_on_its_line(tmp_path: Path) -> None:
    path = save(tmp_path, "target,value\n" + "d,1\n" * 70_000 + "\nd\n")
    with pytest.raises(TableError, match="line 70003"):
        read_table(path)


def test_a_missing_file_a_folder_and_an_unknown_suffix_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no file"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match="not a file"):
        read_table(tmp_path / "folder.csv")
    with pytest.raises(TableError, match=r"suffix '.xlsx'; tables are read from .csv, .tsv, .jsonl"):
        read_table(save(tmp_path, TEXT, "t.xlsx"))


def test_json_lines_keep_their_line_numbers_and_lacking_keys_are_empty(tmp_path: Path) -> None:
    table = read_table(save(tmp_path, '{"target": 7, "value": 1}\n\n{"target": 8, "note": "x"}\n', "t.jsonl"))
    assert table.frame.select(table.columns).rows() == [(7, 1, None), (8, None, "x")]
    assert table.rows.to_list() == [1, 3]


@pytest.mark.parametrize(
    ("line", "problem"),
    [("{", "line 2 .* is not JSON"), ("[1]", "line 2 .* no JSON object"), ("[" * 100_000, "line 2 .* is not JSON")],
)
def test_a_line_that_is_no_json_object_is_refused_by_number(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(TableError, match=problem):
        read_table(save(tmp_path, '{"target": 7}\n' + line + "\n", "t.jsonl"))


def test_a_broken_parquet_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot be read as Parquet"):
        read_table(save(tmp_path, b"PAR1 and nothing else", "t.parquet"))


def test_rows_of_parquet_are_counted_as_if_below_a_header(tmp_path: Path) -> None:
    pl.DataFrame({"target": ["a", "b"]}).write_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").rows.to_list() == [2, 3]


CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8))
def test_whatever_the_csv_module_writes_is_read_back_cell_by_cell(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("first", "second"), *rows])
    assert cells(path) == rows


@given(st.binary(max_size=60))
def test_no_bytes_make_reading_fail_in_any_other_way(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        path = save(tmp_path_factory.mktemp("any"), content, name)
        with contextlib.suppress(TableError):
            assert read_table(path).frame.height
