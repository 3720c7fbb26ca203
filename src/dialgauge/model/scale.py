"""How a question is answered: the level of measurement, the allowed values, and the words for them."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from dialgauge.errors import InputError

Level = Literal["nominal", "binary", "ordinal", "interval", "ratio"]

Direction = Literal["higher_is_better", "lower_is_better", "neutral"]

MOST_POINTS = 1001
"""A range of whole numbers with more points than this is a continuous scale in all but name."""

_WHOLE = re.compile(r"[+-]?\d+")


def normalise_label(label: str) -> str:
    """Return the form in which two labels are compared: without outer blanks, without regard to case."""
    return label.strip().casefold()


class Scale(BaseModel):
    """A response format.

    Either ``points`` lists the allowed values in their order, or ``low`` and ``high`` bound a continuous range (levels
    interval and ratio only; a ratio scale starts at 0 unless it says otherwise). ``labels`` are the words for the
    points, in the same order; with labels and no points, the points are 1, 2, 3, ... (0 and 1 on a binary scale).
    Two scales are equal when their contents are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    level: Level
    points: tuple[float, ...] | None = None
    low: float | None = None
    high: float | None = None
    labels: tuple[str, ...] | None = None
    direction: Direction = "higher_is_better"

    @model_validator(mode="before")
    @classmethod
    def _number_the_labels(cls, data: object) -> object:
        """Give labels that come without points and without a range the points 1, 2, 3, ..."""
        if not isinstance(data, dict) or not isinstance(data.get("labels"), (list, tuple)):
            return data
        if any(data.get(key) is not None for key in ("points", "low", "high")):
            return data
        first = 0 if data.get("level") == "binary" else 1
        return {**data, "points": tuple(range(first, first + len(data["labels"])))}

    @field_validator("points")
    @classmethod
    def _check_points(cls, points: tuple[float, ...] | None) -> tuple[float, ...] | None:
        if points is None:
            return None
        if len(points) < 2:
            msg = f"a scale needs at least two points, got {len(points)}"
            raise ValueError(msg)
        if any(a >= b for a, b in pairwise(points)):
            msg = f"points must rise from one to the next, got {_join(points)}"
            raise ValueError(msg)
        return points

    @model_validator(mode="after")
    def _check_whole(self) -> Self:
        problem = next(_problems(self), None)
        if problem:
            raise ValueError(problem)
        return self

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``LOW:HIGH``: ``"1:5"`` is ordinal with the points 1 to 5, ``"0.0:1.0"`` a continuous interval scale.

        Raises InputError when the text has another form, when low is not below high, or when whole bounds lie
        more than 1,000 apart (a continuous scale then has to be asked for with a decimal point).
        """
        parts = [part.strip() for part in text.split(":")]
        if len(parts) != 2:
            msg = f"a scale is written LOW:HIGH, such as 1:5 or 0.0:1.0, got {text!r}"
            raise InputError(msg)
        try:
            low, high = (float(part) for part in parts)
        except ValueError:
            msg = f"the bounds of a scale are numbers, such as 1:5 or 0.0:1.0, got {text!r}"
            raise InputError(msg) from None
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            msg = f"the lower bound of a scale comes first and both are finite, such as 1:5, got {text!r}"
            raise InputError(msg)
        if not all(_WHOLE.fullmatch(part) for part in parts):
            return cls(level="interval", low=low, high=high)
        if high - low >= MOST_POINTS:
            msg = f"{text!r} has more than {MOST_POINTS} points; write it as a continuous scale, {low:.1f}:{high:.1f}"
            raise InputError(msg)
        return cls(level="ordinal", points=tuple(float(point) for point in range(int(parts[0]), int(parts[1]) + 1)))

    @classmethod
    def from_labels(cls, labels: Sequence[str]) -> Self:
        """Return the ordinal scale whose points 1, 2, 3, ... bear ``labels``, lowest first."""
        try:
            return cls(level="ordinal", labels=tuple(labels))
        except ValueError as error:
            raise InputError(_first_problem(error)) from None

    def with_labels(self, labels: Sequence[str]) -> Self:
        """Return this scale with ``labels`` for its points, lowest first."""
        try:
            return type(self)(**{**self.model_dump(), "labels": tuple(labels)})
        except ValueError as error:
            raise InputError(_first_problem(error)) from None

    @property
    def continuous(self) -> bool:
        """Whether any value of a range is allowed, rather than listed points."""
        return self.points is None

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest allowed value; infinite where the scale is open."""
        if self.points is not None:
            return self.points[0], self.points[-1]
        lowest = 0.0 if self.level == "ratio" else -math.inf
        return (lowest if self.low is None else self.low, math.inf if self.high is None else self.high)

    def over_its_range(self) -> Self:
        """Return the interval scale of all values between the lowest and the highest: for means of points."""
        low, high = self.bounds
        return type(self)(level="interval", low=low, high=high, direction=self.direction) if self.points else self

    def label_points(self) -> dict[str, float]:
        """Return the point of each label, the labels in the form of `normalise_label`; empty without labels."""
        return {normalise_label(label): p for label, p in zip(self.labels or (), self.points or (), strict=False)}

    def contains(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell for each of ``values`` (any shape) whether it is on the scale; NaN and infinite values never are."""
        if self.points is not None:
            return np.isin(values, np.asarray(self.points))
        low, high = self.bounds
        return np.isfinite(values) & (values >= low) & (values <= high)

    def __str__(self) -> str:
        """Name the values and the level, such as ``1..5 (ordinal)``."""
        if self.points is None:
            low, high = ("" if math.isinf(bound) else f"{bound:g}" for bound in self.bounds)
            return f"{low}..{high} (continuous, {self.level})"
        return f"{_join(self.points)} ({self.level})"


def _join(points: Sequence[float]) -> str:
    """Write whole points in a row as ``1..5``, others one by one."""
    low, high = points[0], points[-1]
    if all(float(p).is_integer() for p in points) and list(points) == list(np.arange(low, high + 1)):
        return f"{low:g}..{high:g}"
    return ", ".join(f"{point:g}" for point in points)


def _problems(scale: Scale) -> Iterator[str]:
    """Yield why points, range, labels and level do not fit each other; the first sentence is the one to show."""
    low, high = scale.bounds
    if scale.points is not None and (scale.low is not None or scale.high is not None):
        yield "give either points, or low and high, not both"
    if scale.points is None and scale.level in {"nominal", "binary", "ordinal"}:
        yield f"a scale of level {scale.level} lists its points (or its labels)"
    if scale.level == "interval" and math.isinf(low) and math.isinf(high):
        yield "a continuous scale needs low and high (one of them may be left open)"
    if scale.level == "binary" and len(scale.points or ()) != 2:
        yield f"a binary scale has two points, got {len(scale.points or ())}"
    if low >= high:
        yield f"low must be below high, got {low:g} and {high:g}"
    if scale.level == "ratio" and low < 0:
        yield f"a ratio scale has no negative values, got {low:g} as its lowest"
    if scale.labels is not None:
        yield from _problems_of_labels(scale.labels, scale.points or ())


def _problems_of_labels(labels: Sequence[str], points: Sequence[float]) -> Iterator[str]:
    """Yield why the labels cannot name the points."""
    if not points:
        yield "labels name the points of a scale, and a continuous scale has none"
    if len(labels) != len(points):
        yield f"there are {len(labels)} labels for {len(points)} points ({_join(points)})"
    forms = [normalise_label(label) for label in labels]
    if "" in forms:
        yield "a label may not be blank"
    doubled = [form for i, form in enumerate(forms) if form in forms[:i]]
    if doubled:
        yield f"two labels are the same but for case and blanks: {doubled[0]!r}"
    for form, point in zip(forms, points, strict=False):
        if _number_or(form, point) != point:
            yield f"the label {form!r} reads as another number than its point {point:g}"


def _number_or(text: str, default: float) -> float:
    try:
        return float(text)
    except ValueError:
        return default


def _first_problem(error: ValueError) -> str:
    """Return the sentence of the first problem in a validation error."""
    details = getattr(error, "errors", None)
    message = str(details()[0]["msg"]) if details else str(error)
    return message.removeprefix("Value error, ")
