"""What is rated, on which scale, by whom, and the ratings themselves."""

from dialgauge.model.check import RaterCheck
from dialgauge.model.dialogue import Dialogue, Turn
from dialgauge.model.instrument import Dimension, Instrument, Question
from dialgauge.model.rating import MISSING_REASONS, PURPOSES, Attempt, Missing, Purpose, Rating
from dialgauge.model.ratings import RATING_SCHEMA, Ratings
from dialgauge.model.scale import Direction, Level, Scale
from dialgauge.model.study import (
    Budget,
    CodeRater,
    FakeSettings,
    Limits,
    LlmRater,
    PeopleSettings,
    Price,
    PromptSettings,
    Study,
)
from dialgauge.model.variant import VARIANTS, Variant

__all__ = [
    "MISSING_REASONS",
    "PURPOSES",
    "RATING_SCHEMA",
    "VARIANTS",
    "Attempt",
    "Budget",
    "CodeRater",
    "Dialogue",
    "Dimension",
    "Direction",
    "FakeSettings",
    "Instrument",
    "Level",
    "Limits",
    "LlmRater",
    "Missing",
    "PeopleSettings",
    "Price",
    "PromptSettings",
    "Purpose",
    "Question",
    "RaterCheck",
    "Rating",
    "Ratings",
    "Scale",
    "Study",
    "Turn",
    "Variant",
]
