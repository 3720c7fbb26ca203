"""The fake model's answers: from a drawn value to text, with the probability of each answer that might have been."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from dialgauge.llm.fake_forms import Closed, Continuous, Fields, Form, Prose

RATIONALE = "That is what the conversation shows."

LEAST_PROBABILITY = 1e-15

_STANDARD = NormalDist()


@dataclass(frozen=True, slots=True)
class Draw:
    """A value drawn for one dimension, and the normal distribution out of which it came; 0 to 1 is the scale."""

    mean: float
    value: float
    sd: float


@dataclass(frozen=True, slots=True)
class Piece:
    """A token: its text, and the probabilities of the texts that might stand at its place (empty: no other).

    ``known`` is False where the scale is not closed, so that there is no such list.
    """

    text: str
    probabilities: Mapping[str, float] = field(default_factory=dict)
    known: bool = True

    def token(self, n_top: int) -> dict[str, Any]:
        """Return the token as the chat interface tells it, with the ``n_top`` most likely texts."""
        own = self.probabilities or {self.text: 1.0}
        likely = sorted(own.items(), key=lambda item: -item[1])[:n_top]
        top = [{"token": text, "logprob": math.log(p)} for text, p in likely]
        return {"token": self.text, "logprob": math.log(own[self.text]), "top_logprobs": top}


def write_answer(form: Form, draw: Callable[[str], Draw], *, alone: bool) -> list[Piece]:
    """Return the answer to ``form``, piece by piece: JSON for fields, else a value, in a sentence unless ``alone``.

    ``draw`` gives what was drawn for the dimension of a name, "" where there is none.
    """
    if isinstance(form, Fields):
        return list(_write_fields(form, draw, ""))
    value = list(_write_value(form, draw(""), quoted=False))
    return value if alone else [Piece("My rating is "), *value, Piece(".")]


def _write_fields(form: Fields, draw: Callable[[str], Draw], outer: str) -> Iterator[Piece]:
    start = "{"
    for name, inner in form.forms.items():
        yield Piece(f"{start}{json.dumps(name, ensure_ascii=False)}: ")
        start = ", "
        if isinstance(inner, Fields):
            yield from _write_fields(inner, draw, name)
        else:
            yield from _write_value(inner, draw(outer or name), quoted=True)
    yield Piece("}" if form.forms else "{}")


def _write_value(form: Form, draw: Draw, *, quoted: bool) -> Iterator[Piece]:
    if isinstance(form, Prose):
        yield Piece(json.dumps(RATIONALE) if quoted else RATIONALE)
    elif isinstance(form, Continuous):
        value = form.low + (form.high - form.low) * draw.value
        yield Piece(json.dumps(min(max(round(value, 4), form.low), form.high)), known=False)
    elif isinstance(form, Closed):
        texts = [json.dumps(value, ensure_ascii=False) for value in form.values]
        words = isinstance(form.values[0], str)
        bare = [text[1:-1] for text in texts] if words else texts
        mark = [Piece('"')] if words and quoted else []
        yield from (*mark, _choose(bare, draw), *mark)


def _choose(texts: list[str], draw: Draw) -> Piece:
    """Return the text nearest to what was drawn, with the probability of each: the normal cut half-way between them."""
    top = len(texts) - 1
    chosen = min(max(math.floor(top * draw.value + 0.5), 0), top)
    if draw.sd == 0.0:
        return Piece(texts[chosen])
    cuts = [_STANDARD.cdf((i - 0.5 - top * draw.mean) / (top * draw.sd)) for i in range(1, top + 1)]
    below = [0.0, *cuts, 1.0]
    chances = {text: max(below[i + 1] - below[i], LEAST_PROBABILITY) for i, text in enumerate(texts)}
    return Piece(texts[chosen], chances)
