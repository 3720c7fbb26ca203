"""From ratings, or from the store of a study, to the evidence that decisions rest on."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import polars as pl

from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.retest.study import analyse_retest
from dialgauge.analyse.systems import analyse_systems
from dialgauge.decide.evidence import Evidence, gather_panel, gather_repeats
from dialgauge.errors import InputError
from dialgauge.io.choosing import leave_made_up
from dialgauge.io.store import Store
from dialgauge.model import Ratings
from dialgauge.stats.estimate import Refusal

Basis = Literal["auto", "crowd", "repeat"]
"""Raters beside each other, one rater again and again, or whichever the ratings are."""

_ONCE = Refusal(
    "each target was rated once, so nobody knows whether the rater repeats itself", "collect replicates of each rating"
)


def gather_ratings(
    ratings: Ratings, *, basis: Basis = "auto", systems: Mapping[str, str] | None = None, level: float = 0.95
) -> tuple[Evidence, ...]:
    """Return the evidence in ``ratings``: by all raters together ("crowd"), or by each rater's replicates ("repeat").

    "auto" is "repeat" where ratings have replicates. ``systems`` gives the system of each target, ``level`` is the
    confidence level. Raises InputError for another ``basis``, and what the analyses raise.
    """
    if basis not in get_args(Basis):
        msg = f"the basis of decisions is one of {', '.join(get_args(Basis))}, got {basis!r}"
        raise InputError(msg)
    repeated = basis == "repeat" or (basis == "auto" and ratings.frame["replicate"].n_unique() > 1)
    means = None if systems is None else analyse_systems(ratings, systems, by_rater=repeated, level=level)
    if repeated:
        return gather_repeats(analyse_retest(ratings, level=level), means)
    return gather_panel(ratings, analyse_reliability(ratings, level=level), means)


@dataclass(frozen=True, slots=True)
class GatheredEvidence:
    """Evidence, ``notes`` on how its ratings were read, and ``findings`` that stand before all others."""

    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]
    findings: tuple[str, ...] = ()


def gather_study(store: Store, *, level: float = 0.95) -> GatheredEvidence:
    """Return the evidence in the store of a study, and how it was read.

    People are looked at together, each language model by its replicates. Code gives the same value every time and is
    left out, and so is the fake model where people or real models rated. Where some dialogues name their systems, these
    are compared. Raises InputError where there is no rating by people or models.
    """
    entries = store.raters()
    ratings = leave_made_up(store.ratings(), entries)
    kinds = {rater.name: rater.kind for rater in entries}
    people, models = (_only(ratings, [name for name, k in kinds.items() if k == kind]) for kind in ("human", "llm"))
    if people is None and models is None:
        msg = f"{ratings.source} holds no ratings by people or models; collect them with dialgauge rate or serve"
        raise InputError(msg)
    systems = {dialogue.id: dialogue.system for dialogue in store.targets() if dialogue.system is not None} or None
    found: list[Evidence] = []
    if people is not None:
        crowd = gather_ratings(people, basis="crowd", systems=systems, level=level)
        found += [replace(one, rater_kind="human") for one in crowd]
    if models is not None:
        again = models.frame["replicate"].n_unique() > 1
        repeated = gather_ratings(models, basis="repeat", systems=systems, level=level) if again else None
        found += [replace(one, rater_kind="llm") for one in repeated or _rated_once(models, systems, level)]
    code = sorted(name for name, kind in kinds.items() if kind == "code")
    left = f"Left out: {', '.join(code)}; code gives the same value every time, which tells nothing of its worth."
    notes = (*ratings.notes, *([left] if code else []), *_say_systems(ratings, systems))
    return GatheredEvidence(tuple(found), notes, ratings.findings)


def _say_systems(ratings: Ratings, systems: Mapping[str, str] | None) -> Iterator[str]:
    """Yield how many of the rated targets name no system, where others do."""
    without = {*ratings.frame["target"]} - {*(systems or ())}
    if systems and without:
        of = f"{len(without):,} of {ratings.n_targets:,} targets"
        yield f"Where systems are compared, {of} are left out: they name no system."


def _only(ratings: Ratings, raters: Collection[str]) -> Ratings | None:
    """Return the ratings by ``raters``, with the dimensions that occur; None where no rating has a value."""
    frame = ratings.frame.filter(pl.col("rater").is_in(list(raters)))
    if frame["value"].count() == 0:
        return None
    present = set(frame["dimension"].unique())
    scales = {name: scale for name, scale in ratings.scales.items() if name in present}
    return replace(ratings, frame=frame, scales=scales)


def _rated_once(ratings: Ratings, systems: Mapping[str, str] | None, level: float) -> list[Evidence]:
    means = {} if systems is None else analyse_systems(ratings, systems, by_rater=True, level=level)
    counted = ratings.frame.group_by("dimension", "rater").agg(
        targets=pl.col("target").n_unique(), filled=pl.col("value").count(), missing=pl.col("value").null_count()
    )
    return [
        Evidence(
            dimension=row["dimension"],
            rater=row["rater"],
            unit="replicates",
            single=_ONCE,
            mean=_ONCE,
            k=1.0,
            per_target=1.0,
            n_targets=row["targets"],
            n_ratings=row["filled"],
            n_missing=row["missing"],
            systems=means.get((row["dimension"], row["rater"])),
        )
        for row in counted.sort("dimension", "rater").iter_rows(named=True)
    ]
