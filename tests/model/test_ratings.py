"""Ratings hold a value or a reason for each, and know their scales."""

from collections.abc import Sequence
from dataclasses import FrozenInstanceError

import polars as pl
import pytest

from dialgauge.errors import TableError
from dialgauge.model import RATING_SCHEMA, Ratings, Scale

FIVE = Scale.parse("1:5")
ROWS = [
    ("d1", "r1", "tone", 1, 4.0, None, 2),
    ("d1", "r2", "tone", 1, None, "empty", 3),
    ("d2", "r1", "pace", 1, 2.0, None, 4),
]


def frame(rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict(RATING_SCHEMA), orient="row")


def ratings(rows: Sequence[tuple[object, ...]] = ROWS, **scales: Scale) -> Ratings:
    return Ratings(frame=frame(rows), scales=scales or {"tone": FIVE, "pace": FIVE}, notes=("First.",))


def test_dimensions_come_in_the_order_in_which_their_scales_are_declared() -> None:
    assert ratings(pace=FIVE, tone=FIVE).dimensions == ("pace", "tone")


def test_targets_raters_and_missing_values_are_counted() -> None:
    data = ratings()
    assert (data.n_targets, data.n_raters, data.n_missing) == (2, 2, 1)


def test_the_rows_of_a_dimension_include_the_missing_ones() -> None:
    assert ratings().of("tone")["value"].to_list() == [4.0, None]


def test_an_unknown_dimension_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(TableError, match="dimension 'tempo'; there are tone, pace"):
        ratings().of("tempo")


def test_ratings_are_the_same_whatever_their_order_and_their_source_lines() -> None:
    other = [(*row[:6], 100 - i) for i, row in enumerate(reversed(ROWS))]
    assert ratings().same_ratings(ratings(other))


def test_ratings_differ_when_a_value_a_reason_or_a_scale_differs() -> None:
    changed = [("d1", "r1", "tone", 1, 5.0, None, 2), *ROWS[1:]]
    refused = [ROWS[0], ("d1", "r2", "tone", 1, None, "refused", 3), ROWS[2]]
    assert not ratings().same_ratings(ratings(changed))
    assert not ratings().same_ratings(ratings(refused))
    assert not ratings().same_ratings(ratings(tone=FIVE, pace=Scale.parse("1:7")))


def test_notes_are_added_at_the_end_of_a_copy() -> None:
    data = ratings()
    assert data.with_notes("Second.").notes == ("First.", "Second.")
    assert data.notes == ("First.",)
    with pytest.raises(FrozenInstanceError):
        data.source = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (("d", "r", "tone", 1, None, None, 2), "either a value or a missing reason"),
        (("d", "r", "tone", 1, 3.0, "empty", 2), "either a value or a missing reason"),
        ((None, "r", "tone", 1, 3.0, None, 2), "needs target"),
        (("d", "r", "tempo", 1, 3.0, None, 2), r"no scale is declared for the dimensions \['tempo'\]"),
    ],
)
def test_rows_that_contradict_themselves_are_refused(row: tuple[object, ...], problem: str) -> None:
    with pytest.raises(TableError, match=problem):
        ratings([row])


def test_other_columns_than_those_of_ratings_are_refused() -> None:
    with pytest.raises(TableError, match="ratings need the columns"):
        Ratings(frame=frame(ROWS).drop("row"), scales={"tone": FIVE, "pace": FIVE})
