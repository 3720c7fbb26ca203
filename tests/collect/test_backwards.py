"""Answers that are listed in reverse: the words turn round, what an answer means does not."""

import pytest

from dialgauge.collect.forms import answer_format, answer_schema, make_form
from dialgauge.model import Dimension, Instrument, Scale

SCALES = {
    "points": Scale.parse("1:5"),
    "labelled": Scale.from_labels(["low", "middling", "high"]),
    "binary": Scale(level="binary", labels=("no", "yes")),
    "range": Scale.parse("0.0:1.0"),
}
INSTRUMENT = Instrument(
    name="i",
    version="1",
    title="I",
    dimensions=tuple(
        Dimension(name=name, title=name, scale=scale, rubric="1: bad\n3: so\n5: good") for name, scale in SCALES.items()
    ),
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("points", "one of 5, 4, 3, 2, 1"),
        ("labelled", "3 = high; 2 = middling; 1 = low"),
        ("binary", 'one of "yes", "no"'),
        ("range", "any number from 0 to 1"),
    ],
)
def test_answers_are_listed_from_the_last_to_the_first(name: str, words: str) -> None:
    forward, form = (make_form(INSTRUMENT, INSTRUMENT.dimension(name), backwards=b) for b in (False, True))
    assert form.words == words
    assert form.schema() == forward.schema()
    assert answer_schema([form], rationale=False) == answer_schema([forward], rationale=False)


def test_a_rubric_that_goes_value_by_value_turns_round_with_them() -> None:
    form = make_form(INSTRUMENT, INSTRUMENT.dimension("points"), backwards=True)
    assert form.dimension.rubric == "5: good\n3: so\n1: bad"
    assert make_form(INSTRUMENT, INSTRUMENT.dimension("range"), backwards=True).dimension.rubric.startswith("1: bad")


def test_a_rubric_of_another_form_stays_as_it_is() -> None:
    prose = INSTRUMENT.dimension("points").model_copy(update={"rubric": "High is good.\n1: bad"})
    assert make_form(INSTRUMENT, prose, backwards=True).dimension.rubric == prose.rubric


def test_short_answers_keep_their_meaning() -> None:
    form = make_form(INSTRUMENT, INSTRUMENT.dimension("labelled"), coded=True, backwards=True)
    assert form.codes == ("1", "2", "3")
    assert form.words == "3 = high; 2 = middling; 1 = low"
    assert answer_format([form], rationale=False, free=False).endswith("3, 2, 1.")
