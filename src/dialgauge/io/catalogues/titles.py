"""Titles of a catalogue in a text, as whole titles.

The text is read word by word from the left; of the titles that begin at a word the longest counts, and none begins
inside another. Words are compared without case, accents and apostrophes; signs between the words do not matter,
except that a stop, an exclamation or question mark, a semicolon, a bracket, a quotation mark or a line break ends a
title unless the title has it in the same place. A possessive s may follow. A number right behind a title
("Annabelle 2", "Rocky IV") makes it another title.

A title of one word (an article not counted), or of everyday words only (`everyday.txt`), counts only where it is
written as a title:

- its year follows in brackets, or
- it stands alone in quotation marks, asterisks or underscores, or
- it has capitals where the catalogue has them; no other name (a word with a capital, or a number, but
  neither an article nor I) stands right beside it; and at least one of its capitals does not just open a sentence. One
  word that is not an everyday word may also open a sentence.

The year may be left out where one item has the title. With a year, the item of that year counts, else one whose year is
unknown, else none: it is a title that the catalogue does not have.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dialgauge.io.catalogues.building import without_collecting
from dialgauge.io.catalogues.names import (
    Word,
    everyday_words,
    forms_of,
    split_remark,
    split_year,
    strip_marks,
    words_of,
)
from dialgauge.model.item import Item

_YEAR_BEHIND = re.compile(
    r"[.!?…'\"”“’»*_`)]*+(?:\](?:\([^()\s]*+\))?)?+[*_]*+,?+[*_\"”]*+\s*+[(\[]\s*+(\d{4})\s*+[)\]]"
)
_BARE_YEAR = re.compile(r"\(\d{4}\)")
_NUMBER_BEHIND = re.compile(r"\s(?:\d{1,2}|I{2,3}|I?[VX]|VI{1,3})(?!\w)")
_QUOTES = frozenset("'\"“”„‘’«»*_`")
_BREAKS = frozenset('.!?;()[]{}"“”„«»*\n…')
_ARTICLES = frozenset({"a", "an", "the"})
_NO_NAMES = _ARTICLES | {"i"}
_OPENS = frozenset(".!?…\n")
_ENDS = frozenset(".,!?;:")
_FAR_ENOUGH = 80
"""Signs before a word among which the end of the last sentence is looked for."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A title in a text, from ``start`` to before ``end`` (characters), as it is written there.

    ``items`` are the ids of the items that may be meant: one; several where the title alone does not tell; none where
    the year behind it is that of no item.
    """

    text: str
    start: int
    end: int
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """An item under one of its names; ``whole`` tells whether that is its title without any remark cut off."""

    id: str
    year: int | None
    whole: bool


@dataclass(slots=True)
class _Node:
    """All titles with the same first words; those that end here are ``entries``, written as in ``spellings``."""

    following: dict[str, "_Node"] = field(default_factory=dict)
    entries: list[_Entry] = field(default_factory=list)
    spellings: set[tuple[str, ...]] = field(default_factory=set)
    signs: frozenset[str] = frozenset()


class TitleIndex:
    """All titles of a catalogue, to be found in a text in time that hardly depends on how many there are.

    ``unfindable`` are the ids of the items whose title has no word.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._root = _Node()
        with without_collecting():
            self.unfindable = tuple(self._add_all(items))

    def _add_all(self, items: Iterable[Item]) -> Iterator[str]:
        """Add the titles of ``items``, and yield the ids of those that cannot be found."""
        for item in items:
            title, year = split_year(item.title)
            if not self._add(title, _Entry(item.id, item.year if item.year is not None else year, whole=True)):
                yield item.id
                continue
            short = split_remark(title)
            if short != title:
                self._add(short, _Entry(item.id, item.year if item.year is not None else year, whole=False))

    def _add(self, name: str, entry: _Entry) -> bool:
        """Add a name of an item; return whether it has a word besides a year in brackets."""
        forms, spelling = forms_of(name)
        if not forms or _BARE_YEAR.fullmatch(name):
            return False
        node = self._root
        for form in forms:
            following = node.following
            node = following.get(form) or following.setdefault(form, _Node())
        node.entries.append(entry)
        node.spellings.add(spelling)
        node.signs = node.signs.union(_BREAKS.intersection(name))
        return True

    def find(self, text: str) -> tuple[Mention, ...]:
        """Return the titles in ``text`` in their order."""
        words = words_of(text)
        found: list[Mention] = []
        at = 0
        while at < len(words):
            mention, width = self._find_at(text, words, at)
            if mention is not None:
                found.append(mention)
            at += width
        return tuple(found)

    def _find_at(self, text: str, words: Sequence[Word], at: int) -> tuple[Mention | None, int]:
        """Return the longest title that begins with the word ``at``, and how many words to go on."""
        for width, end, node in reversed(list(self._candidates(text, words, at))):
            start = words[at].start
            behind = year_behind(text, end)
            year = behind[0] if behind else None
            if year is None and _NUMBER_BEHIND.match(text, end):
                continue
            if not _is_written_as_title(text, words[at : at + width], end, node, at, words, year):
                continue
            return Mention(text[start:end], start, end, _choose(node.entries, year)), width
        return None, 1

    def _candidates(self, text: str, words: Sequence[Word], at: int) -> Iterable[tuple[int, int, _Node]]:
        """Yield the titles whose words stand here: number of words, end in the text, node; the shortest first."""
        node = self._root
        signs: set[str] = set()
        for position in range(at, len(words)):
            word, width = words[position], position - at + 1
            if width > 1:
                signs |= frozenset(text[words[position - 1].end : word.start]) & _BREAKS
            owner = word.owner
            last = node.following.get(owner) if owner else None
            if last is not None and last.entries and signs <= last.signs:
                yield width, word.end - 2, last
            next_node = node.following.get(word.form)
            if next_node is None:
                return
            node = next_node
            if node.entries and signs <= node.signs:
                yield width, word.end, node


