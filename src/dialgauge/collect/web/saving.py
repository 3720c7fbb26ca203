"""Answers as forms send them, put into the log of a study."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dialgauge.collect.people import Answer, People, Task
from dialgauge.collect.web.shown import CANNOT_SAY, FIELD, REVISION, exact
from dialgauge.errors import InputError
from dialgauge.model import Instrument, Missing

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?", re.IGNORECASE | re.ASCII)
LONGEST_REVISION = 9
"""Digits of a revision."""

_OPT_OUT: Missing = "not-applicable"

LACKS = "This question has no answer yet."

CHANGED = "You changed this on another device or page, to what is shown now. Choose again to change it."


@dataclass(frozen=True, slots=True)
class Given:
    """What a person gave for one dimension: a value, or word that they cannot say."""

    dimension: str
    value: float | None

    @property
    def missing(self) -> Missing | None:
        """The reason that is kept where there is no value."""
        return _OPT_OUT if self.value is None else None

    def is_current(self, answer: Answer | None) -> bool:
        """Whether this is what the log has already."""
        return answer is not None and answer.value == self.value and answer.missing == self.missing


@dataclass(frozen=True, slots=True)
class Saved:
    """How a form was taken: the task as it is now, and what is wrong with its answers, by dimension."""

    task: Task
    problems: Mapping[str, str]


def read_answer(dimension: str, text: str, instrument: Instrument) -> Given:
    """Return what the field of ``dimension`` says; InputError in words for the rater where it is no answer to it."""
    if text == CANNOT_SAY:
        return Given(dimension, None)
    scale = instrument.scale_for(dimension)
    low, high = scale.bounds
    if not _NUMBER.fullmatch(text.strip()):
        raise InputError("Please give a number.")
    value = float(text)
    if not scale.contains(np.asarray([value]))[0]:
        raise InputError(f"Please give a value of the scale, from {exact(low)} to {exact(high)}.")
    return Given(dimension, value)


def write_answer(answer: Answer) -> str:
    """Return what the field of an answer says."""
    return CANNOT_SAY if answer.value is None else exact(answer.value)


def save_answers(
    people: People, rater: str, target: str, fields: Mapping[str, str], *, instrument: Instrument
) -> Saved:
    """Log the answers of a form that are new, and return how it stands; what is wrong is not logged, but said.

    Empty fields, and those of questions that are not asked any more, are no answers. One that is newer in the log than
    the form shows is kept, and said to have changed. Raises InputError where the task is not one of this rater.
    """
    task = people.task(rater, target)
    problems = {}
    for name, text in fields.items():
        dimension = name.removeprefix(FIELD)
        if dimension == name or dimension not in people.dimensions or not text.strip():
            continue
        try:
            given = read_answer(dimension, text, instrument)
        except InputError as error:
            problems[dimension] = str(error)
            continue
        if not given.is_current(task.answers.get(dimension)):
            seen = read_revision(fields.get(f"{REVISION}{dimension}"))
            now = people.answer(rater, target, dimension, given.value, missing=given.missing, seen=seen)
            if not given.is_current(now):
                problems[dimension] = CHANGED
    return Saved(people.task(rater, target), problems)


def read_revision(sent: object) -> int:
    """Return the revision that a page says it shows, 0 where it says none: then whatever is there is newer."""
    digits = str(sent) if isinstance(sent, str | int) else ""
    return int(digits) if digits.isdecimal() and len(digits) <= LONGEST_REVISION else 0


def complete(people: People, saved: Saved) -> Saved:
    """Complete the task of a form; where an answer lacks or is wrong, return it with what is the problem."""
    task = saved.task
    lacking = {one.name: LACKS for one in task.dimensions if one.name not in task.answers}
    problems = {**lacking, **saved.problems}
    if not problems and task.state != "completed":
        people.complete(task.rater, task.target.id)
    return Saved(task, problems)
