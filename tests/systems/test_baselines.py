"""The recommenders that come with the package and need no network."""

import re
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.systems.talk import ask, ask_all, dialogue, talk

from dialgauge.io.catalogues import read_catalogue
from dialgauge.model import Turn
from dialgauge.model.item import Catalogue, Item
from dialgauge.systems import open_system
from dialgauge.systems.attributes import AttributeSystem
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.popularity import PopularitySystem
from dialgauge.systems.retrieval import K1, B, ItemIndex, RetrievalSystem

FILMS = read_catalogue("films")
FINDER = ItemFinder(FILMS)
INDEX = ItemIndex(FILMS)
NAMES = ("popularity", "attributes", "retrieval", "retrieval-chat:fake")
GENRES = sorted({name for film in FILMS for name in film.attributes})

wishes = st.lists(
    st.one_of(
        st.sampled_from(GENRES),
        st.sampled_from(
            ["no horror", "the 90s", "by Alfred Hitchcock", "What is Alien about?", "I loved Psycho.", "not war"]
        ),
        st.text(max_size=30),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("name", NAMES)
def test_every_ranked_item_is_in_the_catalogue_once_and_the_first_is_named_in_the_text(name: str) -> None:
    replies = talk(
        open_system(name, FILMS), "something scary", "older, please", "nobody special", "another one?", "and?"
    )
    assert any(reply.ranking for reply in replies)
    for reply in replies:
        assert len(set(reply.ranking)) == len(reply.ranking)
        assert set(reply.ranking) <= set(FILMS.by_id)
        if reply.ranking:
            assert reply.ranking[0] in FINDER.read(reply.text)[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_dialogue_has_the_same_reply_whoever_else_talks(name: str) -> None:
    texts = ("a comedy with romance", "From which years?", "the 90s")
    alone = ask(open_system(name, FILMS, seed=3), *texts)
    crowd = ask_all(open_system(name, FILMS, seed=3), [("a western",), texts, ("horror",)])
    assert crowd[1] == alone


@pytest.mark.parametrize("name", NAMES)
def test_wording_varies_with_the_seed_and_items_do_not(name: str) -> None:
    replies = [ask(open_system(name, FILMS, seed=seed), "a comedy about romance and crime") for seed in range(8)]
    assert len({reply.text for reply in replies}) > 1
    assert len({reply.ranking for reply in replies}) == 1


def test_popularity_goes_through_the_catalogue_and_begins_again() -> None:
    small = Catalogue("small", FILMS.items[:3])
    tops = [reply.ranking[0] for reply in talk(PopularitySystem(small), "a", "b", "c", "d")]
    assert tops == ["f001", "f002", "f003", "f001"]


def test_popularity_follows_counts_where_there_are_some() -> None:
    assert ask(PopularitySystem(FILMS, counts={"f007": 9, "f003": 4}), "hi").ranking[:3] == ("f007", "f003", "f001")


def test_the_attribute_baseline_asks_one_thing_at_a_time_and_then_offers() -> None:
    replies = talk(AttributeSystem(FINDER), "hello", "drama", "any year", "nobody")
    assert [reply.recommends for reply in replies] == [False, False, False, True]
    assert all(reply.text.count("?") <= 2 for reply in replies)
    assert "drama" in replies[-1].text


def test_the_attribute_baseline_narrows_by_years_and_people() -> None:
    replies = talk(AttributeSystem(FINDER), "a thriller", "before 1965", "Alfred Hitchcock")
    offered = [FILMS.by_id[name] for name in replies[-1].ranking]
    assert offered
    for film in offered:
        assert "thriller" in film.attributes
        assert film.year is not None
        assert film.year < 1965
        assert "Alfred Hitchcock" in film.people


def test_the_attribute_baseline_never_offers_an_item_twice_nor_what_the_user_named() -> None:
    replies = talk(AttributeSystem(FINDER), "western", *["something else"] * 6)
    named = [name for reply in replies for name in FINDER.read(reply.text)[0]]
    assert len(set(named)) == len(named)
    (psycho,) = FINDER.read("Psycho")[0]
    assert psycho not in ask(AttributeSystem(FINDER), "I liked Psycho. horror, mystery and thriller").ranking


def test_the_attribute_baseline_says_what_its_offer_lacks_where_nothing_is_all_of_it() -> None:
    reply = ask(AttributeSystem(FINDER), "a western musical with horror and war")
    film = FILMS.by_id[reply.ranking[0]]
    (missing,) = re.findall(r"it misses (.*?)\.", reply.text)
    assert set(re.split(", | and ", missing)) == {"western", "musical", "horror", "war"} - set(film.attributes)


def test_the_attribute_baseline_admits_that_nothing_is_left() -> None:
    one = Catalogue("one", (Item(id="a", title="Only One Here", attributes=("drama",)),))
    replies = talk(AttributeSystem(ItemFinder(one)), "drama", "another", "another")
    assert [reply.recommends for reply in replies] == [True, False, False]
    assert replies[-1].ranking == ()


@settings(max_examples=60)
@given(wishes, st.integers(0, 5))
def test_the_attribute_baseline_never_claims_what_the_catalogue_denies(texts: list[str], seed: int) -> None:
    for reply in talk(AttributeSystem(FINDER, seed=seed), *texts):
        claims = re.findall(r"[Ii]ts genres? (?:is|are) (.*?)(?:, and it is the work of (.*?))?\.(?: |$)", reply.text)
        if not claims:
            assert "genre is" not in reply.text
            continue
        film = FILMS.by_id[FINDER.read(reply.text)[0][0]]
        assert set(re.split(", | and ", claims[0][0])) <= set(film.attributes)


def test_the_attribute_baseline_offers_nothing_that_was_ruled_out() -> None:
    replies = talk(AttributeSystem(FINDER), "a thriller, but no horror", "any", "any", "more", "more")
    offered = [FILMS.by_id[name] for reply in replies for name in reply.ranking]
    assert offered
    assert not [film.title for film in offered if "horror" in film.attributes]


@pytest.mark.parametrize("make", [AttributeSystem, RetrievalSystem])
def test_a_question_about_an_item_is_answered_from_the_catalogue(make: type[AttributeSystem | RetrievalSystem]) -> None:
    reply = talk(make(FINDER), "horror", 'What is "Alien" (1979) about, and who is in it?')[-1]
    assert "horror" in reply.text
    assert "Ridley Scott" in reply.text
    assert (reply.ranking, reply.recommends) == ((), False)


@pytest.mark.parametrize("question", ["What is it about?", "Could you tell me more about {title}?"])
@pytest.mark.parametrize("make", [AttributeSystem, RetrievalSystem])
def test_an_item_that_was_offered_is_recommended_again_where_the_user_asks_about_it(
    make: type[AttributeSystem | RetrievalSystem], question: str
) -> None:
    wish = "horror, mystery and thriller"
    offered = FILMS.by_id[talk(make(FINDER), wish)[0].ranking[0]]
    reply = talk(make(FINDER), wish, question.format(title=offered.title))[-1]
    assert (reply.ranking[0], reply.recommends) == (offered.id, True)
    assert all(name in reply.text for name in offered.attributes)


def test_retrieval_asks_where_nothing_is_like_the_words_of_the_user() -> None:
    reply = ask(RetrievalSystem(FINDER), "hello, how are you?")
    assert (reply.ranking, reply.recommends) == ((), False)


def test_retrieval_understands_other_words_for_a_kind() -> None:
    reply = ask(RetrievalSystem(FINDER), "something with cowboys")
    assert "western" in FILMS.by_id[reply.ranking[0]].attributes


def test_retrieval_recommends_neither_what_was_named_nor_what_it_named() -> None:
    replies = talk(RetrievalSystem(FINDER), "a western", "go on", "go on", "I saw Stagecoach.")
    named = [name for reply in replies for name in FINDER.read(reply.text)[0]]
    assert len(set(named)) == len(named)
    (stagecoach,) = FINDER.read("Stagecoach")[0]
    assert stagecoach not in replies[-1].ranking


def test_the_scores_of_retrieval_are_bm25_by_the_textbook() -> None:
    shop = Catalogue(
        "shop",
        (
            Item(id="a", title="Kestrel", attributes=("drama", "falconry")),
            Item(id="b", title="Falconry Kestrel", description="Falconry, falconry and kites."),
            Item(id="c", title="Harbour", attributes=("drama",)),
        ),
    )
    texts = [
        ["drama", "falconry", "kestrel"],
        ["falconry", "kestrel", "falconry", "falconry", "kite"],
        ["drama", "harbour"],
    ]
    mean = sum(map(len, texts)) / 3
    expected = np.zeros(3)
    for word in ("falconry", "kestrel"):
        n = sum(word in text for text in texts)
        idf = np.log(1 + (3 - n + 0.5) / (n + 0.5))
        for i, text in enumerate(texts):
            f = text.count(word)
            expected[i] += idf * f * (K1 + 1) / (f + K1 * (1 - B + B * len(text) / mean))
    np.testing.assert_allclose(ItemIndex(shop).score(["falconry", "kestrel", "nowhere"]), expected, rtol=1e-12)


@given(st.lists(st.sampled_from(["western", "alien", "war", "hitchcock", "zzz"]), max_size=6))
def test_no_score_is_negative_and_unknown_words_add_nothing(words: list[str]) -> None:
    scores = INDEX.score(words)
    assert (scores >= 0).all()
    np.testing.assert_array_equal(scores, INDEX.score([word for word in words if word != "zzz"]))


@pytest.mark.parametrize("name", NAMES)
def test_thousands_of_items_take_a_fraction_of_a_second_a_reply(name: str) -> None:
    items = tuple(
        Item(
            id=f"i{i}", title=f"Volume {i} of Kestrels", year=1900 + i % 120, attributes=(GENRES[i % 16], GENRES[i % 7])
        )
        for i in range(6000)
    )
    system = open_system(name, Catalogue("large", items))
    start = time.process_time()
    ask(system, "a western drama", "When?", "the 90s", "Who?", "nobody")
    assert time.process_time() - start < 2.0


def test_a_dialogue_without_a_turn_of_the_user_is_answered_too() -> None:
    for system in (PopularitySystem(FILMS), RetrievalSystem(FINDER), AttributeSystem(FINDER)):
        assert system.answer([]).text
        assert system.answer(dialogue("hi", "hello")[1:]).text


@given(texts=st.lists(st.sampled_from(["a western", "no comedy", "the 90s", "another", "who made it?"]), max_size=6))
def test_what_the_attribute_baseline_remembers_of_a_dialogue_changes_no_reply(texts: list[str]) -> None:
    said = [text for user in texts for text in (user, "Well?")][:-1]
    fresh = AttributeSystem(FINDER).answer(dialogue(*said))
    used = AttributeSystem(FINDER)
    for n in range(1, len(said) + 1, 2):
        assert used.answer(dialogue(*said[:n])) == AttributeSystem(FINDER).answer(dialogue(*said[:n]))
    assert used.answer(dialogue(*said)) == fresh


def test_each_turn_of_a_dialogue_is_thought_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    system, thought = AttributeSystem(FINDER), list[int]()
    go_on = AttributeSystem._go_on

    def count(self: AttributeSystem, users: Sequence[Turn], course: Any) -> Any:  # noqa: ANN401 (private records)
        thought.append(len(users))
        return go_on(self, users, course)

    monkeypatch.setattr(AttributeSystem, "_go_on", count)
    said = ["a western", "Well?", "another", "Well?", "another", "Well?", "another"]
    for n in range(1, 8, 2):
        system.answer(dialogue(*said[:n]))
    assert thought == [1, 2, 3, 4]
