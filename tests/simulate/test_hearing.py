"""What a user gathers from a reply."""

import asyncio
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.model.item import Catalogue, Item
from dialgauge.simulate.hearing import Listener
from dialgauge.systems import Reply

from .conftest import FILMS, recommend

LISTENER = Listener(FILMS)


def titles(reply: Reply) -> list[str]:
    return [item.title for item in LISTENER.hear(reply).items]


def test_titles_in_the_text_are_recommended_unless_the_system_says_that_it_does_not() -> None:
    text = 'Did you like "Alien" (1979)? Then "Psycho" (1960).'
    assert titles(Reply(text=text)) == titles(Reply(text=text, recommends=True)) == ["Alien", "Psycho"]
    assert titles(Reply(text=text, recommends=False)) == []


def test_a_ranking_is_not_heard() -> None:
    heard = LISTENER.hear(Reply(text="Here is one for you.", ranking=("f001",), recommends=True))
    assert heard.items == ()
    assert heard.unnamed


def test_a_title_that_the_catalogue_does_not_have_is_noted() -> None:
    assert LISTENER.hear(Reply(text='Try "Nowhere at All".', unknown=("Nowhere at All",))).unnamed
    assert not LISTENER.hear(Reply(text="What do you like?")).unnamed
    assert not LISTENER.hear(recommend("Psycho")).unnamed


def test_a_title_of_several_items_means_the_one_that_is_ranked_or_none() -> None:
    same = Catalogue("two", tuple(Item(id=name, title="The Red Kite") for name in ("a", "b")))
    listener = Listener(same)
    ranked = listener.hear(Reply(text="See The Red Kite.", ranking=("x", "b", "a")))
    assert [item.id for item in ranked.items] == ["b"]
    assert not ranked.unnamed
    unclear = listener.hear(Reply(text="See The Red Kite."))
    assert unclear.items == ()
    assert unclear.unnamed


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What genre do you like?", "kinds"),
        ("Are you in the mood for a comedy?", "kinds"),
        ("Comedy or drama?", "kinds"),
        ("Something recent, or older?", "year"),
        ("From the 1990s, perhaps?", "year"),
        ("Is there a director whom you like?", "people"),
        ("Who is your favourite actress?", "people"),
        ("How are you today?", "other"),
        ("I like this genre.", None),
        ("I know. Which genre was it? Never mind. Any actor?", "people"),
        ("?", None),
    ],
)
def test_a_question_has_a_topic(text: str, topic: str | None) -> None:
    assert LISTENER.hear(Reply(text=text)).topic == topic


def test_a_title_as_a_user_writes_it_is_found() -> None:
    found = LISTENER.find(" psycho ")
    assert found is not None
    assert found.title == "Psycho"
    assert LISTENER.find("No Such Film Anywhere") is None
    assert LISTENER.find("") is None


@pytest.mark.parametrize("text", ["a " * 49_000, "?" * 98_000, " ?" * 49_000, "a\n" * 49_000, "\n" * 98_000 + "a?"])
def test_the_longest_text_is_heard_in_time_that_grows_with_its_length(text: str) -> None:
    start = time.process_time()
    LISTENER.hear(Reply(text=text))
    assert time.process_time() - start < 5.0


@given(text=st.text(alphabet="ab .!?\n", max_size=30))
def test_a_question_is_what_stands_between_the_sentence_before_and_its_mark(text: str) -> None:
    asked = [part for part in re.findall(r"[^.!?\n]*\?", text) if part.strip(" ?")]
    assert (LISTENER.hear(Reply(text=text)).topic is None) == (not asked)


def test_listening_comes_to_the_same_as_hearing() -> None:
    for reply in (recommend("Psycho"), Reply(text="Do you like " * 1000 + "old films?")):
        assert asyncio.run(LISTENER.listen(reply)) == LISTENER.hear(reply)
