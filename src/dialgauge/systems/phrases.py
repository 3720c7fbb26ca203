"""Sentences on items that say nothing but what the catalogue says."""

import re
from collections.abc import Sequence

from dialgauge.model import Turn
from dialgauge.model.item import Item
from dialgauge.systems.items import ItemFinder, join_names, write_title
from dialgauge.systems.offline import choose

MOST_PEOPLE = 3

_ASKS = re.compile(r"\b(?:about|what|who|whose|when|kind|genres?|like|tell|more)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|(?:that|this) (?:one|film|movie|book))\b", re.IGNORECASE)
_MOVES_ON = re.compile(r"\b(?:another|others?|else|again|before|already)\b", re.IGNORECASE)

_TELLS = ("About {title}: {facts}", "{title}? {facts}", "Here is what I know of {title}. {facts}")

_OTHERS = (
    "There is also {titles}.",
    "If you know it already, there is {titles}.",
    "Otherwise {titles} may do.",
)


def find_asked(text: str, finder: ItemFinder, *, offered: Sequence[str]) -> Item | None:
    """Return the item that a question in ``text`` is about: the one that it names, or calls "it".

    "It" is the first of those ``offered`` last. None where there is no such question.
    """
    rest = finder.without_titles(text)
    if "?" not in rest or not _ASKS.search(rest) or _MOVES_ON.search(rest):
        return None
    named, _ = finder.read(text)
    if not named and _IT.search(rest):
        named = tuple(offered[:1])
    return finder.catalogue.by_id[named[0]] if len(named) == 1 else None


def tell_about(item: Item, turns: Sequence[Turn], finder: ItemFinder, *, seed: int) -> str:
    """Return what the catalogue says of ``item``, as the answer to a question."""
    facts = " ".join(filter(None, (describe(item, finder), item.description))) or "I know nothing more of it."
    return choose(_TELLS, turns, seed=seed).format(title=write_title(item), facts=facts)


def describe(item: Item, finder: ItemFinder) -> str:
    """Return a sentence with the attributes and people of ``item``; empty where there are none.

    A name that would be heard as a title of the catalogue is left out.
    """
    attributes, people = (
        [name for name in names if not finder.mentions(name)] for names in (item.attributes, item.people)
    )
    facts = []
    if attributes:
        facts.append(f"its {'genre is' if len(attributes) == 1 else 'genres are'} {join_names(attributes)}")
    if people:
        facts.append(f"it is the work of {join_names(people[:MOST_PEOPLE])}")
    sentence = ", and ".join(facts)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def name_others(items: Sequence[Item], turns: Sequence[Turn], *, seed: int) -> str:
    """Return a sentence that names further items; empty where there are none."""
    if not items:
        return ""
    titles = join_names([write_title(item) for item in items], last="or")
    return choose(_OTHERS, turns, seed=seed).format(titles=titles)
