"""Ratings with a column beside them that says where each row belongs: a system, an occasion."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.cells import is_missing
from dialgauge.io.files import read_table
from dialgauge.io.frames import take_frame
from dialgauge.io.reading import build_ratings
from dialgauge.io.request import ReadOptions, make_request
from dialgauge.io.table import Table
from dialgauge.io.where import filter_rows
from dialgauge.io.words import clip, shorten
from dialgauge.model import Ratings

_ROLES = ("target", "rater", "value", "dimension", "replicate")


def read_with_groups(
    source: Any,  # noqa: ANN401 (a path, or any library's frame)
    column: str,
    *,
    option: str,
    **options: Unpack[ReadOptions],
) -> tuple[Ratings, Mapping[str, str]]:
    """Read ratings, and the entry of ``column`` for each target (those without one are left out).

    ``option`` is what the column is called in messages. Raises TableError for a column that does not exist, has
    another role, or holds two entries for one target, and all that `read_ratings` raises.
    """
    ratings, (entries,) = read_with_several_groups(source, {option: column}, **options)
    return ratings, entries


def read_with_several_groups(
    source: Any,  # noqa: ANN401 (a path, or any library's frame)
    columns: Mapping[str, str],
    *,
    raters: Collection[str] = (),
    **options: Unpack[ReadOptions],
) -> tuple[Ratings, tuple[Mapping[str, str], ...]]:
    """Read ratings, and for each target its entry in each of ``columns``, which are named by their options.

    The entries are in the order of ``columns``. The options in ``raters`` may name the column of the raters: who rated
    is then who is meant. Raises what `read_with_groups` raises, and TableError for a column that is named twice.
    """
    table: Any = source
    found = []
    for option, column in columns.items():
        earlier = next((name for name, other in columns.items() if other == column), option)
        if earlier != option:
            msg = f"column {column!r} is named for {earlier} and for {option}; give each a column of its own"
            raise TableError(msg)
        table, entries = _take(table, column, option, options, keep=option in raters and options.get("rater") == column)
        found.append(entries)
    ratings = build_ratings(table, make_request(**options))
    given = zip(columns.items(), found, strict=True)
    return ratings, tuple(_match(ratings, table, entries, column, option) for (option, column), entries in given)


def _match(ratings: Ratings, table: Table, entries: pl.Series, column: str, option: str) -> Mapping[str, str]:
    """Return the entry of each target; TableError where a target has two."""
    rows = pl.DataFrame({"row": table.rows, "entry": entries})
    pairs = ratings.frame.select("target", "row").join(rows, on="row").drop_nulls("entry")
    pairs = pairs.select("target", "entry").unique().sort("target", "entry")
    doubled = pairs.filter(pl.col("target").is_duplicated())
    if doubled.height:
        target, first, second = doubled["target"][0], doubled["entry"][0], doubled["entry"][1]
        msg = (
            f"target {clip(target)!r} has two entries in the column {column!r} ({option}): {clip(first)!r} and "
            f"{clip(second)!r}; give each target one, or each pair a target of its own"
        )
        raise TableError(msg)
    return dict(pairs.iter_rows())


def read_by_part(
    source: Any,  # noqa: ANN401 (a path, or any library's frame)
    column: str,
    *,
    option: str,
    **options: Unpack[ReadOptions],
) -> Mapping[str, Ratings]:
    """Read the ratings of each part of a table by itself: the rows that have one entry in ``column``.

    Parts are in the order of their first rows. Raises what `read_with_groups` raises, but for two entries of one
    target, and TableError for a row without an entry.
    """
    table, entries = _take(source, column, option, options)
    if entries.null_count():
        row = table.rows.filter(entries.is_null())[0]
        msg = f"row {row} has no entry in the column {column!r} ({option}); fill it, or leave the row out with --where"
        raise TableError(msg)
    request = make_request(**options)
    return {
        name: build_ratings(Table(table.frame.filter(entries == name), table.source, table.notes), request)
        for name in entries.unique(maintain_order=True)
    }


def _take(
    source: Any,  # noqa: ANN401
    column: str,
    option: str,
    options: ReadOptions,
    *,
    keep: bool = False,
) -> tuple[Table, pl.Series]:
    """Return the filtered table without ``column``, and its entries as texts, null where there is none.

    A column to ``keep`` stays, for it has another role as well.
    """
    table = _open(source)
    where = options.pop("where", None)
    if where is not None:
        table = filter_rows(table, where)
    if column not in table.columns:
        near = get_close_matches(column, table.columns, n=3)
        meant = f"; did you mean {shorten(near)}?" if near else ";"
        msg = f"{table.source} has no column {column!r} ({option}){meant} its columns are {shorten(table.columns, 30)}"
        raise TableError(msg)
    taken = next((role for role in _ROLES if options.get(role) == column), None)
    if taken is not None and not keep:
        msg = f"column {column!r} is named for --{taken} and for {option}; give each a column of its own"
        raise TableError(msg)
    cells = table.frame[column]
    if cells.dtype.is_nested() or cells.dtype in (pl.Binary, pl.Object):
        msg = f"column {column!r} ({option}) holds {cells.dtype}; write each entry as a word or a number"
        raise TableError(msg)
    missing = table.frame.select(is_missing(column, cells.dtype)).to_series()
    entries = cells.cast(pl.String).str.strip_chars().set(missing, None)
    frame = table.frame if keep else table.frame.drop(column)
    return Table(frame=frame, source=table.source, notes=table.notes), entries


def _open(source: Any) -> Table:  # noqa: ANN401
    if isinstance(source, Table):
        return source
    return read_table(source) if isinstance(source, str | Path) else take_frame(source, "the data frame")
