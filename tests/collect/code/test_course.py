"""Silences, questions and repetition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.code.course import questions_per_turn, repeated_trigrams, repeated_turns, response_latency
from dialgauge.model import Dialogue, Turn

from .conftest import say


def timed(*turns: tuple[str, float | None, float | None]) -> Dialogue:
    return Dialogue(id="d", turns=tuple(Turn(speaker=s, text="x", start=start, end=end) for s, start, end in turns))


def test_latency_is_the_mean_silence_before_a_reply_of_the_system() -> None:
    # 1.5 s, then 0.5 s; from system to user does not count
    dialogue = timed(("user", 0, 2), ("system", 3.5, 5), ("user", 9, 10), ("system", 10.5, 11))
    assert response_latency(dialogue) == pytest.approx(1.0)


def test_a_reply_that_starts_too_early_has_no_silence_before_it() -> None:
    assert response_latency(timed(("user", 0, 2), ("system", 1, 5))) == 0.0


def test_pairs_without_both_times_are_not_counted() -> None:
    dialogue = timed(("user", 0, None), ("system", 3, 5), ("user", 6, 7), ("system", 9, None))
    assert response_latency(dialogue) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "dialogue",
    [
        timed(("user", None, None), ("system", None, None)),
        timed(("user", 0, 1)),
        timed(("user", 0, 1), ("other", 2, 3), ("system", 4, 5)),
        timed(("system", 0, 1), ("user", 2, 3)),
    ],
)
def test_without_a_timed_reply_there_is_no_latency(dialogue: Dialogue) -> None:
    assert response_latency(dialogue) is None


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("", 0),
        ("Which genre? And which year?", 2),
        ("Really?! No way!", 1),
        ("What??? Why!?", 2),
        ('Did you say "why?"', 1),
        ("See https://example.com/page?id=3 for more.", 0),
        ("你喜欢什么？电影吗？", 2),
        ("ما هو اسمك؟", 1),
    ],
)
def test_a_row_of_marks_with_a_question_mark_is_a_question(text: str, questions: int) -> None:
    assert questions_per_turn(say(("system", text), ("user", "????")), "system") == questions


def test_questions_are_averaged_over_turns() -> None:
    assert questions_per_turn(say(("system", "A? B?"), ("system", "C.")), "system") == 1.0
    assert questions_per_turn(say(("user", "A?")), "system") is None


def test_trigrams_of_earlier_turns_are_repeated() -> None:
    # what do you, do you like; what do you, do you want: one of four is repeated
    dialogue = say(("system", "What do you like?"), ("user", "what do you mean"), ("system", "what do you WANT"))
    assert repeated_trigrams(dialogue, "system") == pytest.approx(1 / 4)


def test_a_trigram_that_comes_back_in_the_same_turn_is_not_repeated() -> None:
    assert repeated_trigrams(say(("system", "no no no no no")), "system") == 0.0


def test_trigrams_do_not_cross_turns_and_need_three_words() -> None:
    assert repeated_trigrams(say(("system", "a b"), ("system", "c a"), ("system", "b c")), "system") is None


def test_turns_of_the_same_words_are_repeated_whatever_their_case_and_marks() -> None:
    dialogue = say(("system", "How can I help?"), ("user", "..."), ("system", "how can I help"), ("system", "Bye!"))
    assert repeated_turns(dialogue, "system") == pytest.approx(1 / 3)


def test_turns_without_words_are_not_counted() -> None:
    assert repeated_turns(say(("system", "..."), ("system", ""), ("system", "?")), "system") is None


TEXTS = st.lists(st.text(alphabet="ab ", min_size=0, max_size=12), min_size=1, max_size=6)


@given(TEXTS, st.randoms(use_true_random=False))
def test_repetition_does_not_hang_on_the_order_of_turns(texts: list[str], random: object) -> None:
    shuffled = sorted(texts, key=lambda _: random.random())  # type: ignore[attr-defined]
    first, second = (say(*[("system", text) for text in order]) for order in (texts, shuffled))
    assert repeated_trigrams(first, "system") == repeated_trigrams(second, "system")
    assert repeated_turns(first, "system") == repeated_turns(second, "system")


@given(st.integers(1, 8))
def test_of_n_equal_turns_all_but_one_are_repeated(n: int) -> None:
    dialogue = say(*[("system", "one two three four")] * n)
    assert repeated_turns(dialogue, "system") == pytest.approx(1 - 1 / n)
    assert repeated_trigrams(dialogue, "system") == pytest.approx(1 - 1 / n)
