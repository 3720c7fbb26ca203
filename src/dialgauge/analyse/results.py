"""What the reliability analysis returns: records of Estimates, with the labels put back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.meansquares import IccForm

Coefficient = Estimate | Refusal

Model = Literal["crossed", "crossed_replicated", "one_way", "nested"]


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variances per facet, in squared scale units; ``None`` where the model has no such facet."""

    target: float
    rater: float | None
    target_x_rater: float | None
    residual: float

    @property
    def total(self) -> float:
        """Variance of one rating of a random target by a random rater."""
        return self.target + (self.rater or 0.0) + (self.target_x_rater or 0.0) + self.residual

    def shares(self) -> dict[str, float]:
        """Return each facet's share of the total (0 to 1), in the order target, rater, target_x_rater, residual."""
        parts = {
            "target": self.target,
            "rater": self.rater,
            "target_x_rater": self.target_x_rater,
            "residual": self.residual,
        }
        return {name: value / self.total for name, value in parts.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Check:
    """Two routes that theory ties together, both computed.

    ``relation`` says how: the first is equal to the second, or at most as large. ``gap`` is by how much that fails.
    """

    name: str
    relation: Literal["equal", "at_most"]
    first: float
    second: float
    gap: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """Whether the two routes agree within the tolerance."""
        return self.gap <= self.tolerance


@dataclass(frozen=True, slots=True)
class FitRecord:
    """How the variance components were found: enough to doubt or repeat the fit.

    ``criterion_one_way`` is ``None`` where the one-way model was fitted to other ratings (with replicates).
    """

    criterion: float
    criterion_one_way: float | None
    mean_gls: float
    iterations: int
    max_gradient: float
    boundary: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DimensionReliability:
    """All that is known about the reliability of one dimension.

    ``k`` is the number of raters that the k forms average over, ``replicates`` the ratings per rater and target.
    ``rel_single`` and ``rel_k`` are absolute (fresh raters each time), the ``_relative`` forms leave rater severity
    out. ``band`` is the Koo and Li word for ``rel_k``. ``rel_k_ordinal`` is Rel(k) on a latent ordinal scale, ``None``
    where it was not asked for.
    """

    name: str
    design: Design
    n_missing: int
    mean: Estimate
    model: Model
    variance: VarianceComponents
    k: float
    replicates: float
    rel_single: Estimate
    rel_k: Estimate
    rel_single_relative: Estimate
    rel_k_relative: Estimate
    icc1: Estimate
    icc1_k: Estimate
    icc1_anova: Estimate
    icc1_k_anova: Coefficient
    alpha_ordinal: Coefficient
    alpha_interval: Coefficient
    percent_agreement: Coefficient
    complete_forms: tuple[IccForm, ...]
    band: str
    flags: tuple[str, ...]
    fit: FitRecord
    checks: tuple[Check, ...]
    findings: tuple[str, ...]
    rel_k_ordinal: Coefficient | None = None


@dataclass(frozen=True, slots=True)
class RefusedDimension:
    """A dimension for which no reliability can be given, and what can be said all the same."""

    name: str
    reason: str
    remedy: str
    design: Design
    n_missing: int
    mean: float | None
    percent_agreement: float | None
    marginals: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Reliability:
    """The reliability of every dimension of a set of ratings.

    ``dimensions`` is sorted by ``rel_k``, highest first. ``notes`` tell how the ratings were read (columns guessed,
    rows left out); ``findings`` are the sentences that change what one may conclude.
    """

    design: Design
    source: str
    scale: str
    level: float
    seed: int
    dimensions: Sequence[DimensionReliability]
    refused: Sequence[RefusedDimension] = ()
    notes: Sequence[str] = ()
    findings: Sequence[str] = ()
    versions: dict[str, str] = field(default_factory=dict)
