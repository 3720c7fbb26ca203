"""A table as it came: its cells, the source line of each row, and what was left out of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.words import shorten

ROW = "\x1frow"
"""The column that carries the source line of each row; its name is one that no header has."""

FIRST_DATA_ROW = 2
"""The line of the first row of a source without lines, as if it had been written out with a header."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells under column names. ``frame`` also has the column `ROW` (Int64), the line in the source."""

    frame: pl.DataFrame
    source: str
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The names of the columns as the user knows them."""
        return [name for name in self.frame.columns if name != ROW]

    @property
    def rows(self) -> pl.Series:
        """The line in the source of each row."""
        return self.frame[ROW]


def number_rows(frame: pl.DataFrame, lines: Sequence[int] | None = None) -> pl.DataFrame:
    """Return ``frame`` with the column `ROW`: ``lines``, or 2, 3, ... where there are none. Categories become text."""
    numbers = range(FIRST_DATA_ROW, FIRST_DATA_ROW + frame.height) if lines is None else lines
    categories = [name for name, dtype in frame.schema.items() if dtype in (pl.Categorical, pl.Enum)]
    return frame.with_columns(pl.col(categories).cast(pl.String), pl.Series(ROW, numbers, dtype=pl.Int64))


def check_header(names: Sequence[str], source: str) -> None:
    """Raise TableError when two columns have the same name."""
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        msg = f"{source} has more than one column named {shorten(doubled)}; give each column a name of its own"
        raise TableError(msg)


def from_records(records: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    """Turn records into a frame whose columns are all the keys that occur, in order of appearance."""
    rows = list(records)
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    return pl.DataFrame([from_objects(str(name), [row.get(name) for row in rows]) for name in names])


def from_objects(name: str, values: Sequence[object]) -> pl.Series:
    """Turn Python values into a column: numbers or booleans where all are, otherwise text; None and NaN are null."""
    kinds = {*map(type, values)} - {type(None)}
    if not kinds <= {bool, int, str}:
        values = [None if _is_nan(value) else value for value in values]
        kinds = {*map(type, values)} - {type(None)}
    try:
        if kinds == {bool}:
            return pl.Series(name, values, dtype=pl.Boolean)
        if kinds == {int}:
            return pl.Series(name, values, dtype=pl.Int64)
        if kinds and kinds <= {int, float}:
            return pl.Series(name, [None if v is None else float(str(v)) for v in values], dtype=pl.Float64)
    except (OverflowError, TypeError):
        pass
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


def _is_nan(value: object) -> bool:
    """Whether the value is the NaN, NaT or NA of any library: not equal to itself, or unwilling to say."""
    try:
        return bool(value != value)  # noqa: PLR0124 (that is the test)
    except TypeError:
        return True
    except ValueError:  # an array
        return False
