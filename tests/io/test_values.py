"""A cell is a value on the declared scale, missing, or an error that says where."""

import math

import pytest

from dialgauge.errors import InputError, OffScaleError, TableError
from dialgauge.io import from_frame
from dialgauge.model import Ratings, Scale


def read(values: list[object], raters: list[object] | None = None, **options: object) -> Ratings:
    rows = [
        {"target": f"d{i}", "rater": raters[i] if raters else "r", "value": value} for i, value in enumerate(values)
    ]
    return from_frame(rows, **options)  # type: ignore[arg-type]


def values(ratings: Ratings) -> list[float | None]:
    return ratings.frame["value"].to_list()


@pytest.mark.parametrize("cell", [None, "", "  ", "NA", "na", "NaN", "nan", "n/a", "N/A", math.nan])
def test_empty_cells_are_missing_with_a_reason_and_are_counted_and_never_filled(cell: object) -> None:
    ratings = read([4, cell, 2], scale="1:5")
    assert values(ratings) == [4.0, None, 2.0]
    assert ratings.frame["missing"].to_list() == [None, "empty", None]
    assert "Missing values, left as they are: 1 empty." in ratings.notes


def test_a_column_of_text_is_numbers_if_every_entry_is() -> None:
    assert values(read(["4", " 5 ", "1e0", "+2", ""], scale="1:5")) == [4.0, 5.0, 1.0, 2.0, None]


def test_without_a_declared_scale_nothing_is_read_and_the_range_seen_is_shown_as_a_hint() -> None:
    declare = r"--scale LOW:HIGH \(in Python scale='LOW:HIGH'\)"
    with pytest.raises(TableError, match=rf"never inferred .* {declare} .* from 2 to 4; .* the scale, 2:4\)"):
        read([2, None, "4"])
    with pytest.raises(TableError, match=r"never inferred .* --labels"):
        read(["good", "bad"])
    with pytest.raises(TableError, match=r"never inferred"):
        read([None, ""])


def test_words_without_labels_are_an_error_that_names_column_words_and_remedy() -> None:
    with pytest.raises(
        TableError, match=r"column 'value' .*: 'good', 'fair' \(first in row 3\); .*--labels \"bad,fair,good\""
    ):
        read([4, "good", "fair", "good"], scale="1:5")


def test_at_most_six_different_words_are_shown() -> None:
    with pytest.raises(TableError, match=r"'w0', 'w1', 'w2', 'w3', 'w4', 'w5' and 3 more"):
        read([f"w{i}" for i in range(9)], scale="1:5")


def test_words_take_the_points_of_the_labels_in_the_declared_order_and_not_the_alphabet() -> None:
    ratings = read(["good", " BAD ", "Fair", ""], labels="bad,fair,good")
    assert values(ratings) == [3.0, 1.0, 2.0, None]
    assert ratings.scale_for("value") == Scale.from_labels(["bad", "fair", "good"])
    assert values(read(["low", "high"], scale="0:1", labels=["high", "low"])) == [1.0, 0.0]


def test_labels_of_the_instrument_are_understood() -> None:
    ratings = read(["Strongly agree", "disagree", "3"], instrument="crs-que", dimensions="novelty")
    assert values(ratings) == [5.0, 2.0, 3.0]


def test_a_word_that_is_no_label_is_an_error_that_lists_the_labels() -> None:
    with pytest.raises(
        TableError, match=r"no label of its scale: 'fairly' .*row 3.* the labels are 'bad', 'fair', 'good'"
    ):
        read(["good", "fairly"], labels="bad,fair,good")


def test_a_label_that_looks_like_a_missing_cell_is_the_label() -> None:
    assert values(read(["NA", "some", ""], labels="na,some")) == [1.0, 2.0, None]


def test_labels_that_do_not_fit_the_scale_are_an_error() -> None:
    with pytest.raises(InputError, match="3 labels for 5 points"):
        read([1], scale="1:5", labels="bad,fair,good")


def test_a_decimal_comma_is_recognised_and_refused() -> None:
    with pytest.raises(TableError, match="decimal comma: '1,5'"):
        read(["1,5", "2"], scale="1.0:5.0")


@pytest.mark.parametrize("value", [55, -1, 2.5, math.inf, "inf", "-Infinity", "1e999"])
def test_a_value_off_the_scale_is_an_error_that_names_rater_target_row_and_value(value: object) -> None:
    with pytest.raises(
        OffScaleError, match=r"value \S+ by rater 'q' for target 'd1' on 'value' \(row 3\) is off .* 1..5"
    ):
        read([4, value], ["p", "q"], scale="1:5")


def test_the_number_of_further_values_off_the_scale_is_told() -> None:
    with pytest.raises(OffScaleError, match=r"value 0 by .* and 2 more"):
        read([4, 0, 9, 7], scale="1:5")


def test_a_continuous_scale_takes_what_lies_between_its_ends() -> None:
    assert values(read([0.25, 1], scale="0.0:1.0")) == [0.25, 1.0]
    with pytest.raises(OffScaleError, match=r"value 1.01 .* off the scale 0..1"):
        read([1.01], scale="0.0:1.0")


def test_booleans_are_zero_and_one() -> None:
    assert values(read([True, False, None], scale="0:1")) == [1.0, 0.0, None]


