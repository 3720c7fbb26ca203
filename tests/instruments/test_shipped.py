"""The instruments that ship are complete: every dimension can be rated as it stands."""

import re
from pathlib import Path

import pytest

from dialgauge.instruments import available_instruments, load_instrument
from dialgauge.model import Dimension, Scale

GROUPS = (  # Krzemińska et al. 2026, arXiv 2605.15734
    "adaptive timing",
    "affect alignment",
    "cognitive style",
    "engagement",
    "intention",
    "interactional efficiency",
    "personalization",
    "relational synchrony",
    "safety",
    "semantic appropriateness",
)

RUBRIC_LINE = re.compile(r"(?P<value>[^:]+): (?P<text>\S.*[.!?])")

ASKED = [(name, d.name) for name in ("concept", "user_states") for d in load_instrument(name).dimensions]

BARRED = re.compile(r"\b(metric|judge|annotator|questionnaire|chat|agent|bot|session|profile|score)s?\b", re.IGNORECASE)


def dimension_and_scale(instrument: str, dimension: str) -> tuple[Dimension, Scale]:
    record = load_instrument(instrument)
    return record.dimension(dimension), record.scale_for(dimension)


def test_user_states_have_seventy_dimensions_in_ten_groups_of_seven() -> None:
    groups = [dimension.group for dimension in load_instrument("user_states").dimensions]
    assert list(dict.fromkeys(groups)) == list(GROUPS)
    assert {group: groups.count(group) for group in GROUPS} == dict.fromkeys(GROUPS, 7)


def test_user_states_have_ten_or_more_dimensions_of_each_level_and_each_level_in_every_group() -> None:
    states = load_instrument("user_states")
    levels = [(d.group, states.scale_for(d).level) for d in states.dimensions]
    counts = {level: sum(level == other for _, other in levels) for _, level in levels}
    assert counts == {"interval": 22, "ordinal": 24, "binary": 14, "nominal": 10}
    assert {(group, level) for group in GROUPS for level in counts} == set(levels)


def test_concept_has_the_eight_rated_dimensions_on_five_points() -> None:
    concept = load_instrument("concept")
    assert concept.dimension_names == (
        "manner",
        "response_quality",
        "relevance",
        "social_awareness",
        "persuasiveness",
        "human_likeness",
        "overall_performance",
        "user_satisfaction",
    )
    assert all(concept.scale_for(name) == concept.scale for name in concept.dimension_names)
    assert concept.scale == Scale(level="ordinal", points=(1.0, 2.0, 3.0, 4.0, 5.0))


def test_the_page_counts_the_levels_of_each_group_and_names_dimensions_of_it() -> None:
    states = load_instrument("user_states")
    page = (Path(__file__).parents[2] / "docs" / "instruments.md").read_text(encoding="utf-8")
    for group in GROUPS:
        inside = [dimension for dimension in states.dimensions if dimension.group == group]
        levels = [states.scale_for(dimension).level for dimension in inside]
        counts = [str(levels.count(level)) for level in ("interval", "ordinal", "binary", "nominal")]
        row = re.search(rf"^\| {group} \| {' [|] '.join(counts)} \| (.+) \|$", page, re.MULTILINE)
        assert row is not None, (group, counts)
        assert set(re.findall(r"`(\w+)`", row[1])) <= {dimension.name for dimension in inside}


@pytest.mark.parametrize(("instrument", "name"), ASKED)
def test_a_dimension_has_definition_group_and_one_question(instrument: str, name: str) -> None:
    dimension, _ = dimension_and_scale(instrument, name)
    assert dimension.group
    assert re.fullmatch(r"[A-Z].+[^.]\.", dimension.definition)
    assert [question.text[-1] for question in dimension.questions] == ["?"]


@pytest.mark.parametrize(("instrument", "name"), ASKED)
def test_a_rubric_describes_both_ends_and_the_middle_or_every_category_by_what_can_be_answered(
    instrument: str, name: str
) -> None:
    dimension, scale = dimension_and_scale(instrument, name)
    lines = [RUBRIC_LINE.fullmatch(line) for line in dimension.rubric.splitlines()]
    described = [line["value"] for line in lines if line is not None]
    assert len(described) == len(lines)
    if scale.level in {"nominal", "binary"}:
        assert described == list(scale.labels or ())
        return
    low, high = scale.bounds
    middle = (low + high) / 2
    due = [low, middle, high] if instrument == "user_states" else list(scale.points or ())
    assert [float(value) for value in described] == due


@pytest.mark.parametrize("instrument", available_instruments())
def test_no_two_dimensions_share_a_name_a_title_a_definition_or_a_question(instrument: str) -> None:
    dimensions = load_instrument(instrument).dimensions
    for texts in (
        [d.name for d in dimensions],
        [d.title.casefold() for d in dimensions],
        [d.definition for d in dimensions],
        [question.text for d in dimensions for question in d.questions],
        [line for d in dimensions for line in d.rubric.splitlines()],
    ):
        assert [text for i, text in enumerate(texts) if text in texts[:i]] == []


@pytest.mark.parametrize("instrument", ["concept", "crs_que", "user_states"])
def test_texts_use_the_words_of_the_glossary(instrument: str) -> None:
    for dimension in load_instrument(instrument).dimensions:
        questions = [question.text for question in dimension.questions]
        for text in (dimension.title, dimension.definition, dimension.rubric, *questions):
            assert BARRED.findall(text) == []


def test_a_nominal_dimension_has_no_better_end_and_frustration_is_better_low() -> None:
    states = load_instrument("user_states")
    scales = {d.name: states.scale_for(d) for d in states.dimensions}
    assert {scale.direction for scale in scales.values() if scale.level == "nominal"} == {"neutral"}
    falling = {name for name, scale in scales.items() if scale.direction == "lower_is_better"}
    assert {"frustration", "distress", "user_effort", "intention_to_leave"} <= falling
    assert {"rapport", "trust", "goal_progress"}.isdisjoint(falling)


def test_what_code_measures_is_asked_of_nobody_and_is_neither_good_nor_bad() -> None:
    measures = load_instrument("measures")
    assert {measures.scale_for(d).direction for d in measures.dimensions} == {"neutral"}
    assert {measures.scale_for(d).level for d in measures.dimensions} == {"interval", "ratio"}
    assert not any(d.questions for d in measures.dimensions)
