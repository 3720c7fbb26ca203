"""Rated measures: the mean rating of each dialogue, from whoever rated it."""

from collections.abc import Collection, Sequence

import polars as pl

from dialgauge.analyse.abilities.columns import Column
from dialgauge.errors import InputError, OffScaleError
from dialgauge.model.ratings import Ratings

RATED = (
    "manner",
    "response_quality",
    "relevance",
    "social_awareness",
    "persuasiveness",
    "human_likeness",
    "overall_performance",
    "user_satisfaction",
)
"""The dimensions of the instrument concept."""

POINTS = (1.0, 5.0)


_REMEDY = "rate the dialogues with the instrument concept"
_NO_RATING = ("no dialogue of this system was rated", _REMEDY)
_MADE_UP = ("all its ratings are made up, by a fake model", f"{_REMEDY}, by people, a real model or code")


def tabulate_ratings(ratings: Ratings, dialogues: Sequence[str], *, made_up: Collection[str] = ()) -> dict[str, Column]:
    """Return a column for each rated measure, the rows being ``dialogues`` (their ids are the targets of ratings).

    What counts is the mean over raters and replicates; missing ratings are left out, and a dialogue without a rating
    has none. Ratings by the raters in ``made_up`` do not count. Raises InputError for a scale other than 1 to 5, and
    OffScaleError for a value that is none or lies off it.
    """
    columns = {}
    for name in RATED:
        if name not in ratings.scales:
            continue
        _check_scale(ratings, name)
        given = ratings.of(name).drop_nulls("value")
        check_values(given, name)
        real = given.filter(~pl.col("rater").is_in(list(made_up)))
        rated = real.group_by("target").agg(pl.col("value").mean())
        means = dict(zip(rated["target"].to_list(), rated["value"].to_list(), strict=True))
        columns[name] = Column(
            family="rated",
            unit="rating",
            numerators=[means.get(dialogue, 0.0) for dialogue in dialogues],
            denominators=[float(dialogue in means) for dialogue in dialogues],
            counted="dialogues",
            bounds=POINTS,
            binary=False,
            why_none=_MADE_UP if given.height and not real.height else _NO_RATING,
        )
    return columns


def check_values(given: pl.DataFrame, name: str) -> None:
    """Raise OffScaleError, naming the target, for a value of the dimension ``name`` that is no number of 1 to 5."""
    off = given.filter(~pl.col("value").is_between(*POINTS) | pl.col("value").is_nan())
    if off.height:
        value, target, rater = off.select("value", "target", "rater").row(0)
        raise OffScaleError(
            f"{name} of the target {target!r} by {rater!r} is {value}, and is rated from {POINTS[0]:g} to "
            f"{POINTS[1]:g}; correct it, or leave it out"
        )


def made_up_among(ratings: Ratings, made_up: Collection[str]) -> tuple[str, ...]:
    """Return those of the raters in ``made_up`` that have rated one of the measures."""
    rated = ratings.frame.filter(pl.col("dimension").is_in(RATED), pl.col("rater").is_in(list(made_up)))
    return tuple(sorted(set(rated["rater"])))


def count_strangers(ratings: Ratings, dialogues: Sequence[str]) -> int:
    """Return how many rated targets are none of ``dialogues``."""
    return len(set(ratings.frame["target"].unique()) - set(dialogues))


def _check_scale(ratings: Ratings, name: str) -> None:
    scale = ratings.scale_for(name)
    ends = scale.bounds
    if ends != POINTS:
        raise InputError(f"{name} is rated from {ends[0]} to {ends[1]}, and the abilities take 1 to 5; rescale it")
