"""What the comparison of kinds of rater returns, with the labels put back."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dialgauge.analyse.kinds.pairs import PairOfKinds
from dialgauge.analyse.kinds.people import AgreementWithPeople
from dialgauge.analyse.results import Coefficient
from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.kinds.layout import Basis


@dataclass(frozen=True, slots=True)
class KindVariance:
    """Variances of the ratings of one kind, in squared scale units.

    ``target`` is the variance of what the raters of the kind share; where a kind has one rater per target it is that
    rater's own view, and where ``residual`` is refused it holds the noise too. ``target_x_rater`` is ``None`` where the
    design does not tell it from the residual.
    """

    target: float
    rater: float | Refusal
    target_x_rater: float | None
    residual: float | Refusal


@dataclass(frozen=True, slots=True)
class KindReliability:
    """All that is known about the ratings of one kind of rater on one dimension.

    ``basis`` says what noise is told from targets by: ``raters`` of the kind that share targets, ``replicates`` by one
    rater per target (``identical`` if they are all equal), or nothing (``single``). ``k`` raters with ``replicates``
    ratings each make the k forms. ``this_rater_only`` and ``this_rater_only_k`` stand where the reliability for fresh
    raters is refused: one rating, and the mean of ``replicates`` ratings, of the one rater that each target has.
    """

    kind: str
    raters: tuple[str, ...]
    design: Design
    n_missing: int
    basis: Basis
    mean: Estimate
    variance: KindVariance
    k: float
    replicates: float
    rel_single: Coefficient
    rel_k: Coefficient
    rel_single_relative: Coefficient
    rel_k_relative: Coefficient
    this_rater_only: Coefficient | None
    this_rater_only_k: Coefficient | None
    flags: tuple[Flag, ...]


@dataclass(frozen=True, slots=True)
class LeftOutKind:
    """A kind of rater that could not be compared on a dimension, and why."""

    kind: str
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class KindsFitRecord:
    """How the variances were found: enough to doubt or repeat the fit.

    ``max_gradient`` is the largest derivative of the criterion in the coordinates of the search, at its end.
    """

    criterion: float
    evaluations: int
    max_gradient: float


@dataclass(frozen=True, slots=True)
class DimensionKinds:
    """One dimension: each kind of rater by itself, and every two of them compared."""

    name: str
    kinds: tuple[KindReliability, ...]
    pairs: tuple[PairOfKinds, ...]
    left_out: tuple[LeftOutKind, ...]
    fit: KindsFitRecord
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedKinds:
    """A dimension on which no kinds could be compared."""

    name: str
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class KindsComparison:
    """Kinds of rater compared on every dimension of a set of ratings.

    ``kinds`` counts the raters of each kind, the reference first; ``n_targets`` counts all targets. ``people`` is how
    far each kind agrees with the means of people whose ratings came from elsewhere, where there are such.
    """

    source: str
    scale: str
    n_targets: int
    level: float
    reference: str
    kinds: Mapping[str, int]
    dimensions: tuple[DimensionKinds, ...]
    refused: tuple[RefusedKinds, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    people: tuple[AgreementWithPeople, ...] = ()
