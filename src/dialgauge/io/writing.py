"""Write ratings so that `read_ratings` reads the same ratings back."""

from pathlib import Path

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.files import SUFFIXES
from dialgauge.model import Ratings

LONG_COLUMNS = ("target", "rater", "dimension", "replicate", "value", "missing")
_LONGEST_WHOLE = 1e15


def write_long(ratings: Ratings, path: str | Path) -> None:
    """Write one row a rating to a CSV, TSV, JSON lines or Parquet file, by its suffix.

    The columns are target, rater, dimension, replicate, value and missing (the reason). Raises TableError for another
    suffix or a place that cannot be written.
    """
    write_frame(to_long(ratings), path)


def to_long(ratings: Ratings) -> pl.DataFrame:
    """Return the table that `write_long` writes."""
    return ratings.frame.select(LONG_COLUMNS)


def write_wide(ratings: Ratings, path: str | Path, *, target: str = "target", rater: str = "rater") -> None:
    """Write one row a target, rater and replicate, with a column for each dimension.

    ``target`` and ``rater`` name these columns; ``replicate`` is written where there is more than one. Missing values
    become empty cells, so a reason other than "empty" is lost: `write_long` keeps it.
    """
    index = ["target", "rater", "replicate"]
    clash = {target, rater, "replicate"} & set(ratings.dimensions)
    if clash or len({target, rater, "replicate"}) < len(index):
        msg = f"the columns {target!r} and {rater!r} need names of their own, unlike replicate and the dimensions"
        raise TableError(msg)
    wide = ratings.frame.pivot(on="dimension", index=index, values="value", maintain_order=True)
    wide = wide.select(*index, *ratings.dimensions).rename({"target": target, "rater": rater})
    if ratings.frame["replicate"].n_unique() == 1:
        wide = wide.drop("replicate")
    write_frame(wide, path)


def write_frame(frame: pl.DataFrame, path: str | Path) -> None:
    """Write a table to a CSV, TSV, JSON lines or Parquet file, by its suffix; the errors are those of `write_long`."""
    path = Path(path)
    suffix = check_suffix(path)
    try:
        if suffix == ".parquet":
            frame.write_parquet(path)
        elif suffix in {".jsonl", ".ndjson"}:
            frame.write_ndjson(path)
        else:
            path.write_text(to_separated(frame, "\t" if suffix == ".tsv" else ","), encoding="utf-8", newline="")
    except OSError as error:
        msg = f"{path} cannot be written ({error.strerror or error}); choose a folder that exists and may be written to"
        raise TableError(msg) from None


def count_formulas(frame: pl.DataFrame) -> int:
    """Return how many texts of a table a spreadsheet would take for formulas: they begin with = + - @ or a tab.

    They are written all the same: a sign before them would be part of the text when the table is read.
    """
    texts = [column for column in frame.iter_columns() if column.dtype == pl.String]
    return sum(int(column.str.contains(r"^[=+\-@\t\r]").sum()) for column in texts)


def check_suffix(path: str | Path) -> str:
    """Return the suffix of ``path`` in small letters; TableError where no table is written under it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        msg = f"{path} has the suffix {suffix or '(none)'!r}; ratings are written to {', '.join(SUFFIXES)}"
        raise TableError(msg)
    return suffix


def to_separated(frame: pl.DataFrame, delimiter: str = ",") -> str:
    """Return a table as CSV; columns of whole numbers have no decimal point."""
    whole = [
        column.name
        for column in frame.iter_columns()
        if column.dtype == pl.Float64 and ((column == column.round()) & (column.abs() < _LONGEST_WHOLE)).all()
    ]
    return frame.with_columns(pl.col(whole).cast(pl.Int64)).write_csv(separator=delimiter)
