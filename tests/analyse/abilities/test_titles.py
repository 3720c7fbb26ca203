"""What is written as a title is known or not, whatever stands at its end."""

import pytest

from dialgauge.analyse.abilities.titles import Titles
from dialgauge.model.item import Catalogue, Item

TITLES = Titles(
    Catalogue("films", (Item(id="1", title="When We Met...", year=1989), Item(id="2", title="Copper Moon"))),
    match="whole",
)


@pytest.mark.parametrize(
    "text", ['Try "When We Met..." (1989).', 'Try "When We Met".', 'Try "Copper Moon!"', "Try “Copper Moon…”"]
)
def test_stops_at_the_end_of_a_title_make_it_no_other_title(text: str) -> None:
    assert [known for _, known in TITLES.titles_like(text)] == [True]


def test_a_title_of_no_item_is_unknown_with_and_without_stops() -> None:
    assert list(TITLES.titles_like('Try "Golden Turnip..." or "Golden Turnip".')) == [("golden turnip", False)] * 2
