"""Density, variety and readability, by hand and by brute force."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.code.wording import WINDOW, count_syllables, grade_level, lexical_density, mattr, reading_ease

from .conftest import say

SYLLABLES = {  # as dictionaries of American English divide them when spoken with care; counted by hand
    1: """
        a house liked likes lives loved moved the themes times watched""",
    2: """
        about account action actor address again answer any before being believe business city create drama
        enjoy evening every fiction funny genre happy horror horses houses into lion little maybe message
        minutes money movie movies needed number okay only open order other over parcel password people places
        poem question quiet reading really refund reset science series service someone something sorry story
        system table therefore today very wanted""",
    3: """
        area banana chocolate comedy created customer different director excellent family idea piano recommend
        romantic tomorrow video""",
    4: """
        animated apologise delivery interesting usually""",
    5: """
        readability""",
}


def test_the_share_of_content_words_leaves_function_words_out() -> None:
    # old, man, gave, good, book of nine words
    dialogue = say(("system", "The old man gave me a very good book."), ("user", "the the the"))
    assert lexical_density(dialogue, "system") == pytest.approx(5 / 9)
    assert lexical_density(dialogue, "user") == 0.0


def test_contractions_are_function_words() -> None:
    assert lexical_density(say(("user", "I don't, it's, you'll and they’ve")), "user") == 0.0


def test_nothing_is_measured_without_words() -> None:
    dialogue = say(("user", "..."), ("system", ""))
    measures = (lexical_density, mattr, reading_ease, grade_level)
    assert [measure(dialogue, speaker) for measure in measures for speaker in ("user", "system")] == [None] * 8


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["w"] * 50, 1 / 50),
        (["a", "b"] * 25, 2 / 50),
        ([f"w{i}" for i in range(50)], 1.0),
        ([f"w{i}" for i in range(50)] + ["w0"], 1.0),  # the second window has lost the first w0
        ([f"w{i}" for i in range(50)] + ["w1"], (50 + 49) / 2 / 50),
        (["w"] * 49, None),
    ],
)
def test_the_type_token_ratio_is_the_mean_over_windows_of_fifty_words(words: list[str], value: float | None) -> None:
    got = mattr(say(("user", " ".join(words))), "user")
    assert got == (value if value is None else pytest.approx(value))


@given(st.lists(st.sampled_from("abcdefghij"), min_size=WINDOW, max_size=120))
def test_the_sliding_type_token_ratio_is_that_of_counting_each_window_anew(words: list[str]) -> None:
    windows = [words[start : start + WINDOW] for start in range(len(words) - WINDOW + 1)]
    anew = sum(len(set(window)) / WINDOW for window in windows) / len(windows)
    assert mattr(say(("user", " ".join(words))), "user") == pytest.approx(anew)


@given(st.integers(WINDOW, 300))
def test_the_ratio_does_not_fall_with_the_length_of_a_text_without_new_words(length: int) -> None:
    words = [f"w{i % 10}" for i in range(length)]
    assert mattr(say(("user", " ".join(words))), "user") == pytest.approx(10 / 50)


@pytest.mark.parametrize(
    ("text", "ease", "grade"),
    [
        # words, sentences, syllables: 8, 2, 8
        ("The cat sat on the mat. It ran.", 206.835 - 1.015 * 4 - 84.6, 0.39 * 4 + 11.8 - 15.59),
        # 4, 1, 1 + 4 + 1 + 4
        ("The delivery is interesting.", 206.835 - 1.015 * 4 - 84.6 * 2.5, 0.39 * 4 + 11.8 * 2.5 - 15.59),
        ("No", 121.22, -3.4),
    ],
)
def test_readability_is_by_the_published_formulas(text: str, ease: float, grade: float) -> None:
    dialogue = say(("system", text))
    assert reading_ease(dialogue, "system") == pytest.approx(ease)
    assert grade_level(dialogue, "system") == pytest.approx(grade)


def test_a_turn_ends_a_sentence() -> None:
    apart = say(("system", "the cat sat"), ("user", "yes"), ("system", "on the mat"))
    together = say(("system", "the cat sat. on the mat."))
    assert reading_ease(apart, "system") == reading_ease(together, "system")


def test_syllables_are_about_right_and_not_biased_over_common_words() -> None:
    right = {word: n for n, words in SYLLABLES.items() for word in words.split()}
    got = {word: count_syllables(word) for word in right}
    wrong = [word for word, n in right.items() if got[word] != n]
    assert (len(right), sum(right.values()), sum(got.values())) == (99, 216, 215)
    assert len(wrong) == 13
    assert all(abs(got[word] - right[word]) == 1 for word in wrong)


@pytest.mark.parametrize("word", ["hm", "2001", "你好", "b" * 100_000, "ab" * 100_000])
def test_every_word_has_a_syllable(word: str) -> None:
    assert count_syllables(word) >= 1
