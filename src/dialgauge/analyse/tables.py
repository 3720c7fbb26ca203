"""Where a table of ratings becomes arrays: the only place that does so."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dialgauge.model import Ratings, Scale
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.design import Design, detect

MOST_VALUES = 20
"""Different values of a continuous scale that are still worth counting one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The ratings of one or more dimensions that were given by the same raters to the same targets.

    ``target`` and ``rater`` hold dense codes of shape (n,), sorted by target, rater and replicate, ``labels`` the
    targets' own names in the same order; ``values`` maps each dimension to its ratings of shape (n,). ``n_missing``
    counts the ratings without a value per dimension.
    """

    target: Codes
    rater: Codes
    labels: pl.Series
    values: dict[str, Floats]
    n_missing: dict[str, int]
    design: Design

    def _first_of_cell(self) -> Codes:
        """Return where each cell (target x rater) starts."""
        return np.flatnonzero(np.diff(self.target * (self.rater.max() + 1) + self.rater, prepend=-1))

    def once(self) -> "Block":
        """Return the first rating of each rater on each target: no rating is then compared with its own repetition."""
        if self.design.replicates_max <= 1:
            return self
        first = self._first_of_cell()
        return self._with(first, {name: values[first] for name, values in self.values.items()})

    def averaged(self) -> "Block":
        """Return the mean of each rater's ratings of each target."""
        if self.design.replicates_max <= 1:
            return self
        first = self._first_of_cell()
        counts = np.diff(first, append=len(self.target))
        return self._with(first, {n: np.add.reduceat(v, first) / counts for n, v in self.values.items()})

    def repeats_itself(self, name: str) -> bool:
        """Tell whether the ratings of each rater on each target are all equal, though some are repeated."""
        first = self._first_of_cell()
        values = self.values[name]
        counts = np.diff(first, append=len(values))
        return self.design.replicates_max > 1 and bool(np.all(values == np.repeat(values[first], counts)))

    def _with(self, rows: Codes, values: dict[str, Floats]) -> "Block":
        target, rater = self.target[rows], self.rater[rows]
        labels = self.labels.gather(rows)
        return replace(self, target=target, rater=rater, labels=labels, values=values, design=detect(target, rater))


def blocks(ratings: Ratings) -> list[Block]:
    """Split ``ratings`` into blocks of dimensions that share one design, so that they share the work on it."""
    frame = ratings.frame.with_columns(
        pl.col("target").rank("dense").cast(pl.Int64).alias("_t"),
        pl.col("rater").rank("dense").cast(pl.Int64).alias("_r"),
    ).sort("_t", "_r", "replicate")
    found: dict[bytes, Block] = {}
    parts = frame.partition_by("dimension", as_dict=True)
    for name in ratings.dimensions:
        part = parts.get((name,))
        if part is None:
            continue
        kept = part.filter(pl.col("value").is_not_null())
        target, rater = kept["_t"].to_numpy(), kept["_r"].to_numpy()
        key = target.tobytes() + b"|" + rater.tobytes()
        if key not in found:
            found[key] = Block(
                target=np.unique(target, return_inverse=True)[1],
                rater=np.unique(rater, return_inverse=True)[1],
                labels=kept["target"],
                values={},
                n_missing={},
                design=detect(target, rater),
            )
        found[key].values[name] = kept["value"].to_numpy()
        found[key].n_missing[name] = len(part) - len(kept)
    return list(found.values())


def marginals(values: Floats, scale: Scale) -> tuple[tuple[str, int], ...]:
    """Count the ratings at each point of ``scale``: (label, count).

    On a continuous scale the values that occur are counted, if they are few; many say nothing and are left out.
    """
    found, counts = np.unique(values, return_counts=True)
    if scale.points is None:
        few = len(found) <= MOST_VALUES
        return tuple((f"{v:g}", int(n)) for v, n in zip(found, counts, strict=True)) if few else ()
    labels = scale.labels or tuple(f"{point:g}" for point in scale.points)
    known = dict(zip(found.tolist(), counts.tolist(), strict=True))
    return tuple((label, known.get(point, 0)) for label, point in zip(labels, scale.points, strict=True))
