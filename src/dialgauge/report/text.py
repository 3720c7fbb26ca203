"""Names and sentences as they are printed: in one line, of bounded width, with nothing that could steer a terminal."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from rich.cells import cell_len, set_cell_size

from dialgauge.report.numerals import DASH, MINUS

ELLIPSIS = "…"
JOINERS = "\u200c\u200d"
APOSTROPHE = "’"
UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}

_APOSTROPHES = re.compile(r"(?<=\w)'(?=\w)|(?<=\b(?:raters|groups|others))'(?= )", re.IGNORECASE)
_MINUS_SIGNS = re.compile(r"(?<=\d )-(?= \w)|(?<![\w.-])-(?=\.?\d)")

_PLAIN = str.maketrans(
    {
        MINUS: "-",
        DASH: "-",
        "—": "-",
        ELLIPSIS: "...",
        "×": "x",
        "≈": "~",
        "✓": "v",
        "✗": "x",
        "±": "+/-",
        "≥": ">=",
        "≤": "<=",
        "²": "^2",
        "α": "alpha",
        "σ": "sigma",
        "─": "-",
    }
    | dict.fromkeys("‘’", "'")
    | dict.fromkeys("“”", '"')
)


def clean(text: str) -> str:
    """Return ``text`` in one line with control characters, escape sequences and changes of direction made visible."""
    unsafe = (c for c in set(text) if unicodedata.category(c) in UNSAFE and c not in JOINERS)
    return text.translate({ord(c): c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in unsafe})


def name_source(source: str, *, title: str = "", otherwise: str = "Ratings") -> str:
    """Return what a page is headed by: ``title``, else the last part of ``source``, else ``otherwise``."""
    return clean(title or PurePath(source).name) or otherwise


def typeset(text: str) -> str:
    """Write apostrophes and minus signs of a sentence as printers do: ``raters’ severity``, ``−.012``, ``1 − x``."""
    return _MINUS_SIGNS.sub(MINUS, _APOSTROPHES.sub(APOSTROPHE, text))


def to_ascii(text: str) -> str:
    """Write ``text`` in ASCII: signs by their nearest kin, other letters by their code."""
    return text.translate(_PLAIN).encode("ascii", "backslashreplace").decode("ascii")


def join(words: Sequence[str], last: str = "and") -> str:
    """Write a list in words: ``a, b and c``."""
    return " ".join([", ".join(words[:-1]), last, words[-1]]) if len(words) > 1 else "".join(words)


def shorten(text: str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """Cut ``text`` to ``width`` cells of a terminal, its end replaced by an ellipsis."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - len(ellipsis), 0)).rstrip(" _-") + ellipsis


def shorten_all(names: Iterable[str], width: int, ellipsis: str = ELLIPSIS) -> list[str]:
    """Cut each name to ``width`` cells; names that would look the same keep their end instead of their middle."""
    whole = list(names)
    short = [shorten(name, width, ellipsis) for name in whole]
    return [
        _cut_middle(name, width, ellipsis) if cut != name and short.count(cut) > 1 else cut
        for name, cut in zip(whole, short, strict=True)
    ]


def distinguish(names: Iterable[str], width: int) -> list[str]:
    """Cut names to ``width`` cells as `shorten_all` does and number those that still look the same: ``name #2``."""
    found: list[str] = []
    seen: dict[str, int] = {}
    for name in shorten_all(names, width):
        seen[name] = seen.get(name, 0) + 1
        found.append(f"{name} #{seen[name]}" if seen[name] > 1 else name)
    return found


def _cut_middle(text: str, width: int, ellipsis: str) -> str:
    """Keep both ends of ``text``, a little more of the beginning."""
    room = width - len(ellipsis)
    tail = text
    while cell_len(tail) > room // 2:
        tail = tail[1:]
    return set_cell_size(text, room - cell_len(tail)) + ellipsis + tail
