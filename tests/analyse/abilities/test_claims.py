"""Claims in words that the catalogue denies are told from those that it bears out, and from what is no claim."""

import pytest

from dialgauge.analyse.abilities.claims import claims_falsely
from dialgauge.analyse.abilities.titles import Titles
from dialgauge.model.item import Catalogue, Item
from dialgauge.model.simulated import SystemTurn

CATALOGUE = Catalogue(
    "films",
    (
        Item(id="1", title="Quiet Harbour", year=1999, attributes=("drama",)),
        Item(id="2", title="Copper Moon", year=2004, attributes=("drama", "horror")),
        Item(id="3", title="Copper Moon", year=2010, attributes=("comedy",)),
        Item(id="4", title="Velvet Anvil", year=2015),
        Item(id="5", title="The Last Gate", year=2001, attributes=("action",), description="A horror of a war begins."),
    ),
)
TITLES = Titles(CATALOGUE, match="whole")
WANTED = ("horror", "comedy")


def judge(
    text: str, *, recommends: bool | None = True, ranking: tuple[str, ...] = (), wanted: tuple[str, ...] = WANTED
) -> bool | None:
    return claims_falsely(SystemTurn(text=text, ranking=ranking, recommends=recommends), wanted, TITLES)


@pytest.mark.parametrize(
    "text",
    [
        'Take "Quiet Harbour" (1999). It is pure horror.',
        'How about "Quiet Harbour", a comedy?',
        'As you like horror, "Quiet Harbour" is for you.',
        "Quiet Harbour (1999)! Many say so. It is a comedy and a drama.",
        'First "Copper Moon" (2004), all horror. Then "Quiet Harbour": horror, too.',
    ],
)
def test_a_wanted_attribute_that_the_catalogue_denies_is_a_false_claim(text: str) -> None:
    assert judge(text) is True


@pytest.mark.parametrize(
    "text",
    [
        'Take "Copper Moon" (2004). It is pure horror.',
        'Take "Quiet Harbour". It is a drama.',
        'Take "Quiet Harbour". It is no horror.',
        'Take "Quiet Harbour". It is not a comedy.',
        'Take "Quiet Harbour". It lacks the horror, and is a drama.',
        'Take "Quiet Harbour" instead of a comedy.',
        'You want horror. I have "Quiet Harbour".',
        'Take "Quiet Harbour". Or would you like a comedy?',
        'Take "Copper Moon" (2004) or "Quiet Harbour": horror.',
        'Take "The Last Gate". A horror of a war begins.',
    ],
)
def test_what_holds_for_an_item_is_denied_or_asked_is_no_false_claim(text: str) -> None:
    assert judge(text) is False


def test_what_nobody_wanted_may_be_claimed() -> None:
    assert judge('Take "Quiet Harbour", pure horror.', wanted=("comedy",)) is False


@pytest.mark.parametrize(
    ("text", "recommends"),
    [
        ("I love horror.", True),
        ('"Quiet Harbour" is horror.', False),
        ('Take "Velvet Anvil", pure horror.', True),
        ('Take "Copper Moon", a comedy.', True),
    ],
)
def test_without_a_recommended_item_whose_attributes_are_known_nothing_can_be_told(text: str, recommends: bool) -> None:
    assert judge(text, recommends=recommends) is None


def test_of_two_items_with_one_title_the_ranked_one_is_meant() -> None:
    text = 'Take "Copper Moon", pure horror.'
    assert [judge(text, ranking=("2",)), judge(text, ranking=("3",))] == [False, True]
