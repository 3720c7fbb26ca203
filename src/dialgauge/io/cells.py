"""What single cells mean: missing, a number, an identifier."""

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.table import Table
from dialgauge.io.words import clip, shorten

MISSING_WORDS = ("", "na", "nan", "n/a")
"""Cells that stand for a missing value, whatever their case and the blanks around them. A scale whose labels
include one of these words means the label."""

_NO_IDENTIFIER = ("nan", "NaN")


def is_missing(name: str, dtype: pl.DataType) -> pl.Expr:
    """Return whether each cell of the column ``name`` is null, NaN or one of `MISSING_WORDS`."""
    column = pl.col(name)
    if dtype == pl.String:
        return column.is_null() | column.str.strip_chars().str.to_lowercase().is_in(MISSING_WORDS)
    if dtype.is_float():
        return column.is_null() | column.is_nan()
    return column.is_null()


def plain(series: pl.Series) -> pl.Series:
    """Return booleans as 0 and 1, any number as Float64 without NaN, and the rest unchanged."""
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return series.cast(pl.Float64).fill_nan(None)
    return series


def as_numbers(series: pl.Series) -> pl.Series | None:
    """Return the column as Float64 with null where missing, or None when some entry is no number.

    A text column counts as numbers only if all its entries that are not missing do.
    """
    cells = plain(series)
    if cells.dtype == pl.Float64:
        return cells
    if cells.dtype != pl.String:
        return cells.cast(pl.Float64) if cells.dtype == pl.Null else None
    numbers = cells.str.strip_chars().cast(pl.Float64, strict=False).fill_nan(None)
    missing = cells.to_frame().select(is_missing(cells.name, cells.dtype)).to_series()
    return None if (numbers.is_null() & ~missing).any() else numbers


def read_identifiers(table: Table, column: str, role: str) -> pl.Series:
    """Return the identifiers in ``column`` as text, as they stand: ``1`` is "1", ``007`` is "007".

    A whole number that a data frame stored as 1.0 is "1". Raises TableError when a row has none.
    """
    series = table.frame[column]
    if series.dtype.is_float():
        whole = series.is_null() | series.is_nan() | ((series == series.round()) & (series.abs() < 2.0**53))
        if whole.all():
            series = series.fill_nan(None).cast(pl.Int64)
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        msg = f"column {column!r} (the {role}) holds {series.dtype}; identifiers are text or whole numbers"
        raise TableError(msg)
    ids = series.cast(pl.String)
    empty = (ids.is_null() | (ids.str.strip_chars() == "") | ids.is_in(_NO_IDENTIFIER)).fill_null(value=True)
    if empty.any():
        rows = table.rows.filter(empty).to_list()
        msg = f"column {column!r} (the {role}) is empty in {_rows(rows)}"
        msg += f'; fill it, or leave these rows out with --where "{_ticked(column)} is not null"'
        raise TableError(msg)
    return ids


def note_lookalikes(ids: pl.Series, roles: str) -> list[str]:
    """Return a note when identifiers differ only in case or in blanks around them: perhaps they mean the same."""
    forms = pl.DataFrame({"id": ids.unique(maintain_order=True)}).group_by(
        pl.col("id").str.strip_chars().str.to_lowercase().alias("form"), maintain_order=True
    )
    alike = forms.agg("id").filter(pl.col("id").list.len() > 1)["id"].to_list()
    if not alike:
        return []
    return [f"{roles.capitalize()} {shorten(alike[0])} differ only in case or blanks, and count as different {roles}."]


def read_replicates(table: Table, column: str) -> tuple[pl.Series, str | None]:
    """Return the replicate numbers in ``column`` (Int64), and a note when words had to be numbered.

    Words (such as the names of occasions) are numbered 1, 2, ... in the order of the sorted words: the number only
    tells replicates apart. Raises TableError when a row has none.
    """
    ids = read_identifiers(table, column, "replicate")
    numbers = ids.str.strip_chars().cast(pl.Int64, strict=False)
    if not numbers.null_count():
        return numbers, None
    words = sorted(ids.unique().to_list())
    numbered = ids.replace_strict(words, list(range(1, len(words) + 1)), return_dtype=pl.Int64)
    return numbered, f"The {len(words)} replicates in column {column!r} were numbered: {shorten(words)}."


def _rows(rows: list[int]) -> str:
    shown = ", ".join(str(row) for row in rows[:6])
    more = f" and {len(rows) - 6} more" if len(rows) > 6 else ""
    return f"row{'s' if len(rows) > 1 else ''} {shown}{more}"


def _ticked(column: str) -> str:
    return column if column.isidentifier() else f"`{clip(column)}`"
