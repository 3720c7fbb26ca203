"""Expected scores: the mean of a scale under the probabilities that the model gives its answers, in one call.

Liu et al. (2023), G-Eval, section 2: score = sum of p(s) s over the answers s of the scale. Here p is renormalised over
the answers, and the probability that fell on them, the mass, is kept beside the score: where it is small, the model was
answering something else.
"""

import math
from collections.abc import Sequence

from dialgauge.collect.forms import Form
from dialgauge.collect.parse import Reading
from dialgauge.llm import Token

TOP = 20
"""How many of the most likely tokens are asked for: the most that common endpoints give."""

LEAST_MASS = 0.01
"""Below this mass on the scale nothing was said about it, and there is no score."""

ROUNDING = 0.01
"""By so much probabilities may sum to more than 1; beyond, they are none."""

_MARKUP = " \t\r*_`\"'."


def expected_score(text: str, tokens: Sequence[Token] | None, form: Form) -> tuple[Reading, float | None]:
    """Return the expected score of a one-character answer, and the mass on the scale (0 to 1).

    The first line of the completion ``text`` must be one of the answers and nothing else: a sentence that happens to
    begin with such a character is none. The probabilities are those at the first token that is not blank. Without them,
    with a mass below .01, and where they sum to more than 1, the rating is missing ("unparsed"); the mass is None where
    none were given or they are no probabilities.
    """
    place = next((token for token in tokens or () if token.text.strip()), None)
    line = next((line for line in text.splitlines() if line.strip()), "").strip(_MARKUP)
    if place is None:
        return Reading(None, "unparsed", text=text), None
    listed = dict(place.top or ((place.text, place.logprob),))
    if any(logprob > 0.0 and math.expm1(min(logprob, 1.0)) > ROUNDING for logprob in listed.values()):
        return Reading(None, "unparsed", text=text), None
    if math.fsum(map(math.exp, listed.values())) > 1.0 + ROUNDING:
        return Reading(None, "unparsed", text=text), None
    probability = dict.fromkeys(form.codes, 0.0)
    for token, logprob in listed.items():
        code = token.strip()
        if code in probability:
            probability[code] += math.exp(logprob)
    total = math.fsum(probability.values())
    mass = min(1.0, total)
    if line not in probability or mass < LEAST_MASS:
        return Reading(None, "unparsed", text=text), mass
    points = form.scale.points or ()
    value = math.fsum(p * point for p, point in zip(probability.values(), points, strict=True)) / total
    low, high = form.scale.bounds
    return Reading(min(max(value, low), high), None, text=line), mass
