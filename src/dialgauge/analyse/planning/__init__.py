"""Plan a study: what a design would show, what a wanted precision takes, and what it costs."""

from dialgauge.analyse.planning.records import (
    Answer,
    Curve,
    PlanOptions,
    PlanRow,
    StudyPlan,
    TargetsRow,
    state_components,
)
from dialgauge.analyse.planning.study import plan_study

__all__ = ["Answer", "Curve", "PlanOptions", "PlanRow", "StudyPlan", "TargetsRow", "plan_study", "state_components"]
