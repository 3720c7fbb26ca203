"""Kinds of rater, such as people and language models: what they agree on once noise is taken out."""

from dialgauge.analyse.kinds.pairs import PairOfKinds
from dialgauge.analyse.kinds.people import AgreementWithPeople, JoinedRatings, agree_with_people, join_people
from dialgauge.analyse.kinds.raters import kinds_from_rows
from dialgauge.analyse.kinds.records import DimensionKinds, KindReliability, KindsComparison
from dialgauge.analyse.kinds.study import compare_kinds

__all__ = [
    "AgreementWithPeople",
    "DimensionKinds",
    "JoinedRatings",
    "KindReliability",
    "KindsComparison",
    "PairOfKinds",
    "agree_with_people",
    "compare_kinds",
    "join_people",
    "kinds_from_rows",
]
