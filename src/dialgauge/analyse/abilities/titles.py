"""Titles in what was said: those of the targets, those of the catalogue, and those of no catalogue."""

import re
from collections.abc import Collection, Iterator

from dialgauge.io.catalogues import Mention, TitleIndex, TitleMatch, find_titles, mentions_any
from dialgauge.model.item import Catalogue
from dialgauge.systems.wants import WantsReader

_QUOTED = re.compile(r'["“]([A-Z0-9][^"“”]{0,118}?)[.,!?]?["”](?: \(\d{4}\))?')
_YEAR = re.compile(r" \(\d{4}\)")
_STOPS = ".,!?… "


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

    def items_in(self, text: str) -> tuple[str, ...]:
        """Return the ids of the items whose whole title stands in ``text``."""
        return find_titles(text, self._index)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return the whole titles of the catalogue in ``text``, with their places."""
        return tuple(mention for mention in self._index.find(text) if mention.items)

    def titles_like(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield what is written as a title, and whether the catalogue has it.

        That is what stands in double quotation marks with a capital or figure first, and what ends with a year in
        brackets. The words of the latter are known from the catalogue alone: of an unknown one the last counts.
        """
        mentions = self.mentions(text)
        covered: list[tuple[int, int]] = []
        for quoted in _QUOTED.finditer(text):
            title = _YEAR.sub("", quoted[1]).rstrip(_STOPS)
            known = any(m.start <= quoted.start(1) + 1 and m.end >= quoted.start(1) + len(title) - 1 for m in mentions)
            covered.append(quoted.span())
            yield title.casefold(), known
        for year in _YEAR.finditer(text):
            if any(start <= year.start() < end for start, end in covered):
                continue
            mention = next((m for m in mentions if year.start() <= m.end <= year.end()), None)
            if mention is not None:
                yield _YEAR.sub("", mention.text).casefold(), True
            else:
                word = text[: year.start()].rsplit(maxsplit=1)[-1:] or [""]
                yield f"{word[0].casefold()}{year[0]}", False
