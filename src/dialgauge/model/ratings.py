"""Ratings: who gave which value to what, the missing ones with their reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from dialgauge.errors import TableError
from dialgauge.model.instrument import Instrument
from dialgauge.model.scale import Scale

RATING_SCHEMA: Mapping[str, pl.DataType] = {
    "target": pl.String(),
    "rater": pl.String(),
    "dimension": pl.String(),
    "replicate": pl.Int64(),
    "value": pl.Float64(),
    "missing": pl.String(),
    "row": pl.Int64(),
}
"""The columns of `Ratings.frame`, in their order."""

_KEY = ["target", "rater", "dimension", "replicate"]


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings in long form, one row a rating.

    ``frame`` has the columns of `RATING_SCHEMA`: ``target`` and ``rater`` in the user's own text, ``dimension``,
    ``replicate`` (1, 2, ...), ``value`` (null where missing), ``missing`` (the reason, such as "empty"; null where
    there is a value) and ``row``, the line of the source that the rating came from (the header is line 1, also where a
    source has no lines).
    ``scales`` gives the scale of each dimension, in the order in which the dimensions are shown. ``notes`` are
    sentences on what was guessed, filtered, left out or counted while reading; ``findings`` are those that change what
    one may conclude, and stand before the findings of every analysis.
    """

    frame: pl.DataFrame
    scales: Mapping[str, Scale]
    instrument: Instrument | None = None
    source: str = ""
    notes: tuple[str, ...] = field(default=())
    findings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if dict(self.frame.schema) != dict(RATING_SCHEMA) or self.frame.columns != list(RATING_SCHEMA):
            msg = f"ratings need the columns {dict(RATING_SCHEMA)}, got {dict(self.frame.schema)}"
            raise TableError(msg)
        checks = self.frame.select(
            torn=(pl.col("value").is_null() == pl.col("missing").is_null()).sum(),
            keyless=pl.any_horizontal(pl.col("target", "rater", "dimension", "replicate").is_null()).sum(),
        )
        if checks["torn"].item() or checks["keyless"].item():
            msg = "each rating needs target, rater, dimension and replicate, and either a value or a missing reason"
            raise TableError(msg)
        undeclared = set(self.frame["dimension"].unique()) - set(self.scales)
        if undeclared:
            msg = f"no scale is declared for the dimensions {sorted(undeclared)}; give one for each"
            raise TableError(msg)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions in their declared order."""
        return tuple(self.scales)

    @property
    def n_targets(self) -> int:
        """The number of different targets."""
        return self.frame["target"].n_unique()

    @property
    def n_raters(self) -> int:
        """The number of different raters."""
        return self.frame["rater"].n_unique()

    @property
    def n_missing(self) -> int:
        """The number of ratings without a value."""
        return self.frame["value"].null_count()

    def scale_for(self, dimension: str) -> Scale:
        """Return the scale of ``dimension``; TableError when the ratings have no such dimension."""
        if dimension not in self.scales:
            msg = f"there are no ratings of the dimension {dimension!r}; there are {', '.join(self.dimensions)}"
            raise TableError(msg)
        return self.scales[dimension]

    def of(self, dimension: str) -> pl.DataFrame:
        """Return the rows of ``frame`` that belong to ``dimension``, the missing ones too."""
        self.scale_for(dimension)
        return self.frame.filter(pl.col("dimension") == dimension)

    def with_notes(self, *notes: str) -> "Ratings":
        """Return the same ratings with further notes at the end."""
        return replace(self, notes=(*self.notes, *notes))

    def same_ratings(self, other: "Ratings") -> bool:
        """Whether both hold the same ratings on the same scales, whatever their order and the lines they came from."""
        if dict(self.scales) != dict(other.scales):
            return False
        columns = [*_KEY, "value", "missing"]
        return self.frame.select(columns).sort(columns).equals(other.frame.select(columns).sort(columns))
