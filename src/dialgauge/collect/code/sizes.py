"""How much is said, and by whom. Counts and shares; words as in `dialgauge.collect.code.words`."""

from dialgauge.collect.code.words import SYSTEM, split_words, turns_of
from dialgauge.model import Dialogue


def count_turns(dialogue: Dialogue) -> float:
    """Return the number of turns of all speakers, 1 or more."""
    return float(len(dialogue.turns))


def words_per_turn(dialogue: Dialogue, speaker: str) -> float | None:
    """Return the mean number of words in a turn of ``speaker``, 0 or more; None where the speaker has no turn."""
    turns = turns_of(dialogue, speaker)
    return sum(len(split_words(text)) for text in turns) / len(turns) if turns else None


def word_share_system(dialogue: Dialogue) -> float | None:
    """Return the system's share (0 to 1) of the words of all speakers; None where nobody says a word."""
    counts = [(turn.speaker, len(split_words(turn.text))) for turn in dialogue.turns]
    total = sum(count for _, count in counts)
    return sum(count for speaker, count in counts if speaker == SYSTEM) / total if total else None
