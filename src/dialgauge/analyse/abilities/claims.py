"""What a reply says of the items that it recommends, held against what the catalogue says of them."""

import re
from collections.abc import Collection, Iterator, Sequence

from dialgauge.analyse.abilities.titles import Titles
from dialgauge.io.catalogues import Mention
from dialgauge.model.item import Item
from dialgauge.model.simulated import SystemTurn
from dialgauge.systems.wants import stems

_TITLE = "§"
_SENTENCE_END = re.compile(r"(?<=[.!?;\n])[\"”’)]*\s+")
_LACKS = re.compile(
    r"\b(?:miss(?:es|ed|ing)?|lack(?:s|ed|ing)?|instead|rather|unlike|although|though|despite|except)\b", re.IGNORECASE
)


def claims_falsely(turn: SystemTurn, wanted: Collection[str], titles: Titles) -> bool | None:
    """Whether ``turn`` claims one of the ``wanted`` attributes of items that all are without it.

    A claim is the name of an attribute in a sentence with titles, or in those after it up to the next title: it is made
    of these items. What is denied ("no horror"), is said to lack, or is asked without a title, is no claim. None where
    the turn recommends no item by title, or none of which the catalogue knows attributes.
    """
    mentions = titles.mentions(turn.text)
    items = [_choose(mention, turn.ranking, titles) for mention in mentions]
    if turn.recommends is False or not any(item is not None and item.attributes for item in items):
        return None
    for sentence, named in _sentences(turn.text, mentions, items):
        known = [item for item in named if item is not None]
        if not known or len(known) < len(named) or _LACKS.search(sentence):
            continue
        claimed = set(titles.wants.read([sentence]).liked) & set(wanted)
        if any(all(_denies(item, name) for item in known) for name in claimed):
            return True
    return False


def _choose(mention: Mention, ranking: Sequence[str], titles: Titles) -> Item | None:
    """Return the item that a title means: of several the one that is ranked highest, else none."""
    meant = mention.items if len(mention.items) == 1 else [name for name in ranking if name in mention.items][:1]
    return titles.items[meant[0]] if meant else None


def _sentences(
    text: str, mentions: Sequence[Mention], items: Sequence[Item | None]
) -> Iterator[tuple[str, Sequence[Item | None]]]:
    """Yield each sentence from the first title on, "it" in the place of titles, with the items that it speaks of."""
    parts, at = [], 0
    for mention in mentions:
        parts += [text[at : mention.start].replace(_TITLE, " "), _TITLE]
        at = mention.end
    parts.append(text[at:].replace(_TITLE, " "))
    named: Sequence[Item | None] = ()
    passed = 0
    for sentence in _SENTENCE_END.split("".join(parts)):
        n = sentence.count(_TITLE)
        if n:
            named, passed = items[passed : passed + n], passed + n
        elif sentence.rstrip().endswith("?"):
            continue
        yield sentence.replace(_TITLE, "it"), named


def _denies(item: Item, attribute: str) -> bool:
    """Whether the catalogue knows attributes of ``item``, and neither they nor its description have this one."""
    if not item.attributes or attribute in item.attributes:
        return False
    words, name = stems(f"{item.title} {item.description}"), stems(attribute)
    return not any(words[i : i + len(name)] == name for i in range(len(words)))
