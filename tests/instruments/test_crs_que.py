"""The shipped CRS-Que has the dimensions of the study it comes from."""

import csv
from pathlib import Path

from dialgauge.instruments import load_instrument

GROUPS = {  # Jin et al. 2024, doi 10.1145/3631534
    "perceived qualities": 8,
    "user beliefs": 6,
    "user attitudes": 2,
    "behavioural intentions": 2,
}


def test_it_has_18_dimensions_in_four_groups_with_one_statement_each() -> None:
    crs_que = load_instrument("crs_que")
    groups = [dimension.group for dimension in crs_que.dimensions]
    assert {group: groups.count(group) for group in groups} == GROUPS
    assert all(len(dimension.questions) == 1 for dimension in crs_que.dimensions)
    assert len({dimension.questions[0].text for dimension in crs_que.dimensions}) == 18
    assert all(dimension.title and dimension.definition for dimension in crs_que.dimensions)


def test_every_dimension_is_answered_from_strongly_disagree_to_strongly_agree_on_five_points() -> None:
    crs_que = load_instrument("crs_que")
    for dimension in crs_que.dimensions:
        scale = crs_que.scale_for(dimension)
        assert (scale.level, scale.points) == ("ordinal", (1.0, 2.0, 3.0, 4.0, 5.0))
        assert scale.labels is not None
        assert (scale.labels[0], scale.labels[-1]) == ("strongly disagree", "strongly agree")


def test_it_names_its_source() -> None:
    assert "10.1145/3631534" in load_instrument("crs_que").source


def test_its_dimensions_are_named_like_the_columns_of_the_published_data(shared: Path) -> None:
    with (shared / "data/crs_que_redial/annotations.csv").open(encoding="utf-8") as stream:
        header = next(csv.reader(stream))
    assert tuple(header[5:23]) == load_instrument("crs_que").dimension_names
