"""Whether user and system talk alike."""

from statistics import fmean

from dialgauge.collect.code.vocabulary import CATEGORIES
from dialgauge.collect.code.words import SYSTEM, USER, words_of
from dialgauge.model import Dialogue

_TINY = 0.0001


def style_matching(dialogue: Dialogue) -> float | None:
    """Return how alike user and system are in their function words (0 to 1); None where one of them says no word.

    Ireland and Pennebaker (2010): 1 - |p_u - p_s| / (p_u + p_s + 0.0001) with the percentages p of words in a
    category, mean over nine categories. A category that neither uses counts as alike.
    """
    user, system = words_of(dialogue, USER), words_of(dialogue, SYSTEM)
    if not user or not system:
        return None
    pairs = [(_percent(user, words), _percent(system, words)) for words in CATEGORIES.values()]
    return fmean(1.0 - abs(p_u - p_s) / (p_u + p_s + _TINY) for p_u, p_s in pairs)


def _percent(words: list[str], category: frozenset[str]) -> float:
    return 100.0 * sum(word in category for word in words) / len(words)
