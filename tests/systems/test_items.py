"""Items by id, by title, and in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.talk import dialogue

from dialgauge.model.item import Catalogue, Item
from dialgauge.systems.items import ItemFinder, join_names, write_title

SHOP = Catalogue(
    "shop",
    (
        Item(id="7", title="Alien", year=1979),
        Item(id="k1", title="The Red Kite", year=2003),
        Item(id="k2", title="The Red Kite", year=2019),
        Item(id="up", title="Up", year=2009),
        Item(id="x", title="***"),
    ),
)
FINDER = ItemFinder(SHOP)


@pytest.mark.parametrize(
    ("names", "ranking", "unknown"),
    [
        (["7", "up"], ("7", "up"), ()),
        (["alien", "UP (2009)"], ("7", "up"), ()),
        (["Alien (1986)", "Solaris"], (), ("Alien (1986)", "Solaris")),
        (["The Red Kite"], (), ("The Red Kite",)),
        (["The Red Kite (2019)", "k1", "k2"], ("k2", "k1"), ()),
        (["***"], ("x",), ()),
    ],
)
def test_a_name_is_an_id_or_the_title_of_one_item(
    names: list[str], ranking: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    assert FINDER.resolve(names) == (ranking, unknown)


def test_a_title_with_the_year_of_no_item_is_unknown_in_a_text() -> None:
    assert FINDER.read('Try "Alien" (1979), "Up" (1999) or The Red Kite.') == (("7",), ("Up",))


def test_a_title_of_several_items_may_mean_each_of_them() -> None:
    assert FINDER.mentioned(dialogue("I know The Red Kite.")) == {"k1", "k2"}


def test_the_words_of_a_title_are_taken_out_of_a_text_with_its_year() -> None:
    assert FINDER.without_titles('I saw "Alien" (1979) twice.').split() == ["I", "saw", '"', "§", "twice."]


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_names_are_joined_as_in_a_sentence(names: list[str], said: str) -> None:
    assert join_names(names) == said


def test_every_title_is_found_again_as_our_recommenders_write_it(films: Catalogue, finder: ItemFinder) -> None:
    for item in films:
        assert finder.read(f"How about {write_title(item)}?") == ((item.id,), ())


@given(st.lists(st.sampled_from(["7", "k1", "k2", "up", "Alien", "none", "Up (1900)"])))
def test_no_name_is_lost_and_none_counts_twice(names: list[str]) -> None:
    ranking, unknown = FINDER.resolve(names)
    assert len(set(ranking)) == len(ranking)
    assert set(ranking) <= set(SHOP.by_id)
    assert set(unknown) == set(names) & {"none", "Up (1900)"}
    assert bool(names) is bool(ranking or unknown)
