"""Ratings by people: a queue of targets with reservations, and a log of every answer."""

from dialgauge.collect.people.order import order_questions
from dialgauge.collect.people.people import People, open_people
from dialgauge.collect.people.records import Answer, Completed, PersonProgress, TargetProgress, Task

__all__ = [
    "Answer",
    "Completed",
    "People",
    "PersonProgress",
    "TargetProgress",
    "Task",
    "open_people",
    "order_questions",
]
