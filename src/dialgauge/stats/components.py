"""Variance components, and the reliability of any score that is made of such ratings.

The formulas stand in `dialgauge.stats.dstudy`.
"""

import math
from dataclasses import dataclass

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.ranges import require_above
from dialgauge.stats.reml.odds import Form, step_up


@dataclass(frozen=True, slots=True)
class Score:
    """The score whose reliability is asked for: the mean of ``k`` raters (> 0) with ``replicates`` (> 0) ratings each.

    ``form`` is ``"absolute"`` (fresh raters each time, severity counts as error) or ``"relative"`` (severity left out).
    """

    k: float = 1.0
    replicates: float = 1.0
    form: Form = "absolute"

    def __post_init__(self) -> None:
        require_above("the number of raters that a score averages over", self.k, 0.0)
        require_above("the number of replicates that a score averages over", self.replicates, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Variance components, in squared units of the ratings or as shares.

    ``rater`` is ``None`` where severity cannot be told from noise (one-way): it is then part of ``residual``, and the
    relative form equals the absolute one. ``target_x_rater`` is ``None`` without replicates: it is then part of
    ``residual``. Raises ``InputError`` for a negative variance and where all are zero.
    """

    target: float
    residual: float
    rater: float | None = None
    target_x_rater: float | None = None

    def __post_init__(self) -> None:
        for name in ("target", "rater", "target_x_rater", "residual"):
            variance = getattr(self, name)
            if variance is not None and not (math.isfinite(variance) and variance >= 0.0):
                raise InputError(f"the variance of the facet {name} must not be negative, got {variance}")
        if not self.total > 0.0:
            raise InputError("all variance components are 0; at least one must be positive")

    @property
    def total(self) -> float:
        """Variance of one rating of a random target by a random rater."""
        return self.target + (self.rater or 0.0) + (self.target_x_rater or 0.0) + self.residual

    def error(self, score: Score) -> float:
        """Return the error variance of one rater with ``score.replicates`` ratings; that of k raters is a k-th of it.

        Raises ``CannotEstimateError`` where replicates other than 1 are asked for and the interaction is unknown.
        """
        if score.replicates == 1.0:
            return self.lasting(score.form) + self.residual
        if self.target_x_rater is None:
            raise unknown_interaction()
        return self.lasting(score.form) + self.residual / score.replicates

    def lasting(self, form: Form) -> float:
        """Return the known part of one rater's error variance that replicates do not average away."""
        severity = self.rater or 0.0 if form == "absolute" else 0.0
        return severity + (self.target_x_rater or 0.0)

    def odds(self, score: Score) -> float:
        """Return target to error variance of one rater with ``score.replicates`` ratings; infinite without error."""
        error = self.error(score)
        return self.target / error if error > 0.0 else math.inf

    def reliability(self, score: Score) -> float:
        """Return Rel(k, r) of ``score`` (0 to 1)."""
        return step_up(self.odds(score), score.k)


def unknown_interaction() -> CannotEstimateError:
    """Return the error that says that nobody knows what replicates would gain."""
    return CannotEstimateError(
        "the variance of target x rater cannot be told from the residual, so the gain by replicates is unknown",
        remedy="let some raters rate the same target twice, or state that variance",
    )
