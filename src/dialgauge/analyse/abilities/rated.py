"""Rated measures: the mean rating of each dialogue, from whoever rated it."""

from collections.abc import Sequence

import polars as pl

from dialgauge.analyse.abilities.columns import Column
from dialgauge.errors import InputError
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


def tabulate_ratings(ratings: Ratings, dialogues: Sequence[str]) -> dict[str, Column]:
    """Return a column for each rated measure, the rows being ``dialogues`` (their ids are the targets of ratings).

    What counts is the mean over raters and replicates; missing ratings are left out, and a dialogue without a rating
    has none. Raises InputError for a scale other than 1 to 5.
    """
    columns = {}
    for name in RATED:
        if name not in ratings.scales:
            continue
        _check_scale(ratings, name)
        rated = ratings.of(name).drop_nulls("value").group_by("target").agg(pl.col("value").mean())
        means = dict(zip(rated["target"].to_list(), rated["value"].to_list(), strict=True))
        columns[name] = Column(
            family="rated",
            unit="rating",
            numerators=[means.get(dialogue, 0.0) for dialogue in dialogues],
            denominators=[float(dialogue in means) for dialogue in dialogues],
            counted="dialogues",
            bounds=POINTS,
            binary=False,
            why_none=("no dialogue of this system was rated", "rate the dialogues with the instrument concept"),
        )
    return columns


def count_strangers(ratings: Ratings, dialogues: Sequence[str]) -> int:
    """Return how many rated targets are none of ``dialogues``."""
    return len(set(ratings.frame["target"].unique()) - set(dialogues))


def _check_scale(ratings: Ratings, name: str) -> None:
    scale = ratings.scale_for(name)
    ends = scale.bounds
    if ends != POINTS:
        raise InputError(f"{name} is rated from {ends[0]} to {ends[1]}, and the abilities take 1 to 5; rescale it")
