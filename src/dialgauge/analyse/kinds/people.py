"""Ratings by people from elsewhere beside those of a study: joined target by target, and how far the means agree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dialgauge.analyse.results import Coefficient
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.io.words import clip, shorten
from dialgauge.model import Ratings, Scale
from dialgauge.stats.agreement.alpha import krippendorff_alpha
from dialgauge.stats.arrays import Floats
from dialgauge.stats.clusters import mean_of_clusters
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.kinds.attenuation import correct_attenuation

PEOPLE = "people"
"""The kind of those who rated elsewhere."""

APART = Refusal(
    "people and the study rated on different scales, so that values cannot be compared",
    "compare correlations, or rate on one scale",
)


@dataclass(frozen=True, slots=True)
class JoinedRatings:
    """Ratings of a study and of people in one table.

    ``kinds`` gives the kind of each rater; ``names`` the name that people's file has for each dimension, ``scales``
    the scale there; ``apart`` are the dimensions whose two scales differ.
    """

    ratings: Ratings
    kinds: Mapping[str, str]
    names: Mapping[str, str]
    scales: Mapping[str, Scale]
    apart: frozenset[str]


@dataclass(frozen=True, slots=True)
class AgreementWithPeople:
    """One rater (or kind of rater) of a study beside the means of people, on the targets that both rated.

    ``observed`` correlates the target means; ``reliability`` is that of the mean of ``k`` people: one-way, their
    severity counted as noise, or relative where they rated several targets each, so that ``severity_out`` is true.
    ``corrected`` is the correlation with what people share, their noise taken out, that of the kind left in. ``alpha``
    is Krippendorff's interval alpha between the two means, ``difference`` the mean of the kind minus that of people, in
    scale units; both are refused where the scales differ.
    """

    dimension: str
    people_dimension: str
    kind: str
    n_targets: int
    n_people: int
    k: float
    observed: Coefficient
    reliability: Coefficient
    corrected: Coefficient
    alpha: Coefficient
    difference: Coefficient
    scales_differ: bool
    severity_out: bool = False


def join_people(
    ratings: Ratings, people: Ratings, kinds: Mapping[str, str], *, names: Mapping[str, str] | None = None
) -> JoinedRatings:
    """Put the ratings of ``people`` beside those of a study; ``kinds`` gives the kind of each rater of the study.

    ``names`` maps dimensions of people to those of the study; the others are the same where they are called the same.
    Dimensions without a partner are left out, and named in the notes. Raises InputError for a name that one side does
    not have, where no dimension or no target is shared, and for a rater on both sides.
    """
    pairs = _pair_dimensions(ratings.dimensions, people.dimensions, names or {})
    theirs = people.frame.filter(pl.col("dimension").is_in(list(pairs.values())))
    renamed = [
        theirs.filter(pl.col("dimension") == old).with_columns(dimension=pl.lit(new)) for new, old in pairs.items()
    ]
    own = ratings.frame.filter(pl.col("dimension").is_in(list(pairs)))
    shared = set(own["target"]) & set(theirs["target"])
    if not shared:
        there = shorten(theirs["target"].unique().sort().to_list(), 4)
        raise InputError(
            f"no target of the study was rated by people (theirs are {there}); give ratings of the same dialogues, "
            "under the same ids"
        )
    if both := sorted(set(own["rater"]) & set(theirs["rater"])):
        raise InputError(f"{clip(both[0])!r} is a rater on both sides; rename the rater in the file of people")
    frame = pl.concat([own, *renamed])
    scales = {new: ratings.scale_for(new) for new in pairs}
    there_scales = {new: people.scale_for(old) for new, old in pairs.items()}
    return JoinedRatings(
        ratings=replace(
            ratings,
            frame=frame,
            scales=scales,
            notes=tuple(_notes(ratings, people, pairs, there_scales, len(shared))),
        ),
        kinds={**kinds, **dict.fromkeys(theirs["rater"].unique(), PEOPLE)},
        names=pairs,
        scales=there_scales,
        apart=frozenset(new for new in pairs if _differ(scales[new], there_scales[new])),
    )


def agree_with_people(joined: JoinedRatings, *, level: float = 0.95) -> tuple[AgreementWithPeople, ...]:
    """Return how far each other kind of rater agrees with the means of people, dimension by dimension."""
    return tuple(_agree_all(joined, level))


def _agree_all(joined: JoinedRatings, level: float) -> Iterator[AgreementWithPeople]:
    others = dict.fromkeys(kind for kind in joined.kinds.values() if kind != PEOPLE)
    kind_of = pl.DataFrame({"rater": list(joined.kinds), "kind": list(joined.kinds.values())})
    frame = joined.ratings.frame.drop_nulls("value").join(kind_of, on="rater", maintain_order="left")
    for dimension, people_dimension in joined.names.items():
        if joined.ratings.scale_for(dimension).level == "nominal":
            continue
        rated = frame.filter(pl.col("dimension") == dimension)
        for kind in others:
            pair = rated.filter(pl.col("kind").is_in([PEOPLE, kind]))
            yield _agree(pair, dimension, people_dimension, kind, apart=dimension in joined.apart, level=level)


def _agree(
    frame: pl.DataFrame, dimension: str, people_dimension: str, kind: str, *, apart: bool, level: float
) -> AgreementWithPeople:
    means = frame.filter(pl.col("kind") == kind).group_by("target").agg(other=pl.col("value").mean())
    both = frame.filter(pl.col("kind") == PEOPLE).join(means, on="target").sort("target", "rater")
    targets, codes = np.unique(both["target"].to_numpy(), return_inverse=True)
    other = both.group_by("target").agg(pl.col("other").first()).sort("target")["other"].to_numpy()
    found: dict[str, Coefficient]
    k, severity_out = 0.0, False
    values = both["value"].to_numpy()
    try:
        who = np.unique(both["rater"].to_numpy(), return_inverse=True)[1]
        parts = correct_attenuation(values, codes, other, rater=who, level=level)
        severity_out = parts.severity_out
    except CannotEstimateError as error:
        refused = Refusal(error.reason, error.remedy)
        found = dict.fromkeys(("observed", "reliability", "corrected"), refused)
    else:
        k = parts.k
        found = {"observed": parts.observed, "reliability": parts.reliability, "corrected": parts.corrected}
    mean = np.bincount(codes, values, targets.size) / np.bincount(codes, minlength=targets.size)
    return AgreementWithPeople(
        dimension=dimension,
        people_dimension=people_dimension,
        kind=kind,
        n_targets=int(targets.size),
        n_people=both["rater"].n_unique(),
        k=k,
        alpha=APART if apart else _alpha(mean, other, level=level),
        difference=APART if apart else _difference(mean, other, level=level),
        scales_differ=apart,
        severity_out=severity_out,
        **found,
    )


def _alpha(mean: Floats, other: Floats, *, level: float) -> Coefficient:
    codes = np.arange(mean.size)
    both = np.concatenate([mean, other]), np.concatenate([codes, codes])
    try:
        return krippendorff_alpha(*both, metric="interval", level=level)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _difference(mean: Floats, other: Floats, *, level: float) -> Coefficient:
    try:
        return mean_of_clusters(other - mean, np.arange(mean.size), covers="targets", level=level)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _pair_dimensions(own: Sequence[str], theirs: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the name that people have for each dimension of the study."""
    for given, known, whose in ((names, theirs, "people"), (names.values(), own, "the study")):
        if strange := [name for name in given if name not in known]:
            raise InputError(f"{clip(strange[0])!r} is no dimension that {whose} rated; there are {shorten(known, 30)}")
    pairs = {new: old for old, new in names.items()}
    pairs |= {name: name for name in own if name in theirs and name not in pairs and name not in names}
    if not pairs:
        raise InputError(
            f"people rated {shorten(theirs, 12)}, the study {shorten(own, 12)}: none is called the same; name pairs "
            "with --map PEOPLES=STUDYS"
        )
    return {name: pairs[name] for name in own if name in pairs}


def _differ(one: Scale, other: Scale) -> bool:
    return (one.points, one.bounds) != (other.points, other.bounds)


def _notes(
    ratings: Ratings, people: Ratings, pairs: Mapping[str, str], scales: Mapping[str, Scale], n_shared: int
) -> Iterator[str]:
    yield from ratings.notes
    yield from people.notes
    for new, old in pairs.items():
        if old != new or _differ(ratings.scale_for(new), scales[new]):
            yield f"{new} is what people rated as {old} (scale {scales[new]}; the study {ratings.scale_for(new)})."
    if alone := [name for name in people.dimensions if name not in pairs.values()]:
        yield f"Left out, rated by people only: {shorten(alone, 12)}."
    yield f"{n_shared:,} targets were rated on both sides."
