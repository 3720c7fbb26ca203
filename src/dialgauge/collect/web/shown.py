"""A task as the page shows it: turns, questions, and the points of a scale."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dialgauge.collect.people import Answer, Task
from dialgauge.model import Dialogue, Dimension, Instrument, Scale

FIELD, REVISION = "answer:", "revision:"
"""What the names of form fields begin with, for an answer and the revision that was shown; the dimension follows."""

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

USER, SYSTEM = "User", "System"
"""Who speaks, as it is shown: names in a dialogue may tell which system it is."""

TOGETHER = "Please judge these together:"
"""What is asked where a dimension has several questions, and its name is not shown."""


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

    Its points stand ``beside`` each other, if ``short`` on a phone too. ``revision`` is that of the answer that is
    shown, 0 where there is none.
    """

    dimension: str
    field: str
    revision: int
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
    task: Task, instrument: Instrument, problems: Mapping[str, str] | None = None, *, show_names: bool = False
) -> tuple[ShownQuestion, ...]:
    """Return the questions of a task with the rater's own answers; ``problems`` says what is wrong, by dimension.

    What a dimension is called is shown with ``show_names``, and where it has no question.
    """
    shown = [
        _show(dimension, instrument.scale_for(dimension), task.answers.get(dimension.name), (problems or {}))
        for dimension in task.dimensions
    ]
    return tuple(one if show_names else _hide_name(one) for one in shown)


def show_turns(dialogue: Dialogue) -> tuple[ShownTurn, ...]:
    """Return the turns of a dialogue; who is not the user is a system, numbered where there are several."""
    speakers = [turn.speaker.strip().casefold() for turn in dialogue.turns]
    others = [one for one in dict.fromkeys(speakers) if one != USER.casefold()]
    names = {one: f"{SYSTEM} {n}" if len(others) > 1 else SYSTEM for n, one in enumerate(others, start=1)}
    return tuple(
        ShownTurn(names.get(speaker, USER), turn.text, speaker not in names)
        for speaker, turn in zip(speakers, dialogue.turns, strict=True)
    )


def exact(number: float) -> str:
    """Write a number so that it is the same one when it is read."""
    return repr(float(number)).removesuffix(".0")


def excerpt(dialogue: Dialogue) -> str:
    """Return the beginning of a dialogue, by which a person knows it again."""
    text = " ".join(dialogue.turns[0].text.split())
    return text if len(text) <= LONGEST_EXCERPT else f"{text[:LONGEST_EXCERPT].rstrip()}…"


def _show(dimension: Dimension, scale: Scale, answer: Answer | None, problems: Mapping[str, str]) -> ShownQuestion:
    value = None if answer is None else answer.value
    asked = [question.text for question in dimension.questions]
    meanings, rest = _split_rubric(dimension.rubric, scale)
    points = _points(scale, meanings, value)
    low, high = ("" if math.isinf(bound) else exact(bound) for bound in scale.bounds)
    longest = max((len(point.label) for point in points), default=0)
    words = max((len(word) for point in points for word in point.label.split()), default=0)
    beside = not meanings and longest <= LONGEST_BESIDE and (len(points) <= MOST_BESIDE or not longest)
    return ShownQuestion(
        dimension=dimension.name,
        field=f"{FIELD}{dimension.name}",
        revision=0 if answer is None else answer.revision,
        title="" if not asked else dimension.title,
        asked=asked[0] if len(asked) == 1 else dimension.title,
        more=tuple(asked) if len(asked) > 1 else (),
        definition=dimension.definition,
        rubric=rest if points or not meanings else tuple(dimension.rubric.splitlines()),
        points=points,
        beside=beside,
        short=beside and len(points) <= MOST_SHORT and words <= LONGEST_WORD,
        low=low,
        high=high,
        number="" if value is None else exact(value),
        cannot_say=answer is not None and answer.missing is not None,
        answered=answer is not None,
        problem=problems.get(dimension.name, ""),
    )


def _hide_name(question: ShownQuestion) -> ShownQuestion:
    """Return a question without the name of its dimension, which may tell raters what is expected."""
    return replace(question, title="", asked=TOGETHER if question.more else question.asked)


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
                value=exact(point),
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
    named = {write(point): point for write in ("{:g}".format, exact) for point in scale.points or ()}
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
