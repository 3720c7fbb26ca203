"""Words and sentences of a dialogue, the same way for every measure.

A word is a run of letters, marks and digits, with apostrophes inside (``don't`` is one word, ``well-known`` two),
without regard to case. A sentence ends with a stop before a blank, with a line, or with a turn. All runs in time linear
in the length of the text.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from dialgauge.model import Dialogue

USER, SYSTEM = "user", "system"

_APOSTROPHES = str.maketrans(dict.fromkeys("’ʼ＇", "'"))
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$)|[。！？]++|[\r\n\u2028\u2029]++")


def turns_of(dialogue: Dialogue, speaker: str) -> list[str]:
    """Return the texts of the turns of ``speaker``, in order."""
    return [turn.text for turn in dialogue.turns if turn.speaker == speaker]


def words_of(dialogue: Dialogue, speaker: str) -> list[str]:
    """Return all words of ``speaker``, in order."""
    return [word for text in turns_of(dialogue, speaker) for word in split_words(text)]


def split_words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case, with straight apostrophes and in Unicode's composed form."""
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).translate(_APOSTROPHES)
    apart = {ord(sign): _blank_for(sign) for sign in set(plain) if sign != "'" and _kind(sign) not in "LMN"}
    return [word for part in plain.translate(apart).split() if (word := part.strip("'"))]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of ``text`` with their stops, blanks around them left out."""
    return [sentence for piece in _pieces(text) if (sentence := piece.strip())]


def _pieces(text: str) -> Iterator[str]:
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    for start, end in pairwise(ends):
        yield text[start:end]


def _kind(sign: str) -> str:
    """Return the first letter of the Unicode category: L letter, M mark, N number, and others."""
    return unicodedata.category(sign)[0]


def _blank_for(sign: str) -> str:
    """Return what stands in the place of a sign that is no part of a word: nothing where the sign is invisible."""
    return "" if unicodedata.category(sign) == "Cf" else " "
