"""What people answer, and how far they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dialgauge.io.store.people_progress import PersonProgress
from dialgauge.model import Dialogue, Dimension
from dialgauge.model.people import Answer, AssignmentState

__all__ = ["Answer", "AssignmentState", "Completed", "PersonProgress", "TargetProgress", "Task"]


@dataclass(frozen=True, slots=True)
class Task:
    """One target put before one rater, with this rater's current answers (never anybody else's).

    ``dimensions`` are those of the study, in the order in which this rater is asked. ``answers`` holds the current
    answer to each dimension that was answered, by its name. ``expires`` is the moment, in UTC, at which the reservation
    ends unless the rater answers before; None once the task is completed or given back.
    """

    rater: str
    target: Dialogue
    dimensions: tuple[Dimension, ...]
    answers: Mapping[str, Answer]
    state: AssignmentState
    expires: datetime | None


@dataclass(frozen=True, slots=True)
class TargetProgress:
    """How far one target is: raters who completed it, raters who hold it now, and how many are ``wanted`` (k).

    ``completed`` may be more than ``wanted``: where somebody came back after a reservation had expired, and where
    fewer are wanted than before. ``unanswered`` of those who completed it have not answered a question that is asked
    now, which came into the study after that.
    """

    target: str
    completed: int
    reserved: int
    wanted: int
    unanswered: int = 0


@dataclass(frozen=True, slots=True)
class Completed:
    """A target that a rater completed, and the moment of that in UTC."""

    target: str
    at: datetime
