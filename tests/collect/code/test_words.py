"""Texts are cut into words and sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.code.words import split_sentences, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \n\t", []),
        ("...!? -- '", []),
        ("Hello, World!", ["hello", "world"]),
        ("don't DON’T 'quoted'", ["don't", "don't", "quoted"]),
        ("well-known under_score a/b", ["well", "known", "under", "score", "a", "b"]),
        ("2001: A Space Odyssey (1968)", ["2001", "a", "space", "odyssey", "1968"]),
        ("naïve Straße", ["naïve", "strasse"]),
        ("nai\u0308ve", ["naïve"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]),
        ("great 👍🏽 fun", ["great", "fun"]),
    ],
)
def test_words_are_runs_of_letters_and_digits_with_apostrophes_inside(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("  ", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 3.5 euros... or so", ["It costs 3.5 euros...", "or so"]),
        ('He said "Stop!" Then left.', ['He said "Stop!"', "Then left."]),
        ("first line\nsecond line\r\n\r\nthird", ["first line", "second line", "third"]),
        ("你好。再见！", ["你好。", "再见！"]),
        ("see example.com?page=2 now", ["see example.com?page=2 now"]),
    ],
)
def test_sentences_end_with_a_stop_before_a_blank_or_with_a_line(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text())
def test_sentences_hold_all_the_words_of_the_text_in_their_order(text: str) -> None:
    assert [word for sentence in split_sentences(text) for word in split_words(sentence)] == split_words(text)


@given(st.text())
def test_words_have_no_blanks_are_not_empty_and_stay_words(text: str) -> None:
    words = split_words(text)
    assert all(word and not word.isspace() and len(word.split()) == 1 for word in words)
    assert split_words(" ".join(words)) == words


@given(st.text(alphabet="abcXYZéÜß'-. 1\n"))
def test_case_and_further_blanks_make_no_difference(text: str) -> None:
    assert split_words(text.upper()) == split_words(text.lower()) == split_words(text)
    assert split_words(text.replace(" ", " \t ")) == split_words(text)
