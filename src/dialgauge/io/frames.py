"""Take in any eager data frame, or a list of records, as a `Table`."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.table import Table, check_header, from_objects, from_records, number_rows


def take_frame(data: Any, source: str) -> Table:  # noqa: ANN401 (any library's frame)
    """Turn ``data`` (pandas, Polars, PyArrow or another eager frame of Narwhals; or a list of mappings) into a `Table`.

    Rows are numbered 2, 3, ... as if the frame had been written out with a header. Raises TableError for anything else,
    for two columns of one name, and for a frame without rows.
    """
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)) and all(isinstance(r, Mapping) for r in data):
        frame = from_records(data)
    else:
        frame = _convert(data, source)
    if not frame.height:
        msg = f"{source} has no rows; a table of ratings has at least one"
        raise TableError(msg)
    return Table(frame=number_rows(frame), source=source)


def _convert(data: Any, source: str) -> pl.DataFrame:  # noqa: ANN401 (any library's frame)
    """Turn an eager frame into a Polars frame."""
    try:
        wrapped = nw.from_native(data, eager_only=True)
    except TypeError:
        kind = f"{type(data).__module__}.{type(data).__qualname__}"
        msg = f"{kind} is not a table that is in memory; give a pandas, Polars or PyArrow table, or a list of dicts"
        raise TableError(msg) from None
    except ValueError as error:
        msg = f"{source} cannot be read as a table: {' '.join(str(error).split())}"
        raise TableError(msg) from None
    names = [str(name) for name in wrapped.columns]
    check_header(names, source)
    columns = [_column(name, wrapped[original]) for name, original in zip(names, wrapped.columns, strict=True)]
    return pl.DataFrame(columns)


def _column(name: str, series: "nw.Series[Any]") -> pl.Series:
    """Turn one column into Polars; a column of mixed objects goes value by value."""
    try:
        return series.to_polars().alias(name)
    except Exception:  # noqa: BLE001 (each library has errors of its own here, and the slow way always works)
        return from_objects(name, series.to_list())
