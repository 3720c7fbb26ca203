"""Ratings as they are compared between raters: one number for each target and dimension, 0 the worst and 1 the best."""

from collections.abc import Collection

import polars as pl

from dialgauge.analyse.checking.contrasts import scale_ends
from dialgauge.analyse.checking.records import Beside, CheckedRater, CheckMaterial

CELLS = ("target", "dimension")

DIGITS = 12
"""Means that are equal but for rounding are ties."""


def average_ratings(material: CheckMaterial, raters: Collection[str]) -> pl.DataFrame:
    """Return the mean over ``raters`` of their mean over replicates, for each target of the study and dimension.

    Columns: target, dimension, y (0 to 1 on the range of the scale, turned where lower is better), n (ratings).
    Dimensions on nominal and open scales are left out.
    """
    ends = [(name, *scale_ends(scale), scale.direction == "lower_is_better") for name, scale in material.scales.items()]
    schema = {"dimension": pl.String, "low": pl.Float64, "high": pl.Float64, "turned": pl.Boolean}
    scales = pl.DataFrame(ends, schema=schema, orient="row").drop_nulls(["low", "high"])
    wanted = (pl.col("purpose") == "study") & pl.col("rater").is_in(list(raters))
    rated = material.ratings.filter(wanted).drop_nulls("value").join(scales, on="dimension")
    share = (pl.col("value") - pl.col("low")) / (pl.col("high") - pl.col("low"))
    y = pl.when("turned").then(1.0 - share).otherwise(share)
    each = rated.group_by(*CELLS, "rater").agg(y=y.mean(), n=pl.len())
    return each.group_by(CELLS).agg(pl.col("y").mean().round(DIGITS), pl.col("n").sum()).sort(CELLS)


def directed(material: CheckMaterial) -> list[str]:
    """Return the dimensions that have a better end."""
    return [name for name, scale in material.scales.items() if scale.direction != "neutral"]


def others_of(
    material: CheckMaterial, rater: CheckedRater, *, systems: Collection[str] = ()
) -> list[tuple[Beside, list[str]]]:
    """Return with whom ``rater`` can be compared, people first; models with an own system in ``systems`` cannot."""
    models = [
        other.name
        for other in material.raters
        if other.name != rater.name and not set(other.own_systems) & set(systems)
    ]
    found: list[tuple[Beside, list[str]]] = [("people", list(material.people)), ("other models", models)]
    return [(beside, names) for beside, names in found if names]


def pair_cells(own: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Return the cells that both have: those of ``own`` with y_others, and in n the ratings of both."""
    renamed = others.select(*CELLS, y_others="y", n_others="n")
    paired = own.join(renamed, on=CELLS, how="inner", maintain_order="left")
    return paired.with_columns(n=pl.col("n") + pl.col("n_others")).drop("n_others")