def year_behind(text: str, end: int) -> tuple[int, int] | None:
    """Return the year in brackets behind the title that ends at ``end``, and where the bracket ends; None without one.

    Between them may stand signs that end a title, quotation marks, marks of Markdown, a comma and blanks.
    """
    found = _YEAR_BEHIND.match(text, end)
    return (int(found[1]), found.end()) if found else None


def find_titles(text: str, index: TitleIndex) -> tuple[str, ...]:
    """Return the ids of the items whose whole title stands in ``text``, each once, in the order of their first mention.

    A title that may mean several items counts for none of them; `TitleIndex.find` returns those too.
    """
    return tuple(dict.fromkeys(mention.items[0] for mention in index.find(text) if len(mention.items) == 1))


def _choose(entries: Sequence[_Entry], year: int | None) -> tuple[str, ...]:
    """Return the items that are meant: those of the year that was written, or all where none was."""
    if year is not None:
        of_year = [entry for entry in entries if entry.year == year]
        entries = of_year or [entry for entry in entries if entry.year is None]
    for narrower in (
        [entry for entry in entries if entry.whole],
        [entry for entry in entries if entry.whole and entry.year is None],
    ):
        if len({entry.id for entry in entries}) > 1 and narrower:
            entries = narrower
    return tuple(dict.fromkeys(entry.id for entry in entries))


def _is_written_as_title(
    text: str, title: Sequence[Word], end: int, node: _Node, at: int, words: Sequence[Word], year: int | None
) -> bool:
    """Whether a title that could be plain speech is meant as one; longer titles of rare words always are."""
    everyday = all(word.form in everyday_words() or word.form.isdecimal() for word in title)
    possessive = end < title[-1].end
    if not everyday and sum(word.form not in _ARTICLES for word in title) > 1:
        return True
    if everyday and possessive and len(title) == 1:
        return False
    if year is not None and any(entry.year in (year, None) for entry in node.entries):
        return True
    if _is_quoted(text, title[0].start, end):
        return True
    return _has_its_capitals(text, title, end, node, everyday=everyday) and not _is_part_of_name(
        text, title, end, at, words
    )


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether nothing but the title, and perhaps a sign at its end, stands in quotation marks or the like."""
    behind = text[end : end + 2]
    closed = behind[:1] in _QUOTES or (behind[:1] in _ENDS and behind[1:] in _QUOTES)
    return start > 0 and text[start - 1] in _QUOTES and closed


def _has_its_capitals(text: str, title: Sequence[Word], end: int, node: _Node, *, everyday: bool) -> bool:
    """Whether the letters are those of the catalogue, with a capital that does not just open a sentence."""
    written = [*(word.written for word in title[:-1]), text[title[-1].start : end]]
    if tuple(map(strip_marks, written)) not in node.spellings:
        return False
    opening = _opens_sentence(text, title[0].start) and (everyday or len(title) > 1)
    return any(word[0].isupper() for word in written[opening:])


def _opens_sentence(text: str, start: int) -> bool:
    """Whether only signs and blanks stand between the end of a sentence and ``start``."""
    before = text[max(0, start - _FAR_ENOUGH) : start].rstrip(" \t\"'“”‘’«»*_`(-–•")
    return not before or before[-1] in _OPENS


def _is_part_of_name(text: str, title: Sequence[Word], end: int, at: int, words: Sequence[Word]) -> bool:
    """Whether a word with a capital or a number stands right before or behind, with but a blank between."""
    if at:
        before = words[at - 1]
        near = not text[before.end : title[0].start].strip(" ")
        if near and _is_name(before) and not _opens_sentence(text, before.start):
            return True
    following = at + len(title)
    if following == len(words) or end < title[-1].end:
        return False
    behind = words[following]
    return not text[end : behind.start].strip(" ") and _is_name(behind)


def _is_name(word: Word) -> bool:
    return word.form not in _NO_NAMES and (word.written[0].isupper() or word.written[0].isdecimal())
