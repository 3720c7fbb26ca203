"""The built-in measures by name: those of the instrument ``measures``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial

from dialgauge.collect.code.course import questions_per_turn, repeated_trigrams, repeated_turns, response_latency
from dialgauge.collect.code.extras import require
from dialgauge.collect.code.sizes import count_turns, word_share_system, words_per_turn
from dialgauge.collect.code.style import style_matching
from dialgauge.collect.code.tone import sentiment
from dialgauge.collect.code.wording import grade_level, lexical_density, mattr, reading_ease
from dialgauge.collect.code.words import SYSTEM, USER
from dialgauge.errors import StudyError
from dialgauge.model import Dialogue

PYPHEN, VADER = "pyphen", "vaderSentiment.vaderSentiment"


@dataclass(frozen=True, slots=True)
class Measure:
    """A pure function from a dialogue to a number, or to None where it cannot be measured there.

    ``needs`` is the module that has to be installed for it.
    """

    compute: Callable[[Dialogue], float | None]
    needs: str | None = None


MEASURES: Mapping[str, Measure] = {
    "turns": Measure(count_turns),
    "words_per_turn_user": Measure(partial(words_per_turn, speaker=USER)),
    "words_per_turn_system": Measure(partial(words_per_turn, speaker=SYSTEM)),
    "word_share_system": Measure(word_share_system),
    "response_latency": Measure(response_latency),
    "questions_per_turn_system": Measure(partial(questions_per_turn, speaker=SYSTEM)),
    "repeated_trigrams_system": Measure(partial(repeated_trigrams, speaker=SYSTEM)),
    "repeated_turns_system": Measure(partial(repeated_turns, speaker=SYSTEM)),
    "lexical_density_user": Measure(partial(lexical_density, speaker=USER)),
    "lexical_density_system": Measure(partial(lexical_density, speaker=SYSTEM)),
    "mattr_user": Measure(partial(mattr, speaker=USER)),
    "mattr_system": Measure(partial(mattr, speaker=SYSTEM)),
    "reading_ease_system": Measure(partial(reading_ease, speaker=SYSTEM), PYPHEN),
    "grade_level_system": Measure(partial(grade_level, speaker=SYSTEM), PYPHEN),
    "style_matching": Measure(style_matching),
    "sentiment_user": Measure(partial(sentiment, speaker=USER), VADER),
    "sentiment_system": Measure(partial(sentiment, speaker=SYSTEM), VADER),
}
"""In the order of the instrument ``measures``."""


def check_measures(measures: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names in ``measures`` (all there are where it is empty) once they can be computed.

    Raises StudyError for a name that does not exist, and for a measure whose library is not installed.
    """
    for name in measures:
        if name not in MEASURES:
            near = get_close_matches(name, MEASURES, n=3) or MEASURES
            msg = f"there is no measure {name!r}; there are {', '.join(near)}"
            raise StudyError(msg)
    names = tuple(measures) or tuple(MEASURES)
    for module in sorted({needed for name in names if (needed := MEASURES[name].needs)}):
        require(module)
    return names


def rate_with_code(dialogue: Dialogue, measures: Sequence[str] = ()) -> dict[str, float | None]:
    """Return the value of each of ``measures`` (all there are where it is empty) for ``dialogue``.

    None stands for what cannot be measured there, such as a latency without times. Raises what `check_measures` raises.
    """
    return {name: MEASURES[name].compute(dialogue) for name in check_measures(measures)}
