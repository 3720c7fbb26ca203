"""Any eager data frame comes in through the same door as a file."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import TableError
from dialgauge.io import from_frame, read_ratings
from dialgauge.io.table import from_objects

ROWS = [
    {"target": 1, "rater": "007", "tone": 3, "pace": 2.0},
    {"target": 2, "rater": "007", "tone": None, "pace": 1.0},
    {"target": 1, "rater": "b", "tone": 5, "pace": None},
]
CSV = "target,rater,tone,pace\n1,007,3,2\n2,007,,1\n1,b,5,\n"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).convert_dtypes(),
        pd.DataFrame(ROWS).astype(object),
        pd.DataFrame(ROWS).astype({"rater": "category"}),
        pd.DataFrame(ROWS, index=[5, 3, 3]),
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).with_columns(pl.col("rater").cast(pl.Categorical), pl.col("tone").cast(pl.Int8)),
        pa.Table.from_pylist(ROWS),
        ROWS,
        tuple(ROWS),
    ],
    ids=["pandas", "nullable", "object", "category", "index", "polars", "polars-types", "pyarrow", "dicts", "tuple"],
)
def test_every_kind_of_frame_gives_the_same_ratings_as_the_file(tmp_path: Path, frame: object) -> None:
    (tmp_path / "t.csv").write_text(CSV, encoding="utf-8")
    from_file = read_ratings(tmp_path / "t.csv", scale="1:5")
    ratings = from_frame(frame, scale="1:5")
    assert ratings.frame.equals(from_file.frame)
    assert ratings.notes == from_file.notes
    assert ratings.source == "the data frame"


def test_the_options_are_those_of_files() -> None:
    frame = pd.DataFrame({"d": ["x", "x"], "who": ["p", "p"], "stars": [1, 2], "gold": [0, 1]})
    ratings = from_frame(frame, target="d", rater="who", value="stars", where="gold == 0", scale="1:5")
    assert ratings.frame["value"].to_list() == [1.0]


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (pl.LazyFrame(ROWS), "LazyFrame is not a table that is in memory"),
        (3, "int is not a table"),
        ("t.csv", "str is not a table"),
        (None, "NoneType is not a table"),
        ([1, 2], "list is not a table"),
        (pl.Series([1]), "Series is not a table"),
        (pl.DataFrame(), "no rows"),
        ([], "no rows"),
        (pd.DataFrame(ROWS).head(0), "no rows"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "cannot be read as a table|more than one column"),
    ],
)
def test_what_is_no_table_in_memory_is_refused(frame: object, problem: str) -> None:
    with pytest.raises(TableError, match=problem) as error:
        from_frame(frame, scale="1:5")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([1, None], pl.Int64(), [1, None]),
        ([1, 2.5], pl.Float64(), [1.0, 2.5]),
        ([True, None], pl.Boolean(), [True, None]),
        ([1, "a"], pl.String(), ["1", "a"]),
        ([float("nan"), "a"], pl.String(), [None, "a"]),
        ([pd.NA, pd.NaT, 1], pl.Int64(), [None, None, 1]),
        ([2**70, 1], pl.String(), [str(2**70), "1"]),
        ([None], pl.String(), [None]),
        ([np.array([1, 2]), 1.5], pl.String(), ["[1 2]", "1.5"]),
    ],
)
def test_values_of_python_become_numbers_where_all_are_and_text_otherwise(
    values: list[object], dtype: pl.DataType, expected: list[object]
) -> None:
    column = from_objects("x", values)
    assert (column.dtype, column.to_list()) == (dtype, expected)


def test_columns_of_mixed_objects_and_of_categories_are_read_like_text() -> None:
    frame = pd.DataFrame({"target": [1, "x", 2], "rater": "r", "tone": [3, "NA", 4.0], "pace": ["1", "2", "5"]})
    ratings = from_frame(frame.astype({"pace": "category"}), scale="1:5", dimensions="tone,pace")
    assert ratings.frame["target"].unique(maintain_order=True).to_list() == ["1", "x", "2"]
    assert ratings.of("tone")["value"].to_list() == [3.0, None, 4.0]
    assert ratings.of("pace")["value"].to_list() == [1.0, 2.0, 5.0]


def test_an_empty_category_is_as_empty_as_an_empty_text() -> None:
    frame = pl.DataFrame({"target": ["a", "b"], "rater": "r", "value": [1, 2], "group": ["x", "NA"]})
    for dtype in (pl.String(), pl.Categorical(), pl.Enum(["x", "NA"])):
        typed = frame.with_columns(pl.col("group").cast(dtype))
        assert from_frame(typed, scale="1:5", where="group is null").frame["target"].to_list() == ["b"]
        assert from_frame(typed, scale="1:5", where="group == 'x'").frame["target"].to_list() == ["a"]


@given(st.permutations(range(12)))
def test_the_order_of_the_rows_does_not_matter(order: list[int]) -> None:
    rows = [{"target": i % 4, "rater": i // 4, "tone": 1 + i % 5, "pace": None if i == 3 else 2} for i in range(12)]
    assert from_frame([rows[i] for i in order], scale="1:5").same_ratings(from_frame(rows, scale="1:5"))
