"""What is written is read back the same, in every format."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import TableError
from dialgauge.io import from_frame, read_ratings, write_long, write_wide
from dialgauge.model import Ratings

FORMATS = ("csv", "tsv", "jsonl", "ndjson", "parquet")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5).filter(
    lambda text: text.strip() and text not in {"nan", "NaN"}
)
ROW = st.fixed_dictionaries(
    {
        "target": TEXT,
        "rater": TEXT,
        "dimension": st.sampled_from(["tone", "pace", "a, b"]) | TEXT,
        "replicate": st.integers(1, 3),
        "value": st.floats(0, 1) | st.none(),
    },
    optional={"missing": TEXT},
)


def as_ratings(rows: list[dict[str, Any]]) -> Ratings:
    for row in rows:
        if row["value"] is not None:
            row.pop("missing", None)
    return from_frame(rows, scale="0.0:1.0", value="value", duplicates="replicate")


@given(st.lists(ROW, min_size=1, max_size=6))
def test_long_ratings_are_read_back_equal_from_every_format(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    ratings = as_ratings(rows)
    folder = tmp_path_factory.mktemp("long")
    for suffix in FORMATS:
        path = folder / f"ratings.{suffix}"
        write_long(ratings, path)
        assert read_ratings(path, scale="0.0:1.0").same_ratings(ratings), suffix


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "target": TEXT,
                "rater": TEXT,
                "replicate": st.integers(1, 2),
                "tone": st.sampled_from([None, 1, 2, 3]),
                "pace": st.sampled_from([None, 1, 2, 3]),
            }
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda row: (row["target"], row["rater"], row["replicate"]),
    )
)
def test_wide_ratings_are_read_back_equal_from_every_format(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    ratings = from_frame(rows, scale="1:3", dimensions="tone,pace")
    if ratings.frame["replicate"].n_unique() == 1:  # such a column is not written, and read as 1
        rows = [{**row, "replicate": 1} for row in rows]
        ratings = from_frame(rows, scale="1:3", dimensions="tone,pace")
    folder = tmp_path_factory.mktemp("wide")
    for suffix in FORMATS:
        path = folder / f"ratings.{suffix}"
        write_wide(ratings, path)
        assert read_ratings(path, scale="1:3", dimensions="tone,pace").same_ratings(ratings), suffix


ROWS = [{"target": "d1", "rater": "r1", "tone": 4, "pace": None}, {"target": "d1", "rater": "r2", "tone": 2, "pace": 5}]


def test_whole_numbers_are_written_to_csv_without_a_decimal_point(tmp_path: Path) -> None:
    write_wide(from_frame(ROWS, scale="1:5"), tmp_path / "t.csv", target="dialogue_id", rater="worker")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == "dialogue_id,worker,tone,pace\nd1,r1,4,\nd1,r2,2,5\n"


def test_long_and_wide_files_of_the_same_ratings_hold_the_same_ratings(tmp_path: Path) -> None:
    ratings = from_frame(ROWS, scale="1:5")
    write_wide(ratings, tmp_path / "wide.parquet")
    write_long(ratings, tmp_path / "long.tsv")
    wide = read_ratings(tmp_path / "wide.parquet", scale="1:5")
    assert wide.same_ratings(read_ratings(tmp_path / "long.tsv", scale="1:5"))


def test_missing_reasons_are_written_in_long_form(tmp_path: Path) -> None:
    rows = [{"target": "d", "rater": "r", "value": None, "missing": "refused"}]
    write_long(from_frame(rows, scale="1:5"), tmp_path / "t.csv")
    assert pl.read_csv(tmp_path / "t.csv")["missing"].to_list() == ["refused"]


@pytest.mark.parametrize("write", [write_long, write_wide])
def test_an_unknown_suffix_or_a_missing_folder_is_an_error(
    tmp_path: Path, write: Callable[[Ratings, Path], None]
) -> None:
    ratings = from_frame(ROWS, scale="1:5")
    with pytest.raises(TableError, match=r"suffix '.xlsx'; ratings are written to .csv"):
        write(ratings, tmp_path / "t.xlsx")
    for suffix in FORMATS:
        with pytest.raises(TableError, match="cannot be written"):
            write(ratings, tmp_path / "none" / f"t.{suffix}")


@pytest.mark.parametrize("names", [{"target": "tone"}, {"target": "x", "rater": "x"}, {"rater": "replicate"}])
def test_wide_columns_need_different_names(tmp_path: Path, names: dict[str, str]) -> None:
    with pytest.raises(TableError, match="names of their own"):
        write_wide(from_frame(ROWS, scale="1:5"), tmp_path / "t.csv", **names)
