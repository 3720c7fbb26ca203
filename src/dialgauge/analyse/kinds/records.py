"""What the comparison of kinds of rater returns, with the labels put back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.analyse.results import Coefficient
from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Estimate, Flag, Refusal

NoiseBasis = Literal["raters", "replicates", "identical", "single"]


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
    basis: NoiseBasis
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
class PerfectCorrelation:
    """The likelihood ratio test that two kinds see exactly the same in the targets, noise apart.

    ``statistic`` is the rise of the REML criterion; ``p`` comes from the half-and-half mixture of chi-square with
    ``df`` and ``df - 1`` degrees of freedom.
    """

    statistic: float
    df: int
    p: float


@dataclass(frozen=True, slots=True)
class Worth:
    """How many raters of the second kind are worth one rater of the first.

    ``equal`` gives the number whose mean is as reliable as the one rater, each measured against its own kind's view.
    ``stand_in`` gives the number whose mean correlates with the first kind's view as highly as the one rater does.
    Where a kind has one rater per target, its replicates count instead of raters.
    """

    equal: Coefficient
    stand_in: float | Refusal


@dataclass(frozen=True, slots=True)
class PairOfKinds:
    """Two kinds of rater compared on one dimension.

    ``difference`` is the mean of ``second`` less that of ``first``, with its standard error and degrees of freedom.
    ``correlation`` is that of the target effects, noise taken out of both; it is refused where a kind has one rating
    per target, and ``correlation_as_rated`` then takes out the noise of the other kind only. ``observed`` is the plain
    correlation of target means, ``ceiling`` what it would be, noise being what it is, if the target effects correlated
    perfectly. ``worth`` counts severity as error, ``worth_relative`` does not.
    """

    first: str
    second: str
    n_shared: int
    difference: Estimate
    difference_se: float
    difference_df: float
    correlation: Coefficient
    correlation_as_rated: Coefficient | None
    perfect: PerfectCorrelation | Refusal
    observed: Coefficient
    ceiling: float | None
    worth: Worth | Refusal
    worth_relative: Worth | Refusal
    findings: tuple[str, ...] = ()


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

    ``kinds`` counts the raters of each kind, the reference first.
    """

    source: str
    level: float
    reference: str
    kinds: Mapping[str, int]
    dimensions: tuple[DimensionKinds, ...]
    refused: tuple[RefusedKinds, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
