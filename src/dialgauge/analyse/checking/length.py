"""Length bias: whether a rater goes with the length of the system's words more than others do on the same targets.

That longer dialogues are rated higher is an association, for they may be better; the other raters see that too.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from dialgauge.analyse.checking.answers import FEWEST_TARGETS
from dialgauge.analyse.checking.cells import average_ratings, directed, others_of, pair_cells
from dialgauge.analyse.checking.linear import Linear, average, estimate_slope, fit_slope
from dialgauge.analyse.checking.records import Beside, CheckedRater, CheckMaterial, LengthBias
from dialgauge.analyse.results import Coefficient
from dialgauge.stats.estimate import Refusal

Fits = Mapping[str | None, Linear | Refusal]

NO_DIMENSION = Refusal("no dimension with a better end has a slope", "rate more dialogues")


def find_length_bias(material: CheckMaterial, rater: CheckedRater, *, level: float) -> tuple[LengthBias, ...] | Refusal:
    """Return the slopes over all dimensions, then for each; a Refusal where no slope can be given at all.

    Ratings are means over replicates, and, of other raters, over these. The mean over dimensions gives each that has a
    slope the same weight.
    """
    rated = average_ratings(material, [rater.name])
    if rated.is_empty():
        return Refusal("it has rated no dialogue on an ordered scale with two ends", "collect ratings")
    long = _with_words(material)
    own = rated.join(long, on="target", maintain_order="left").drop_nulls("place")
    if own.is_empty():
        return Refusal("no dialogue that it has rated has words of a system", "name the speaker system in the turns")
    fits = _fit(own, pl.col("y"), material)
    if all(isinstance(fit, Refusal) for fit in fits.values()):
        return next(fit for name, fit in fits.items() if name is not None and isinstance(fit, Refusal))
    beside, common = _find_others(material, rater, own)
    gap = pl.col("y") - pl.col("y_others")
    theirs, apart = (_fit(common, y, material) if beside else {} for y in (pl.col("y_others"), gap))
    within = _fit(own, pl.col("y"), material, within=True) if _several(own) else {}
    apart_within = _fit(common, gap, material, within=True) if _several(common) else {}
    wordless = rated["target"].n_unique() - own["target"].n_unique()

    def write(fits: Fits, name: str | None) -> Coefficient | None:
        fit = fits.get(name)
        return estimate_slope(fit, level=level) if isinstance(fit, Linear) else fit

    return tuple(
        LengthBias(
            rater=rater.name,
            dimension=name,
            slope=NO_DIMENSION if (slope := write(fits, name)) is None else slope,
            slope_within=write(within, name),
            beside=beside if name in apart else None,
            slope_others=write(theirs, name),
            difference=write(apart, name),
            difference_within=write(apart_within, name),
            n_targets=_count(own, name),
            n_common=_count(common, name),
            n_wordless=wordless,
        )
        for name in fits
    )


def _with_words(material: CheckMaterial) -> pl.DataFrame:
    """Return the targets that have words of a system: target, place (among all), system, doublings (log2 words)."""
    placed = material.targets.with_row_index("place")
    return placed.filter(pl.col("words") > 0).select(
        "target", "system", place=pl.col("place").cast(pl.Int64), doublings=pl.col("words").log(2.0)
    )


def _find_others(material: CheckMaterial, rater: CheckedRater, own: pl.DataFrame) -> tuple[Beside | None, pl.DataFrame]:
    """Return the first of people and other models that rated enough of the same targets, and the cells of both."""
    for beside, names in others_of(material, rater):
        common = pair_cells(own, average_ratings(material, names))
        if common["target"].n_unique() >= FEWEST_TARGETS:
            return beside, common
    return None, own.clear()


def _fit(cells: pl.DataFrame, y: pl.Expr, material: CheckMaterial, *, within: bool = False) -> Fits:
    """Return the slope for each dimension of ``cells``, and under None their mean over those with a better end."""
    frame = cells.with_columns(y=y)
    if within:
        frame = frame.drop_nulls("system")
    parts = frame.partition_by("dimension", as_dict=True)
    found: dict[str | None, Linear | Refusal] = {}
    for name in material.scales:
        if (name,) in parts:
            found[name] = _fit_one(parts[name,], material.targets.height, within=within)
    better: Sequence[Linear] = [fit for name in directed(material) if isinstance(fit := found.get(name), Linear)]
    return {None: average(better) if better else NO_DIMENSION, **found}


def _fit_one(part: pl.DataFrame, n_targets: int, *, within: bool) -> Linear | Refusal:
    group = part["system"].rank("dense").to_numpy().astype(np.intp) - 1 if within else np.zeros(part.height, np.intp)
    return fit_slope(
        part["doublings"].to_numpy(),
        part["y"].to_numpy(),
        target=part["place"].to_numpy().astype(np.intp),
        group=group,
        n_targets=n_targets,
        n=part["n"].to_numpy().astype(np.intp),
    )


def _several(cells: pl.DataFrame) -> bool:
    return cells["system"].drop_nulls().n_unique() > 1


def _count(cells: pl.DataFrame, dimension: str | None) -> int:
    part = cells if dimension is None else cells.filter(pl.col("dimension") == dimension)
    return part["target"].n_unique()
