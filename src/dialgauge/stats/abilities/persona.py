"""How much of what dialogues score is due to the persona: a variance component with its interval."""

from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.abilities.twoway import Crossing
from dialgauge.stats.arrays import Codes, Floats, one_thread
from dialgauge.stats.design import Design, detect
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.reml import fit_reml
from dialgauge.stats.reml.intervals import odds_intervals
from dialgauge.stats.reml.odds import reliability_estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaVariance:
    """Variances of a score in its squared units, and the ``share`` of that of one dialogue that is due to personas.

    ``preference`` is None where it cannot be told from the residual.
    """

    persona: float
    preference: float | None
    residual: float
    share: Estimate


def persona_variance(values: Floats, crossing: Crossing, *, level: float = 0.95) -> PersonaVariance:
    """Fit y = mu + persona + preference + e by REML to a value for each row (shape (n,)).

    The share of personas has the interval of the profile likelihood. Where personas and preferences are not connected,
    the one-way model answers. Where the persona alone determines the value the share is 1, where the preference
    alone does it is 0, without an interval. Raises CannotEstimateError where no persona has two rows, or nothing
    varies.
    """
    _, persona = np.unique(crossing.persona, return_inverse=True)
    _, preference = np.unique(crossing.preference, return_inverse=True)
    if persona.size == 0 or np.bincount(persona).max() < 2 or persona.max() < 1:
        raise CannotEstimateError(
            "fewer than two personas, or none with two dialogues", remedy="simulate several dialogues of each persona"
        )
    crossed = _is_crossed(detect(persona, preference))
    if np.ptp(values) > 0.0 and (fixed := _fix(values, persona, preference if crossed else None, level)) is not None:
        return fixed
    with one_thread():
        (fit,) = fit_reml(persona, preference, values, model="crossed" if crossed else "one_way")
        (odds,) = odds_intervals([fit], level=level, rng=child_rng(0, "persona"))
    covers = "personas and preferences" if crossed else "personas"
    return PersonaVariance(
        persona=fit.target,
        preference=fit.rater,
        residual=fit.residual,
        share=reliability_estimate(fit, odds, k=1.0, level=level, covers=covers),
    )


def _fix(values: Floats, persona: Codes, preference: Codes | None, level: float) -> PersonaVariance | None:
    """Return the variances where the persona, or else the preference, has one value in all its dialogues."""
    for codes, share, who in ((persona, 1.0, "persona"), (preference, 0.0, "preference")):
        if codes is None:
            continue
        own = np.zeros(codes.max() + 1)
        own[codes] = values
        if np.array_equal(own[codes], values):
            variance = float(own.var(ddof=1))
            method = f"each {who} has one value in all its dialogues"
            found = Estimate(share, None, None, level, method, "nothing: these alone", values.size, ("no_interval",))
            parts = (variance, 0.0) if who == "persona" else (0.0, variance)
            return PersonaVariance(persona=parts[0], preference=parts[1], residual=0.0, share=found)
    return None


def _is_crossed(design: Design) -> bool:
    return design.connected and design.kind in {"complete", "sparse_crossed", "replicated"}
