"""How things are put: density, variety and readability of the words. The word lists and syllables are English."""

import re
from collections import Counter
from functools import cache
from typing import Any

from dialgauge.collect.code.extras import require
from dialgauge.collect.code.vocabulary import FUNCTION_WORDS
from dialgauge.collect.code.words import split_sentences, split_words, turns_of, words_of
from dialgauge.model import Dialogue

WINDOW = 50
"""Words of a window of `mattr`."""

LONGEST_WORD = 50
"""Characters of a word from which on its syllables are not looked for at the places of hyphens."""

_VOWELS = re.compile(r"[aeiouyàáâäæãåèéêëìíîïòóôöõøœùúûü]++")
_SILENT_END = re.compile(r"(?:[^aeiouyl]e|[^aeiouytd]ed|[^aeiouyszxhcg]es)$")


def lexical_density(dialogue: Dialogue, speaker: str) -> float | None:
    """Return the share (0 to 1) of the words of ``speaker`` that are no function words; None without words.

    Ure (1971): content words / words.
    """
    words = words_of(dialogue, speaker)
    return sum(word not in FUNCTION_WORDS for word in words) / len(words) if words else None


def mattr(dialogue: Dialogue, speaker: str) -> float | None:
    """Return the moving-average type-token ratio (1/50 to 1); None below 50 words.

    Covington and McFall (2010): different words / words in every window of 50 words in a row, mean over the windows.
    """
    words = words_of(dialogue, speaker)
    if len(words) < WINDOW:
        return None
    inside = Counter(words[:WINDOW])
    types = len(inside)
    for entering, leaving in zip(words[WINDOW:], words, strict=False):
        inside[entering] += 1
        inside[leaving] -= 1
        if not inside[leaving]:
            del inside[leaving]
        types += len(inside)
    return types / (len(words) - WINDOW + 1) / WINDOW


def reading_ease(dialogue: Dialogue, speaker: str) -> float | None:
    """Return how easy the turns of ``speaker`` are to read (at most 121.22, high is easy); None without words.

    Flesch (1948): 206.835 - 1.015 words / sentences - 84.6 syllables / words.
    """
    counts = _count(dialogue, speaker)
    if counts is None:
        return None
    sentences, words, syllables = counts
    return 206.835 - 1.015 * words / sentences - 84.6 * syllables / words


def grade_level(dialogue: Dialogue, speaker: str) -> float | None:
    """Return the school grade that the turns of ``speaker`` ask for (at least -3.4); None without words.

    Kincaid et al. (1975): 0.39 words / sentences + 11.8 syllables / words - 15.59.
    """
    counts = _count(dialogue, speaker)
    if counts is None:
        return None
    sentences, words, syllables = counts
    return 0.39 * words / sentences + 11.8 * syllables / words - 15.59


def count_syllables(word: str) -> int:
    """Return the syllables of a word in lower case, 1 or more.

    The larger of two counts that err on the low side: the parts between places for a hyphen (pyphen, American
    English), which miss ``mov-ie``, and the groups of vowels without a silent ending, which miss ``be-ing``.
    """
    groups = len(_VOWELS.findall(word))
    if groups > 1 and _SILENT_END.search(word):
        groups -= 1
    places = _hyphens().positions(word) if len(word) <= LONGEST_WORD else ()
    return max(1, groups, len(places) + 1)


def _count(dialogue: Dialogue, speaker: str) -> tuple[int, int, int] | None:
    """Return the numbers of sentences, words and syllables; None without words."""
    texts = [sentence for text in turns_of(dialogue, speaker) for sentence in split_sentences(text)]
    sentences = [words for text in texts if (words := split_words(text))]
    if not sentences:
        return None
    counts = Counter(word for sentence in sentences for word in sentence)
    return len(sentences), counts.total(), sum(count_syllables(word) * n for word, n in counts.items())


@cache
def _hyphens() -> Any:  # noqa: ANN401 (pyphen has no types)
    return require("pyphen").Pyphen(lang="en_US")
