"""Seconds and order, read beside the ratings."""

from pathlib import Path

import polars as pl
import pytest

from dialgauge.errors import TableError
from dialgauge.io import read_ratings
from dialgauge.io.extras import read_with_extras

TABLE = """\
target,rater,x,y,secs,when
a,p,1,2,30,2025-12-20 14:56:04.07
a,q,3,4,,2025-12-20 14:50:00
b,p,5,1,12.5,2025-12-21 09:00:00

b,q,2,2,7,2025-12-20 15:00:00
"""
READING = {"target": "target", "rater": "rater", "scale": "1:5"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_seconds_come_by_source_row_with_the_missing_ones(file: Path) -> None:
    _, extras = read_with_extras(file, seconds="secs", order="when", target="target", rater="rater", scale="1:5")
    assert extras.seconds is not None
    assert extras.seconds.rows() == [(2, 30.0), (3, None), (4, 12.5), (6, 7.0)]
    assert extras.order is not None
    assert extras.order.sort("value")["row"].to_list() == [3, 2, 6, 4]


def test_the_ratings_are_those_of_a_table_without_these_columns(file: Path, tmp_path: Path) -> None:
    ratings, _ = read_with_extras(file, seconds="secs", order="when", target="target", rater="rater", scale="1:5")
    assert ratings.dimensions == ("x", "y")
    bare = tmp_path / "bare.csv"
    bare.write_text("".join(",".join(line.split(",")[:4]) + "\n" for line in TABLE.splitlines()), encoding="utf-8")
    other = read_ratings(bare, target="target", rater="rater", scale="1:5")
    assert ratings.same_ratings(other)
    assert ratings.frame["row"].to_list() == other.frame["row"].to_list()


def test_the_filter_may_use_the_seconds(file: Path) -> None:
    ratings, extras = read_with_extras(
        file, seconds="secs", where="secs >= 10", target="target", rater="rater", scale="1:5", dimensions="x,y"
    )
    assert set(ratings.frame["row"]) == {2, 4}
    assert extras.seconds is not None
    assert extras.seconds["row"].to_list() == [2, 4]
    assert any("secs >= 10" in note for note in ratings.notes)


def test_without_columns_it_reads_what_read_ratings_reads(file: Path) -> None:
    ratings, extras = read_with_extras(file, target="target", rater="rater", scale="1:5", dimensions="x,y")
    assert (extras.seconds, extras.order) == (None, None)
    assert ratings.same_ratings(read_ratings(file, target="target", rater="rater", scale="1:5", dimensions="x,y"))


def test_a_data_frame_may_hold_times() -> None:
    frame = pl.read_csv(TABLE.encode(), try_parse_dates=True).drop_nulls("target")
    _, extras = read_with_extras(frame, order="when", target="target", rater="rater", scale="1:5", dimensions="x,y")
    assert extras.order is not None
    assert extras.order.sort("value")["row"].to_list() == [3, 2, 5, 4]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seconds": "sec"}, "has no column 'sec' (--seconds); did you mean 'secs'?"),
        ({"seconds": "rater"}, "does not hold numbers only, as in 'p'"),
        ({"order": "rater"}, "holds neither numbers nor dates and times, as in 'p'"),
        ({"order": "nix"}, "has no column 'nix' (--order)"),
    ],
)
def test_what_cannot_be_used_is_said(file: Path, options: dict[str, str], said: str) -> None:
    with pytest.raises(TableError) as error:
        read_with_extras(file, target="target", scale="1:5", rater="rater", dimensions="x,y", **options)  # type: ignore[arg-type]
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_negative_seconds_name_their_row(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("target,rater,x,secs\na,p,1,3\nb,p,2,-1\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"holds -1 in row 3"):
        read_with_extras(path, seconds="secs", target="target", rater="rater", scale="1:5")


def test_a_column_cannot_be_two_things(file: Path) -> None:
    with pytest.raises(TableError, match="named for --rater and for --order"):
        read_with_extras(file, order="x", target="target", rater="x", scale="1:5", dimensions="y")


def test_the_kind_of_a_rater_is_a_word_without_blanks_and_null_where_empty(tmp_path: Path) -> None:
    path = tmp_path / "kinds.csv"
    path.write_text("target,rater,kind,x\na,p, human ,1\nb,m,llm,2\nb,q,,3\n", encoding="utf-8")
    ratings, extras = read_with_extras(path, kind="kind", target="target", rater="rater", scale="1:5")
    assert ratings.dimensions == ("x",)
    assert extras.kind is not None
    assert extras.kind.rows() == [(2, "human"), (3, "llm"), (4, None)]


def test_the_column_of_raters_may_hold_the_kinds_and_another_column_may_not(file: Path) -> None:
    ratings, extras = read_with_extras(
        file, kind="rater", target="target", rater="rater", scale="1:5", dimensions=["x"]
    )
    assert extras.kind is not None
    assert extras.kind["value"].to_list() == ratings.frame["rater"].to_list()
    with pytest.raises(TableError, match="named for --target and for --kind"):
        read_with_extras(file, kind="target", target="target", rater="rater", scale="1:5")


def test_the_column_of_raters_needs_no_second_name_where_no_other_is_known_to_hold_them(file: Path) -> None:
    ratings, extras = read_with_extras(file, kind="rater", target="target", scale="1:5", dimensions=["x"])
    assert extras.kind is not None
    assert extras.kind["value"].to_list() == ratings.frame["rater"].to_list() == ["p", "q", "p", "q"]
    both = {"target": ["a"], "model": ["m"], "rater": ["p"], "x": [1]}
    ratings, extras = read_with_extras(pl.DataFrame(both), kind="model", scale="1:5")
    assert ratings.frame["rater"].to_list() == ["p"]
