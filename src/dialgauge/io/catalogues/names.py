"""Titles and texts cut into what is compared: the year of a title, its words, and what stands between them."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

LONGEST_YEAR = 6
"""Figures."""

_YEAR = re.compile(r"\s*\((\d{4})(?:\s*[-–]\s*(?:\d{4})?)?\)\s*$")
_REMARK = re.compile(r"\s*(?:\([^()]*\)\s*(?:#\d+)?|#\d+)\s*$")
_ARTICLE = re.compile(
    r"^(?P<name>.+), (?P<article>The|An?|L[ae]s?|Les|L'|Un|Une|Der|Die|Das|El|Los|Il|Gli|I)(?P<rest>\s*\(.*\))?$"
)
_WORD = re.compile(r"&|[^\W_]+(?:['’][^\W_]+)*")
_APOSTROPHES = str.maketrans("", "", "'’")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its place, as it is written, and in the form that is compared."""

    start: int
    end: int
    written: str
    form: str

    @property
    def owner(self) -> str | None:
        """The form without a possessive s at its end, None where it has none."""
        return fold(self.written[:-2]) if self.written[-2:] in {"'s", "’s"} else None


def split_year(title: str) -> tuple[str, int | None]:
    """Part a title from the year in brackets at its end; blanks are put in order.

    A title that is nothing but a year in brackets keeps it. Of a span of years the first counts.
    """
    clean = " ".join(title.split())
    found = _YEAR.search(clean)
    if found is None or not clean[: found.start()]:
        return clean, None
    return clean[: found.start()], int(found[1])


def parse_year(text: str) -> int | None:
    """Return the year in figures, None where a text is none; one before the year 0 begins with a hyphen."""
    figures = text.strip().removeprefix("-")
    return int(text) if figures.isdecimal() and len(figures) <= LONGEST_YEAR else None


def split_remark(title: str) -> str:
    """Return a title without a remark in brackets or a number sign at its end, such as "(Horror Film)" or "#6"."""
    found = _REMARK.search(title)
    return title[: found.start()] if found and title[: found.start()].strip() else title


def place_article(title: str) -> str:
    """Return a title that is sorted by its main word in the order of speech: "Matrix, The" becomes "The Matrix"."""
    found = _ARTICLE.match(title)
    if found is None:
        return title
    gap = "" if found["article"].endswith("'") else " "
    return f"{found['article']}{gap}{found['name']}{found['rest'] or ''}"


def words_of(text: str) -> list[Word]:
    """Cut a text into its words; "&" is the word "and"."""
    return [Word(found.start(), found.end(), found[0], fold(found[0])) for found in _WORD.finditer(text)]


def forms_of(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a text in the form that is compared, and as they are written, without accents."""
    written = _WORD.findall(text)
    return tuple(map(fold, written)), tuple(map(strip_marks, written))


@lru_cache(maxsize=100_000)
def fold(word: str) -> str:
    """Return the form of a word that is compared: without case, accents and apostrophes."""
    return "and" if word == "&" else strip_marks(word).casefold()


def strip_marks(word: str) -> str:
    """Return a word without accents and apostrophes, in its capitals."""
    if word.isascii() and "'" not in word:
        return word
    plain = word.translate(_APOSTROPHES)
    return "".join(sign for sign in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(sign))


@cache
def everyday_words() -> frozenset[str]:
    """Return the words that are said in any conversation, in the form that is compared."""
    text = (resources.files("dialgauge.io.catalogues") / "everyday.txt").read_text(encoding="utf-8")
    return frozenset(fold(word) for word in text.split())
