"""Where ratings become an array dimensions x raters x targets x replicates, and what is left out on the way."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dialgauge.errors import DuplicateRatingsError, InputError
from dialgauge.model import Ratings
from dialgauge.stats.arrays import Floats

MOST_CELLS = 100_000_000
"""Cells of the array (0.8 GB); more have to be asked for in parts."""

OFF_SCALE = "off-scale"

_KEYS = ("dimension", "rater", "target", "replicate")


@dataclass(frozen=True, slots=True, eq=False)
class Cube:
    """All ratings: ``values`` has shape (dimensions, raters, targets, replicates), NaN where there is no value.

    ``missing`` counts the ratings without a value by reason, those off the scale among them, per dimension and rater.
    ``once`` names the raters who rated no target twice; they are not among the ``raters``.
    """

    dimensions: tuple[str, ...]
    raters: tuple[str, ...]
    targets: tuple[str, ...]
    replicates: tuple[int, ...]
    values: Floats
    missing: Mapping[tuple[str, str], Mapping[str, int]]
    once: tuple[str, ...] = ()


def build_cube(ratings: Ratings) -> Cube:
    """Return ``ratings`` as an array; values that are not on the declared scale become missing and are counted.

    Raises ``InputError`` where there is no value at all or where the array would be too large,
    ``DuplicateRatingsError`` where a rater gave two values in one replicate.
    """
    frame = ratings.frame
    axes = [
        list(ratings.dimensions),
        frame["rater"].unique().sort().to_list(),
        frame["target"].unique().sort().to_list(),
        frame["replicate"].unique().sort().to_list(),
    ]
    shape = tuple(map(len, axes))
    if int(np.prod(shape, dtype=np.float64)) > MOST_CELLS:
        sizes = " × ".join(f"{n:,} {name}s" for n, name in zip(shape, _KEYS, strict=True))
        raise InputError(f"{sizes} are more than {MOST_CELLS:,} cells; choose dimensions or rows")
    codes = [_codes(frame[key], axis) for key, axis in zip(_KEYS, axes, strict=True)]
    values = np.full(shape, np.nan)
    filled = frame["value"].is_not_null().to_numpy()
    if not filled.any():
        raise InputError(f"{ratings.source or 'the table'} holds no rating with a value; look at its empty cells")
    _check_unique(np.ravel_multi_index(tuple(code[filled] for code in codes), shape), frame.filter(filled))
    values[tuple(code[filled] for code in codes)] = frame["value"].drop_nulls().to_numpy()
    missing = _count_missing(frame)
    for d, name in enumerate(ratings.dimensions):
        off = ~np.isnan(values[d]) & ~ratings.scale_for(name).contains(values[d])
        values[d][off] = np.nan
        for rater, count in zip(axes[1], off.sum(axis=(1, 2)).tolist(), strict=True):
            if count:
                reasons = missing.setdefault((name, rater), {})
                reasons[OFF_SCALE] = reasons.get(OFF_SCALE, 0) + count
    whole = Cube(ratings.dimensions, tuple(axes[1]), tuple(axes[2]), tuple(axes[3]), values, missing)
    return _keep_repeaters(whole, ratings.source or "the table")


def _keep_repeaters(cube: Cube, source: str) -> Cube:
    """Leave out the raters who rated no target twice."""
    repeats = np.any(np.sum(~np.isnan(cube.values), axis=3) >= 2, axis=(0, 2))
    if repeats.all():
        return cube
    if not repeats.any():
        raise InputError(
            f"no rater in {source} rated a target twice; name the column of the replicate with --replicate, or number "
            "repeated ratings with --duplicates replicate"
        )
    kept, once = (tuple(cube.raters[i] for i in np.flatnonzero(which)) for which in (repeats, ~repeats))
    return replace(cube, raters=kept, values=cube.values[:, repeats], once=once)


def _codes(column: pl.Series, axis: list[str] | list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the place of each entry of ``column`` on ``axis``."""
    places = pl.Series(range(len(axis)), dtype=pl.Int64)
    found: np.ndarray[tuple[int], np.dtype[np.int64]] = column.replace_strict(
        pl.Series(axis, dtype=column.dtype), places, return_dtype=pl.Int64
    ).to_numpy()
    return found


def _check_unique(cells: np.ndarray[tuple[int], np.dtype[np.intp]], frame: pl.DataFrame) -> None:
    order = np.argsort(cells, kind="stable")
    again = np.flatnonzero(np.diff(cells[order]) == 0)
    if again.size:
        row = frame.row(int(order[again[0] + 1]), named=True)
        place = f"{row['dimension']} of target {row['target']!r} by {row['rater']!r} in replicate {row['replicate']}"
        raise DuplicateRatingsError(f"{place} has two values; number repeated ratings (--duplicates replicate)")


def _count_missing(frame: pl.DataFrame) -> dict[tuple[str, str], dict[str, int]]:
    counted = frame.drop_nulls("missing").group_by("dimension", "rater", "missing").len().sort("missing")
    found: dict[tuple[str, str], dict[str, int]] = {}
    for dimension, rater, reason, count in counted.iter_rows():
        found.setdefault((dimension, rater), {})[reason] = count
    return found
