"""Columns have roles: named by the user, or guessed where only one guess is possible, and then said aloud."""

from pathlib import Path

import pytest

from dialgauge.errors import DuplicateRatingsError, InputError, OffScaleError, TableError
from dialgauge.io import from_frame
from dialgauge.model import Ratings

Row = dict[str, object]


def read(rows: list[Row], **options: object) -> Ratings:
    return from_frame(rows, **{"scale": "1:5", **options})  # type: ignore[arg-type]


def test_well_known_names_are_guessed_and_each_guess_is_a_note() -> None:
    ratings = read([{"dialogue_id": "d1", "Participant ID": "p1", "metric": "tone", "rating": 4, "run": 2}])
    assert ratings.frame.select("target", "rater", "dimension", "replicate", "value").row(0) == (
        "d1",
        "p1",
        "tone",
        2,
        4,
    )
    assert ratings.notes[:5] == (
        "Column 'dialogue_id' was taken as the target.",
        "Column 'Participant ID' was taken as the rater.",
        "Column 'run' was taken as the replicate.",
        "Column 'rating' was taken as the value.",
        "Column 'metric' was taken as the dimension.",
    )


def test_a_column_that_bears_the_name_of_its_role_is_no_guess() -> None:
    ratings = read([{"target": "d1", "rater": "p1", "dimension": "tone", "value": 4, "replicate": 1}])
    assert ratings.notes == ("Read 1 rating: 1 target × 1 rater × 1 dimension.",)


def test_named_columns_are_not_guessed_again() -> None:
    rows: list[Row] = [{"item": "i1", "segment": "s1", "judge": "j1", "model": "m1", "value": 3}]
    ratings = read(rows, target="segment", rater="model")
    assert ratings.frame.select("target", "rater").row(0) == ("s1", "m1")
    assert "Columns that were not read as ratings: 'item', 'judge'." in ratings.notes


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"item": 1, "segment": 1, "rater": 1, "value": 1},
            "columns 'item', 'segment' .* target; say which with --target",
        ),
        (
            {"item": 1, "judge": 1, "worker": 1, "value": 1},
            "columns 'judge', 'worker' .* rater; say which with --rater",
        ),
        (
            {"item": 1, "rater": 1, "score": 1, "rating": 1},
            "columns 'score', 'rating' .* value; say which with --value",
        ),
        ({"thing": 1, "rater": 1, "value": 1}, "hold the target; say which with --target: 'thing', 'rater', 'value'"),
        ({"item": 1, "who": 1, "value": 1}, "hold the rater; say which with --rater: 'item', 'who', 'value'"),
    ],
)
def test_where_several_or_no_columns_could_be_meant_the_error_names_them_and_the_option(row: Row, problem: str) -> None:
    with pytest.raises(TableError, match=problem):
        read([row])


def test_a_named_column_that_does_not_exist_is_an_error_with_near_matches_and_the_columns() -> None:
    rows: list[Row] = [{"dialogue": "d", "annotator": "a", "value": 1}]
    with pytest.raises(
        TableError, match=r"no column 'Dialogues' \(--target\); did you mean 'dialogue'\? .*'annotator'"
    ):
        read(rows, target="Dialogues")
    with pytest.raises(
        TableError, match=r"no column 'zzz' \(--value\); its columns are 'dialogue', 'annotator', 'value'"
    ):
        read(rows, value="zzz")


def test_one_column_cannot_have_two_roles() -> None:
    with pytest.raises(TableError, match="'item' is named for --target and for --rater"):
        read([{"item": 1, "value": 1}], target="item", rater="item")


WIDE: Row = {"target": "d1", "rater": "r1", "tone": 4, "pace": 2}


def test_a_wide_table_has_one_column_a_dimension_and_all_that_are_left_count_if_all_are_numbers() -> None:
    ratings = read([WIDE])
    assert ratings.frame.select("dimension", "value").rows() == [("tone", 4.0), ("pace", 2.0)]
    assert "Every other column was read as a dimension: 'tone', 'pace'." in ratings.notes


def test_a_text_column_makes_a_wide_table_uncertain_until_the_dimensions_are_listed() -> None:
    rows = [{**WIDE, "comment": "fine"}]
    with pytest.raises(TableError, match=r"hold ratings \('tone', 'pace', 'comment'\); list them with --dimensions"):
        read(rows)
    ratings = read(rows, dimensions="pace,tone")
    assert ratings.dimensions == ("pace", "tone")
    assert "Columns that were not read as ratings: 'comment'." in ratings.notes


