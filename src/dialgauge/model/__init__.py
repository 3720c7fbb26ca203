"""What is rated, on which scale, and the ratings themselves."""

from dialgauge.model.instrument import Dimension, Instrument, Question
from dialgauge.model.ratings import RATING_SCHEMA, Ratings
from dialgauge.model.scale import Direction, Level, Scale

__all__ = ["RATING_SCHEMA", "Dimension", "Direction", "Instrument", "Level", "Question", "Ratings", "Scale"]
