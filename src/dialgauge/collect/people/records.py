"""What people answer, and how far they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dialgauge.model import Dialogue, Dimension
from dialgauge.model.people import Answer, AssignmentState

__all__ = ["Answer", "AssignmentState", "PersonProgress", "TargetProgress", "Task"]


@dataclass(frozen=True, slots=True)
class Task:
    """One target put before one rater, with this rater's current answers (never anybody else's).

    ``dimensions`` are those of the study, in the order of the instrument. ``answers`` holds the current answer to each
    dimension that was answered, by its name. ``expires`` is the moment, in UTC, at which the reservation ends unless
    the rater answers before; None once the task is completed or given back.
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

    ``completed`` may be more than ``wanted``, where somebody came back after a reservation had expired.
    """

    target: str
    completed: int
    reserved: int
    wanted: int


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """How far one person is. ``code`` is what they entered with; ``last_seen`` the last change they made, in UTC."""

    rater: str
    code: str
    completed: int
    reserved: int
    last_seen: datetime
