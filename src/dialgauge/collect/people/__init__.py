"""Ratings by people: a queue of targets with reservations, and a log of every answer."""

from dialgauge.collect.people.people import People, open_people
from dialgauge.collect.people.records import Answer, PersonProgress, TargetProgress, Task

__all__ = ["Answer", "People", "PersonProgress", "TargetProgress", "Task", "open_people"]
