"""A row filter is a small language of its own: it keeps rows, counts them, and can do nothing else."""

import contextlib
import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import InputError, TableError
from dialgauge.io import from_frame
from dialgauge.io.frames import take_frame
from dialgauge.io.where import LONGEST, filter_rows

FRAME = pl.DataFrame(
    {
        "row": [1, 2, 3, 4],
        "gold": ["0", "1", "", "0"],
        "time": [10.5, None, 300.0, 20.0],
        "my column": ["x", "y", "NA", "it's"],
        "flag": [True, False, None, True],
        "mixed": ["1", "a", "2", "b"],
        "day": [dt.date(2025, 1, day) for day in (1, 2, 3, 4)],
        "id": ["007", "7", "8", "9"],
    }
)
TABLE = take_frame(FRAME, "the table")


def kept(where: str) -> list[int]:
    return filter_rows(TABLE, where).frame["row"].to_list()


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("gold == 0", [1, 4]),
        ("gold != 0", [2]),
        ("0 == gold", [1, 4]),
        ("15 < time", [3, 4]),
        ("15 >= time", [1]),
        ("time <= 20 and time > 10.5", [4]),
        ("time > 1e2", [3]),
        ("row > -1", [1, 2, 3, 4]),
        ("gold is null", [3]),
        ("gold is not null", [1, 2, 4]),
        ("time is null or gold is null", [2, 3]),
        ("`my column` == 'x'", [1]),
        ('`my column` == "it\'s"', [4]),
        ("`my column` is null", [3]),
        ("`my column` == 'NA'", [3]),
        ("row is null or day is not null and row > 3", [4]),
        ("row in [1, 3]", [1, 3]),
        ("row not in [1, 3]", [2, 4]),
        ("id in ['007', '9']", [1, 4]),
        ("id == 7", [1, 2]),
        ("id == '7'", [2]),
        ("mixed == 'a' or mixed == '1'", [1, 2]),
        ("row == '1'", [1]),
        ("flag == 1", [1, 4]),
        ("flag == 'true'", [1, 4]),
        ("day >= '2025-01-03'", [3, 4]),
        ("row == id", []),
        ("row != id", [1, 2, 3, 4]),
        ("gold == id or row == 2", [2]),
        ("mixed == `my column` or mixed < `my column` and row == 1", [1]),
        ("not gold == 0", [2]),
        ("not not gold == 0", [1, 4]),
        ("not (gold == 0 or row == 2)", []),
        ("row == 1 or row == 2 and gold == 0", [1]),
        ("(row == 1 or row == 2) and gold == 0", [1]),
        ("GOLD == 0", None),
        ("row == 1 OR row == 2", [1, 2]),
        ("row In [1] aNd gold Is Not Null", [1]),
        ("  row==1  ", [1]),
    ],
)
def test_a_condition_keeps_the_rows_for_which_it_is_true(where: str, rows: list[int] | None) -> None:
    if rows:
        assert kept(where) == rows
    else:
        with pytest.raises(TableError):
            kept(where)


@pytest.mark.parametrize(
    ("where", "problem"),
    [
        ("", "the end at position 1 .* a column, a number or a text in quotes"),
        ("gold = 0", "cannot read '= 0' at position 6 .*; equality is =="),
        ("gold ==", "the end at position 8"),
        ("gold 0", "found '0' at position 6 .* a comparison"),
        ("gold == 0 row == 1", "found 'row' at position 11 .* 'and', 'or' or the end"),
        ("(gold == 0", r"the end at position 11 .* '\)'"),
        ("gold == 0)", r"found '\)' at position 10"),
        ("gold == 0 and", "the end at position 14"),
        ("gold in 0", r"found '0' at position 9 .* '\['"),
        ("gold in []", r"found '\]' at position 10"),
        ("gold in [0", r"the end at position 11 .* '\]'"),
        ("gold in [row]", "found 'row' at position 10"),
        ("gold is 0", "found '0' at position 9 .* 'null'"),
        ("gold not 0", "found '0' at position 10 .* 'in'"),
        ("1 == 1", "names no column"),
        ("glod == 0", "no column 'glod' .position 1.*; the columns are 'row', 'gold', 'time'"),
        ("my column == 'x'", "no column 'my'"),
        ("gold == 'open", 'cannot read "\'open" at position 9'),
        ("my-column == 1", "no column 'my'|cannot read '-column"),
        ("mixed == 1", "column 'mixed' holds text, such as 'a', and the condition compares it with a number"),
        ("mixed > 1", "column 'mixed' holds text"),
        ("mixed in [1, 2]", "column 'mixed' holds text"),
        ("gold < '1'", "column 'gold' holds numbers, and the condition compares it with text"),
        ("time == 'x'", "column 'time' holds numbers"),
        ("row in [1, 'a']", "mixes numbers and texts"),
        ("row == 12345678901234567890", "too long to compare; put it in quotes"),
        ("row == 99", "keeps none of the 4 rows of the table"),
        ("__import__('os')", "no column '__import__'"),
        ("(" * 60 + "row == 1" + ")" * 60, "nested more than 50 deep"),
        ("not " * 60 + "row == 1", "nested more than 50 deep"),
        ("row == 1 or " * 2000 + "row == 1", f"at most {LONGEST:,}"),
    ],
)
def test_a_condition_that_cannot_be_used_is_an_error_with_position_or_column(where: str, problem: str) -> None:
    with pytest.raises(TableError, match=problem) as error:
        kept(where)
    assert str(error.value).isprintable()


