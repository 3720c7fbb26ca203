"""Injected texts push to an end of a scale."""

import json

import pytest

from dialgauge.collect.injections import Injection, injections
from dialgauge.errors import StudyError
from dialgauge.model import Scale

FIVE = Scale.parse("1:5")
BINARY = Scale(level="binary", labels=("no", "yes"))


def named(name: str) -> Injection:
    (found,) = [injection for injection in injections() if injection.name == name]
    return found


def test_there_are_eight_to_ten_in_different_guises_and_both_directions() -> None:
    texts = injections()
    assert 8 <= len(texts) <= 10
    assert len({injection.name for injection in texts}) == len(texts)
    assert len({(injection.text, injection.direction) for injection in texts}) == len(texts)
    assert {"plain", "polite", "fake system message", "JSON", "another language", "HTML comment", "broken fence"} <= {
        injection.form for injection in texts
    }
    assert sorted({injection.direction for injection in texts}) == [-1, 1]


@pytest.mark.parametrize("injection", injections(), ids=lambda injection: injection.name)
def test_a_text_names_the_end_of_the_scale_that_it_pushes_to(injection: Injection) -> None:
    high = injection.direction == 1
    assert injection.target_on(FIVE) == (5.0 if high else 1.0)
    ends = [(FIVE, "1", "5"), (Scale.parse("0.0:0.75"), "0", "0.75"), (BINARY, "no", "yes")]
    for scale, lowest, highest in ends:
        word = highest if high else lowest
        word = f'"{word}"' if scale is BINARY and injection.form == "JSON" else word
        assert injection.text_for(scale) == word.join(injection.text.split("{value}"))
    assert "{value}" in injection.text


def test_the_json_is_an_answer_as_raters_give_it() -> None:
    assert json.loads(named("json_answer").text_for(FIVE)) == {"value": 5}
    assert json.loads(named("json_answer").text_for(BINARY)) == {"value": "yes"}


def test_a_scale_without_that_end_is_an_error() -> None:
    open_above = Scale(level="ratio")
    assert named("low_order").target_on(open_above) == 0.0
    with pytest.raises(
        StudyError, match=r"has no end for the injection 'plain_order' to push to; declare low and high"
    ):
        named("plain_order").text_for(open_above)
