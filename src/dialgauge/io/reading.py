"""Read ratings from a file or a data frame: the one door through which they come in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from dialgauge.errors import TableError
from dialgauge.io.cells import note_lookalikes, read_identifiers, read_replicates
from dialgauge.io.duplicates import settle_duplicates
from dialgauge.io.files import read_table
from dialgauge.io.frames import take_frame
from dialgauge.io.layout import Layout, find_layout
from dialgauge.io.request import DuplicatePolicy, OffScalePolicy, ReadOptions, Request, make_request
from dialgauge.io.table import Table
from dialgauge.io.values import check_magnitude, check_on_scale, leave_out_off_scale, no_scale, read_values
from dialgauge.io.where import filter_rows
from dialgauge.io.words import clip, count, shorten
from dialgauge.model import RATING_SCHEMA, Instrument, Ratings, Scale

EMPTY = "empty"
"""The missing reason of a cell without an entry."""


def read_ratings(  # noqa: PLR0913 (the options of the command, one by one)
    path: str | Path,
    *,
    target: str | None = None,
    rater: str | None = None,
    value: str | None = None,
    dimension: str | None = None,
    replicate: str | None = None,
    instrument: Instrument | str | Path | None = None,
    scale: Scale | str | None = None,
    where: str | None = None,
    duplicates: DuplicatePolicy = "error",
    labels: str | Sequence[str] | None = None,
    dimensions: str | Sequence[str] | None = None,
    off_scale: OffScalePolicy = "error",
) -> Ratings:
    """Read ratings from a CSV, TSV, JSON lines or Parquet file, in long or wide form.

    ``target``, ``rater``, ``value``, ``dimension`` and ``replicate`` name columns; those that are not named are guessed
    from well-known names where only one guess is possible, and the guess is noted. A long table has a column of values
    (and one of dimensions, unless there is only one); a wide table has one column a dimension: those of the
    ``instrument`` that occur, or ``dimensions``, or every other column if all hold numbers. ``dimensions`` also chooses
    among the dimensions of a long table.

    The scale is declared, by ``instrument`` (a name or a TOML file), ``scale`` (``"1:5"``; it takes the place of the
    instrument's) or ``labels`` (words for the points, lowest first). Empty cells, and NA, N/A and NaN in any case, are
    missing with the reason "empty"; a column ``missing`` beside the values of a long table may tell another reason.
    ``where`` keeps the rows for which a condition is true (see `dialgauge.io.where`). ``duplicates`` is what to do with
    several ratings of one dimension of one target by one rater (see `dialgauge.io.duplicates`). A value off its scale
    is an error, or, with ``off_scale`` "missing", a missing rating with the reason "off-scale", which is counted.

    Raises TableError, InstrumentError, OffScaleError or DuplicateRatingsError; the message names place and remedy.
    """
    request = make_request(
        target=target,
        rater=rater,
        value=value,
        dimension=dimension,
        replicate=replicate,
        instrument=instrument,
        scale=scale,
        where=where,
        duplicates=duplicates,
        labels=labels,
        dimensions=dimensions,
        off_scale=off_scale,
    )
    return build_ratings(read_table(path), request)


def from_frame(frame: Any, /, **options: Unpack[ReadOptions]) -> Ratings:  # noqa: ANN401 (any library's frame)
    """Read ratings from a pandas, Polars or PyArrow table (or another eager frame of Narwhals), or a list of dicts.

    The options and errors are those of `read_ratings`. Rows are counted 2, 3, ... as if the frame had been written out
    below a header; the index of a pandas frame is not read.
    """
    return build_ratings(take_frame(frame, "the data frame"), make_request(**options))


def build_ratings(table: Table, request: Request) -> Ratings:
    """Turn ``table`` into ratings, step by step: filter, roles, scale, values, duplicates.

    The errors are those of `read_ratings`.
    """
    if request.where is not None:
        table = filter_rows(table, request.where)
    layout = find_layout(table, request)
    if not request.declares_scale:
        columns = [table.frame[name] for name in ([layout.value] if layout.value else layout.wide)]
        raise TableError(no_scale(columns))
    keys, key_notes = _read_keys(table, layout)
    if layout.value is None:
        frame, notes = _read_wide(table, layout, request, keys)
    else:
        frame, notes = _read_long(table.frame[layout.value], table, layout, request, keys)
    scales = {name: request.scale_for(name) for name in _order(frame, request)}
    if request.off_scale == "missing":
        frame = leave_out_off_scale(frame, scales)
    else:
        check_on_scale(frame, scales, guessed=layout.value is None and request.instrument is None)
    check_magnitude(frame)
    nominal = any(scale.level in {"nominal", "binary"} for scale in scales.values())
    frame, settled = settle_duplicates(frame, request.duplicates, nominal=nominal, unread=layout.unread)
    position = pl.col("dimension").cast(pl.Enum(list(scales))).to_physical()
    frame = frame.sort("row", position, maintain_order=True)
    notes += [settled] if settled else []
    if request.instrument is not None and request.scale is not None:
        notes.append(f"The scale {request.scale} was used in place of that of {request.instrument.name}.")
    all_notes = (*table.notes, *layout.notes, *key_notes, *notes, *_count(frame, len(scales)))
    return Ratings(frame=frame, scales=scales, instrument=request.instrument, source=table.source, notes=all_notes)


def _read_keys(table: Table, layout: Layout) -> tuple[pl.DataFrame, list[str]]:
    """Return target, rater, replicate and row of each row of the table."""
    notes = []
    replicate = pl.repeat(1, table.frame.height, dtype=pl.Int64, eager=True)
    if layout.replicate is not None:
        replicate, note = read_replicates(table, layout.replicate)
        notes += [note] if note else []
    target = read_identifiers(table, layout.target, "target")
    rater = read_identifiers(table, layout.rater, "rater")
    notes += [*note_lookalikes(target, "targets"), *note_lookalikes(rater, "raters")]
    return pl.DataFrame({"target": target, "rater": rater, "replicate": replicate, "row": table.rows}), notes


def _read_wide(table: Table, layout: Layout, request: Request, keys: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Stack the columns of the dimensions."""
    parts = []
    for name in layout.wide:
        values = read_values(table.frame[name], request.scale_for(name), rows=table.rows)
        parts.append(keys.with_columns(values.alias("value"), dimension=pl.lit(name)))
    return _with_reasons(pl.concat(parts), None), []


def _read_long(
    raw: pl.Series, table: Table, layout: Layout, request: Request, keys: pl.DataFrame
) -> tuple[pl.DataFrame, list[str]]:
    """Read the column of values, ``raw``, dimension by dimension where their scales differ."""
    if layout.dimension is None:
        names = pl.repeat(layout.only, table.frame.height, dtype=pl.String, eager=True)
    else:
        names = read_identifiers(table, layout.dimension, "dimension")
    whole = keys.with_columns(names.alias("dimension"), raw.alias("raw"))
    if layout.missing is not None:
        whole = whole.with_columns(table.frame[layout.missing].cast(pl.String).alias("reason"))
    chosen = _choose_dimensions(whole, request)
    notes = []
    if chosen.height < whole.height:
        n_left_out = whole.height - chosen.height
        notes.append(f"Left out: {count(n_left_out, 'rating')} of dimensions that were not asked for.")
    groups: dict[Scale, list[str]] = {}
    for name in chosen["dimension"].unique(maintain_order=True):
        groups.setdefault(request.scale_for(name), []).append(name)
    parts = []
    for scale, members in groups.items():
        part = chosen if len(groups) == 1 else chosen.filter(pl.col("dimension").is_in(members))
        values = read_values(part["raw"].alias(raw.name), scale, rows=part["row"])
        parts.append(part.with_columns(values.alias("value")))
    frame = pl.concat(parts)
    return _with_reasons(frame, "reason" if layout.missing is not None else None), notes


def _choose_dimensions(frame: pl.DataFrame, request: Request) -> pl.DataFrame:
    """Keep the dimensions that were asked for; those that an instrument does not know are an error."""
    present = frame["dimension"].unique(maintain_order=True).to_list()
    if request.dimensions is not None:
        absent = [name for name in request.dimensions if name not in present]
        if absent:
            msg = f"no rating is of the dimension {absent[0]!r} (--dimensions); there are {shorten(present, 30)}"
            raise TableError(msg)
        frame = frame.filter(pl.col("dimension").is_in(request.dimensions))
        present = list(request.dimensions)
    if request.instrument is not None and request.scale is None:
        strange = [name for name in present if name not in request.instrument.dimension_names]
        if strange:
            known = shorten(request.instrument.dimension_names, 30)
            msg = f"the instrument {request.instrument.name} has no dimension {shorten(strange)}; it has {known}"
            msg += "; choose among those of the table with --dimensions"
            raise TableError(msg)
    return frame


def _with_reasons(frame: pl.DataFrame, reason: str | None) -> pl.DataFrame:
    """Add the missing reasons and put the columns in their order."""
    given = pl.lit(None, dtype=pl.String) if reason is None else pl.col(reason).replace("", None)
    clash = frame.filter(pl.col("value").is_not_null() & given.is_not_null())
    if clash.height:
        first = clash.row(0, named=True)
        msg = f"row {first['row']} has the value {first['value']:g} and the missing reason {clip(first['reason'])!r}"
        msg += "; empty one of the two cells"
        raise TableError(msg)
    missing = pl.when(pl.col("value").is_null()).then(pl.coalesce(given, pl.lit(EMPTY)))
    return frame.with_columns(missing=missing).select(list(RATING_SCHEMA))


def _order(frame: pl.DataFrame, request: Request) -> list[str]:
    """Return the dimensions that occur, in the order of the request, the instrument or the table."""
    present = frame["dimension"].unique(maintain_order=True).to_list()
    declared = request.dimensions or (request.instrument.dimension_names if request.instrument else ())
    first = [name for name in declared if name in present]
    return [*first, *(name for name in present if name not in first)]


def _count(frame: pl.DataFrame, n_dimensions: int) -> list[str]:
    """Return the closing notes: how many ratings of what by whom, and how many are missing why."""
    n_targets, n_raters = frame["target"].n_unique(), frame["rater"].n_unique()
    sizes = " × ".join([count(n_targets, "target"), count(n_raters, "rater"), count(n_dimensions, "dimension")])
    lines = [f"Read {count(frame.height, 'rating')}: {sizes}."]
    missing = frame.drop_nulls("missing").group_by("missing").len("n").sort("n", "missing", descending=[True, False])
    reasons = ", ".join(f"{n:,} {clip(reason)}" for reason, n in missing.iter_rows())
    return [*lines, f"Missing values, left as they are: {reasons}."] if reasons else lines
