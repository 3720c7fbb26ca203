"""Attempts and their ratings, written together or not at all."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

import sqlalchemy as sa

from dialgauge.errors import StoreError
from dialgauge.io.store.records import to_canonical
from dialgauge.io.store.registering import in_batches
from dialgauge.io.store.tables import Row, attempts, raters, ratings, runs, targets
from dialgauge.io.words import clip
from dialgauge.model import Attempt, Rating

Item = tuple[Attempt, Sequence[Rating]]

TERMINAL = ("error", "timeout")
"""Failures of a call: no rating is written, so that a later run tries again."""

_ATTEMPT_FIELDS = [f.name for f in fields(Attempt) if f.name != "dimensions"]
_RATING_FIELDS = [f.name for f in fields(Rating)]
_KEY = ("rater", "target", "dimension", "replicate")

RatingOf = tuple[str, str, str, int]
"""Rater, target, dimension and replicate: one rating of a store."""


def write_items(
    connection: sa.Connection, run: int, items: Sequence[Item], *, prompt_of: Mapping[str, str], skip_existing: bool
) -> dict[RatingOf, bool]:
    """Insert attempts and ratings, and return the keys of the new ones. ``connection`` is in a writing transaction.

    Raises StoreError for a rating that does not belong to its attempt or has a value that is no number, and, unless
    ``skip_existing``, for a key that is there.
    """
    first = (connection.scalar(sa.select(sa.func.max(attempts.c.id))) or 0) + 1
    new: dict[RatingOf, Row] = {}
    for number, (attempt, given) in enumerate(items, start=first):
        for rating in given:
            _check(attempt, rating)
            row = {name: getattr(rating, name) for name in _RATING_FIELDS}
            key = key_of(rating)
            if key not in new:
                new[key] = {**row, "attempt": number}
            elif not skip_existing:
                raise _doubled(key)
    if skip_existing:
        for key in list(_find_existing(connection, list(new))):
            del new[key]
    if items:
        rows = [_to_row(attempt, run, number, prompt_of) for number, (attempt, _) in enumerate(items, start=first)]
        connection.execute(sa.insert(attempts), rows)
    if new:
        connection.execute(sa.insert(ratings), list(new.values()))
    return dict.fromkeys(new, True)


def key_of(rating: Rating) -> RatingOf:
    """Return what tells ``rating`` from all others of a store."""
    return rating.rater, rating.target, rating.dimension, rating.replicate


def explain_refusal(connection: sa.Connection, run: int, items: Sequence[Item], reason: str) -> StoreError:
    """Return the error that says which of ``items`` the database refused."""
    keys = [key_of(rating) for _, given in items for rating in given]
    existing = next(_find_existing(connection, keys), None)
    if existing is not None:
        return _doubled(existing)
    if connection.scalar(sa.select(runs.c.id).where(runs.c.id == run)) is None:
        return StoreError(f"there is no run {run} in the store; begin one first")
    for what, column, names in (
        ("target", targets.c.id, {attempt.target for attempt, _ in items}),
        ("rater", raters.c.name, {attempt.rater for attempt, _ in items}),
    ):
        for batch in in_batches(sorted(names)):
            absent = {*batch} - {*connection.scalars(sa.select(column).where(column.in_(batch)))}
            if absent:
                return StoreError(
                    f"the {what} {clip(min(absent))!r} is not in the store; register it before it is used"
                )
    return StoreError(f"the database refused the ratings ({reason}); nothing of this batch was written")


def _find_existing(connection: sa.Connection, keys: Sequence[RatingOf]) -> Iterator[RatingOf]:
    """Yield those of ``keys`` that have a rating."""
    wanted = {*keys}
    for batch in in_batches(sorted({key[:2] for key in keys})):
        pairs = sa.tuple_(ratings.c.rater, ratings.c.target).in_(batch)
        for row in connection.execute(sa.select(*(ratings.c[name] for name in _KEY)).where(pairs)):
            key = (row.rater, row.target, row.dimension, row.replicate)
            if key in wanted:
                yield key


def _to_row(attempt: Attempt, run: int, number: int, prompt_of: Mapping[str, str]) -> Row:
    row = {name: getattr(attempt, name) for name in _ATTEMPT_FIELDS}
    row["dimensions"] = to_canonical(attempt.dimensions)
    return {**row, "id": number, "run": run, "prompt_hash": prompt_of.get(attempt.rater)}


def _check(attempt: Attempt, rating: Rating) -> None:
    call = (attempt.rater, attempt.target, attempt.replicate)
    if (rating.rater, rating.target, rating.replicate) != call or rating.dimension not in attempt.dimensions:
        msg = (
            f"{_name(rating.rater, rating.target, rating.dimension, rating.replicate)} is not of its attempt; pair them"
        )
        raise StoreError(msg)
    if rating.missing in TERMINAL:
        msg = (
            f"{_name(rating.rater, rating.target, rating.dimension, rating.replicate)} is missing because the call "
            f"failed ({rating.missing}); write the attempt alone, so that it is tried again"
        )
        raise StoreError(msg)
    if rating.value is not None and not math.isfinite(rating.value):
        msg = f"{_name(rating.rater, rating.target, rating.dimension, rating.replicate)} is {rating.value}, no number"
        raise StoreError(f"{msg}; give a missing reason instead")


def _doubled(key: RatingOf) -> StoreError:
    return StoreError(f"{_name(*key)} is in the store; a rating is never changed: give it another replicate number")


def _name(rater: str, target: str, dimension: str, replicate: int) -> str:
    return (
        f"the rating of target {clip(target)!r} on {clip(dimension)!r} by rater {clip(rater)!r}, replicate {replicate},"
    )
