"""From cells to values on the declared scale."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from dialgauge.errors import OffScaleError, TableError
from dialgauge.io.cells import MISSING_WORDS, as_numbers, plain
from dialgauge.io.words import clip, shorten
from dialgauge.model import Scale
from dialgauge.model.scale import normalise_label

LARGEST, SMALLEST = 1e60, 1e-60
"""Values beyond the first, or whose whole range is below the second, leave the range of numbers when squared twice."""

DECLARE = "--scale LOW:HIGH (in Python scale='LOW:HIGH')"
"""How a scale is declared, on the command line and in Python."""


def read_values(raw: pl.Series, scale: Scale, *, rows: pl.Series) -> pl.Series:
    """Return the cells as Float64, null where missing: numbers as they are, words by the labels of ``scale``.

    ``rows`` are the source lines of the cells, for messages. Words are never put into an order of their own: raises
    TableError, naming the column and the words, when the scale has no such labels.
    """
    cells = plain(raw)
    if cells.dtype in (pl.Float64, pl.Null):
        return cells.cast(pl.Float64)
    if cells.dtype != pl.String:
        msg = f"column {raw.name!r} holds {raw.dtype}, not ratings; name those of ratings with --dimensions or --value"
        raise TableError(msg)
    numbers = cells.str.strip_chars().cast(pl.Float64, strict=False).fill_nan(None)
    words = cells.filter(numbers.is_null() & cells.is_not_null()).unique(maintain_order=True).to_list()
    labels = scale.label_points()
    points = {word: labels[normalise_label(word)] for word in words if normalise_label(word) in labels}
    unknown = [w for w in words if w not in points and w.strip().lower() not in MISSING_WORDS]
    if unknown:
        row = rows.filter(cells == unknown[0])[0]
        raise TableError(_explain_words(raw.name, unknown, row, scale))
    if not points:
        return numbers
    by_label = cells.replace_strict(list(points), list(points.values()), default=None, return_dtype=pl.Float64)
    return pl.select(pl.coalesce(by_label, numbers)).to_series().alias(raw.name)


def _explain_words(column: str, unknown: Sequence[str], row: int, scale: Scale) -> str:
    shown = f"{shorten(unknown)} (first in row {row})"
    if scale.labels:
        labels = ", ".join(repr(label) for label in scale.labels)
        return f"column {column!r} has answers that are no label of its scale: {shown}; the labels are {labels}"
    if all(word.strip().lstrip("+-").replace(",", "", 1).isdigit() for word in unknown):
        return f"column {column!r} has numbers with a decimal comma: {shown}; write them with a decimal point"
    return (
        f"column {column!r} has words where its scale has numbers: {shown}; declare the words in their order, lowest "
        'first, with --labels "bad,fair,good" or as labels in the instrument, and mark missing ones as empty or NA'
    )


def check_on_scale(frame: pl.DataFrame, scales: Mapping[str, Scale], *, guessed: bool = False) -> None:
    """Raise OffScaleError when a value of ``frame`` (long form) is off the scale of its dimension, or infinite."""
    off = _find_off_scale(frame, scales)
    if not off.any():
        return
    bad = frame.filter(off).sort("row", maintain_order=True)
    first = bad.row(0, named=True)
    more = f", and {bad.height - 1:,} more" if bad.height > 1 else ""
    other = ", or list the columns that hold ratings with --dimensions" if guessed else ""
    msg = (
        f"value {first['value']:g} by rater {clip(first['rater'])!r} for target {clip(first['target'])!r} on "
        f"{clip(first['dimension'])!r} (row {first['row']}) is off the scale {scales[first['dimension']]}{more}; "
        f"correct or empty these cells, or declare the scale that was used with {DECLARE}{other}"
    )
    raise OffScaleError(msg)


def leave_out_off_scale(frame: pl.DataFrame, scales: Mapping[str, Scale]) -> pl.DataFrame:
    """Return ``frame`` (long form) with the reason "off-scale" in the place of each value off its scale."""
    off = pl.lit(_find_off_scale(frame, scales))
    return frame.with_columns(
        value=pl.when(off).then(None).otherwise(pl.col("value")),
        missing=pl.when(off).then(pl.lit("off-scale")).otherwise(pl.col("missing")),
    )


def _find_off_scale(frame: pl.DataFrame, scales: Mapping[str, Scale]) -> pl.Series:
    """Tell for each row whether there is a value that its scale does not have; infinite ones are on no scale."""
    values = frame["value"].to_numpy()
    off = np.zeros(frame.height, dtype=np.bool_)
    for scale in set(scales.values()):
        names = [name for name, other in scales.items() if other == scale]
        of_scale = frame["dimension"].is_in(names).to_numpy() if len(names) < len(scales) else True
        off |= ~scale.contains(values) & of_scale
    return pl.Series(off & frame["value"].is_not_null().to_numpy())


def check_magnitude(frame: pl.DataFrame) -> None:
    """Raise TableError where values are so large, or differ by so little, that their powers leave the number range."""
    spans = frame.group_by("dimension", maintain_order=True).agg(
        low=pl.col("value").min(), high=pl.col("value").max(), largest=pl.col("value").abs().max()
    )
    for name, low, high, largest in spans.drop_nulls("largest").iter_rows():
        if largest > LARGEST:
            msg = f"the ratings of {clip(name)!r} reach {largest:g}, beyond {LARGEST:g}"
            raise TableError(f"{msg}: squares of such numbers overflow; give them, and the scale, in a larger unit")
        if 0.0 < high - low < SMALLEST:
            msg = f"the ratings of {clip(name)!r} differ by {high - low:g} at most, less than {SMALLEST:g}"
            raise TableError(f"{msg}: squares of such numbers vanish; give them, and the scale, in a smaller unit")


def no_scale(columns: Sequence[pl.Series]) -> str:
    """Say that a scale has to be declared, with the range of the values as a hint."""
    msg = "no scale is declared, and it is never inferred from the values"
    numbers = [series for series in map(as_numbers, columns) if series is not None and series.drop_nulls().len()]
    finite = [series.filter(series.is_finite()) for series in numbers]
    finite = [series for series in finite if series.len()]
    if len(numbers) < len(columns) or not finite:
        return f'{msg}; give an instrument, {DECLARE}, or --labels "bad,fair,good" with the lowest first'
    low = min(float(np.min(series.to_numpy())) for series in finite)
    high = max(float(np.max(series.to_numpy())) for series in finite)
    return (
        f"{msg}: give an instrument or {DECLARE} (the values run from {low:g} to {high:g}; if these are the ends of "
        f"the scale, {low:g}:{high:g})"
    )
