"""A column beside the ratings: the system of a target, the occasion of a rating."""

import polars as pl
import pytest

from dialgauge.errors import TableError
from dialgauge.io.labels import read_by_part, read_with_groups, read_with_several_groups

ROWS = pl.DataFrame(
    {
        "dialogue": ["a", "a", "b", "b"],
        "rater": ["x", "y", "x", "y"],
        "score": [1, 2, 3, 4],
        "system": ["one", "one", " two", "two"],
        "week": [2, 1, 2, 1],
    }
)


def test_each_target_has_the_entry_of_its_rows_and_the_column_is_no_dimension() -> None:
    ratings, systems = read_with_groups(ROWS.drop("week"), "system", option="--system", scale="1:5")
    assert systems == {"a": "one", "b": "two"}
    assert ratings.dimensions == ("score",)


def test_a_target_with_two_entries_is_refused_by_name() -> None:
    torn = ROWS.with_columns(system=pl.Series(["one", "two", "two", "two"])).drop("week")
    with pytest.raises(TableError, match="target 'a' has two entries in the column 'system'"):
        read_with_groups(torn, "system", option="--system", scale="1:5")


def test_a_target_without_an_entry_is_left_out_of_the_groups() -> None:
    gaps = ROWS.with_columns(system=pl.Series([None, None, "two", "two"])).drop("week")
    assert read_with_groups(gaps, "system", option="--system", scale="1:5")[1] == {"b": "two"}


def test_parts_hold_the_rows_of_one_entry_each_in_the_order_of_the_table() -> None:
    parts = read_by_part(ROWS.drop("system"), "week", option="--occasion", scale="1:5")
    assert {name: part.frame["value"].to_list() for name, part in parts.items()} == {"2": [1, 3], "1": [2, 4]}
    assert list(parts) == ["2", "1"]


def test_a_row_without_an_occasion_is_refused() -> None:
    with pytest.raises(TableError, match="row 3 has no entry in the column 'week'"):
        read_by_part(ROWS.with_columns(week=pl.Series([1, None, 1, 1])), "week", option="--occasion", scale="1:5")


def test_an_unknown_column_and_one_with_another_role_are_refused() -> None:
    with pytest.raises(TableError, match=r"no column 'sytem' \(--system\); did you mean 'system'"):
        read_with_groups(ROWS, "sytem", option="--system", scale="1:5")
    with pytest.raises(TableError, match="named for --rater and for --system"):
        read_with_groups(ROWS, "rater", option="--system", rater="rater", scale="1:5")


def test_several_columns_each_give_an_entry_to_each_target_and_are_no_dimensions() -> None:
    table = ROWS.with_columns(user=pl.Series(["u1", "u1", None, None])).drop("week")
    columns = {"--system": "system", "--persona": "user"}
    ratings, (systems, users) = read_with_several_groups(table, columns, where="score < 4", scale="1:5")
    assert systems == {"a": "one", "b": "two"}
    assert users == {"a": "u1"}
    assert ratings.dimensions == ("score",)
    assert ratings.frame["value"].to_list() == [1, 2, 3]


def test_a_column_that_is_named_twice_is_refused() -> None:
    with pytest.raises(TableError, match="'system' is named for --system and for --persona"):
        read_with_several_groups(ROWS, {"--system": "system", "--persona": "system"}, scale="1:5")
