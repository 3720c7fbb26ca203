"""Whose ratings of a study are looked at: one kind of rater, and none that are made up where there are real ones."""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from dialgauge.errors import InputError
from dialgauge.io.store import RaterEntry
from dialgauge.io.study import read_study, read_study_ratings
from dialgauge.io.words import count, shorten
from dialgauge.model import Ratings

RaterKind = Literal["human", "llm", "code"]
"""What a rater is: a person, a language model, or code."""

RATER_KINDS: tuple[RaterKind, ...] = get_args(RaterKind)
"""In the order in which one is taken where nobody says which."""

LEFT_OUT = "Left out: "
"""How notes and findings on what is left out begin."""

_WORDS: Mapping[str, str] = {"human": "people", "llm": "models", "code": "code"}
_MOST_NAMES = 4


def read_one_kind(path: str | Path, dimensions: Sequence[str] = (), *, kind: str | None = None) -> Ratings:
    """Read the ratings of a study as `read_study_ratings` does, those by one kind of rater (see `choose_kind`)."""
    return choose_kind(read_study_ratings(path, dimensions), _read_raters(path), kind=kind, study=str(path))


def read_all_kinds(path: str | Path, dimensions: Sequence[str] = ()) -> tuple[Ratings, dict[str, RaterKind]]:
    """Read the ratings of a study as `read_study_ratings` does, and the kind of each rater in them.

    What is made up is left out, or named as such (see `leave_made_up`).
    """
    raters = _read_raters(path)
    ratings = leave_made_up(read_study_ratings(path, dimensions), raters)
    there = set(ratings.frame["rater"])
    return ratings, {rater.name: rater.kind for rater in raters if rater.name in there}


def leave_made_up(ratings: Ratings, raters: Sequence[RaterEntry]) -> Ratings:
    """Return ``ratings`` without those by the fake model, where people or real models gave a value.

    Where nobody did, they stay. Either is the first finding; ratings without any are returned as they are.
    """
    kept = _without_made_up(ratings, raters)
    return _lead(kept, notes=_note_made_up(kept, ratings, raters), findings=_find_made_up(kept, ratings, raters))


def choose_kind(
    ratings: Ratings, raters: Sequence[RaterEntry], *, kind: str | None = None, study: str = "STUDY"
) -> Ratings:
    """Return the ratings by one kind of rater; which, and what is left out, is a note and the first finding.

    Without ``kind`` it is people where they gave a value, else models, else code; models are one kind whatever their
    names. What is made up is treated as in `leave_made_up`, among the ratings of the ``kind`` that is asked for.
    ``study`` names the study in the remedy. Raises InputError for another word, and for a kind that has not rated.
    """
    if kind is not None and kind not in RATER_KINDS:
        raise InputError(f"--kind is one of {', '.join(RATER_KINDS)} for a study, got {kind!r}")
    names = {one: [rater.name for rater in raters if rater.kind == one] for one in RATER_KINDS}
    present = set(ratings.frame["rater"])
    if kind is not None and not present.intersection(names[kind]):
        there = [_WORDS[one] for one in RATER_KINDS if present.intersection(names[one])]
        raise InputError(f"{study} has no ratings by {_WORDS[kind]}; there are some by {' and '.join(there)}")
    real = _without_made_up(ratings if kind is None else _keep(ratings, names[kind]), raters)
    valued = set(real.frame.drop_nulls("value")["rater"])
    chosen = kind or next((one for one in RATER_KINDS if valued.intersection(names[one])), None)
    kept = real if chosen is None else _keep(real, names[chosen])
    made_up = _find_made_up(kept, ratings, raters)
    notes, remedies = list(_say_taken(kept, ratings, raters, chosen)), list(_say_remedy(ratings, raters, chosen, study))
    own = [" ".join([*notes, *remedies])] if notes else []
    loud = bool(set(kept.frame["rater"]).intersection(_made_up(raters)))
    return _lead(
        kept,
        notes=[*notes, *_note_made_up(kept, ratings, raters)],
        findings=[*made_up, *own] if loud else [*own, *made_up],
    )


def say_kinds(ratings: Ratings, kinds: Mapping[str, RaterKind]) -> Ratings:
    """Return all of ``ratings``; that raters of several ``kinds`` stand beside each other is a note and a finding."""
    counts = {kind: sum(one == kind for one in kinds.values()) for kind in RATER_KINDS}
    there = [f"{_WORDS[kind]} ({n})" for kind, n in counts.items() if n]
    if len(there) < 2:
        return ratings
    said = f"Raters of several kinds stand beside each other: {', '.join(there)}."
    remedy = f"Each is compared with all others, of whatever kind; --kind {next(k for k, n in counts.items() if n)} "
    return _lead(ratings, notes=[said], findings=[f"{said} {remedy}takes one kind alone."])


