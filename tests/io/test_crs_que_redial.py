"""The published CRS-Que ratings of ReDial dialogues are read right, and each fault put into them is found."""

import csv
from pathlib import Path
from typing import Any

import pytest

from dialgauge.errors import DuplicateRatingsError, OffScaleError, TableError
from dialgauge.instruments import load_instrument
from dialgauge.io import read_ratings, write_long
from dialgauge.model import Ratings

OPTIONS: dict[str, Any] = {"target": "dialogue_id", "rater": "participant_id", "instrument": "crs-que"}
REAL = "is_gold_standard == 0"


@pytest.fixture(scope="module")
def source(shared: Path) -> Path:
    return shared / "data/crs_que_redial/annotations.csv"


@pytest.fixture(scope="module")
def rows(source: Path) -> list[dict[str, str]]:
    with source.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def ratings(source: Path) -> Ratings:
    return read_ratings(source, where=REAL, **OPTIONS)


def save(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_there_are_1053_ratings_of_18_dimensions_of_200_dialogues_by_117_raters(ratings: Ratings) -> None:
    # data/README.md: 1,053 rows with is_gold_standard == 0, 117 raters x 200 dialogues, 18 dimensions
    assert ratings.frame.height == 1053 * 18
    assert (ratings.n_targets, ratings.n_raters, ratings.n_missing) == (200, 117, 0)
    assert ratings.dimensions == load_instrument("crs-que").dimension_names
    assert {ratings.of(name).height for name in ratings.dimensions} == {1053}


def test_every_value_stands_where_the_file_has_it(ratings: Ratings, rows: list[dict[str, str]]) -> None:
    for target, rater, dimension, value, row in ratings.frame.select(
        "target", "rater", "dimension", "value", "row"
    ).iter_rows():
        line = rows[row - 2]
        assert (line["dialogue_id"], line["participant_id"], float(line[dimension])) == (target, rater, value)


def test_the_notes_tell_what_was_left_out(ratings: Ratings) -> None:
    assert ratings.notes == (
        "The condition 'is_gold_standard == 0' kept 1,053 of 1,170 rows and left out 117.",
        (
            "Columns that were not read as ratings: "
            "'annotation_id', 'is_gold_standard', 'is_prolific_user', 'time_spent', 'timestamp'."
        ),
        "Read 18,954 ratings: 200 targets × 117 raters × 18 dimensions.",
    )


def test_target_and_rater_are_also_guessed(source: Path, ratings: Ratings) -> None:
    guessed = read_ratings(source, instrument="crs-que", where=REAL)
    assert guessed.same_ratings(ratings)
    assert "Column 'dialogue_id' was taken as the target." in guessed.notes
    assert "Column 'participant_id' was taken as the rater." in guessed.notes


def test_the_long_form_of_the_file_holds_the_same_ratings(ratings: Ratings, tmp_path: Path) -> None:
    write_long(ratings, tmp_path / "long.csv")
    assert read_ratings(tmp_path / "long.csv", instrument="crs-que").same_ratings(ratings)


def test_one_more_rater_with_a_single_rating_is_counted(rows: list[dict[str, str]], tmp_path: Path) -> None:
    more = [*rows, {**rows[0], "participant_id": "P999"}]
    assert read_ratings(save(tmp_path / "t.csv", more), where=REAL, **OPTIONS).n_raters == 118


def test_40_empty_cells_are_missing_and_counted(rows: list[dict[str, str]], tmp_path: Path, ratings: Ratings) -> None:
    holes = [{**row, "accuracy": "" if i < 40 else row["accuracy"]} for i, row in enumerate(rows)]
    holed = read_ratings(save(tmp_path / "t.csv", holes), **OPTIONS)
    assert holed.of("accuracy")["missing"].drop_nulls().to_list() == ["empty"] * 40
    assert "Missing values, left as they are: 40 empty." in holed.notes


def test_words_instead_of_numbers_are_named_with_column_and_remedy(rows: list[dict[str, str]], tmp_path: Path) -> None:
    words = dict(zip("12345", ("poor", "meh", "fair", "nice", "great"), strict=True))
    worded = [{**row, "accuracy": words[row["accuracy"]]} for row in rows]
    path = save(tmp_path / "t.csv", worded)
    with pytest.raises(TableError, match=r"column 'accuracy' .*: 'nice', 'meh'.*--labels"):
        read_ratings(path, **{**OPTIONS, "instrument": None}, scale="1:5", dimensions="accuracy")
    told = read_ratings(
        path, **{**OPTIONS, "instrument": None}, labels="poor,meh,fair,nice,great", dimensions="accuracy", where=REAL
    )
    numbers = [float(row["accuracy"]) for row in rows if row["is_gold_standard"] == "0"]
    assert told.frame["value"].to_list() == numbers


def test_30_duplicated_rows_are_named_and_go_on_with_a_policy(rows: list[dict[str, str]], tmp_path: Path) -> None:
    real = [row for row in rows if row["is_gold_standard"] == "0"]
    again = [{**row, "accuracy": str(6 - int(row["accuracy"]))} for row in real[:30]]
    path = save(tmp_path / "t.csv", [*real, *again])
    with pytest.raises(
        DuplicateRatingsError, match="30 rater x target pairs: target 'dialogue_18039' by rater 'P003' in rows 2, 1055"
    ):
        read_ratings(path, **OPTIONS)
    sizes = {
        policy: read_ratings(path, duplicates=policy, **OPTIONS).frame.height
        for policy in ("first", "last", "mean", "replicate")
    }
    assert sizes == {"first": 1053 * 18, "last": 1053 * 18, "mean": 1053 * 18, "replicate": 1083 * 18}


def test_values_off_the_scale_are_named_with_rater_target_and_row(rows: list[dict[str, str]], tmp_path: Path) -> None:
    wrong = [{**row} for row in rows]
    for i, value in ((7, "55"), (20, "-1"), (99, "99")):
        wrong[i]["novelty"] = value
    at = f"by rater '{rows[7]['participant_id']}' for target '{rows[7]['dialogue_id']}' on 'novelty' .row 9."
    with pytest.raises(OffScaleError, match=f"value 55 {at} is off the scale 1..5 .ordinal., and 2 more"):
        read_ratings(save(tmp_path / "t.csv", wrong), **OPTIONS)


def test_the_level_comes_from_the_declared_scale_and_is_never_nominal_by_default(
    source: Path, ratings: Ratings
) -> None:
    assert {scale.level for scale in ratings.scales.values()} == {"ordinal"}
    with pytest.raises(TableError, match="never inferred"):
        read_ratings(source, **{**OPTIONS, "instrument": None}, dimensions="accuracy,novelty")


def test_a_transposed_table_shows_in_the_closing_note(source: Path) -> None:
    swapped = read_ratings(source, target="participant_id", rater="dialogue_id", instrument="crs-que", where=REAL)
    assert swapped.notes[-1] == "Read 18,954 ratings: 117 targets × 200 raters × 18 dimensions."
