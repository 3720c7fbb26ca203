"""Planted dialogues are of known quality and do not give it away."""

import pytest

from dialgauge.collect.code import rate_with_code
from dialgauge.collect.planted import QUALITIES, Planted, planted
from dialgauge.errors import StudyError
from dialgauge.instruments import load_instrument

INSTRUMENTS = ("concept", "crs_que", "user_states")

ALL = {record.dialogue.id: record for name in INSTRUMENTS for record in planted(name)}


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_there_are_six_triplets_or_more_each_bad_middling_good(instrument: str) -> None:
    records = planted(instrument)
    triplets = list(dict.fromkeys(record.triplet for record in records))
    assert len(triplets) >= 6
    assert [(record.triplet, record.quality) for record in records] == [(t, q) for t in triplets for q in (0, 1, 2)]
    assert len(QUALITIES) == 3


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_expectations_name_ordered_dimensions_of_the_instrument_and_point_up_or_down(instrument: str) -> None:
    record = load_instrument(instrument)
    for item in planted(instrument):
        assert item.expected
        assert set(item.expected.values()) <= {1, -1}
        assert all(record.scale_for(name).level != "nominal" for name in item.expected)


def test_expectations_of_a_triplet_are_the_same_for_its_three_dialogues() -> None:
    for name in INSTRUMENTS:
        by_triplet: dict[str, list[Planted]] = {}
        for record in planted(name):
            by_triplet.setdefault(record.triplet, []).append(record)
        assert all(len({tuple(r.expected.items()) for r in records}) == 1 for records in by_triplet.values())


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_a_dimension_that_is_better_high_never_falls_with_quality_and_one_better_low_never_rises(
    instrument: str,
) -> None:
    record = load_instrument(instrument)
    against = {"higher_is_better": -1, "lower_is_better": 1}
    wrong = {
        name
        for item in planted(instrument)
        for name, sign in item.expected.items()
        if against.get(record.scale_for(name).direction) == sign
    }
    assert wrong == set()


def test_every_dimension_of_concept_and_crs_que_and_every_group_of_user_states_is_expected_somewhere() -> None:
    expected = {name: {d for record in planted(name) for d in record.expected} for name in INSTRUMENTS}
    assert expected["concept"] == set(load_instrument("concept").dimension_names)
    assert expected["crs_que"] == set(load_instrument("crs_que").dimension_names)
    assert len(expected["user_states"]) >= 30
    states = load_instrument("user_states")
    groups = {dimension.group for dimension in states.dimensions}
    assert {states.dimension(name).group for name in expected["user_states"]} == groups


@pytest.mark.parametrize("record", ALL.values(), ids=ALL.keys())
def test_a_dialogue_has_six_to_ten_turns_by_user_and_system_in_alternation(record: Planted) -> None:
    turns = record.dialogue.turns
    assert 6 <= len(turns) <= 10
    assert [turn.speaker for turn in turns] == [("user", "system")[i % 2] for i in range(len(turns))]
    assert all(turn.text == turn.text.strip() != "" for turn in turns)


def test_the_three_dialogues_of_a_triplet_begin_with_the_same_request_and_go_apart() -> None:
    for triplet in {record.triplet for record in ALL.values()}:
        three = [record.dialogue.turns for record in ALL.values() if record.triplet == triplet]
        assert len({turns[0] for turns in three}) == 1
        assert len({turns[1] for turns in three}) == 3


def test_identifiers_are_unique_and_say_nothing_of_quality_or_triplet() -> None:
    assert len(ALL) == 36
    for name, record in ALL.items():
        assert record.triplet not in name
        assert not any(word in name for word in QUALITIES)
    assert sorted(ALL) != list(ALL)


def test_users_sound_better_the_better_they_are_served_on_average() -> None:
    means = [
        sum(
            rate_with_code(r.dialogue, ["sentiment_user"])["sentiment_user"] or 0.0
            for r in ALL.values()
            if r.quality == q
        )
        for q in (0, 1, 2)
    ]
    assert means[0] < means[1] < means[2]


def test_the_name_of_an_instrument_may_be_written_with_hyphens() -> None:
    assert planted("CRS-Que") == planted("crs_que")


def test_an_instrument_without_planted_dialogues_is_an_error_that_names_those_with() -> None:
    with pytest.raises(
        StudyError, match=r"no planted dialogues for the instrument 'measures'; .*concept, crs_que, user_"
    ):
        planted("measures")
