r"""How reliably means over targets tell systems apart.

The score of a target is the mean of its ratings. With systems in the place of targets and target scores in the place
of ratings, ICC(1,k) is the reliability of the mean over k targets of a system:

.. math:: \mathrm{ICC}(1, k) = \frac{\sigma_s^2}{\sigma_s^2 + \sigma_{t:s}^2 / k}

What targets of one system differ by, and what raters disagree about, is error (Brennan 2001, ch. 3: targets nested in
systems). Raters should have rated targets of all systems: severity is then much the same for all, else it is part of
what looks like a difference between systems.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dialgauge.errors import CannotEstimateError
from dialgauge.model import Ratings
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.meansquares import one_way_anova


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMeans:
    """The reliability of means over the targets of a system, for one dimension by one rater or by all.

    ``per_system`` is the harmonic mean of targets per system, over which the means are taken. ``shared_raters`` says
    that every rater rated targets of more than one system.
    """

    reliability: Estimate
    n_systems: int
    n_targets: int
    per_system: float
    shared_raters: bool


def analyse_systems(
    ratings: Ratings, systems: Mapping[str, str], *, by_rater: bool = False, level: float = 0.95
) -> dict[tuple[str, str], SystemMeans | Refusal]:
    """Return the reliability of system means for each dimension and rater; the rater is "" for all together.

    ``systems`` gives the system of each target; targets without one are left out. ``level`` is the confidence level.
    """
    known = pl.DataFrame(
        {"target": list(systems), "system": list(systems.values())}, schema_overrides={"system": pl.String}
    )
    frame = ratings.frame.drop_nulls("value").join(known.drop_nulls("system"), on="target")
    raters = sorted(ratings.frame["rater"].unique()) if by_rater else [""]
    found: dict[tuple[str, str], SystemMeans | Refusal] = {}
    for dimension in ratings.dimensions:
        whole = frame.filter(pl.col("dimension") == dimension)
        nominal = ratings.scale_for(dimension).level == "nominal"
        for rater in raters:
            part = whole.filter(pl.col("rater") == rater) if rater else whole
            found[dimension, rater] = _no_mean() if nominal else _compare(part, level)
    return found


def _compare(frame: pl.DataFrame, level: float) -> SystemMeans | Refusal:
    scores = frame.group_by("system", "target").agg(pl.col("value").mean()).sort("system", "target")
    names, system = np.unique(scores["system"].to_numpy(), return_inverse=True)
    if len(names) < 2:
        return Refusal(
            f"the ratings are of {len(names)} system{'' if len(names) == 1 else 's'}",
            "rate targets of at least two systems",
        )
    counts = np.bincount(system)
    equal = counts.min() == counts.max()
    k = float(counts[0] if equal else len(counts) / np.sum(1.0 / counts))
    try:
        averaged = one_way_anova(scores["value"].to_numpy(), system, k=k, level=level).icc1_k
    except CannotEstimateError as error:
        return Refusal(error.reason.replace("target", "system"), "rate several targets of each system")
    if isinstance(averaged, Refusal):
        return Refusal("systems differ less than their targets do", "rate more targets of each system")
    estimate = replace(
        averaged,
        method=averaged.method.replace("ratings per target", "targets per system"),
        covers="targets of these systems, and raters",
        n=frame.height,
    )
    crossed = frame.group_by("rater").agg(pl.col("system").n_unique())["system"].min()
    return SystemMeans(
        reliability=estimate,
        n_systems=len(names),
        n_targets=scores.height,
        per_system=k,
        shared_raters=isinstance(crossed, int) and crossed > 1,
    )


def _no_mean() -> Refusal:
    return Refusal("the scale is nominal: its categories have no mean", "compare the shares of each category")
