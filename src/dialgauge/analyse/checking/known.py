"""Known groups: planted dialogues, the same request handled badly, middlingly and well."""

import numpy as np
import polars as pl

from dialgauge.analyse.checking.contrasts import scale_ends
from dialgauge.analyse.checking.records import CheckedRater, CheckMaterial, KnownGroups
from dialgauge.analyse.results import Coefficient
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import sum_by
from dialgauge.stats.clusters import mean_of_clusters, sign_flip_p

COVERS = "triplets of planted dialogues"

_KEYS = ["triplet", "dimension", "sign"]


def find_known_groups(material: CheckMaterial, rater: CheckedRater, *, level: float) -> KnownGroups | None:
    """Return how well the rater tells the planted dialogues apart; None where no triplet has its good and bad rated.

    Of several replicates the mean counts. Dimensions on nominal and open scales are left out.
    """
    wide = _rated_triplets(material, rater)
    missing = wide.filter(pl.col("bad").is_null() | pl.col("good").is_null()).height
    pairs = wide.drop_nulls(["bad", "good"])
    if pairs.is_empty():
        return None
    gap = ((pairs["good"] - pairs["bad"]) * pairs["sign"]).to_numpy()
    right = np.where(gap > 0, 1.0, np.where(gap < 0, 0.0, 0.5))
    triplet = pairs["triplet"].rank("dense").to_numpy().astype(np.intp) - 1
    sums = sum_by(triplet, right - 0.5)
    p, exact = sign_flip_p(sums, rng=child_rng(0, "known groups", rater.name))
    full = pairs.filter(~pl.col("binary")).drop_nulls("middling")
    rises = [pl.col("sign") * (pl.col(b) - pl.col(a)) > 0 for a, b in (("bad", "middling"), ("middling", "good"))]
    n_full = full.filter(rises[0] & rises[1]).height
    return KnownGroups(
        rater=rater.name,
        right=mean_of_clusters(right, triplet, bounds=(0.0, 1.0), covers=COVERS, level=level),
        p=p,
        p_exact=exact,
        ties=int(np.sum(gap == 0)),
        full=n_full / full.height if full.height else None,
        n_full=full.height,
        n_triplets=pairs["triplet"].n_unique(),
        n_pairs=pairs.height,
        n_missing=missing,
        differences=_differences(pairs, level=level),
    )


def _differences(pairs: pl.DataFrame, *, level: float) -> dict[str | None, Coefficient]:
    """Return good minus bad in the expected direction, in units of the range, over all dimensions and for each."""
    names: list[str | None] = [None, *pairs["dimension"].unique(maintain_order=True)]
    found: dict[str | None, Coefficient] = {}
    for name in names:
        frame = pairs if name is None else pairs.filter(pl.col("dimension") == name)
        gap = ((frame["good"] - frame["bad"]) * frame["sign"] / frame["range"]).to_numpy()
        codes = frame["triplet"].rank("dense").to_numpy().astype(np.intp) - 1
        found[name] = mean_of_clusters(gap, codes, bounds=(-1.0, 1.0), covers=COVERS, level=level)
    return found


def _rated_triplets(material: CheckMaterial, rater: CheckedRater) -> pl.DataFrame:
    """Return a row per triplet and dimension that was asked for: bad, middling and good, their sign and range."""
    own = material.ratings.filter((pl.col("rater") == rater.name) & (pl.col("purpose") == "planted"))
    asked = own.group_by("target", "dimension").agg(pl.col("value").mean())
    ends = [(name, *scale_ends(scale), scale.level == "binary") for name, scale in material.scales.items()]
    schema = {"dimension": pl.String, "low": pl.Float64, "high": pl.Float64, "binary": pl.Boolean}
    scales = pl.DataFrame(ends, schema=schema, orient="row").drop_nulls(["low", "high"])
    planted = material.planted.join(asked.select("dimension").unique(), on="dimension", how="semi")
    rated = planted.join(asked, on=["target", "dimension"], how="left", maintain_order="left")
    rated = rated.join(scales, on="dimension", maintain_order="left")
    of = {word: pl.col("value").filter(pl.col("quality") == i).first() for i, word in enumerate(_QUALITIES)}
    wide = rated.group_by(_KEYS, maintain_order=True).agg(
        **of, binary=pl.col("binary").first(), range=(pl.col("high") - pl.col("low")).first()
    )
    order = list(material.scales)
    place = pl.col("dimension").replace_strict(order, range(len(order)), default=None, return_dtype=pl.Int64)
    return wide.sort(place, "triplet")


_QUALITIES = ("bad", "middling", "good")
