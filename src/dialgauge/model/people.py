"""What people answer, and the tasks that they hold."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from dialgauge.model.rating import Missing

AssignmentState = Literal["reserved", "completed", "expired", "given-back"]
"""Where a task stands: a rater holds it; it is done; its time ran out; it was given back."""

ASSIGNMENT_STATES: tuple[AssignmentState, ...] = get_args(AssignmentState)

DECLINED: tuple[Missing, ...] = ("refused", "not-applicable")
"""Why a person gives no value: they do not want to answer; the question does not fit the target."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to one dimension of one target by one rater, as it is now or as it was.

    Either ``value`` is a value on the declared scale, or ``missing`` says why there is none ("refused": the rater does
    not want to answer; "not-applicable": the question does not fit the target). ``text`` is a remark in the rater's own
    words. ``revision`` counts the answers of this rater to this dimension of this target from 1; the highest one is
    current. ``at`` is the moment, in UTC, at which it was stored.
    """

    value: float | None
    missing: Missing | None
    text: str | None
    revision: int
    at: datetime

    def says(self, value: float | None, missing: Missing | None, text: str | None) -> bool:
        """Whether it holds the same value or reason, and the same remark."""
        return (self.value, self.missing, self.text) == (value, missing, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One target given to one rater: there is at most one for each pair, whatever becomes of it.

    It is ``reserved`` until ``expires``, both moments in UTC. ``ended`` is when it was completed, given back, or ran
    out; None while it is reserved.
    """

    rater: str
    target: str
    state: AssignmentState
    reserved: datetime
    expires: datetime
    ended: datetime | None
