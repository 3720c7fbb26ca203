"""Instruments in a terminal: nothing is lost, no line is too wide."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dialgauge.instruments import available_instruments, load_instrument
from dialgauge.model import Dimension, Instrument, Question, Scale
from dialgauge.report.instruments import render, render_list
from dialgauge.report.text import typeset


@pytest.mark.parametrize("width", [44, 60, 72, 100, 300])
@pytest.mark.parametrize("name", available_instruments())
def test_no_line_is_wider_than_the_terminal_and_all_words_are_there(name: str, width: int) -> None:
    instrument = load_instrument(name)
    text = render(instrument, rubrics=True, width=width)
    assert max(map(cell_len, text.splitlines())) <= min(width, 100)
    flat = " ".join(text.split())
    for dimension in instrument.dimensions:
        questions = [f"“{question.text}”" for question in dimension.questions]
        for part in (dimension.name, dimension.definition, *questions, *dimension.rubric.splitlines()):
            assert typeset(part) in flat


def test_each_group_is_a_heading_once_and_the_levels_are_counted() -> None:
    text = render(load_instrument("user_states"))
    headings = re.findall(r"^[a-z][a-z ]+$", text, re.MULTILINE)
    assert len(headings) == len(set(headings)) == 10
    assert "70 dimensions in 10 groups: 24 ordinal, 22 continuous, 14 binary and 10 nominal" in text


def test_rubrics_are_shown_only_when_asked_for_and_else_the_way_to_them() -> None:
    concept = load_instrument("concept")
    assert "1: Hard to follow" in render(concept, rubrics=True)
    assert "1: Hard to follow" not in render(concept)
    assert "--rubrics" in render(concept)
    assert "--rubrics" not in render(load_instrument("crs_que"))


def test_only_the_dimensions_that_were_chosen_are_shown() -> None:
    states = load_instrument("user_states")
    text = render(states, [states.dimension("frustration")], rubrics=True)
    assert re.findall(r"^  (\w+)", text, re.MULTILINE) == ["frustration"]
    assert "lower is better" in text


def test_the_list_names_every_instrument_with_its_size_in_any_width() -> None:
    loaded = [load_instrument(name) for name in available_instruments()]
    for width in (44, 100):
        text = render_list(loaded, width=width)
        assert max(map(cell_len, text.splitlines())) <= width
        assert all(re.search(rf"^{i.name} .*{len(i.dimensions)} dimensions", text, re.MULTILINE) for i in loaded)


@given(
    st.text(min_size=1, max_size=120).map(lambda text: f"a{text}b".replace("\n", " ")).filter(lambda t: "\r" not in t),
    st.sampled_from([44, 80]),
    st.booleans(),
)
def test_names_and_texts_of_a_user_never_steer_the_terminal_nor_break_the_width(
    text: str, width: int, ascii_only: bool
) -> None:
    name = re.sub(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "", text)
    dimension = Dimension(
        name=name, title="T", group=text, definition=text, rubric=text, questions=(Question(text=name),)
    )
    own = Instrument(name="own", version="1", title="Own", scale=Scale.parse("1:5"), dimensions=(dimension,))
    shown = render(own, rubrics=True, width=width, ascii_only=ascii_only)
    assert max(map(cell_len, shown.split("\n"))) <= width
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)
    assert shown.isascii() or not ascii_only
