"""Items as recommenders give them: by id, by title, or named in a text."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from dialgauge.io.catalogues import Mention, TitleIndex
from dialgauge.io.catalogues.building import without_collecting
from dialgauge.io.catalogues.names import forms_of, split_year
from dialgauge.model import Turn
from dialgauge.model.item import Catalogue, Item

_YEAR = re.compile(r"[\"”’'*_]*\s*[(\[]\d{4}[)\]]")


class ItemFinder:
    """Finds the items of one catalogue; built once, in well under a second for thousands of items.

    ``index`` is that of the titles.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.index = TitleIndex(catalogue)
        self._titles: dict[tuple[str, ...], list[Item]] = defaultdict(list)
        with without_collecting():
            for item in catalogue:
                self._titles[_key(item.title)].append(item)

    def resolve(self, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the ids of the items that ``names`` are, each once and in order, and the names that are none.

        A name is an id, or a title, which may have its year in brackets. A title of several items is none of them.
        """
        found: dict[str, None] = {}
        unknown: dict[str, None] = {}
        for name in names:
            item = name if name in self.catalogue.by_id else self._by_title(name)
            (unknown if item is None else found)[name if item is None else item] = None
        return tuple(found), tuple(unknown)

    def read(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the ids of the items whose whole title stands in ``text``, and titles with a year that no item has.

        The rules are those of `find_titles`: a title that may mean several items counts for none of them.
        """
        mentions = self.index.find(text)
        known = (mention.items[0] for mention in mentions if len(mention.items) == 1)
        unknown = (mention.text for mention in mentions if not mention.items)
        return tuple(dict.fromkeys(known)), tuple(dict.fromkeys(unknown))

    def mentioned(self, turns: Sequence[Turn]) -> frozenset[str]:
        """Return the ids of all items that may be meant by a title in ``turns``."""
        mentions: Iterable[Mention] = (mention for turn in turns for mention in self.index.find(turn.text))
        return frozenset(item for mention in mentions for item in mention.items)

    def mentions(self, text: str) -> bool:
        """Tell whether ``text`` has a title, be it of one item or of several."""
        return any(mention.items for mention in self.index.find(text))

    def without_titles(self, text: str) -> str:
        """Return ``text`` with the sign § in the place of each title and its year."""
        kept, at = [], 0
        for mention in self.index.find(text):
            kept.append(text[at : mention.start])
            year = _YEAR.match(text, mention.end)
            at = year.end() if year else mention.end
        return " § ".join((*kept, text[at:]))

    def _by_title(self, name: str) -> str | None:
        """Return the id of the one item with a title, and with its year where one is written behind it."""
        title, year = split_year(name)
        items = self._titles.get(_key(name), []) or self._titles.get(_key(title), [])
        if year is not None:
            items = [item for item in items if item.year == year] or [item for item in items if item.year is None]
        return items[0].id if len(items) == 1 else None


def write_title(item: Item) -> str:
    """Return a title as our recommenders write it, so that it is found again: in quotation marks, with its year."""
    quoted = f'"{item.title}"'
    return quoted if item.year is None else f"{quoted} ({item.year})"


def join_names(names: Sequence[str], *, last: str = "and") -> str:
    """Return names as a list in a sentence."""
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _key(title: str) -> tuple[str, ...]:
    return forms_of(title)[0] or (title.strip().casefold(),)
