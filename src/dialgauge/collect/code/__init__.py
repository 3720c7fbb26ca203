"""Code as a rater: measures of the words and times of a dialogue, and functions of the user's own."""

from dialgauge.collect.code.functions import callable_rater
from dialgauge.collect.code.measures import MEASURES, Measure, check_measures, rate_with_code

__all__ = ["MEASURES", "Measure", "callable_rater", "check_measures", "rate_with_code"]