def test_a_given_scale_takes_the_place_of_that_of_the_instrument_and_that_is_noted() -> None:
    ratings = read([7], instrument="crs-que", dimensions="novelty", scale="1:7")
    assert ratings.scale_for("novelty").bounds == (1.0, 7.0)
    assert "The scale 1..7 (ordinal) was used in place of that of crs_que." in ratings.notes


def test_identifiers_stay_as_they_are_written() -> None:
    ratings = read([1, 2, 3, 4], ["007", "7", "7.0", "Ann B."], scale="1:5")
    assert ratings.frame["rater"].to_list() == ["007", "7", "7.0", "Ann B."]


def test_whole_numbers_are_identifiers_without_a_decimal_point_even_where_a_frame_made_them_floats() -> None:
    assert read([1, 2], [1, 2], scale="1:5").frame["rater"].to_list() == ["1", "2"]
    assert read([1, 2], [1.0, 2.0], scale="1:5").frame["rater"].to_list() == ["1", "2"]
    assert read([1, 2], [1.0, 2.5], scale="1:5").frame["rater"].to_list() == ["1.0", "2.5"]


@pytest.mark.parametrize("empty", [None, "", " ", "nan", math.nan])
def test_a_row_without_a_rater_is_an_error_that_names_the_rows_and_how_to_leave_them_out(empty: object) -> None:
    with pytest.raises(TableError, match=r"'rater' .* is empty in rows 3, 5; .* --where \"rater is not null\""):
        read([1, 2, 3, 4], ["a", empty, "b", empty], scale="1:5")


def test_identifiers_that_differ_only_in_case_or_blanks_count_as_different_and_are_pointed_out() -> None:
    ratings = read([1, 2, 3], ["P1", "p1 ", "P2"], scale="1:5")
    assert ratings.n_raters == 3
    assert "Raters 'P1', 'p1 ' differ only in case or blanks, and count as different raters." in ratings.notes


def test_a_reason_in_a_column_of_missing_reasons_is_kept() -> None:
    rows = [
        {"target": "a", "rater": "r", "value": None, "missing": "refused"},
        {"target": "b", "rater": "r", "value": None, "missing": ""},
        {"target": "c", "rater": "r", "value": 3, "missing": None},
    ]
    ratings = from_frame(rows, scale="1:5")
    assert ratings.frame["missing"].to_list() == ["refused", "empty", None]
    assert "Missing values, left as they are: 1 empty, 1 refused." in ratings.notes


def test_a_value_with_a_missing_reason_is_a_contradiction() -> None:
    with pytest.raises(TableError, match="row 2 has the value 3 and the missing reason 'refused'"):
        from_frame([{"target": "a", "rater": "r", "value": 3, "missing": "refused"}], scale="1:5")


def test_a_column_of_flags_named_missing_is_no_column_of_reasons() -> None:
    rows = [{"target": t, "rater": "r", "value": v, "missing": m} for t, v, m in (("a", "3", "0"), ("b", "", "1"))]
    ratings = from_frame(rows, value="value", scale="1:5")
    assert ratings.frame["missing"].to_list() == [None, "empty"]
    assert "Columns that were not read as ratings: 'missing'." in ratings.notes


def test_text_from_the_data_cannot_break_a_message_into_lines_or_fill_it() -> None:
    with pytest.raises(OffScaleError) as error:
        read([9], ["evil\n\x1b[31m" + "x" * 500], scale="1:5")
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300


def test_lists_are_no_ratings() -> None:
    import polars as pl

    frame = pl.DataFrame({"target": ["a"], "rater": ["b"], "value": [[1, 2]]})
    with pytest.raises(TableError, match="'value' holds List"):
        from_frame(frame, scale="1:5")
    with pytest.raises(TableError, match=r"'value' \(the rater\) holds List"):
        from_frame(frame, rater="value", value="rater", scale="1:5")


@pytest.mark.parametrize(("far", "word"), [(1e150, "larger unit"), (-1e61, "larger unit")])
def test_values_whose_squares_overflow_are_refused(far: float, word: str) -> None:
    with pytest.raises(TableError, match=word):
        read([1.0, far], scale=Scale(level="interval", low=-1e200, high=1e200))


def test_values_that_differ_by_less_than_can_be_squared_are_refused_and_equal_ones_are_not() -> None:
    with pytest.raises(TableError, match="smaller unit"):
        read([1e-200, 3e-200], scale="0.0:1.0")
    assert values(read([1e-200, 1e-200], scale="0.0:1.0")) == [1e-200, 1e-200]
    assert values(read([1e-30, 3e-30], scale="0.0:1.0")) == [1e-30, 3e-30]


def test_values_off_the_scale_may_be_left_out_with_their_reason_and_are_counted() -> None:
    ratings = read([4, 9], scale="1:5", off_scale="missing")
    assert values(ratings) == [4.0, None]
    assert ratings.frame["missing"].to_list() == [None, "off-scale"]
    assert any("1 off-scale" in note for note in ratings.notes)


def test_an_unknown_policy_for_values_off_the_scale_is_refused() -> None:
    with pytest.raises(InputError, match="off_scale is one of error, missing, got 'drop'"):
        read([1], scale="1:5", off_scale="drop")
