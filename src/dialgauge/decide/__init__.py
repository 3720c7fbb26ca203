"""From reliability to what a score may be used for: a policy of uses and thresholds, and the verdicts it gives."""

from dialgauge.decide.decisions import Decision, Decisions, decide_uses
from dialgauge.decide.evidence import Evidence
from dialgauge.decide.gates import Gate
from dialgauge.decide.judge import Verdict
from dialgauge.decide.loading import load_policy
from dialgauge.decide.policy import Policy
from dialgauge.decide.sources import GatheredEvidence, gather_ratings, gather_study

__all__ = [
    "Decision",
    "Decisions",
    "Evidence",
    "Gate",
    "GatheredEvidence",
    "Policy",
    "Verdict",
    "decide_uses",
    "gather_ratings",
    "gather_study",
    "load_policy",
]
