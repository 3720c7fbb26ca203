"""Is one recommender better than another? Systems compared on the same personas and preferences."""

from dialgauge.analyse.compare.fitting import Terms
from dialgauge.analyse.compare.records import (
    ComparedMeasure,
    Difference,
    RefusedMeasure,
    SecondRoute,
    SystemMean,
    SystemsComparison,
)
from dialgauge.analyse.compare.study import compare_dialogues, compare_ratings

__all__ = [
    "ComparedMeasure",
    "Difference",
    "RefusedMeasure",
    "SecondRoute",
    "SystemMean",
    "SystemsComparison",
    "Terms",
    "compare_dialogues",
    "compare_ratings",
]
