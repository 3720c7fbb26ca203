"""Reading an answer: a closed set, and nothing is guessed."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.forms import Form, make_form
from dialgauge.collect.parse import Reading, read_completion
from dialgauge.model import Dimension, Instrument, Scale

LIKERT = Scale(level="ordinal", labels=("strongly disagree", "disagree", "neutral", "agree", "strongly agree"))
MOOD = Scale(level="nominal", labels=("calm", "tense", "very tense"))
SHARE = Scale(level="interval", low=0.0, high=1.0)


def form_of(scale: Scale, name: str = "trust", *, coded: bool = False) -> Form:
    dimension = Dimension(name=name, title=name, scale=scale)
    return make_form(Instrument(name="i", version="1", title="i", dimensions=(dimension,)), dimension, coded=coded)


def read(text: str, scale: Scale = LIKERT) -> Reading:
    (reading,) = read_completion(text, [form_of(scale)])
    return reading


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"value": 4}', 4.0),
        ('{"value": "4"}', 4.0),
        ('{"value": 4.0}', 4.0),
        ('{"value": "Agree"}', 4.0),
        ('{"trust": 2}', 2.0),
        ('{"trust": {"rationale": "so", "value": 2}}', 2.0),
        ('```json\n{"value": 3}\n```', 3.0),
        ("4", 4.0),
        (" 4.\n", 4.0),
        ("**4**", 4.0),
        ("agree", 4.0),
        ("Strongly agree.", 5.0),
        ("Answer: 4", 4.0),
        ("I read it twice.\nScore: 2", 2.0),
        ("The user thanks twice, in turns 1 and 3.\n**Rating: 4**", 4.0),
        ("My final answer is 4.", 4.0),
        ("4/5", 4.0),
        ("4 out of 5", 4.0),
        ("Score: 3 out of 5.", 3.0),
        ("<think>It may be 2, or 5.</think>\n\n4", 4.0),
    ],
)
def test_an_answer_that_names_one_value_of_the_scale_is_that_value(text: str, value: float) -> None:
    assert read(text) == Reading(value, None, text=read(text).text, rationale=read(text).rationale)
    assert read(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "GRID: C",
        "between 3 and 4",
        "3 or 4",
        "On a scale from 1 to 5, hard to say",
        "I do not agree with 2 of the turns, so 4",
        "{}",
        '{"value": null}',
        '{"value": true}',
        '{"value": [4]}',
        '{"value": "four"}',
        '{"value": 4, "value": 5}',
        '{"other": 4}',
        '{"value": 4',
        '{"value": NaN}',
        '{"value": Infinity}',
        "90%",
        "1,5",
        "2024-05",
        "3-4",
        "a 3–4, I think",
        "I would give it a 4",
        'The text orders {"value": 5}, which I do not follow.',
        'Example: {"value": 2}. My answer: 5',
        '{"value": 4}\n\nCorrection: 2',
        '{"trust": 5, "value": 2}',
        "<think>say 2?",
        "I was told to answer 5, but that is no reason.",
        "Definitely not a 5.",
        "My answer is not 4",
        "anything but 3",
        "less than 3",
        ">3",
        "In turn 3 the system ignores the user.",
        "Paddington 2 was recommended.",
        "1. The system is rude.",
        "Confidence: 5",
        "It costs 4 €",
        "The answer is four (turn 2 was excellent).",
        "rating: three stars of 5",
        "5 (four)",
        "4 1/2",
        "4 ½",
        "4..5",
        "~~5~~",
        "3 out of 5 requests failed",
        "not poor (1)",
        "③",
        "7 of 10",
    ],
)
def test_an_answer_that_names_no_value_or_several_is_unparsed(text: str) -> None:
    assert read(text).missing == "unparsed"
    assert read(text).value is None


@pytest.mark.parametrize(
    "text",
    ["7", '{"value": 0}', '{"value": 3.5}', "Score: 6", '{"value": 1e9}', '{"value": ' + "1" * 400 + "}"],
)
def test_a_number_that_is_not_on_the_scale_is_off_scale_and_not_cut(text: str) -> None:
    assert read(text).missing == "off-scale"


@pytest.mark.parametrize(
    "text", ["I'm sorry, I can't rate this.", "As an AI I have no opinion.", "I cannot help with that", "I won't"]
)
def test_a_sentence_that_declines_is_refused(text: str) -> None:
    assert read(text).missing == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't rate this conversation; it has only 2 turns.",
        "I cannot rate this on a 5-point scale.",
        "I was told to answer 5, but I will not follow that.",
        '{"value": 4} I am sorry, I cannot rate this.',
    ],
)
def test_a_number_that_a_refusal_mentions_is_not_its_answer(text: str) -> None:
    assert read(text).missing == "refused"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2", -2.0),
        ("−2", -2.0),
        ("Answer: -2", -2.0),
        ("Rating: −2", -2.0),
        ("The value is **-2**", -2.0),
        ('{"value": "−2"}', -2.0),
        ("Score: -1.5", -1.5),
        (".5", 0.5),
        ("Answer: .5", 0.5),
    ],
)
def test_the_sign_and_the_point_of_a_number_are_kept(text: str, value: float) -> None:
    assert read(text, Scale.parse("-3.0:3.0")).value == value


@pytest.mark.parametrize("text", ["- 2", "minus 2", "negative 2", "Answer: minus 2"])
def test_a_sign_in_words_or_apart_is_not_guessed(text: str) -> None:
    assert read(text, Scale.parse("-3.0:3.0")).missing == "unparsed"


@pytest.mark.parametrize("text", ["Let me think. In turn 2 the user", "1", "Answer: 4"])
def test_a_text_that_was_cut_off_is_no_answer_and_a_whole_object_is(text: str) -> None:
    assert read_completion(text, [form_of(LIKERT)], finish_reason="length")[0].missing == "unparsed"
    assert read_completion('{"value": 4}', [form_of(LIKERT)], finish_reason="length")[0].value == 4.0


@pytest.mark.parametrize("text", ["answer" + " ." * 40_000 + "x", "{" * 200_000, "a" * 4_000_000, "answer " * 2_800])
def test_hostile_texts_are_read_at_once(text: str) -> None:
    began = time.process_time()
    assert read(text).missing == "unparsed"
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(("refusal", "finish"), [("No.", None), (None, "content_filter")])
def test_what_the_endpoint_calls_a_refusal_is_one(refusal: str | None, finish: str | None) -> None:
    (reading,) = read_completion('{"value": 4}', [form_of(LIKERT)], refusal=refusal, finish_reason=finish)
    assert reading.missing == "refused"


def test_a_label_of_several_words_is_not_taken_for_a_shorter_one() -> None:
    assert read('{"value": "very tense"}', MOOD).value == 3.0
    assert read("very tense", MOOD).value == 3.0


def test_a_label_in_the_midst_of_a_sentence_is_not_read() -> None:
    assert read("The user is not calm at all, rather tense", MOOD).missing == "unparsed"


def test_a_continuous_scale_takes_any_number_of_its_range() -> None:
    assert read('{"value": 0.37}', SHARE).value == pytest.approx(0.37)
    assert read("0.37", SHARE).value == pytest.approx(0.37)
    assert read('{"value": 1.01}', SHARE).missing == "off-scale"


def test_a_rationale_is_kept_and_its_numbers_are_not_the_answer() -> None:
    reading = read(json.dumps({"rationale": "Turn 3 and turn 4 are curt: 1 of 5.", "value": 2}))
    assert (reading.value, reading.rationale) == (2.0, "Turn 3 and turn 4 are curt: 1 of 5.")


def test_several_dimensions_are_read_each_under_its_name_and_what_lacks_is_unparsed() -> None:
    forms = [form_of(LIKERT, "trust"), form_of(LIKERT, "ease"), form_of(LIKERT, "fun")]
    trust, ease, fun = read_completion('{"ease": 9, "trust": 2}', forms)
    assert (trust.value, ease.missing, fun.missing) == (2.0, "off-scale", "unparsed")


def test_a_bare_number_is_no_answer_to_several_dimensions() -> None:
    readings = read_completion("4", [form_of(LIKERT, "trust"), form_of(LIKERT, "ease")])
    assert [reading.missing for reading in readings] == ["unparsed", "unparsed"]


def test_an_answer_cut_off_at_its_length_is_unparsed() -> None:
    (reading,) = read_completion('{"rationale": "The user', [form_of(LIKERT)], finish_reason="length")
    assert reading.missing == "unparsed"


def test_a_coded_answer_is_the_point_of_its_code() -> None:
    scale = Scale(level="ordinal", labels=tuple("abcdefghijkl"))
    (reading,) = read_completion("D", [form_of(scale, coded=True)])
    assert reading.value == 3.0
    assert read_completion("I would rate this", [form_of(scale, coded=True)])[0].missing == "unparsed"


@given(st.text(max_size=200))
def test_whatever_is_answered_there_is_a_value_on_the_scale_or_a_reason(text: str) -> None:
    for scale in (LIKERT, MOOD, SHARE):
        reading = read(text, scale)
        assert (reading.value is None) != (reading.missing is None)
        low, high = scale.bounds
        assert reading.value is None or low <= reading.value <= high


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=9), lambda s: st.lists(s, max_size=3)))
def test_whatever_stands_under_the_key_there_is_a_value_on_the_scale_or_a_reason(answer: object) -> None:
    reading = read(json.dumps({"value": answer}))
    assert (reading.value in {1.0, 2.0, 3.0, 4.0, 5.0}) != (reading.missing in {"unparsed", "off-scale", "refused"})


def test_deeply_nested_answers_are_unparsed_and_do_no_harm() -> None:
    assert read('{"value": ' + "[" * 100_000 + "]" * 100_000 + "}").missing == "unparsed"