def _read_raters(path: str | Path) -> tuple[RaterEntry, ...]:
    with read_study(path).open_store() as store:
        return store.raters()


def _made_up(raters: Sequence[RaterEntry]) -> list[str]:
    return sorted(rater.name for rater in raters if rater.made_up)


def _keep(ratings: Ratings, raters: Collection[str]) -> Ratings:
    """Return the ratings by ``raters``, with the dimensions that occur."""
    frame = ratings.frame.filter(pl.col("rater").is_in(list(raters)))
    present = set(frame["dimension"].unique())
    return replace(ratings, frame=frame, scales={n: scale for n, scale in ratings.scales.items() if n in present})


def _without_made_up(ratings: Ratings, raters: Sequence[RaterEntry]) -> Ratings:
    judges = [rater.name for rater in raters if rater.kind != "code" and not rater.made_up]
    if not ratings.frame.filter(pl.col("rater").is_in(judges))["value"].count():
        return ratings
    return _keep(ratings, set(ratings.frame["rater"]).difference(_made_up(raters)))


def _lead(ratings: Ratings, *, notes: Sequence[str], findings: Sequence[str]) -> Ratings:
    return replace(ratings, notes=(*ratings.notes, *notes), findings=(*findings, *ratings.findings))


def _count_by(ratings: Ratings, raters: Collection[str]) -> int:
    return int(ratings.frame["rater"].is_in(list(raters)).sum())


def _note_made_up(kept: Ratings, ratings: Ratings, raters: Sequence[RaterEntry]) -> list[str]:
    """Return that ratings were left out as made up, where some were."""
    left = set(_made_up(raters)).intersection(ratings.frame["rater"]).difference(kept.frame["rater"])
    if not left:
        return []
    n = _count_by(ratings, left)
    return [f"{LEFT_OUT}{count(n, 'rating')} by {shorten(sorted(left), _MOST_NAMES)}, made up by a fake model."]


def _find_made_up(kept: Ratings, ratings: Ratings, raters: Sequence[RaterEntry]) -> list[str]:
    """Return what is to be said of ratings that are made up: of those that stayed, or of those that did not."""
    stayed = [name for name in _made_up(raters) if name in set(kept.frame["rater"])]
    if stayed:
        whose = shorten(stayed, _MOST_NAMES)
        said = f"The ratings by {whose} are made up: a fake model gave them, to try things out. They mean nothing, and "
        return [f"{said}neither does any number here that rests on them."]
    return [f"{note} They mean nothing." for note in _note_made_up(kept, ratings, raters)]


def _left_by_kind(ratings: Ratings, raters: Sequence[RaterEntry], chosen: str | None) -> dict[RaterKind, list[str]]:
    """Return the real raters of each other kind than ``chosen`` that has rated; none where none was chosen."""
    if chosen is None:
        return {}
    present = set(ratings.frame["rater"])
    found = {
        kind: [r.name for r in raters if r.kind == kind and not r.made_up and r.name in present]
        for kind in RATER_KINDS
        if kind != chosen
    }
    return {kind: names for kind, names in found.items() if names}


def _say_taken(kept: Ratings, ratings: Ratings, raters: Sequence[RaterEntry], chosen: str | None) -> Iterator[str]:
    """Yield which kind was taken, where there are others."""
    left = _left_by_kind(ratings, raters, chosen)
    if left:
        n = f"{count(kept.frame.height, 'rating')} by {count(kept.n_raters, 'rater')}"
        parts = [
            f"{count(_count_by(ratings, names), 'rating')} by {_WORDS[kind]} ({shorten(names, _MOST_NAMES)})"
            for kind, names in left.items()
        ]
        yield f"Only the ratings by {_WORDS[chosen or '']} are taken: {n}. Left out: {'; '.join(parts)}."


def _say_remedy(ratings: Ratings, raters: Sequence[RaterEntry], chosen: str | None, study: str) -> Iterator[str]:
    """Yield how to see the ratings of the other kinds."""
    left = _left_by_kind(ratings, raters, chosen)
    if left:
        options = " or ".join(f"--kind {kind}" for kind in left)
        compare = shlex.join(["dialgauge", "kinds", study])
        yield f"Kinds of rater are not pooled: {options} takes the others, and {compare} compares kinds."
