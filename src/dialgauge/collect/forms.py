"""How an answer is to look: the values that a dimension's scale allows, in words, as a schema, and read back."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialgauge.errors import StudyError
from dialgauge.model import Dimension, Instrument, Missing, Scale
from dialgauge.model.scale import normalise_label

LETTERS = "BCDEFGHJKLMNOPQRSTUVWXYZ"
"""Without A and I, which are words: a sentence may begin with them."""

VALUE = "value"
RATIONALE = "rationale"

_ANCHOR = re.compile(r"\s*\S[^:]*:\s")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

_MINUS = str.maketrans({"\u2212": "-", "\ufe63": "-", "\uff0d": "-"})
"""Other signs for minus."""


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A dimension as it is put to a rater.

    ``words`` tells the scale in a sentence. ``codes`` are the short answers of a closed scale in the order of its
    points: single characters, so that each is one token; they are used for expected scores only. ``backwards`` says
    that the answers are listed from the last to the first.
    """

    dimension: Dimension
    scale: Scale
    words: str
    codes: tuple[str, ...] = ()
    backwards: bool = False

    @property
    def named(self) -> bool:
        """Whether the answer is a label rather than a number."""
        return self.scale.labels is not None and self.scale.level in {"nominal", "binary"}

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        if self.named:
            return {"type": "string", "enum": list(self.scale.labels or ())}
        if self.scale.points is not None:
            points = [_plain(point) for point in self.scale.points]
            return {"type": "integer" if all(isinstance(p, int) for p in points) else "number", "enum": points}
        low, high = self.scale.bounds
        bounds = {"minimum": low, "maximum": high}
        return {"type": "number", **{key: bound for key, bound in bounds.items() if np.isfinite(bound)}}

    def read(self, answer: object) -> float | Missing:
        """Return the value that ``answer`` (a JSON value or a text) names, "off-scale", or "unparsed"."""
        if isinstance(answer, bool) or not isinstance(answer, (int, float, str)):
            return "unparsed"
        if isinstance(answer, str):
            text = answer.strip().translate(_MINUS)
            by_label = self.scale.label_points().get(normalise_label(text))
            if by_label is not None:
                return by_label
            if not _NUMBER.fullmatch(text):
                return "unparsed"
            answer = float(text)
        try:
            value = float(answer)
        except OverflowError:
            return "off-scale"
        if not np.isfinite(value):
            return "unparsed"
        return value if bool(self.scale.contains(np.array([value]))[0]) else "off-scale"


def make_form(instrument: Instrument, dimension: Dimension, *, coded: bool = False, backwards: bool = False) -> Form:
    """Return the form of ``dimension``; ``coded`` asks for one-character answers.

    ``backwards`` lists the answers from the last to the first, in the scale and in a rubric that goes value by value;
    a continuous scale stays as it is. Raises StudyError where the scale has no closed set of at most 26 answers to
    code.
    """
    scale = instrument.scale_for(dimension)
    backwards = backwards and scale.points is not None
    if backwards:
        dimension = dimension.model_copy(update={"rubric": _reverse_rubric(dimension.rubric)})
    if not coded:
        words = _in_words(scale, backwards=backwards)
        return Form(dimension=dimension, scale=scale, words=words, backwards=backwards)
    if scale.points is None or len(scale.points) > len(LETTERS) or scale.level == "nominal":
        msg = (
            f"an expected score is a mean over 2 to {len(LETTERS)} ordered points, and {dimension.name!r} has {scale}; "
            "leave the dimension out, or set scoring = 'sampled'"
        )
        raise StudyError(msg)
    digits = all(point.is_integer() and 0 <= point <= 9 for point in scale.points)
    codes = tuple(f"{point:g}" for point in scale.points) if digits else tuple(LETTERS[: len(scale.points)])
    pairs = [f"{code} = {word}" for code, word in zip(codes, _names(scale), strict=True)]
    words = "; ".join(reversed(pairs) if backwards else pairs)
    return Form(dimension=dimension, scale=scale, words=words, codes=codes, backwards=backwards)


def answer_schema(forms: Sequence[Form], *, rationale: bool) -> dict[str, Any]:
    """Return the JSON schema of an answer: ``{"value": ...}`` for one dimension, one key for each of several."""
    if len(forms) == 1:
        return _object(_fields(forms[0], rationale=rationale))
    return _object(
        {form.dimension.name: _object(_fields(form, rationale=True)) if rationale else form.schema() for form in forms}
    )


def answer_format(forms: Sequence[Form], *, rationale: bool, free: bool) -> str:
    """Return the sentence that says how to answer."""
    if forms[0].codes:
        codes = forms[0].codes[::-1] if forms[0].backwards else forms[0].codes
        return f"Answer with one character and nothing else: {', '.join(codes)}."
    if free and len(forms) == 1 and not rationale:
        return "Answer with the value alone, nothing else."
    first = "first the reason in one or two sentences, then the value" if rationale else "the value"
    example = json.dumps(_example(forms, rationale=rationale), ensure_ascii=False)
    return f"Answer with one JSON object and nothing else, {first}, in this form: {example}"


def _fields(form: Form, *, rationale: bool) -> dict[str, Any]:
    reason = {RATIONALE: {"type": "string", "maxLength": 600}} if rationale else {}
    return {**reason, VALUE: form.schema()}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _example(forms: Sequence[Form], *, rationale: bool) -> dict[str, Any]:
    one: Any = {RATIONALE: "...", VALUE: "..."} if rationale else "..."
    if len(forms) == 1:
        return one if rationale else {VALUE: "..."}
    return {form.dimension.name: one for form in forms}


def _in_words(scale: Scale, *, backwards: bool) -> str:
    if scale.points is None:
        low, high = scale.bounds
        if np.isfinite(low) and np.isfinite(high):
            return f"any number from {low:g} to {high:g}"
        return f"any number from {low:g}" if np.isfinite(low) else "any number"
    step = -1 if backwards else 1
    if scale.labels is not None and scale.level in {"nominal", "binary"}:
        return "one of " + ", ".join(json.dumps(label, ensure_ascii=False) for label in scale.labels[::step])
    if scale.labels is not None:
        pairs = [f"{point:g} = {label}" for point, label in zip(scale.points, scale.labels, strict=True)]
        return "; ".join(pairs[::step])
    if not backwards and all(point.is_integer() for point in scale.points):
        return f"a whole number from {scale.points[0]:g} to {scale.points[-1]:g}"
    return "one of " + ", ".join(f"{point:g}" for point in scale.points[::step])


def _reverse_rubric(rubric: str) -> str:
    """Put the lines of a rubric that begin with a value in reverse order; any other rubric stays as it is."""
    lines = rubric.splitlines()
    return "\n".join(reversed(lines)) if lines and all(map(_ANCHOR.match, lines)) else rubric


def _names(scale: Scale) -> list[str]:
    points = scale.points or ()
    if scale.labels is not None:
        return list(scale.labels)
    return [f"{point:g}" for point in points]


def _plain(point: float) -> int | float:
    return int(point) if point.is_integer() else point
