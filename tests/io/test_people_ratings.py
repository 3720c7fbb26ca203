"""Ratings by people that came with dialogues: kept with their scales, and read again as they were."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from dialgauge import from_frame
from dialgauge.errors import InputError
from dialgauge.io.dialogues_from import read_any_dialogues
from dialgauge.io.people_ratings import RATINGS, read_people, write_people
from dialgauge.model import Ratings

COLUMNS = ["target", "rater", "dimension", "replicate", "value", "missing"]


def keep(ratings: Ratings, folder: Path) -> Path:
    for name, text in write_people(ratings).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / RATINGS


def test_what_is_kept_is_read_again_with_each_scale(shared: Path, tmp_path: Path) -> None:
    found = read_any_dialogues(shared / "data/ab_redial/abredial_annotated_dialogues.csv")
    assert found.ratings is not None
    again = read_people(keep(found.ratings, tmp_path))
    assert dict(again.scales) == dict(found.ratings.scales)
    first, second = (one.frame.select(COLUMNS).sort(COLUMNS[:4]) for one in (found.ratings, again))
    assert_frame_equal(first, second)


def test_the_table_of_another_project_is_read_as_it_is(shared: Path) -> None:
    file = shared / "data/ab_redial/abredial_annotated_dialogues.csv"
    ratings = read_people(file)
    assert ratings.frame["rater"].n_unique() == 640
    assert str(ratings.scale_for("understanding")) == "1..3 (ordinal)"


def test_names_and_words_that_could_break_toml_come_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"target": ["a"], "rater": ["b"], "dimension": ['q"uo\\te = [x]'], "value": ["schön"]})
    ratings = from_frame(frame, labels=["schlecht", "schön"])
    assert dict(read_people(keep(ratings, tmp_path)).scales) == dict(ratings.scales)


def test_a_scale_may_be_given_and_must_not_be_guessed(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("target,rater,dimension,value\nt,r,d,3\n", encoding="utf-8")
    with pytest.raises(InputError, match="is not declared; give --people-scale"):
        read_people(file)
    assert str(read_people(file, scale="1:5").scale_for("d")) == "1..5 (ordinal)"
