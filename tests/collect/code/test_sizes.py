"""Turns, words and shares are counted."""

import pytest

from dialgauge.collect.code.sizes import count_turns, word_share_system, words_per_turn

from .conftest import say

TALK = say(("user", "Hi there!"), ("system", "Hello. What do you want?"), ("user", ""), ("narrator", "They wait here."))


def test_turns_of_all_speakers_are_counted() -> None:
    assert count_turns(TALK) == 4.0


def test_words_are_averaged_over_the_turns_of_a_speaker_also_over_empty_ones() -> None:
    assert words_per_turn(TALK, "user") == 1.0
    assert words_per_turn(TALK, "system") == 5.0
    assert words_per_turn(say(("user", "Hi")), "system") is None


def test_the_share_of_the_system_is_of_the_words_of_all() -> None:
    assert word_share_system(TALK) == pytest.approx(5 / 10)
    assert word_share_system(say(("user", "Hi"))) == 0.0
    assert word_share_system(say(("user", "..."), ("system", "!"))) is None
