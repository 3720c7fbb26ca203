"""Whole titles in a text."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.io.catalogues import TitleIndex, find_titles, read_catalogue
from dialgauge.model.item import Item

FILMS = (
    ("it90", "It", 1990),
    ("it17", "It", 2017),
    ("up", "Up", 2009),
    ("inception", "Inception", 2010),
    ("hero", "Hero", 2002),
    ("hidden", "Hidden Figures", 2016),
    ("italian", "The Italian Job", 1969),
    ("getout", "Get Out", 2017),
    ("spider", "Spider-Man", 2002),
    ("verse", "Spider-Man: Into the Spider-Verse", 2018),
    ("et", "E.T. the Extra-Terrestrial", 1982),
    ("amelie", "Amélie", 2001),
    ("ender", "Ender's Game", 2013),
    ("smith", "Mr. & Mrs. Smith", 2005),
    ("avatar", "Avatar", None),
    ("avatar09", "Avatar", 2009),
    ("annabelle", "Annabelle", 2014),
    ("2012", "2012", 2009),
    ("castle", "Howl's Moving Castle (Anime Film)", None),
    ("black", "Black", 2015),
    ("matrix", "The Matrix", 1999),
    ("year", "(2007)", None),
)
INDEX = TitleIndex(Item(id=name, title=title, year=year) for name, title, year in FILMS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Have you seen Hidden Figures (2016)?", ["hidden"]),
        ("have you seen HIDDEN FIGURES", ["hidden"]),
        ("Unhidden Figures and Hidden Figuresque", []),
        ("It's a great movie. It is old.", []),
        ("I love It (2017) and Get Out (2017)", ["it17", "getout"]),
        ("It (2017), It (1990)", ["it17", "it90"]),
        ("I would get out of here.", []),
        ("Get Out is great", ["getout"]),
        ("I enjoyed Up and Hero a lot", ["up", "hero"]),
        ("Up is a word, hero is another, super-hero too", []),
        ("Try “Up” or **Up**", ["up"]),
        ("“Up,” she said. *It* (1990). Up! (2010)", ["up", "it90"]),
        ("Inception is great", ["inception"]),
        ("the inception of it all", []),
        ("The Italian Job (2003) has a car chase", []),
        ("The Italian Job has a car chase", ["italian"]),
        ("Spider-Man: Into the Spider-Verse (2018) is one", ["verse"]),
        ("spider man into the spider verse", ["verse"]),
        ("Spider-Man. Into the Spider-Verse we go", ["spider"]),
        ("E.T. the Extra-Terrestrial", ["et"]),
        ("I like Amelie", ["amelie"]),
        ("Enders Game, or Ender’s Game's end", ["ender"]),
        ("Mr. and Mrs. Smith", ["smith"]),
        ("Avatar (2009) or else", ["avatar09"]),
        ("Try Avatar tonight", ["avatar"]),
        ("Annabelle 2 (2017) was good", []),
        ("I saw Annabelle's house", ["annabelle"]),
        ("2012 was a good year", []),
        ("2012 (2009) is loud", ["2012"]),
        ("Howl's Moving Castle by Miyazaki", ["castle"]),
        ("Howl's Moving Castle (Anime Film)", ["castle"]),
        ("I saw Black Panther (2018)", []),
        ("You like The The Matrix.", ["matrix"]),
        ("Made in (2007)", []),
        ("", []),
    ],
)
def test_the_items_found_are_those_whose_title_is_written(text: str, found: list[str]) -> None:
    assert list(find_titles(text, INDEX)) == found


def test_a_title_of_several_items_is_a_mention_of_all_of_them() -> None:
    (mention,) = INDEX.find('I recommend "It" to you')
    assert (mention.text, mention.start, mention.end, mention.items) == ("It", 13, 15, ("it90", "it17"))


def test_a_title_with_the_year_of_no_item_is_a_mention_of_none() -> None:
    (mention,) = INDEX.find("The Italian Job (2003)")
    assert mention.items == ()


def test_an_item_whose_title_is_a_year_cannot_be_found() -> None:
    assert INDEX.unfindable == ("year",)


SHIPPED = read_catalogue("films")
SHIPPED_INDEX = TitleIndex(SHIPPED)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
PIECES = st.sampled_from([item.title for item in SHIPPED] + ["the", "and", "(1999)", '"', ". ", "\n", "I", "2", "'s"])


@given(st.sampled_from(SHIPPED.items), st.sampled_from(["I liked {}.", '"{}" is good', "{}", "* {}: see it"]))
def test_a_title_with_its_year_is_found_wherever_it_stands(item: Item, frame: str) -> None:
    text = frame.format(f"{item.title} ({item.year})")
    assert find_titles(text, SHIPPED_INDEX) == (item.id,)


@given(st.lists(PIECES, max_size=12).map(" ".join) | TEXT)
def test_mentions_follow_each_other_and_are_parts_of_the_text(text: str) -> None:
    mentions = SHIPPED_INDEX.find(text)
    assert all(text[mention.start : mention.end] == mention.text for mention in mentions)
    ends = [0, *(mention.end for mention in mentions)]
    assert all(end <= mention.start for end, mention in zip(ends, mentions, strict=False))


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_the_order_of_the_catalogue_does_not_matter(text: str) -> None:
    backwards = TitleIndex(reversed(SHIPPED.items))
    assert find_titles(text, backwards) == find_titles(text, SHIPPED_INDEX)


def test_thousands_of_titles_are_looked_for_in_many_texts_within_seconds(shared: Path) -> None:
    catalogue = read_catalogue(shared / "data/redial")
    text = "I would recommend It (2017), Get Out (2017) and Black Panther (2018); the last one is really good."
    start = time.process_time()
    index = TitleIndex(catalogue)
    found = [find_titles(text, index) for _ in range(5_000)]
    assert time.process_time() - start < 10
    assert [catalogue.by_id[name].title for name in found[-1]] == ["It", "Get Out", "Black Panther"]
