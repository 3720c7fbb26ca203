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


def expected_score(tokens: Sequence[Token] | None, form: Form) -> tuple[Reading, float | None]:
    """Return the expected score of a one-character answer, and the mass on the scale (0 to 1).

    The answer stands at the first token that is not blank. Without log-probabilities, and with a mass below .01, the
    rating is missing ("unparsed"); the mass is None where none were given.
    """
    place = next((token for token in tokens or () if token.text.strip()), None)
    if place is None:
        return Reading(None, "unparsed"), None
    top = place.top or ((place.text, place.logprob),)
    probability = dict.fromkeys(form.codes, 0.0)
    for text, logprob in top:
        code = text.strip()
        if code in probability:
            probability[code] += math.exp(logprob)
    mass = min(1.0, sum(probability.values()))
    if mass < LEAST_MASS:
        return Reading(None, "unparsed", text=place.text), mass
    points = form.scale.points or ()
    value = sum(p * point for p, point in zip(probability.values(), points, strict=True)) / sum(probability.values())
    return Reading(value, None, text=place.text), mass
