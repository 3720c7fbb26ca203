"""The measures by name, for any dialogue."""

import math
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.code import MEASURES, check_measures, rate_with_code
from dialgauge.errors import StudyError
from dialgauge.instruments import load_instrument
from dialgauge.model import Dialogue, Turn

from .conftest import say

PIECES = [
    "Good",
    "bad!",
    "I",
    "don't",
    "the",
    "film",
    "\n",
    "?",
    "日本",
    "😀",
    "e\u0301",
    "3.5",
    "'",
    "...",
    "interesting",
]
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=90).map(" ".join))
TURNS = st.builds(
    Turn,
    speaker=st.sampled_from(["user", "system", "narrator"]),
    text=TEXTS,
    start=st.none() | st.floats(0, 100),
    end=st.none() | st.floats(100, 200),
)
DIALOGUES = st.lists(TURNS, min_size=1, max_size=6).map(lambda turns: Dialogue(id="d", turns=tuple(turns)))


def test_they_are_the_dimensions_of_the_instrument_in_its_order() -> None:
    assert tuple(MEASURES) == load_instrument("measures").dimension_names


@given(DIALOGUES)
def test_every_value_is_on_its_scale_or_there_is_none(dialogue: Dialogue) -> None:
    instrument = load_instrument("measures")
    for name, value in rate_with_code(dialogue).items():
        if value is not None:
            assert math.isfinite(value)
            assert instrument.scale_for(name).contains(np.array([value]))[0], (name, value)


@given(DIALOGUES)
def test_the_same_dialogue_gives_the_same_values(dialogue: Dialogue) -> None:
    assert rate_with_code(dialogue) == rate_with_code(dialogue.model_copy(update={"id": "other"}))


@given(st.lists(st.sampled_from(["Good film", "I don't know.", "why?"]), min_size=1, max_size=9))
def test_case_and_doubled_blanks_make_no_difference_but_to_sentiment(texts: list[str]) -> None:
    names = [name for name in MEASURES if not name.startswith("sentiment")]
    variants = [
        say(*[(speaker, change(text)) for text in texts for speaker in ("user", "system")])
        for change in (str, str.upper, lambda text: text.replace(" ", "   "))
    ]
    first, *others = (rate_with_code(variant, names) for variant in variants)
    assert others == [first, first]


def test_only_those_asked_for_are_given_in_the_order_asked_for() -> None:
    assert list(rate_with_code(say(("user", "Hi")), ["word_share_system", "turns"])) == ["word_share_system", "turns"]
    assert list(rate_with_code(say(("user", "Hi")))) == list(MEASURES)


def test_an_empty_dialogue_has_turns_and_nothing_that_needs_words() -> None:
    values = rate_with_code(say(("user", ""), ("system", "")))
    present = {name: value for name, value in values.items() if value is not None}
    assert present == {
        "turns": 2.0,
        "words_per_turn_user": 0.0,
        "words_per_turn_system": 0.0,
        "questions_per_turn_system": 0.0,
    }


def test_an_unknown_measure_is_an_error_that_names_near_ones() -> None:
    with pytest.raises(StudyError, match=r"no measure 'turn'; there are turns"):
        check_measures(["turn"])
    with pytest.raises(StudyError, match=r"no measure 'zzz'; there are turns, .*sentiment_system"):
        rate_with_code(say(("user", "Hi")), ["zzz"])


@pytest.mark.parametrize(
    ("module", "library", "measure"),
    [
        ("pyphen", "pyphen", "grade_level_system"),
        ("vaderSentiment.vaderSentiment", "vaderSentiment", "sentiment_user"),
    ],
)
def test_a_missing_library_is_an_error_only_for_measures_that_need_it(
    monkeypatch: pytest.MonkeyPatch, module: str, library: str, measure: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    free = [name for name in MEASURES if MEASURES[name].needs is None]
    assert len(rate_with_code(say(("user", "Hi")), free)) == 13
    with pytest.raises(
        StudyError, match=rf"{library}, which is not installed: pip install 'dialgauge\[text\]', or in a clone"
    ):
        check_measures([measure])


@pytest.mark.parametrize(
    "text",
    [
        "I do not really know, but the great idea was good! Is it 3.5? " * 8_000,
        "?" * 500_000 + "a",
        "." * 500_000 + "a",
        '.")' * 170_000 + "a",
        "ab" * 250_000,
        "'" * 500_000,
        "\n" * 500_000,
        "\u0301" * 500_000,
        "but good " * 55_000,
    ],
    ids=["english", "questions", "dots", "quotes", "one word", "apostrophes", "lines", "marks", "but"],
)
def test_a_megabyte_takes_bounded_time(text: str) -> None:
    started = time.process_time()
    rate_with_code(say(("user", text), ("system", text)))
    assert time.process_time() - started < 30
