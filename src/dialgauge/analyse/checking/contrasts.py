"""A rater against variants of itself: the same targets, the same dimensions, one thing different."""

import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from dialgauge.analyse.checking.records import ANSWERS, LISTING, QUESTIONS, CheckedRater, CheckMaterial, Contrast, Halo
from dialgauge.analyse.results import Coefficient
from dialgauge.model import Scale, Variant
from dialgauge.stats.arrays import Floats
from dialgauge.stats.clusters import jackknife_mean, mean_of_clusters
from dialgauge.stats.estimate import Refusal

COVERS = "targets and the chance of one answer"

VARIANT_OF: dict[str, Variant] = {
    ANSWERS: "other answers",
    QUESTIONS: "reversed questions",
    LISTING: "reversed scale",
}
"""The variant that each check needs."""

NOT_MEASURED = Refusal("there is no pair of ratings on an ordered scale with two ends", "collect them")


def find_contrasts(material: CheckMaterial, rater: CheckedRater, check: str, *, level: float) -> Iterator[Contrast]:
    """Yield the contrast with the variant of ``check`` over all dimensions, then for each; nothing without it.

    The comparison is with the variant that was asked for the same dimensions alone, where there is one: with several
    dimensions in a call the others would differ too.
    """
    pairs = pair_up(material, rater, VARIANT_OF[check])
    if pairs.is_empty():
        return
    yield _contrast(pairs, rater.name, check, None, level=level)
    for name in material.scales:
        of_dimension = pairs.filter(pl.col("dimension") == name)
        if not of_dimension.is_empty():
            yield _contrast(of_dimension, rater.name, check, name, level=level)


def pair_up(material: CheckMaterial, rater: CheckedRater, variant: Variant) -> pl.DataFrame:
    """Return a row for each rating that the variant and its counterpart were both asked for.

    Columns: target, dimension, value and missing of the counterpart, value_variant, missing_variant, low, high (null
    where differences have no meaning).
    """
    keys = ["target", "dimension", "replicate"]
    frame = material.ratings
    name, base = rater.variants.get(variant), rater.variants.get("same dimensions", rater.name)
    with_ends = [(d, *scale_ends(scale)) for d, scale in material.scales.items()]
    schema = {"dimension": pl.String, "low": pl.Float64, "high": pl.Float64}
    ends = pl.DataFrame(with_ends, schema=schema, orient="row")
    changed = frame.filter(pl.col("rater") == (name or "")).select(*keys, "value", "missing")
    if name is None:
        changed = changed.clear()
    own = frame.filter(pl.col("rater") == base).select(*keys, "value", "missing")
    paired = own.join(changed, on=keys, suffix="_variant", maintain_order="left")
    return paired.join(ends, on="dimension", maintain_order="left")


def scale_ends(scale: Scale) -> tuple[float | None, float | None]:
    """Return the two ends of a scale on which a difference has a meaning; None twice where it has none."""
    low, high = scale.bounds
    if scale.level == "nominal" or not (math.isfinite(low) and math.isfinite(high)):
        return None, None
    return low, high


def _contrast(pairs: pl.DataFrame, rater: str, check: str, dimension: str | None, *, level: float) -> Contrast:
    whole = pairs.drop_nulls(["value", "value_variant"])
    ordered = whole.drop_nulls(["low", "high"])
    low, high, own, other = (ordered[name].to_numpy() for name in ("low", "high", "value", "value_variant"))
    listed: Coefficient | None = None
    if check == LISTING:
        first, last = (own == low) * 1.0 + (other == high), (own == high) * 1.0 + (other == low)
        listed = _mean(ordered, (first - last) / 2.0, level=level)
    return Contrast(
        rater=rater,
        check=check,
        dimension=dimension,
        difference=_mean(ordered, (other - own) / (high - low), level=level),
        changed=float((whole["value"] != whole["value_variant"]).sum()) / whole.height if whole.height else None,
        first_over_last=listed,
        n_pairs=whole.height,
        n_targets=whole["target"].n_unique(),
        missing=_count(pairs["missing"]),
        missing_variant=_count(pairs["missing_variant"]),
    )


def _mean(frame: pl.DataFrame, values: Floats, *, level: float) -> Coefficient:
    if frame.is_empty():
        return NOT_MEASURED
    codes = frame["target"].rank("dense").to_numpy().astype(np.intp) - 1
    return mean_of_clusters(values, codes, bounds=(-1.0, 1.0), covers=COVERS, level=level)


def _count(reasons: pl.Series) -> dict[str, int]:
    counted = reasons.drop_nulls().to_frame("reason").group_by("reason").len("n").sort("reason")
    return dict(counted.iter_rows())


def find_halo(material: CheckMaterial, rater: CheckedRater, *, level: float) -> Halo | None:
    """Return the change of the mean correlation between dimensions when the questions are asked in reverse order.

    Pearson correlations over the targets that have all dimensions under both orders; dimensions without variance under
    one of the orders are left out. The interval is a jackknife over targets. None below two dimensions.
    """
    pairs = pair_up(material, rater, "reversed questions").drop_nulls(["low", "value", "value_variant"])
    if pairs.is_empty():
        return None
    tables = [pairs.pivot("dimension", index="target", values=v).sort("target") for v in ("value", "value_variant")]
    complete = pl.all_horizontal(pl.all().is_not_null())
    keep = [name for name in tables[0].columns[1:] if all(t[name].null_count() < t.height / 2 for t in tables)]
    whole = [table.select("target", *keep).filter(complete) for table in tables]
    own, other = (table.select(keep).to_numpy() for table in whole)
    varied = [bool(np.ptp(a) > 0 and np.ptp(b) > 0) for a, b in zip(own.T, other.T, strict=True)] if own.size else []
    own, other = own[:, varied], other[:, varied]
    if own.shape[1] < 2 or own.shape[0] < 4:
        return None
    declared, reverse = _mean_correlation(own), _mean_correlation(other)
    if declared is None or reverse is None:
        return None
    change: Coefficient
    left_out = [_change_without(own, other, i) for i in range(own.shape[0])]
    known = np.array([value for value in left_out if value is not None])
    if known.size < own.shape[0]:
        change = Refusal("some dimension has one value but for one target", "rate more targets")
    else:
        change = jackknife_mean(reverse - declared, known, bounds=(-2.0, 2.0), covers=COVERS, level=level)
    return Halo(
        rater=rater.name,
        declared=declared,
        reverse=reverse,
        change=change,
        n_targets=own.shape[0],
        n_dimensions=own.shape[1],
    )


def _change_without(own: Floats, other: Floats, row: int) -> float | None:
    first, second = (_mean_correlation(np.delete(table, row, axis=0)) for table in (own, other))
    return None if first is None or second is None else second - first


def _mean_correlation(table: Floats) -> float | None:
    """Return the mean of the correlations between the columns; None where a column does not vary."""
    if np.any(np.ptp(table, axis=0) == 0):
        return None
    r = np.atleast_2d(np.corrcoef(table, rowvar=False))
    return float(r[np.triu_indices_from(r, 1)].mean())
