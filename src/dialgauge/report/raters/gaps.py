"""What could not be computed for raters, like reasons together."""

from dataclasses import dataclass

from dialgauge.analyse.raters.records import RaterReport
from dialgauge.report.raters.words import MEASURES
from dialgauge.report.text import clean, typeset
from dialgauge.stats.estimate import Refusal


@dataclass(frozen=True, slots=True)
class RaterGap:
    """Something that is not known: of which raters or dimensions, why, and what would help.

    ``everyone`` tells that it is all raters.
    """

    what: str
    who: tuple[str, ...]
    everyone: bool
    reason: str
    remedy: str


def list_rater_gaps(report: RaterReport) -> list[RaterGap]:
    """Return what could not be computed: dimensions first, then measures of raters.

    A column that was not asked for is no gap.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    for name, refusal in report.refused.items():
        found.setdefault(("dimension", refusal.reason, refusal.remedy), []).append(name)
    for rater in report.raters:
        for measure, title in MEASURES.items():
            value = getattr(rater, measure)
            if isinstance(value, Refusal) and not (measure == "speed" and report.norms.seconds is None):
                found.setdefault((title, value.reason, value.remedy), []).append(rater.name)
    return [
        RaterGap(
            what=what,
            who=tuple(map(clean, who)),
            everyone=what != "dimension" and len(who) == len(report.raters),
            reason=typeset(clean(reason)),
            remedy=typeset(clean(remedy)),
        )
        for (what, reason, remedy), who in found.items()
    ]


def say_who(gap: RaterGap, *, most: int = 4) -> str:
    """Say whom a gap is about, in few words."""
    if gap.everyone:
        return "all raters"
    if len(gap.who) > most:
        return f"{', '.join(gap.who[:most])} and {len(gap.who) - most} more"
    return ", ".join(gap.who)
