"""Ratings as arrays with a row an answer (target x rater x replicate) and a column a dimension."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from dialgauge.model import Ratings, Scale
from dialgauge.stats.arrays import Codes, Floats

CONTINUOUS_PARTS = 10


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """All ratings with a value.

    ``target`` and ``rater`` (n,) are codes into ``targets`` and ``raters`` (sorted names), rows sorted by both and the
    replicate; ``values`` (n, m) holds the ratings of ``dimensions``, NaN where there is none. ``seconds`` and ``order``
    (n,) are NaN where unknown, ``None`` where not asked for.
    """

    targets: tuple[str, ...]
    raters: tuple[str, ...]
    dimensions: tuple[str, ...]
    target: Codes
    rater: Codes
    values: Floats
    seconds: Floats | None
    order: Floats | None

    @property
    def n_raters(self) -> int:
        """The number of raters."""
        return len(self.raters)

    def columns(self, names: tuple[str, ...]) -> Floats:
        """Return the ratings of the dimensions ``names``, shape (n, len(names))."""
        return self.values[:, [self.dimensions.index(name) for name in names]]


def tabulate(ratings: Ratings, *, seconds: pl.DataFrame | None, order: pl.DataFrame | None) -> AnswerTable:
    """Put the values of ``ratings`` into an `AnswerTable`.

    ``seconds`` and ``order`` have the columns ``row`` (as in the ratings) and ``value``. The seconds of an answer that
    stands in several rows are their mean, its order is the first.
    """
    frame = ratings.frame.filter(pl.col("value").is_not_null())
    targets, target = _encode(frame["target"])
    raters, rater = _encode(frame["rater"])
    replicate = np.unique(frame["replicate"].to_numpy(), return_inverse=True)[1]
    key = (target * len(raters) + rater) * (int(replicate.max(initial=0)) + 1) + replicate
    _, first, answer = np.unique(key, return_index=True, return_inverse=True)
    values = np.full((len(first), len(ratings.dimensions)), np.nan)
    column = frame["dimension"].cast(pl.Enum(list(ratings.dimensions))).to_physical().to_numpy()
    values[answer, column] = frame["value"].to_numpy()
    rows = pl.DataFrame({"answer": answer, "row": frame["row"]}).unique(maintain_order=True)
    return AnswerTable(
        targets=targets,
        raters=raters,
        dimensions=ratings.dimensions,
        target=target[first],
        rater=rater[first],
        values=values,
        seconds=None if seconds is None else _place(rows, seconds, pl.col("value").mean(), len(first)),
        order=None if order is None else _place(rows, order, pl.col("value").min(), len(first)),
    )


def merge_replicates(table: AnswerTable) -> tuple[Codes, Codes, Floats]:
    """Return target, rater and the mean values of each target x rater pair."""
    pair, inverse = np.unique(table.target * table.n_raters + table.rater, return_inverse=True)
    target, rater = pair // table.n_raters, pair % table.n_raters
    if len(pair) == len(table.target):
        return target, rater, table.values
    known = ~np.isnan(table.values)
    count, total = (np.zeros((len(pair), table.values.shape[1])) for _ in range(2))
    np.add.at(count, inverse, known)
    np.add.at(total, inverse, np.where(known, table.values, 0.0))
    return target, rater, np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0.0)


def parts_of(scale: Scale, values: Floats) -> tuple[Floats, tuple[str, ...]]:
    """Return the lower edges of the parts of ``scale`` with their labels: its points, or ten parts of a range.

    An open end of a range is replaced by the outermost of ``values``, of which there is at least one.
    """
    if scale.points is not None:
        return np.asarray(scale.points), scale.labels or tuple(f"{point:g}" for point in scale.points)
    low, high = (float(end) for end in scale.bounds)
    low = low if np.isfinite(low) else float(values.min())
    high = high if np.isfinite(high) else float(values.max())
    edges = np.linspace(low, high, CONTINUOUS_PARTS + 1)
    return edges[:-1], tuple(f"{a} to {b}" for a, b in pairwise(_short(edges)))


def _short(edges: Floats) -> list[str]:
    """Write ``edges`` with four digits, or as many more as it takes to tell them apart."""
    for digits in range(4, 17):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == len(texts):
            return texts
    return [repr(float(edge)) for edge in edges]


def _encode(names: pl.Series) -> tuple[tuple[str, ...], Codes]:
    """Return the sorted names, and for each entry its number among them."""
    codes: Codes = names.rank("dense").cast(pl.Int64).to_numpy() - 1
    return tuple(names.unique().sort()), codes


def _place(rows: pl.DataFrame, extra: pl.DataFrame, combine: pl.Expr, n: int) -> Floats:
    found = np.full(n, np.nan)
    joined = rows.join(extra.drop_nulls("value"), on="row").group_by("answer").agg(combine.alias("value"))
    found[joined["answer"].to_numpy()] = joined["value"].to_numpy()
    return found