def test_an_empty_column_is_no_column_of_numbers_and_makes_a_wide_table_uncertain() -> None:
    rows = [{**WIDE, "notes": None}]
    with pytest.raises(TableError, match="list them with --dimensions"):
        read(rows)
    assert read(rows, dimensions="tone,notes").frame["missing"].to_list() == [None, "empty"]


def test_a_listed_dimension_that_is_no_column_is_an_error_with_near_matches() -> None:
    with pytest.raises(TableError, match=r"no column 'tones' \(--dimensions\); did you mean 'tone'"):
        read([WIDE], dimensions=["tones", "pace"])
    with pytest.raises(TableError, match=r"no column 'tempo' \(--dimensions\)"):
        read([WIDE], dimensions="tempo")


def test_of_an_instrument_the_dimensions_that_are_columns_are_read_in_its_order_and_the_others_are_named() -> None:
    rows: list[Row] = [{"target": "d", "rater": "r", "novelty": 2, "time": 99, "accuracy": 5}]
    ratings = read(rows, scale=None, instrument="crs-que")
    assert ratings.dimensions == ("accuracy", "novelty")
    assert any(
        note.startswith("Dimensions of the instrument that the table does not have: 'inter") for note in ratings.notes
    )
    assert "Columns that were not read as ratings: 'time'." in ratings.notes


def test_a_table_without_any_dimension_of_the_instrument_is_refused_with_both_lists() -> None:
    with pytest.raises(
        TableError, match=r"named after a dimension of crs_que \('accuracy', .*rename the columns 'tone', 'pace'"
    ):
        read([WIDE], scale=None, instrument="crs-que")


def test_a_value_column_beside_other_numbers_is_uncertain_and_both_ways_out_are_named() -> None:
    rows: list[Row] = [{"target": "d", "rater": "r", "score": 2, "fluency": 3}]
    with pytest.raises(
        TableError, match=r"'score' alone, or in each of 'score', 'fluency'; give --value score, or .*--dimensions"
    ):
        read(rows)
    assert read(rows, value="score").dimensions == ("score",)
    assert read(rows, dimensions="score,fluency").dimensions == ("score", "fluency")


def test_a_long_table_without_a_column_of_dimensions_has_one_named_after_its_values() -> None:
    ratings = read([{"target": "d", "rater": "r", "rating": 2, "comment": "x"}])
    assert ratings.dimensions == ("rating",)
    assert "No column of dimensions: all values belong to the dimension 'rating'." in ratings.notes


def test_with_an_instrument_of_many_dimensions_a_lone_value_column_needs_to_be_told_its_dimension() -> None:
    rows: list[Row] = [{"target": "d", "rater": "r", "value": 2}]
    with pytest.raises(
        TableError, match=r"no column tells which; name the column .* --dimension, or the one with --dimensions"
    ):
        read(rows, instrument="crs-que")
    assert read(rows, instrument="crs-que", dimensions="novelty").dimensions == ("novelty",)


LONG: list[Row] = [
    {"target": "d", "rater": "r", "dimension": name, "value": value}
    for name, value in (("novelty", 2), ("accuracy", 3), ("other", 9))
]


def test_of_a_long_table_dimensions_can_be_chosen_and_what_is_left_out_is_counted() -> None:
    ratings = read(LONG, dimensions="accuracy,novelty")
    assert ratings.dimensions == ("accuracy", "novelty")
    assert "Left out: 1 rating of dimensions that were not asked for." in ratings.notes


def test_a_chosen_dimension_that_nobody_rated_is_an_error() -> None:
    with pytest.raises(TableError, match=r"no rating is of the dimension 'pace'.* 'novelty', 'accuracy', 'other'"):
        read(LONG, dimensions="pace")


def test_a_dimension_that_the_instrument_does_not_have_is_an_error_and_not_dropped() -> None:
    with pytest.raises(TableError, match="crs_que has no dimension 'other'; it has 'accuracy'"):
        read(LONG, scale=None, instrument="crs-que")


def test_a_column_of_dimensions_named_for_a_wide_table_is_a_contradiction() -> None:
    with pytest.raises(TableError, match="give --value as well if the table is long"):
        read([{**WIDE, "novelty": 3, "kind": "x"}], scale=None, instrument="crs-que", dimension="kind")


def test_words_for_replicates_are_numbered_in_sorted_order_whatever_the_order_of_the_rows() -> None:
    rows: list[Row] = [{"target": "d", "rater": "r", "value": v, "occasion": o} for v, o in ((2, "b"), (3, "a"))]
    for order in (rows, rows[::-1]):
        ratings = read(order)
        assert dict(ratings.frame.select("replicate", "value").rows()) == {1: 3.0, 2: 2.0}
        assert "The 2 replicates in column 'occasion' were numbered: 'a', 'b'." in ratings.notes


