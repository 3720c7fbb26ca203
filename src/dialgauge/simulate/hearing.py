"""What a user gathers from a reply: the items that are recommended by title, and what is asked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dialgauge.io.catalogues import TitleIndex
from dialgauge.model.item import Catalogue, Item
from dialgauge.systems import Reply
from dialgauge.systems.apart import LONG_TEXT, do_apart

Topic = Literal["kinds", "year", "people", "other"]
"""What a question is about: the attributes that are wanted, the time, those who made it, or anything else."""

_WORDS: Mapping[Topic, str] = {
    "people": "actors? actress(es)? directors? directed stars? starring cast authors? artists?",
    "year": "years? decades? era old(er)? recent new(er)? modern classics? (19|20)?\\d0s when",
    "kinds": "genres? kinds? sorts? types? styles? mood attributes? (looking\\sfor) (like\\sto\\s(see|watch))",
}
"""What a question is about, by the words in it; the first that has one counts."""

_TOPICS = {topic: re.compile(rf"\b({'|'.join(words.split())})\b", re.IGNORECASE) for topic, words in _WORDS.items()}


_SENTENCE = re.compile(r"([^.!?\n]+)([.!?\n]?)")
"""A sentence and its end; each sign is looked at once, however long the text is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A reply as a user takes it in.

    ``items`` are recommended by title; ``unnamed`` tells that something is recommended of which no title is known;
    ``topic`` is what is asked, None where nothing is.
    """

    text: str
    items: tuple[Item, ...] = ()
    unnamed: bool = False
    topic: Topic | None = None


class Listener:
    """Hears replies about the items of one catalogue; ``index`` is that of its titles, where it is made already."""

    def __init__(self, catalogue: Catalogue, index: TitleIndex | None = None) -> None:
        self._catalogue = catalogue
        self._index = TitleIndex(catalogue) if index is None else index
        self._attributes = sorted({name for item in catalogue for name in item.attributes}, key=len, reverse=True)

    async def listen(self, reply: Reply) -> Heard:
        """Return the same as `hear`; a long text is read off the event loop."""
        return await do_apart(lambda: self.hear(reply), long=len(reply.text) > LONG_TEXT)

    def hear(self, reply: Reply) -> Heard:
        """Return what a user gathers from ``reply``: its text; the ranking is not heard.

        Where the system does not say whether it recommends, the titles in its text are taken for recommended. A title
        that may mean several items means the one that stands highest in the ranking, and none where none does.
        """
        mentions = self._index.find(reply.text)
        named = [_choose(mention.items, reply.ranking) for mention in mentions]
        items = tuple(self._catalogue.by_id[name] for name in dict.fromkeys(filter(None, named)))
        recommended = () if reply.recommends is False else items
        strange = None in named or bool(reply.unknown)
        return Heard(
            text=reply.text,
            items=recommended,
            unnamed=not recommended and reply.recommends is not False and (reply.recommends is True or strange),
            topic=self._topic_of(reply.text),
        )

    def find(self, title: str) -> Item | None:
        """Return the item with a title as a user writes it, None where there is none or more than one."""
        names = {name for mention in self._index.find(f'"{title.strip()}"') for name in mention.items}
        return self._catalogue.by_id[names.pop()] if len(names) == 1 else None

    def _topic_of(self, text: str) -> Topic | None:
        asked = [part for part, end in _SENTENCE.findall(text) if end == "?" and part.strip()]
        if not asked:
            return None
        question = asked[-1]
        found = next((topic for topic, pattern in _TOPICS.items() if pattern.search(question)), None)
        if found is not None:
            return found
        lower = question.lower()
        return "kinds" if any(name in lower for name in self._attributes) else "other"


def _choose(items: Sequence[str], ranking: Sequence[str]) -> str | None:
    """Return the one of ``items`` that a title means."""
    return items[0] if len(items) == 1 else next((name for name in ranking if name in items), None)
