"""Several ratings of one dimension of one target by one rater are an error until the user says what they are."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import DuplicateRatingsError, InputError, TableError
from dialgauge.io import from_frame
from dialgauge.model import Ratings, Scale

ROWS: list[dict[str, Any]] = [
    {"target": "d1", "rater": "p", "value": 1},
    {"target": "d1", "rater": "q", "value": 5},
    {"target": "d1", "rater": "p", "value": 4},
    {"target": "d2", "rater": "p", "value": None},
    {"target": "d2", "rater": "p", "value": 3},
    {"target": "d1", "rater": "p", "value": None},
]


def read(rows: list[dict[str, Any]] = ROWS, **options: object) -> Ratings:
    return from_frame(rows, **{"scale": "1:5", **options})  # type: ignore[arg-type]


def summary(ratings: Ratings) -> list[tuple[object, ...]]:
    return ratings.frame.select("target", "rater", "replicate", "value", "row").rows()


def test_the_error_names_the_first_pairs_their_rows_and_the_policies() -> None:
    with pytest.raises(DuplicateRatingsError) as error:
        read()
    text = str(error.value)
    assert (
        "2 rater x target pairs: target 'd1' by rater 'p' in rows 2, 4, 7; target 'd2' by rater 'p' in rows 5, 6"
        in text
    )
    assert "--duplicates first|last|mean|replicate" in text
    assert "--replicate" in text


def test_first_keeps_the_first_rating_with_a_value() -> None:
    ratings = read(duplicates="first")
    assert summary(ratings) == [("d1", "p", 1, 1.0, 2), ("d1", "q", 1, 5.0, 3), ("d2", "p", 1, 3.0, 6)]
    done = "The repeated ratings of 2 rater x target pairs were replaced by the first one that has a value"
    assert f"{done}; left out: 3 ratings." in ratings.notes


def test_last_keeps_the_last_rating_with_a_value() -> None:
    assert summary(read(duplicates="last")) == [("d1", "q", 1, 5.0, 3), ("d1", "p", 1, 4.0, 4), ("d2", "p", 1, 3.0, 6)]


def test_mean_keeps_means_even_between_the_points_and_says_so() -> None:
    ratings = read(duplicates="mean")
    assert summary(ratings) == [("d1", "p", 1, 2.5, 2), ("d1", "q", 1, 5.0, 3), ("d2", "p", 1, 3.0, 5)]
    assert any("between two points" in note for note in ratings.notes)


def test_replicate_numbers_them_in_the_order_of_their_rows_and_keeps_all() -> None:
    assert summary(read(duplicates="replicate")) == [
        ("d1", "p", 1, 1.0, 2),
        ("d1", "q", 1, 5.0, 3),
        ("d1", "p", 2, 4.0, 4),
        ("d2", "p", 1, None, 5),
        ("d2", "p", 2, 3.0, 6),
        ("d1", "p", 3, None, 7),
    ]


def test_where_none_of_the_repeated_ratings_has_a_value_the_rating_stays_missing_with_its_reason() -> None:
    rows = [{"target": "d", "rater": "p", "value": None, "missing": reason} for reason in ("refused", "timeout")]
    for policy, reason in (("first", "refused"), ("last", "timeout"), ("mean", "refused")):
        ratings = read(rows, duplicates=policy)
        assert ratings.frame.select("value", "missing").rows() == [(None, reason)]


def test_values_are_checked_against_the_scale_before_they_are_averaged() -> None:
    with pytest.raises(InputError, match="off the scale"):
        read([{"target": "d", "rater": "p", "value": value} for value in (0, 4)], duplicates="mean")


def test_categories_have_no_mean() -> None:
    with pytest.raises(TableError, match="have no mean"):
        read(ROWS[:3], scale=Scale(level="nominal", points=(1, 4, 5)), duplicates="mean")


def test_a_replicate_column_tells_repeated_ratings_apart_and_then_there_are_no_duplicates() -> None:
    rows = [{"target": "d", "rater": "p", "value": value, "run": value} for value in (1, 2)]
    assert read(rows).frame["replicate"].to_list() == [1, 2]


def test_replicates_are_renumbered_only_where_there_are_duplicates() -> None:
    rows = [
        {"target": "a", "rater": "p", "value": 1, "run": 5},
        {"target": "b", "rater": "p", "value": 2, "run": 7},
        {"target": "b", "rater": "p", "value": 3, "run": 5},
        {"target": "b", "rater": "p", "value": 4, "run": 7},
    ]
    assert read(rows, duplicates="replicate").frame["replicate"].to_list() == [5, 2, 1, 3]


def test_rows_of_a_wide_table_are_duplicates_in_every_dimension_but_pairs_are_counted_once() -> None:
    rows = [{"target": "d", "rater": "p", "tone": 1, "pace": 2}] * 2
    with pytest.raises(DuplicateRatingsError, match="for 1 rater x target pair: target 'd' by rater 'p' in rows 2, 3;"):
        read(rows)


def test_an_unknown_policy_is_an_error_that_lists_the_policies() -> None:
    with pytest.raises(InputError, match="one of error, first, last, mean, replicate, got 'median'"):
        read(duplicates="median")


RATING = st.fixed_dictionaries(
    {
        "target": st.sampled_from("ab"),
        "rater": st.sampled_from("pq"),
        "value": st.sampled_from([1, 2, 3, 4, 5, None]),
    }
)


@given(st.lists(RATING, min_size=1, max_size=12))
def test_every_policy_leaves_one_rating_a_key_and_loses_no_pair(rows: list[dict[str, Any]]) -> None:
    pairs = {(row["target"], row["rater"]) for row in rows}
    for policy in ("first", "last", "mean", "replicate"):
        frame = read(rows, duplicates=policy).frame
        assert not frame.select("target", "rater", "dimension", "replicate").is_duplicated().any()
        assert set(frame.select("target", "rater").rows()) == pairs
        present = {(row["target"], row["rater"]) for row in rows if row["value"] is not None}
        assert set(frame.drop_nulls("value").select("target", "rater").rows()) == present
    assert read(rows, duplicates="replicate").frame.height == len(rows)
