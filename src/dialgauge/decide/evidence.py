"""What is known about a dimension before anything is decided: coefficients with intervals, counts, what is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dialgauge.analyse.results import Coefficient, DimensionReliability, RefusedDimension, Reliability
from dialgauge.analyse.retest.records import Repeat, Retest
from dialgauge.analyse.systems import SystemMeans
from dialgauge.model import Ratings
from dialgauge.stats.estimate import Refusal

Unit = Literal["raters", "replicates"]

RELIABILITY = "reliability"
"""What coefficients are called of which a mean of several has a higher one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One dimension by one rater, or (``rater`` is "") by all raters together.

    ``single`` is the reliability of one rating, ``mean`` that of the mean of ``k`` of the ``unit``, both with
    intervals. ``per_target`` is the number of ratings per target. ``systems`` is the reliability of means over the
    targets of a system, None where nobody said which system a target belongs to. ``panel`` names the raters behind
    ``rater`` "", ``measure`` what ``single`` and ``mean`` are. ``rater_kind`` is "human" or "llm" where it is known.
    """

    dimension: str
    rater: str = ""
    group: str = ""
    unit: Unit = "raters"
    single: Coefficient
    mean: Coefficient
    k: float
    per_target: float
    n_targets: int
    n_ratings: int
    n_missing: int
    systems: SystemMeans | Refusal | None = None
    panel: tuple[str, ...] = ()
    measure: str = RELIABILITY
    rater_kind: str = ""

    @property
    def averages(self) -> bool:
        """Whether ratings have a mean; those in categories without an order do not."""
        return self.measure == RELIABILITY

    @property
    def missing_share(self) -> float:
        """The share of ratings without a value (0 to 1); 1 where there is no rating at all."""
        total = self.n_ratings + self.n_missing
        return self.n_missing / total if total else 1.0


def gather_panel(
    ratings: Ratings, analysis: Reliability, systems: Mapping[tuple[str, str], SystemMeans | Refusal] | None = None
) -> tuple[Evidence, ...]:
    """Return the evidence on every dimension by all raters together, in the order of the dimensions.

    ``analysis`` is that of ``ratings``; ``systems`` comes from `analyse_systems`.
    """
    raters = _raters_of(ratings)
    every: list[DimensionReliability | RefusedDimension] = [*analysis.dimensions, *analysis.refused]
    found = {d.name: d for d in every}
    return tuple(
        _of_panel(found[name], _group(ratings, name), raters.get(name, ()), (systems or {}).get((name, "")))
        for name in ratings.dimensions
        if name in found
    )


def gather_repeats(
    analysis: Retest, systems: Mapping[tuple[str, str], SystemMeans | Refusal] | None = None
) -> tuple[Evidence, ...]:
    """Return the evidence on every dimension by every rater who rated repeatedly."""
    return tuple(
        _of_repeat(repeat, (systems or {}).get((repeat.dimension, repeat.rater))) for repeat in analysis.repeats
    )


def _of_panel(
    d: DimensionReliability | RefusedDimension,
    group: str,
    panel: tuple[str, ...],
    systems: SystemMeans | Refusal | None,
) -> Evidence:
    single: Coefficient
    mean: Coefficient
    if isinstance(d, RefusedDimension):
        single = mean = Refusal(d.reason, d.remedy)
        k = d.design.k_harmonic
    else:
        single, mean, k = d.rel_single, d.rel_k, d.k
    return Evidence(
        dimension=d.name,
        group=group,
        single=single,
        mean=mean,
        k=k,
        per_target=d.design.k_harmonic * max(d.design.replicates_harmonic, 1.0),
        n_targets=d.design.n_targets,
        n_ratings=d.design.n_ratings,
        n_missing=d.n_missing,
        systems=systems,
        panel=panel,
    )


def _of_repeat(r: Repeat, systems: SystemMeans | Refusal | None) -> Evidence:
    return Evidence(
        dimension=r.dimension,
        rater=r.rater,
        group=r.group,
        unit="replicates",
        single=r.single,
        mean=r.mean,
        k=float(r.replicates),
        per_target=float(r.replicates),
        n_targets=r.n_targets,
        n_ratings=r.n_ratings,
        n_missing=sum(r.missing.values()),
        systems=systems,
        measure=RELIABILITY if r.coefficient == "icc" else "nominal alpha",
    )


def _group(ratings: Ratings, dimension: str) -> str:
    instrument = ratings.instrument
    if instrument is None or dimension not in instrument.dimension_names:
        return ""
    return instrument.dimension(dimension).group


def _raters_of(ratings: Ratings) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for dimension, rater in ratings.frame.select("dimension", "rater").unique().sort("dimension", "rater").iter_rows():
        found.setdefault(dimension, []).append(rater)
    return {dimension: tuple(raters) for dimension, raters in found.items()}
