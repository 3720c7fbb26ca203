"""Which rater is of which kind."""

from collections.abc import Mapping

import polars as pl

from dialgauge.errors import InputError
from dialgauge.model import Ratings

MOST_KINDS = 4

MOST_NAMES = 4


def kinds_from_rows(ratings: Ratings, column: pl.DataFrame) -> dict[str, str]:
    """Return the kind of each rater from a column of the table that the ratings came from.

    ``column`` has the columns ``row`` (as in `Ratings.frame`) and ``value`` (text, null where empty). Raises InputError
    for a rater with two kinds or with none.
    """
    found = (
        ratings.frame.select("rater", "row")
        .unique()
        .join(column.select(pl.col("row"), pl.col("value").cast(pl.String)), on="row", how="left")
        .group_by("rater")
        .agg(pl.col("value").drop_nulls().unique().sort())
        .sort("rater")
    )
    kinds: dict[str, str] = {}
    for rater, values in found.iter_rows():
        if len(values) > 1:
            raise InputError(f"rater {rater!r} is of the kinds {values[0]!r} and {values[1]!r}; a rater has one kind")
        if not values:
            raise InputError(f"rater {rater!r} has no kind in any row; fill the column of kinds in for each rater")
        kinds[rater] = values[0]
    return kinds


def order_kinds(ratings: Ratings, kinds: Mapping[str, str], reference: str | None) -> dict[str, list[str]]:
    """Return the raters of each kind that occurs, sorted: the reference first, then the kinds with most raters.

    The reference is the kind with most raters where none is named. Raises InputError for raters without a kind, for a
    reference that does not occur, and unless two to four kinds occur.
    """
    raters = ratings.frame["rater"].unique().sort().to_list()
    lost = [rater for rater in raters if rater not in kinds]
    if lost:
        raise InputError(f"no kind is given for {_some(lost)}; give each rater a kind, such as human or llm")
    found: dict[str, list[str]] = {}
    for rater in raters:
        found.setdefault(kinds[rater], []).append(rater)
    if not 2 <= len(found) <= MOST_KINDS:
        raise InputError(
            f"{len(found)} kinds of rater occur ({_some(sorted(found))}); a comparison takes 2 to {MOST_KINDS}: "
            "merge kinds or filter the ratings"
        )
    if reference is not None and reference not in found:
        raise InputError(f"no rater is of the kind {reference!r} (the reference); there are {_some(sorted(found))}")
    order = sorted(found, key=lambda kind: (kind != reference, -len(found[kind]), kind))
    return {kind: found[kind] for kind in order}


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES} more"
