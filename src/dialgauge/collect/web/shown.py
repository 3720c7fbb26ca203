"""A task as the page shows it: turns, questions, and the points of a scale."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dialgauge.collect.people import Answer, Task
from dialgauge.model import Dialogue, Dimension, Instrument, Scale

FIELD = "answer:"
"""What the name of a form field begins with; the name of the dimension follows."""

CANNOT_SAY = "cannot-say"
"""The value of the field where the rater cannot say; kept as the missing reason "not-applicable"."""

MOST_CHOICES = 11
"""Points that are shown side by side, or one below the other; with more of them a number is typed."""

LONGEST_BESIDE = 28
"""Characters of a label up to which the points stand side by side."""

MOST_BESIDE = 7

MOST_SHORT, LONGEST_WORD = 5, 10
"""Points, and characters of a word in their labels, that have room side by side on a phone."""

LONGEST_EXCERPT = 90


@dataclass(frozen=True, slots=True)
class ShownPoint:
    """One point of a scale: its value as the form sends it, the ``key`` that chooses it, and what stands beside it."""

    value: str
    number: str
    label: str
    meaning: str
    key: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """One dimension as it is asked; without ``points`` a number between ``low`` and ``high`` is typed.

    Its points stand ``beside`` each other, if ``short`` on a phone too.
    """

    dimension: str
    field: str
    title: str
    asked: str
    more: tuple[str, ...]
    definition: str
    rubric: tuple[str, ...]
    points: tuple[ShownPoint, ...]
    beside: bool
    short: bool
    low: str
    high: str
    number: str
    cannot_say: bool
    answered: bool
    problem: str


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One utterance; ``own`` is that of the user, who sits on the right as in a messenger."""

    speaker: str
    text: str
    own: bool


def show_questions(
    task: Task, instrument: Instrument, problems: Mapping[str, str] | None = None
) -> tuple[ShownQuestion, ...]:
    """Return the questions of a task with the rater's own answers; ``problems`` says what is wrong, by dimension."""
    return tuple(
        _show(dimension, instrument.scale_for(dimension), task.answers.get(dimension.name), (problems or {}))
        for dimension in task.dimensions
    )


def show_turns(dialogue: Dialogue) -> tuple[ShownTurn, ...]:
    """Return the turns of a dialogue."""
    return tuple(
        ShownTurn(turn.speaker[:1].upper() + turn.speaker[1:], turn.text, turn.speaker.casefold() == "user")
        for turn in dialogue.turns
    )


def excerpt(dialogue: Dialogue) -> str:
    """Return the beginning of a dialogue, by which a person knows it again."""
    text = " ".join(dialogue.turns[0].text.split())
    return text if len(text) <= LONGEST_EXCERPT else f"{text[:LONGEST_EXCERPT].rstrip()}…"


def _show(dimension: Dimension, scale: Scale, answer: Answer | None, problems: Mapping[str, str]) -> ShownQuestion:
    value = None if answer is None else answer.value
    asked = [question.text for question in dimension.questions]
    meanings, rest = _split_rubric(dimension.rubric, scale)
    points = _points(scale, meanings, value)
    low, high = ("" if math.isinf(bound) else f"{bound:g}" for bound in scale.bounds)
    longest = max((len(point.label) for point in points), default=0)
    words = max((len(word) for point in points for word in point.label.split()), default=0)
    beside = not meanings and longest <= LONGEST_BESIDE and (len(points) <= MOST_BESIDE or not longest)
    return ShownQuestion(
        dimension=dimension.name,
        field=f"{FIELD}{dimension.name}",
        title=dimension.title,
        asked=asked[0] if len(asked) == 1 else dimension.title,
        more=tuple(asked) if len(asked) > 1 else (),
        definition=dimension.definition,
        rubric=rest if points or not meanings else tuple(dimension.rubric.splitlines()),
        points=points,
        beside=beside,
        short=beside and len(points) <= MOST_SHORT and words <= LONGEST_WORD,
        low=low,
        high=high,
        number="" if value is None else f"{value:.15g}",
        cannot_say=answer is not None and answer.missing is not None,
        answered=answer is not None,
        problem=problems.get(dimension.name, ""),
    )


def _points(scale: Scale, meanings: Mapping[float, str], value: float | None) -> tuple[ShownPoint, ...]:
    points = scale.points or ()
    if not 0 < len(points) <= MOST_CHOICES:
        return ()
    labels = scale.labels or ("",) * len(points)
    by_place = scale.labels is not None and scale.level in {"nominal", "binary"}
    found = []
    for place, (point, label) in enumerate(zip(points, labels, strict=True), start=1):
        number = f"{place if by_place else point:g}"
        key = "0" if number == "10" and 0.0 not in points else number
        found.append(
            ShownPoint(
                value=f"{point:.15g}",
                number=number,
                label=label,
                meaning=meanings.get(point, ""),
                key=key if len(key) == 1 else "",
                chosen=value == point,
            )
        )
    return tuple(found)


def _split_rubric(rubric: str, scale: Scale) -> tuple[dict[float, str], tuple[str, ...]]:
    """Return what a rubric says of each point, and its other lines."""
    named = {f"{point:g}": point for point in scale.points or ()}
    named |= {" ".join(label.split()).casefold(): point for label, point in _labelled(scale)}
    meanings: dict[float, str] = {}
    rest = []
    for line in filter(None, map(str.strip, rubric.splitlines())):
        head, colon, meaning = line.partition(":")
        point = named.get(" ".join(head.split()).casefold()) if colon else None
        if point is None or point in meanings:
            rest.append(line)
        else:
            meanings[point] = meaning.strip()
    return meanings, tuple(rest)


def _labelled(scale: Scale) -> list[tuple[str, float]]:
    return list(zip(scale.labels or (), scale.points or (), strict=False))
