"""How many raters per target a wanted reliability takes: by the value, and by the lower limit of its interval."""

from dataclasses import asdict

from dialgauge.analyse.dstudy import Needed, decision_study
from dialgauge.analyse.results import DimensionReliability
from dialgauge.stats.estimate import Refusal

UNREACHED = "cannot be reached"
"""Stands where no number of raters gives the wanted reliability."""

MOST_RATERS_NAMED = 1000


def needs_of(dimension: DimensionReliability) -> tuple[Needed, ...]:
    """Return the raters that ``dimension`` needs for .50, .75, .80 and .90, each with the replicates of its ratings."""
    return decision_study(dimension, most_raters=1, replicates=dimension.replicates).needed


def say_needed(needed: int | Refusal) -> str:
    """Write a number of raters, or that none is enough."""
    if isinstance(needed, Refusal):
        return UNREACHED
    return f"{needed:,}" if needed <= MOST_RATERS_NAMED else f"over {MOST_RATERS_NAMED:,}"


def record_needed(needed: Needed) -> dict[str, object]:
    """Return ``needed`` as a record: None stands where no number is enough, with a reason and a remedy."""
    both = (needed.by_value, needed.by_lower_limit)
    refused = next((answer for answer in both if isinstance(answer, Refusal)), None)
    by_value, by_lower_limit = (None if isinstance(answer, Refusal) else answer for answer in both)
    reasons = {"reason": None, "remedy": None} if refused is None else asdict(refused)
    return {"wanted": needed.wanted, "by_value": by_value, "by_lower_limit": by_lower_limit, **reasons}
