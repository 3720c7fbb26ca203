"""The bad recommenders are bad in the way that they are meant to be."""

import pytest
from tests.systems.bad import FairWeather, Liar, Literal
from tests.systems.talk import ask

from dialgauge.systems.attributes import AttributeSystem
from dialgauge.systems.items import ItemFinder

WISH = "I want a horror thriller with a mystery."
OTHERWISE = "Could it be a mystery, but a thriller and horror as well?"


def test_the_liar_claims_what_the_catalogue_denies(finder: ItemFinder) -> None:
    reply = ask(Liar(finder), WISH)
    item = finder.catalogue.by_id[reply.ranking[0]]
    assert "horror, thriller and mystery" in reply.text
    assert not {"horror", "thriller", "mystery"} & set(item.attributes)


def test_the_literal_one_answers_a_paraphrase_with_another_item_and_the_attribute_baseline_does_not(
    finder: ItemFinder,
) -> None:
    assert ask(Literal(finder), WISH).ranking != ask(Literal(finder), OTHERWISE).ranking
    assert ask(Literal(finder), WISH).ranking == ask(Literal(finder), WISH).ranking
    baseline = AttributeSystem(finder)
    assert ask(baseline, WISH).ranking == ask(baseline, OTHERWISE).ranking != ()


@pytest.mark.parametrize(("text", "serves"), [("Wow, a western, great!", True), ("A western. Whatever.", False)])
def test_the_fair_weather_one_serves_the_cheerful_only(finder: ItemFinder, text: str, serves: bool) -> None:
    assert bool(ask(FairWeather(finder), text).ranking) is serves
