"""How the dialogue goes: silences, questions, repetition."""

import re
from itertools import pairwise
from statistics import fmean

from dialgauge.collect.code.words import SYSTEM, USER, split_words, turns_of
from dialgauge.model import Dialogue

# A mark before an ASCII letter or digit stands inside an address, as in page?id=3.
_MARKS = re.compile(r"(?<![!?！？؟])[!?！？؟]++(?![A-Za-z0-9])")
_QUESTION = frozenset("?？؟")


def response_latency(dialogue: Dialogue) -> float | None:
    """Return the mean silence in seconds (0 or more) between a user turn and the system turn right after it.

    Where the system starts before the user has ended there is no silence: 0. Pairs without both times are not
    counted; None where no pair has them. The gap between turns after Heldner and Edlund (2010), without overlaps.
    """
    silences = [
        max(0.0, reply.start - turn.end)
        for turn, reply in pairwise(dialogue.turns)
        if turn.speaker == USER and reply.speaker == SYSTEM and turn.end is not None and reply.start is not None
    ]
    return fmean(silences) if silences else None


def questions_per_turn(dialogue: Dialogue, speaker: str) -> float | None:
    """Return the mean number of questions in a turn of ``speaker``; None where the speaker has no turn.

    A row of marks with a question mark in it is one question.
    """
    turns = turns_of(dialogue, speaker)
    return sum(_count_questions(text) for text in turns) / len(turns) if turns else None


def repeated_trigrams(dialogue: Dialogue, speaker: str) -> float | None:
    """Return the share (0 to 1) of 3-grams that an earlier turn of ``speaker`` had already.

    Each 3-gram counts once a turn: 1 - |union of the turns' 3-grams| / sum of their numbers. None where no turn has
    three words. After the repetition of n-grams in Welleck et al. (2020), here across turns only.
    """
    turns = [set(zip(words, words[1:], words[2:], strict=False)) for words in _words_of_turns(dialogue, speaker)]
    total = sum(map(len, turns))
    return 1.0 - len(set().union(*turns)) / total if total else None


def repeated_turns(dialogue: Dialogue, speaker: str) -> float | None:
    """Return the share (0 to 1) of turns of ``speaker`` whose words are those of an earlier one.

    Turns without words are not counted; None where there is no other.
    """
    turns = [tuple(words) for words in _words_of_turns(dialogue, speaker) if words]
    return 1.0 - len(set(turns)) / len(turns) if turns else None


def _words_of_turns(dialogue: Dialogue, speaker: str) -> list[list[str]]:
    return [split_words(text) for text in turns_of(dialogue, speaker)]


def _count_questions(text: str) -> int:
    return sum(not _QUESTION.isdisjoint(match[0]) for match in _MARKS.finditer(text))
