"""Sentiment is VADER's compound score of a sentence, mean over sentences."""

import math

import pytest

from dialgauge.collect.code.tone import sentiment

from .conftest import say


def compound(valence: float) -> float:
    """Return VADER's normalisation of a sum of valences (Hutto and Gilbert 2014)."""
    return valence / math.sqrt(valence**2 + 15)


def test_it_is_the_mean_over_sentences_by_hand() -> None:
    # the lexicon has nice 1.8 and like 1.5; an exclamation mark adds 0.292
    expected = (compound(1.8 + 0.292) + compound(1.5)) / 2
    dialogue = say(("system", "How nice! What does she like?"), ("user", "horrible"))
    assert sentiment(dialogue, "system") == pytest.approx(expected, abs=5e-5)  # VADER rounds to four digits


def test_a_sentence_counts_alike_in_one_turn_or_two() -> None:
    assert sentiment(say(("user", "Great. Bad.")), "user") == sentiment(
        say(("user", "Great."), ("user", "Bad.")), "user"
    )


def test_praise_is_above_zero_complaint_below_and_plain_words_at_zero() -> None:
    values = [
        sentiment(say(("user", text)), "user") for text in ("I love it!", "This is awful.", "The table is there.")
    ]
    assert values[0] is not None
    assert values[1] is not None
    assert values[0] > 0 > values[1]
    assert values[2] == 0.0


def test_a_negation_is_heard_with_either_apostrophe() -> None:
    straight, curly = (sentiment(say(("user", f"It isn{mark}t good.")), "user") for mark in ("'", "’"))
    assert straight == curly
    assert straight is not None
    assert straight < 0


def test_there_is_none_without_a_sentence() -> None:
    assert sentiment(say(("user", "  "), ("system", "Good.")), "user") is None


def test_blanks_make_no_difference() -> None:
    assert sentiment(say(("user", "  a   good\tday ")), "user") == sentiment(say(("user", "a good day")), "user")