def test_the_rows_kept_and_left_out_are_counted_and_those_left_out_for_an_empty_cell_are_named() -> None:
    assert filter_rows(TABLE, "gold == 0").notes == (
        "The condition 'gold == 0' kept 2 of 4 rows and left out 2 (1 of them because a cell it asks about is empty).",
    )
    assert filter_rows(TABLE, "row < 3").notes == ("The condition 'row < 3' kept 2 of 4 rows and left out 2.",)


def test_a_column_that_cannot_be_compared_is_an_error() -> None:
    table = take_frame(pl.DataFrame({"blob": [b"\xff"], "list": [[1]]}), "the table")
    with pytest.raises(TableError, match="cannot be applied to the table"):
        filter_rows(table, "blob == 'x'")
    with pytest.raises(TableError, match="column 'list' holds lists or records"):
        filter_rows(table, "list == 'x'")


def test_a_long_condition_of_many_alternatives_is_no_trouble() -> None:
    assert kept(" or ".join(f"row == {i}" for i in range(300))) == [1, 2, 3, 4]


def test_the_source_lines_of_the_rows_survive_the_filter() -> None:
    rows = [{"target": "a", "rater": f"r{i}", "value": 3, "gold": i % 2} for i in range(6)]
    assert from_frame(rows, value="value", scale="1:5", where="gold == 1").frame["row"].to_list() == [3, 5, 7]


WORDS = """row gold time mixed flag day id nosuch 0 1 -2.5 1e3 99999999999999999999 'x' "7" '' == != < <= > >=
    in not and or is null ( ) [ ] , = ! ` ' é"""
TOKENS = st.sampled_from(["`my column`", *WORDS.split()])


@given(st.lists(TOKENS, max_size=14).map(" ".join) | st.text(max_size=30))
def test_no_condition_makes_the_filter_fail_in_any_other_way(where: str) -> None:
    with contextlib.suppress(InputError):
        rows = kept(where)
        assert rows == sorted({*rows} & {1, 2, 3, 4})


ATOMS = st.sampled_from(["gold == 0", "time > 15", "gold is null", "row in [1, 2]", "mixed == 'a'"])
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) and ({pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) or ({pair[1]})"),
    ),
    max_leaves=6,
)


def truth(where: str) -> set[int]:
    try:
        return set(kept(where))
    except TableError:
        return set()


@given(CONDITIONS, CONDITIONS)
def test_and_or_and_not_are_intersection_union_and_disjoint(left: str, right: str) -> None:
    assert truth(f"({left}) and ({right})") == truth(left) & truth(right)
    assert truth(f"({left}) or ({right})") == truth(left) | truth(right)
    assert not truth(f"not ({left})") & truth(left)


def test_a_list_may_stand_in_round_brackets() -> None:
    rows = [{"target": f"d{i}", "rater": "p", "tone": i} for i in (1, 2, 3)]
    square, round_ = (from_frame(rows, scale="1:5", where=f"tone in {a}1, 3{b}") for a, b in ("[]", "()"))
    assert round_.same_ratings(square)
    assert round_.n_targets == 2
