"""Language style matching by its published formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.code.style import style_matching
from dialgauge.collect.code.vocabulary import CATEGORIES, FUNCTION_WORDS
from dialgauge.collect.code.words import split_words

from .conftest import say

WORDS = st.lists(st.sampled_from([*sorted(FUNCTION_WORDS), "film", "old", "see"]), min_size=1, max_size=30)


def test_it_is_the_mean_over_nine_categories_computed_by_hand() -> None:
    # percentages of user and system: personal 33.3 and 25, impersonal 33.3 and 0, articles 0 and 25, prepositions 33.3
    # and 25; the five others are empty on both sides
    personal = prepositions = 1 - (100 / 3 - 25) / (100 / 3 + 25 + 0.0001)
    impersonal = 1 - (100 / 3) / (100 / 3 + 0.0001)
    articles = 1 - 25 / 25.0001
    dialogue = say(("user", "I like it."), ("system", "You like the film."))
    assert style_matching(dialogue) == pytest.approx((personal + prepositions + impersonal + articles + 5) / 9)


def test_it_does_not_exist_where_one_side_says_nothing() -> None:
    assert style_matching(say(("user", "I like it"), ("system", "..."))) is None
    assert style_matching(say(("user", "I like it"))) is None


@given(WORDS, WORDS)
def test_it_is_symmetric_and_between_0_and_1(first: list[str], second: list[str]) -> None:
    one = style_matching(say(("user", " ".join(first)), ("system", " ".join(second))))
    other = style_matching(say(("user", " ".join(second)), ("system", " ".join(first))))
    assert one is not None
    assert one == other
    assert 0.0 <= one <= 1.0


@given(WORDS, st.integers(1, 4))
def test_it_is_1_for_the_same_words_however_often_they_are_said(words: list[str], times: int) -> None:
    dialogue = say(("user", " ".join(words)), *[("system", " ".join(words))] * times)
    assert style_matching(dialogue) == pytest.approx(1.0)


def test_there_are_nine_categories_of_words_in_the_form_of_the_word_splitter() -> None:
    assert len(CATEGORIES) == 9
    assert all(split_words(word) == [word] for word in FUNCTION_WORDS)
    assert all(words for words in CATEGORIES.values())


def test_a_negated_verb_is_auxiliary_and_negation() -> None:
    assert {name for name, words in CATEGORIES.items() if "don't" in words} == {"auxiliary verbs", "negations"}
    assert {name for name, words in CATEGORIES.items() if "we'll" in words} == {"auxiliary verbs", "personal pronouns"}
