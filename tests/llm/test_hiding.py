"""A key does not get out of the program, in whatever spelling an endpoint sends it back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.llm import Completion, Token
from dialgauge.llm.hiding import HIDDEN, KeyHider

KEY = "sk-SECRET/key+1234567890"


def escape_all(text: str) -> str:
    return "".join(f"\\u{ord(sign):04X}" for sign in text)


@given(st.text('abcXYZ019-_+/=."\\', min_size=8, max_size=40), st.data())
def test_no_spelling_of_a_key_in_json_gets_through(key: str, data: st.DataObject) -> None:
    spelt = "".join(data.draw(st.sampled_from([sign, escape_all(sign), json.dumps(sign)[1:-1]])) for sign in key)
    hider = KeyHider(key)
    for text in (spelt, json.dumps(spelt)[1:-1], json.dumps(json.dumps(spelt))[1:-1]):
        hidden = hider.hide(f"a {text} b")
        assert hidden.startswith("a ")
        assert hidden.endswith(" b")
        assert HIDDEN in hidden
        assert len(hidden) <= len(HIDDEN) + 4 + 8 * 2  # at most backslashes before the first sign are left


def test_other_texts_are_left_as_they_are() -> None:
    assert KeyHider(KEY).hide(f"{KEY[:-1]} and \\u0041") == f"{KEY[:-1]} and \\u0041"
    assert KeyHider("none").hide("none") == "none"
    assert KeyHider(None).hide("none") == "none"


@pytest.mark.parametrize("n", [8, 15, len(KEY) - 1])
def test_the_beginning_of_a_key_at_the_end_of_a_text_that_was_cut_is_hidden(n: int) -> None:
    assert KeyHider(KEY).hide_cut(f"so {KEY[:n]}") == f"so {HIDDEN}"
    assert KeyHider(KEY).hide_cut(f"so {KEY[:n]} on") == f"so {KEY[:n]} on"


def test_every_text_of_a_completion_is_searched() -> None:
    told = dict.fromkeys(("text", "finish_reason", "refusal", "model", "fingerprint"), f"<{KEY}>")
    token = Token(KEY, -1.0, ((KEY, -1.0), ("4", -2.0)))
    found = KeyHider(KEY).hide_in(
        Completion(**told, sent="{}", received=escape_all(KEY), seconds=0.1, tokens=(token,))  # type: ignore[arg-type]
    )
    assert "SECRET" not in repr(found)
    assert found.received == HIDDEN
    assert found.tokens == (Token(HIDDEN, -1.0, ((HIDDEN, -1.0), ("4", -2.0))),)
    assert (found.text, found.model, found.seconds) == (f"<{HIDDEN}>", f"<{HIDDEN}>", 0.1)
