"""What a user asked for, read out of the user's words: kinds, years and people that a catalogue knows."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from dialgauge.io.catalogues.names import Word, split_remark, words_of
from dialgauge.model.item import Catalogue, Item

TITLE = "§"
"""Stands in a text where a title stood."""

_LONGEST = 6
"""Words of the longest phrase that is looked for."""

_NO = frozenset(
    {"no", "not", "never", "without", "nothing", "dont", "doesnt", "isnt", "cant", "wont", "hate", "dislike", "avoid"}
    | {"except", "tired", "bored", "too"}
)
_LIST = frozenset({"or", "and", "nor"})
_WINDOW = 4
"""How many words before a phrase may deny it."""

FIRST, LAST, RECENT_FROM, OLD_UNTIL = 1800, 2100, 2000, 1979


def _decade(found: re.Match[str]) -> tuple[int, int]:
    tens = int(found[2])
    first = 100 * int(found[1] or ("20" if tens < 3 else "19")) + 10 * tens
    return first, first + 9


_Y = r"((?:18|19|20)\d\d)"
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[int, int]]], ...] = (
    (
        re.compile(rf"\b{_Y}\s*(?:-|–|and|to)\s*{_Y}\b"),
        lambda m: (min(int(m[1]), int(m[2])), max(int(m[1]), int(m[2]))),
    ),
    (re.compile(rf"\b(?:after|since|newer than|later than)\s+{_Y}\b"), lambda m: (int(m[1]), LAST)),
    (re.compile(rf"\b(?:before|until|older than|earlier than)\s+{_Y}\b"), lambda m: (FIRST, int(m[1]) - 1)),
    (re.compile(r"\b(1[89]|20)?(\d)0['’]?s\b"), _decade),
    (re.compile(rf"\b(?:from|in|of)\s+{_Y}\b"), lambda m: (int(m[1]), int(m[1]))),
    (re.compile(r"\b(?:recent|newer|modern|latest)\b"), lambda _: (RECENT_FROM, LAST)),
    (re.compile(r"\b(?:older|old-fashioned|vintage)\b"), lambda _: (FIRST, OLD_UNTIL)),
)

_AS_WELL = re.compile(r",?\s+(?:too|as well)\b")
_Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wants:
    """What was asked for: attributes that are liked and disliked, the first and last year, and people."""

    liked: tuple[str, ...] = ()
    disliked: tuple[str, ...] = ()
    years: tuple[int, int] | None = None
    people: tuple[str, ...] = ()

    def allow(self, item: Item) -> bool:
        """Tell whether the catalogue says that ``item`` is all of this and nothing that is disliked."""
        return (
            not set(self.disliked) & set(item.attributes)
            and set(self.liked) <= set(item.attributes)
            and set(self.people) <= set(item.people)
            and (self.years is None or (item.year is not None and self.years[0] <= item.year <= self.years[1]))
        )


class WantsReader:
    """Knows the attributes and people of a catalogue by name; a person counts with first and last name.

    Without ``cues`` an attribute is known by its own name alone, not by "scary" for horror.
    """

    def __init__(self, catalogue: Catalogue, *, cues: bool = True) -> None:
        attributes = dict.fromkeys(name for item in catalogue for name in item.attributes)
        self._attributes: dict[_Phrase, str] = {}
        for name, words in read_cues().items() if cues else ():
            if name in attributes:
                self._attributes |= {stems(cue): name for cue in words}
        for name in attributes:
            self._attributes.setdefault(stems(split_remark(name)), name)
        people = dict.fromkeys(name for item in catalogue for name in item.people)
        self._people = {phrase: name for name in people if len(phrase := stems(name)) > 1}

    def read(self, texts: Sequence[str]) -> Wants:
        """Return what the ``texts``, oldest first, ask for; of what contradicts itself the last counts."""
        liked: dict[str, bool] = {}
        people: dict[str, bool] = {}
        years: tuple[int, int] | None = None
        for text in texts:
            for phrase, wanted in self._find(text):
                found, names = (liked, self._attributes) if phrase in self._attributes else (people, self._people)
                found.pop(names[phrase], None)
                found[names[phrase]] = wanted
            years = read_years(text) or years
        return Wants(
            liked=tuple(name for name, wanted in liked.items() if wanted),
            disliked=tuple(name for name, wanted in liked.items() if not wanted),
            years=years,
            people=tuple(name for name, wanted in people.items() if wanted),
        )

    def _find(self, text: str) -> Iterator[tuple[_Phrase, bool]]:
        """Yield known phrases and whether they are wanted; in a list with and/or they share that."""
        words = words_of(text)
        forms = [_stem(word.form) for word in words]
        at, end, wanted = 0, len(words), True
        while at < len(words):
            phrase = next((p for p in _phrases_at(forms, at) if p in self._attributes or p in self._people), None)
            if phrase is None:
                at += 1
                continue
            listed = end == at or (end == at - 1 and forms[end] in _LIST)
            if not listed or _ends_clause(text[words[end - 1].end : words[at].start]):
                wanted = not _is_denied(text, words, at, at + len(phrase))
            yield phrase, wanted
            at += len(phrase)
            end = at


def read_years(text: str) -> tuple[int, int] | None:
    """Return the first and last year that a text asks for, as in "the 90s", "after 2010", "from 1994"; None if any."""
    said = text.casefold()
    for pattern, years in _PATTERNS:
        if found := pattern.search(said):
            return years(found)
    return None


@cache
def read_cues() -> Mapping[str, Sequence[str]]:
    """Return the words in which people ask for each kind."""
    text = (resources.files("dialgauge.systems") / "cues.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def stems(text: str) -> _Phrase:
    """Return the words of ``text`` in the form that is compared: without case, accents and the s of a plural."""
    return tuple(_stem(word.form) for word in words_of(text))


def _stem(form: str) -> str:
    if len(form) > 4 and form.endswith("ies"):
        return form[:-3] + "y"
    return form[:-1] if len(form) > 3 and form.endswith("s") and not form.endswith("ss") else form


def _phrases_at(forms: Sequence[str], at: int) -> Iterator[_Phrase]:
    """Yield what begins at a word, the longest first."""
    for width in range(min(_LONGEST, len(forms) - at), 0, -1):
        yield tuple(forms[at : at + width])


def _is_denied(text: str, words: Sequence[Word], at: int, end: int) -> bool:
    """Tell whether the words before ``at`` in its clause say no to a phrase that ends before ``end``.

    "I don't mind X" does not; nor does "TITLE isn't X", which complains that it is not; "TITLE is X, too" does.
    """
    for i in range(at - 1, max(-1, at - 1 - _WINDOW), -1):
        gap = text[words[i].end : words[i + 1].start]
        if TITLE in gap:
            return _AS_WELL.match(text, words[end - 1].end) is not None
        if "," in gap or _ends_clause(gap) or words[i].form in {"but", "mind"}:
            return False
        if words[i].form in _NO:
            return TITLE not in text[words[i - 2].end if i > 1 else 0 : words[i].start]
    return TITLE in text[: words[at].start] and _AS_WELL.match(text, words[end - 1].end) is not None


def _ends_clause(gap: str) -> bool:
    return any(sign in gap for sign in ".;:!?\n")
