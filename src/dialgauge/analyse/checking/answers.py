"""Checks of the answers alone: whether they vary, follow the keys, and were meant for the scale."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from dialgauge.analyse.checking.records import CheckedRater, CheckMaterial, Constant, KeyOrder, Mass
from dialgauge.model import Scale
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import Floats

FEWEST_TARGETS = 10
"""Targets below which answers may well be the same by chance."""

LEAST_MASS = 0.9

PERMUTATIONS = 499
MOST_CALLS = 500
FEWEST_KEYS = 3


def find_constants(material: CheckMaterial, rater: CheckedRater) -> Iterator[Constant]:
    """Yield the share of the most frequent value in each dimension, on the targets of the study.

    Where the study has fewer than ten rated targets in a dimension, the planted ones count too; a dimension with fewer
    than ten then is left out.
    """
    own = material.ratings.filter(pl.col("rater") == rater.name).drop_nulls("value")
    parts = own.partition_by("dimension", as_dict=True)
    for name in material.scales:
        every = parts.get((name,), own.clear())
        frame = every.filter(pl.col("purpose") == "study")
        if frame["target"].n_unique() < FEWEST_TARGETS:
            frame = every
        n_targets = frame["target"].n_unique()
        if n_targets < FEWEST_TARGETS:
            continue
        top = frame.group_by("value").len("n").sort(["n", "value"], descending=[True, False]).row(0, named=True)
        share = top["n"] / frame.height
        yield Constant(rater=rater.name, dimension=name, value=top["value"], share=share, n_targets=n_targets)


def find_masses(material: CheckMaterial, rater: CheckedRater) -> Iterator[Mass]:
    """Yield the mass on the scale in each dimension that has expected scores."""
    own = material.masses.filter(pl.col("rater") == rater.name)
    parts = own.partition_by("dimension", as_dict=True)
    for name in material.scales:
        frame = parts.get((name,), own.clear())
        mass = frame["mass"].drop_nulls().to_numpy()
        if mass.size:
            yield Mass(
                rater=rater.name,
                dimension=name,
                median=float(np.median(mass)),
                below=float(np.mean(mass < LEAST_MASS)),
                n=int(mass.size),
                n_unknown=frame.height - int(mass.size),
            )


def find_key_order(material: CheckMaterial, rater: CheckedRater) -> KeyOrder | None:
    """Return how far the answers of a call follow its keys; None where no call has three answers of one kind of scale.

    A step is followed where the answer is the next point of the scale after that of the key before, the first after
    the last (or the reverse). The values of each call are permuted among its keys, 499 times; of more than 500 calls
    the first 500 count. Keys whose scales have another number of points than most, or fewer than three, are passed
    over.
    """
    own = material.calls.filter(pl.col("rater") == rater.name)
    if own.is_empty():
        return None
    keys = ["target", "replicate"]
    frame = material.ratings.filter((pl.col("rater") == rater.name) & pl.col("value").is_not_null())
    values: dict[tuple[str, int], dict[str, float]] = {}
    for target, replicate, dimension, value in frame.select(*keys, "dimension", "value").iter_rows():
        values.setdefault((target, replicate), {})[dimension] = value
    n_points = _commonest_points(own["dimensions"].to_list(), material.scales)
    rows = []
    for target, replicate, dimensions in own.select(*keys, "dimensions").iter_rows():
        given = values.get((target, replicate), {})
        places = [_place(material.scales.get(name), given.get(name), n_points) for name in dimensions]
        row = [place for place in places if place is not None]
        if len(row) >= FEWEST_KEYS:
            rows.append(row)
        if len(rows) == MOST_CALLS:
            break
    return _compare_with_permutations(rows, n_points, rater.name) if rows else None


def _commonest_points(calls: Sequence[Sequence[str]], scales: Mapping[str, Scale]) -> int:
    """Return how many points most keys of the calls have; 0 where none has three."""
    points = (scales[name].points for call in calls for name in call if name in scales)
    counts = [len(found) for found in points if found is not None and len(found) >= 3]
    return max(set(counts), key=lambda n: (counts.count(n), n)) if counts else 0


def _place(scale: Scale | None, value: float | None, n_points: int) -> int | None:
    if scale is None or value is None or scale.points is None or len(scale.points) != n_points:
        return None
    return scale.points.index(value) if value in scale.points else None


def _compare_with_permutations(rows: Sequence[Sequence[int]], n_points: int, rater: str) -> KeyOrder:
    width = max(map(len, rows))
    places = np.full((len(rows), width), -1, dtype=np.int64)
    for i, row in enumerate(rows):
        places[i, : len(row)] = row
    absent = places < 0
    n_steps = int(np.sum(~absent[:, 1:]))

    def count(table: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Floats:
        step = np.where(absent[:, 1:], -1, (table[:, 1:] - table[:, :-1]) % n_points)
        return np.array([np.sum(step == 1), np.sum(step == n_points - 1)], dtype=np.float64)

    rng = child_rng(0, "key order", rater)
    observed = count(places)
    drawn = np.empty((PERMUTATIONS, 2))
    for i in range(PERMUTATIONS):
        order = np.argsort(np.where(absent, 2.0, rng.random(places.shape)), axis=1)
        drawn[i] = count(np.take_along_axis(places, order, axis=1))
    tails = (1 + np.sum(drawn >= observed, axis=0)) / (PERMUTATIONS + 1)
    best = int(np.lexsort((-observed, tails))[0])
    return KeyOrder(
        rater=rater,
        direction="up" if best == 0 else "down",
        share=float(observed[best]) / n_steps,
        by_chance=float(drawn[:, best].mean()) / n_steps,
        p=min(1.0, 2.0 * float(tails[best])),
        n_steps=n_steps,
        n_calls=len(rows),
    )
