"""What is written as a title in a text, be it of the catalogue or of none."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dialgauge.io.catalogues.names import Word, everyday_words, words_of
from dialgauge.io.catalogues.titles import Mention, TitleIndex, year_behind

_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»\n]{1,200})[\"”“»]")
_YEAR = re.compile(r"[(\[]\s*\d{4}\s*[)\]]")
_OPENING = re.compile(r"[\"“„«][^\w\"“”„«»\n]*$")
_CLOSING = re.compile(r"(?:\s*\([^()\"“”\n]*\))?[^\w\"“”„«»\n]*[\"”“»]")
_BETWEEN = re.compile(r"\s*:?[ \t]+|[-–—'’/]")
_LINKS = frozenset(
    {"a", "an", "and", "at", "by", "de", "for", "from", "in", "la", "le", "of", "on", "the", "to", "with"}
)
_NEAR = 8
"""Signs before a title among which its opening quotation mark is looked for."""


@dataclass(frozen=True, slots=True)
class WrittenTitle:
    """A title as it is written: its words in the form that is compared, and the year behind it, None without one.

    ``known`` tells whether the catalogue has it. Of an unknown title without capitals the last two words are ``words``.
    """

    words: tuple[str, ...]
    year: int | None
    known: bool

    def repeats(self, other: "WrittenTitle") -> bool:
        """Whether this may be ``other`` once more: the same year, or none, and the same words or the last of them."""
        if self.known != other.known or (self.year != other.year and self.year is not None):
            return False
        if self.known or self.year is None:
            return self.words == other.words
        return other.words[-len(self.words) :] == self.words


def find_written(text: str, index: TitleIndex) -> tuple[WrittenTitle, ...]:
    """Return what ``text`` has as titles: in double quotation marks with a capital or figure first, or with a year.

    The year stands in brackets behind the title, which may be in marks of Markdown or single quotation marks. Whatever
    ``index`` finds so is known; where it finds the title and the year is that of no item, it is not. The words of
    an unknown title without quotation marks reach back over words with capitals.
    """
    return tuple(title for _, title in sorted(_find(text, index), key=lambda found: found[0]))


def count_titles(titles: Iterable[WrittenTitle]) -> tuple[int, int]:
    """Return how many titles were written, and how many of them are unknown, each title and year once."""
    by_end: dict[str, dict[WrittenTitle, None]] = defaultdict(dict)
    for title in titles:
        by_end[title.words[-1]][title] = None
    once = [
        title
        for alike in by_end.values()
        for title in alike
        if not any(title is not other and title.repeats(other) for other in alike)
    ]
    return len(once), sum(not title.known for title in once)


def _find(text: str, index: TitleIndex) -> Iterator[tuple[int, WrittenTitle]]:
    taken = bytearray(len(text))
    for mention in index.find(text):
        year = year_behind(text, mention.end)
        closing = _CLOSING.match(text, mention.end) if _opens(text, mention) else None
        if year is None and closing is None:
            continue
        if year is None and closing is not None:
            year = year_behind(text, closing.end())
        _take(taken, mention.start, mention.end if year is None else year[1])
        words = tuple(word.form for word in words_of(mention.text))
        yield mention.start, WrittenTitle(words, None if year is None else year[0], known=bool(mention.items))
    yield from _find_quoted(text, taken)
    yield from _find_dated(text, taken)


def _opens(text: str, mention: Mention) -> bool:
    """Whether a double quotation mark opens right before a title that begins with a capital or a figure."""
    first = mention.text[0]
    before = text[max(0, mention.start - _NEAR) : mention.start]
    return (first.isupper() or first.isdecimal()) and _OPENING.search(before) is not None


def _find_quoted(text: str, taken: bytearray) -> Iterator[tuple[int, WrittenTitle]]:
    """Yield the unknown titles in quotation marks, and add all quoted places to ``taken``."""
    for quoted in _QUOTED.finditer(text):
        start, end = quoted.span(1)
        if any(taken[start:end]):
            continue
        inner = list(_YEAR.finditer(text, start, end))
        if inner and words_of(text[inner[-1].end() : end]):
            continue
        year = year_behind(text, end)
        words = words_of(text[start : inner[-1].start()] if inner else quoted[1])
        if inner:
            year = (int(inner[-1][0].strip("()[] \t")), end)
        _take(taken, start, end if year is None else year[1])
        if words and (words[0].written[0].isupper() or words[0].written[0].isdecimal()):
            found = tuple(word.form for word in words)
            yield start, WrittenTitle(found, None if year is None else year[0], known=False)


def _find_dated(text: str, taken: bytearray) -> Iterator[tuple[int, WrittenTitle]]:
    """Yield the unknown titles that only a year in brackets tells."""
    words = words_of(text)
    for last, word in enumerate(words):
        year = year_behind(text, word.end)
        if year is None or any(taken[word.end : year[1]]):
            continue
        title = _reach_back(text, words, last)
        if title:
            yield title[0].start, WrittenTitle(tuple(w.form for w in title), year[0], known=False)


def _reach_back(text: str, words: Sequence[Word], last: int) -> Sequence[Word]:
    """Return the words of the title that ends with ``words[last]``; none where that is plain speech ("from (2017)")."""
    if not _is_capital(words[last]):
        if words[last].form in everyday_words():
            return ()
        before = last and _BETWEEN.fullmatch(text, words[last - 1].end, words[last].start) is not None
        return words[last - 1 : last + 1] if before else words[last : last + 1]
    first = at = last
    while at and _BETWEEN.fullmatch(text, words[at - 1].end, words[at].start):
        at -= 1
        if _is_capital(words[at]):
            first = at
        elif words[at].form not in _LINKS:
            break
    return words[first : last + 1]


def _is_capital(word: Word) -> bool:
    return word.written[0].isupper() or word.written[0].isdecimal() or word.written == "&"


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\x01" * (end - start)
