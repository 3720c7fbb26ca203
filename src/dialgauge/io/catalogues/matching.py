"""Whether any of some titles stands in a text: the rules by which success in conversation is counted."""

from collections.abc import Iterable
from typing import Literal

from dialgauge.io.catalogues.names import split_year

TitleMatch = Literal["whole", "substring"]
"""A title counts as a whole, from the edge of a word to the edge of a word; or anywhere, also inside other words."""


def mentions_any(text: str, titles: Iterable[str], *, match: TitleMatch = "whole") -> bool:
    """Tell whether ``text`` has any of ``titles``, without regard to case and to the year at the end of a title.

    ``"whole"`` asks that neither a letter nor a digit nor an underscore stands right before or behind the title.
    ``"substring"`` is the rule of the published work (Huang et al. 2024): with it "up" is found in "cup". A title that
    is nothing but a year in brackets is never found. The year is not compared, and everyday words count: for the items
    that are meant see `find_titles`.
    """
    said = _prepare(text)
    names = (_prepare(split_year(title)[0]) for title in titles)
    if match == "substring":
        return any(name in said for name in names if not _is_year(name))
    return any(_has_whole(said, name) for name in names if not _is_year(name))


def _prepare(text: str) -> str:
    return " ".join(text.replace("’", "'").split()).casefold()


def _is_year(name: str) -> bool:
    return not name or (len(name) == 6 and name[0] == "(" and name[-1] == ")" and name[1:-1].isdecimal())


def _has_whole(text: str, name: str) -> bool:
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _is_word(text[at - 1 : at]) and not _is_word(text[end : end + 1]):
            return True
        at = text.find(name, at + 1)
    return False


def _is_word(sign: str) -> bool:
    """Whether a sign, if any, is part of a word."""
    return sign.isalnum() or sign == "_"
