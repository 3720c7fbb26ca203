"""Kinds of rater, such as people and language models: what they agree on once noise is taken out."""

from dialgauge.analyse.kinds.pairs import PairOfKinds
from dialgauge.analyse.kinds.raters import kinds_from_rows
from dialgauge.analyse.kinds.records import DimensionKinds, KindReliability, KindsComparison
from dialgauge.analyse.kinds.study import compare_kinds

__all__ = [
    "DimensionKinds",
    "KindReliability",
    "KindsComparison",
    "PairOfKinds",
    "compare_kinds",
    "kinds_from_rows",
]