@pytest.mark.parametrize("names", ["", "a,,b", []])
def test_a_list_of_names_with_an_empty_entry_is_an_input_error(names: str | list[str]) -> None:
    with pytest.raises(InputError, match="empty entry"):
        read([WIDE], dimensions=names)


def test_an_instrument_may_be_a_file_and_its_scales_differ_by_dimension(tmp_path: Path) -> None:
    file = tmp_path / "mixed.toml"
    file.write_text(
        'name = "mixed"\nversion = "1"\ntitle = "Mixed"\n'
        '[[dimensions]]\nname = "done"\ntitle = "Done"\nscale = {level = "binary", labels = ["no", "yes"]}\n'
        '[[dimensions]]\nname = "share"\ntitle = "Share"\nscale = {level = "ratio", low = 0, high = 1}\n',
        encoding="utf-8",
    )
    rows: list[Row] = [
        {"target": "d", "rater": "r", "dimension": "share", "value": "0.25"},
        {"target": "d", "rater": "r", "dimension": "done", "value": "Yes"},
    ]
    for ratings in (
        read(rows, scale=None, instrument=file),
        read([{"target": "d", "rater": "r", "share": 0.25, "done": "yes"}], scale=None, instrument=str(file)),
    ):
        assert ratings.dimensions == ("done", "share")
        assert dict(ratings.frame.select("dimension", "value").rows()) == {"done": 1.0, "share": 0.25}
        assert [ratings.scale_for(name).level for name in ratings.dimensions] == ["binary", "ratio"]


def test_words_that_are_labels_of_the_declared_scale_make_a_column_of_ratings() -> None:
    rows = [{"target": t, "rater": r, "tone": w} for t, r, w in (("d1", "p", "bad"), ("d1", "q", "good"))]
    ratings = from_frame(rows, labels="bad,fair,good")
    assert ratings.dimensions == ("tone",)
    assert ratings.frame["value"].to_list() == [1.0, 3.0]


def test_one_odd_cell_is_named_where_it_hides_a_column_of_ratings() -> None:
    values = ["1", "2", "-", "4"]
    rows = [{"target": f"d{i}", "rater": "p", "tone": v, "pace": "3"} for i, v in enumerate(values)]
    with pytest.raises(TableError, match="column 'tone' has '-' in row 4, which is no number"):
        from_frame(rows, scale="1:5")


def test_a_column_that_may_be_a_dimension_under_another_name_is_pointed_out() -> None:
    rows = [{"target": "d1", "rater": "p", "accuracy": 3, "rapport": 4}]
    ratings = from_frame(rows, instrument="crs-que")
    assert any("'rapport' was not read; is it the dimension 'cui_rapport'" in note for note in ratings.notes)


def test_a_dimension_that_was_left_out_on_purpose_is_no_other_name_of_itself() -> None:
    rows = [{"target": "d1", "rater": "p", "accuracy": 3, "novelty": 2, "rapport": 4}]
    ratings = from_frame(rows, instrument="crs-que", dimensions="accuracy")
    assert not any("Then rename it" in note for note in ratings.notes)
    both = from_frame(rows, instrument="crs-que")
    assert [note for note in both.notes if "rename" in note] == [
        "Column 'rapport' was not read; is it the dimension 'cui_rapport'? Then rename it."
    ]


def test_duplicates_name_the_unread_column_that_may_tell_them_apart() -> None:
    rows = [{"target": "d1", "rater": "p", "value": v, "aspect": a} for v, a in ((3, "tone"), (4, "pace"))]
    with pytest.raises(DuplicateRatingsError, match=r"\('aspect' was not read\), name it with --dimension"):
        from_frame(rows, scale="1:5", value="value")


def test_off_the_scale_in_a_guessed_column_suggests_to_list_the_columns() -> None:
    rows = [{"target": "d1", "rater": "p", "tone": 3, "seconds": 240}]
    with pytest.raises(OffScaleError, match="list the columns that hold ratings with --dimensions"):
        from_frame(rows, scale="1:5")


@pytest.mark.parametrize("option", ["scale", "instrument", "labels", "dimensions"])
def test_what_is_no_text_where_one_is_needed_is_an_input_error_in_one_line(option: str) -> None:
    with pytest.raises(
        InputError, match=rf"^{option} is 5, and cannot be read; write it as a text, such as '"
    ) as error:
        read([{"item": 1, "rater": 1, "value": 1}], **{option: 5})
    assert "\n" not in str(error.value)
