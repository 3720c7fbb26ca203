"""What a table tells besides the ratings: how long an answer took, in which order they came, the kind of the rater."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.cells import as_numbers, is_missing
from dialgauge.io.choosing import read_all_kinds, read_one_kind, say_kinds
from dialgauge.io.files import read_table
from dialgauge.io.frames import take_frame
from dialgauge.io.layout import names_known
from dialgauge.io.reading import build_ratings
from dialgauge.io.request import ReadOptions, make_request
from dialgauge.io.study import read_study
from dialgauge.io.table import ROW, Table
from dialgauge.io.where import filter_rows
from dialgauge.io.words import clip, shorten
from dialgauge.model import Ratings

RATING_KEY = ["target", "rater", "dimension", "replicate"]


@dataclass(frozen=True, slots=True, eq=False)
class Extras:
    """What stands beside the ratings, by source row; ``None`` where no column was named.

    The frames have the columns ``row`` (Int64, as in `Ratings.frame`) and ``value`` (null where missing): Float64 for
    ``seconds`` and ``order``, String for ``kind``. ``order`` rises with time; its unit says nothing.
    """

    seconds: pl.DataFrame | None = None
    order: pl.DataFrame | None = None
    kind: pl.DataFrame | None = None


def read_with_extras(
    source: Any,  # noqa: ANN401 (a path, or any library's frame)
    *,
    seconds: str | None = None,
    order: str | None = None,
    kind: str | None = None,
    **options: Unpack[ReadOptions],
) -> tuple[Ratings, Extras]:
    """Read ratings as `read_ratings` (a path) or `from_frame` does, with columns that hold no ratings.

    ``seconds`` names a column of numbers that are not negative, ``order`` one of numbers, or of dates and times,
    ``kind`` one of words (``human``, ``llm``), which may be the column of raters: it is where no other column is known
    to hold them. None is read as a dimension. Raises TableError for a column that does not exist or holds something
    else, and all that `read_ratings` raises.
    """
    table = read_table(source) if isinstance(source, str | Path) else take_frame(source, "the data frame")
    where = options.pop("where", None)
    if where is not None:
        table = filter_rows(table, where)
    extras = Extras(
        seconds=None if seconds is None else _rows(table, _read_seconds(table, seconds)),
        order=None if order is None else _rows(table, _read_order(table, order)),
        kind=None if kind is None else _rows(table, _read_kind(table, kind)),
    )
    if kind is not None and options.get("rater") is None and names_known("rater", table.columns) == [kind]:
        options["rater"] = kind
    own_kind = kind is not None and kind == options.get("rater")  # each rater is a kind of its own
    named = {"seconds": seconds, "order": order, "kind": None if own_kind else kind}
    _check_free(named, options)
    apart = {name for name in named.values() if name is not None}
    rest = Table(frame=table.frame.drop(apart), source=table.source, notes=table.notes)
    return build_ratings(rest, make_request(**options)), extras


def read_study_with_extras(
    path: str | Path, dimensions: Sequence[str] = (), *, kind: str | None = None
) -> tuple[Ratings, Extras]:
    """Read the ratings of a study as `read_study_ratings` does, with the order in which they were given.

    That of people is the moment of the answer that counts, that of models and code the moment of the call. With
    ``kind`` they are those by one kind of rater, else by all, which is said. Raises InputError for a kind that has not
    rated.
    """
    if kind is None:
        ratings = say_kinds(*read_all_kinds(path, dimensions))
    else:
        ratings = read_one_kind(path, dimensions, kind=kind)
    with read_study(path).open_store() as store:
        details = store.rating_details(purpose="study")
    moments = [pl.col(name) for name in ("at", "started") if name in details.columns]
    when = details.select(*RATING_KEY, value=pl.coalesce(moments).dt.timestamp("us").cast(pl.Float64))
    order = ratings.frame.select("row", *RATING_KEY).join(when, on=RATING_KEY, how="left", maintain_order="left")
    return ratings, Extras(order=order.select("row", "value"))


def _rows(table: Table, values: pl.Series) -> pl.DataFrame:
    return pl.DataFrame({"row": table.frame[ROW], "value": values})


def _read_seconds(table: Table, name: str) -> pl.Series:
    column = _column(table, name, "--seconds")
    numbers = as_numbers(column)
    if numbers is None:
        msg = f"column {name!r} (--seconds) does not hold numbers only, as in {_odd(column)}; give seconds as numbers"
        raise TableError(msg)
    wrong = table.rows.filter((numbers < 0) | numbers.is_infinite())
    if len(wrong):
        value = numbers.filter((numbers < 0) | numbers.is_infinite())[0]
        msg = (
            f"column {name!r} (--seconds) holds {value:g} in row {wrong[0]}; seconds are not negative: empty such cells"
        )
        raise TableError(msg)
    return numbers


def _read_kind(table: Table, name: str) -> pl.Series:
    """Return words without the blanks around them, null where there is none."""
    column = _column(table, name, "--kind")
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        msg = f"column {name!r} (--kind) holds {column.dtype}; write the kind of each rater as a word, such as human"
        raise TableError(msg)
    missing = column.to_frame().select(is_missing(name, column.dtype)).to_series()
    return column.cast(pl.String).str.strip_chars().set(missing, None)


def _read_order(table: Table, name: str) -> pl.Series:
    """Return numbers as they are, and times as microseconds since 1970."""
    column = _column(table, name, "--order")
    numbers = as_numbers(column)
    if numbers is not None:
        return numbers
    times = column
    if column.dtype == pl.String:
        filled = column.set(column.to_frame().select(is_missing(name, column.dtype)).to_series(), None)
        times = _parse_times(filled)
        if times.null_count() > filled.null_count():
            msg = (
                f"column {name!r} (--order) holds neither numbers nor dates and times, as in {_odd(column)}; "
                "number the answers, or write times as 2025-12-20 14:56:04"
            )
            raise TableError(msg)
    if not times.dtype.is_temporal():
        msg = f"column {name!r} (--order) holds {column.dtype}; give numbers, or dates and times"
        raise TableError(msg)
    return times.to_physical().cast(pl.Float64)


def _parse_times(texts: pl.Series) -> pl.Series:
    """Read dates and times, null where an entry is none."""
    try:
        return texts.str.strip_chars().str.to_datetime(strict=False, time_unit="us")
    except pl.exceptions.PolarsError:  # the first entry is none
        return pl.Series(texts.name, [None] * len(texts), dtype=pl.Datetime("us"))


def _column(table: Table, name: str, option: str) -> pl.Series:
    if name in table.columns:
        return table.frame[name]
    near = get_close_matches(name, table.columns, n=3)
    meant = f"; did you mean {shorten(near)}?" if near else ";"
    msg = f"{table.source} has no column {name!r} ({option}){meant} its columns are {shorten(table.columns, 30)}"
    raise TableError(msg)


def _odd(column: pl.Series) -> str:
    """Return the first entry that is no number, for a message."""
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    odd = column.filter(numbers.is_null() & column.is_not_null())
    return repr(clip(str(odd[0]))) if len(odd) else "an empty cell"


def _check_free(named: Mapping[str, str | None], options: ReadOptions) -> None:
    """Raise TableError when a column is named for two purposes."""
    taken = {options.get(role): role for role in ("target", "rater", "value", "dimension", "replicate")}
    for role, name in named.items():
        if name is not None and name in taken:
            msg = f"column {name!r} is named for --{taken[name]} and for --{role}; give each a column of its own"
            raise TableError(msg)
