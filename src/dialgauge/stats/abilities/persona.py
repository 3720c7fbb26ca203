"""How much of what dialogues score is due to the persona: a variance component with its interval."""

from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.abilities.twoway import Crossing
from dialgauge.stats.arrays import Floats, one_thread
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
    the one-way model answers. Raises CannotEstimateError where no persona has two rows, or nothing varies.
    """
    _, persona = np.unique(crossing.persona, return_inverse=True)
    _, preference = np.unique(crossing.preference, return_inverse=True)
    if persona.size == 0 or np.bincount(persona).max() < 2 or persona.max() < 1:
        raise CannotEstimateError(
            "fewer than two personas, or none with two dialogues", remedy="simulate several dialogues of each persona"
        )
    crossed = _is_crossed(detect(persona, preference))
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


def _is_crossed(design: Design) -> bool:
    return design.connected and design.kind in {"complete", "sparse_crossed", "replicated"}
