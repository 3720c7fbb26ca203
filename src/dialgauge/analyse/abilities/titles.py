"""Titles in what was said: those of the targets, those of the catalogue, and those of no catalogue."""

from collections.abc import Collection

from dialgauge.io.catalogues import (
    Mention,
    TitleIndex,
    TitleMatch,
    WrittenTitle,
    find_titles,
    find_written,
    mentions_any,
)
from dialgauge.io.catalogues.names import everyday_words, forms_of, split_year
from dialgauge.model.item import Catalogue
from dialgauge.systems.wants import WantsReader


class Titles:
    """Looks up titles, and attributes by their names, in one catalogue; by one rule for the titles of targets."""

    def __init__(self, catalogue: Catalogue, *, match: TitleMatch) -> None:
        self.items = catalogue.by_id
        self.wants = WantsReader(catalogue, cues=False)
        self._titles = {item.id: item.title for item in catalogue}
        self._index = TitleIndex(catalogue)
        self._match: TitleMatch = match

    def names_any(self, text: str, items: Collection[str]) -> bool:
        """Whether ``text`` has the title of one of ``items``."""
        return mentions_any(text, [self._titles[item] for item in items], match=self._match)

    def names_surely(self, text: str, items: Collection[str]) -> bool:
        """Whether ``text`` has such a title that is not a single everyday word, or is written as a title.

        "It" and "Up" are said in many conversations; in quotation marks or before their year they are titles.
        """
        names = [self._titles[item] for item in items]
        long = [name for name in names if not _is_everyday(name)]
        if mentions_any(text, long, match=self._match):
            return True
        short = [name for name in names if _is_everyday(name)]
        if not mentions_any(text, short, match=self._match):
            return False
        written = {title.words for title in self.written_in(text) if title.known}
        return any(_words(name) in written for name in short)

    def items_in(self, text: str) -> tuple[str, ...]:
        """Return the ids of the items whose whole title stands in ``text``."""
        return find_titles(text, self._index)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return the whole titles of the catalogue in ``text``, with their places."""
        return tuple(mention for mention in self._index.find(text) if mention.items)

    def written_in(self, text: str) -> tuple[WrittenTitle, ...]:
        """Return what is written as a title, in quotation marks or before a year, and whether the catalogue has it."""
        return find_written(text, self._index)


def _words(title: str) -> tuple[str, ...]:
    return forms_of(split_year(title)[0])[0]


def _is_everyday(title: str) -> bool:
    """Whether a title is one word, an article not counted, that is said in any conversation."""
    words = [word for word in _words(title) if word not in {"a", "an", "the"}]
    return len(words) == 1 and words[0] in everyday_words()
