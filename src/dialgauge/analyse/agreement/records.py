"""What the agreement analysis returns: for each dimension its coefficients, what they are made of, the marginals."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from dialgauge.analyse.results import Coefficient
from dialgauge.stats.agreement.marginals import MarginalTest
from dialgauge.stats.agreement.weights import Kind
from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Estimate

Metric = Literal["nominal", "ordinal", "interval", "ratio"]

RaterScope = Literal["random", "these"]
"""Whether intervals cover new raters too, or new targets rated by these raters only."""

WeightsChoice = Literal["auto"] | Kind

CoefficientName = Literal[
    "percent_agreement",
    "percent_weighted",
    "alpha",
    "fleiss_kappa",
    "conger_kappa",
    "brennan_prediger",
    "gwet_ac1",
    "gwet_ac2",
    "cohen_kappa",
    "light_kappa",
    "kendall_w",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "alpha_ratio",
]

NAMES: tuple[CoefficientName, ...] = get_args(CoefficientName)
"""Every coefficient, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """A coefficient, and the observed and expected agreement (0 to 1) that it is made of: (o - e) / (1 - e).

    ``observed`` and ``expected`` are ``None`` where the coefficient is not made so or could not be computed. ``band``
    is the word of Krippendorff (alpha) or of Landis and Koch (kappa, AC); empty where there is none.
    """

    name: CoefficientName
    result: Coefficient
    observed: float | None = None
    expected: float | None = None
    band: str = ""

    @property
    def value(self) -> float | None:
        """The value, ``None`` where it was refused."""
        return self.result.value if isinstance(self.result, Estimate) else None


@dataclass(frozen=True, slots=True)
class ZeroConcordance:
    """Test that raters rank the targets independently: Kendall's chi2 with ``df`` degrees of freedom."""

    chi2: float
    df: int
    p: float


@dataclass(frozen=True, slots=True)
class DimensionAgreement:
    """All that is known about the agreement of raters on one dimension.

    ``metric`` is that of the main alpha, ``weights`` the kind of agreement weights of percent_weighted, the kappas and
    AC2. ``coefficients`` holds those that apply to the design, in the order of `NAMES`, refused ones included.
    ``marginals`` counts the ratings of each declared point, ``rater_marginals`` the same by rater for up to ten raters.
    """

    name: str
    scale: str
    metric: Metric
    weights: Kind
    design: Design
    n_missing: int
    marginals: tuple[tuple[str, int], ...]
    coefficients: tuple[AgreementCoefficient, ...]
    rater_marginals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    concordance: ZeroConcordance | None = None
    homogeneity: MarginalTest | None = None
    flags: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    def get(self, name: CoefficientName) -> AgreementCoefficient | None:
        """Return the coefficient called ``name``; ``None`` where it does not apply."""
        return next((c for c in self.coefficients if c.name == name), None)

    def value(self, name: CoefficientName) -> float | None:
        """Return the value of the coefficient called ``name``; ``None`` where there is none."""
        found = self.get(name)
        return None if found is None else found.value


@dataclass(frozen=True, slots=True)
class RefusedAgreement:
    """A dimension for which no coefficient can be given."""

    name: str
    reason: str
    remedy: str
    design: Design
    n_missing: int
    marginals: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of raters on every dimension of a set of ratings.

    ``dimensions`` is sorted by alpha, highest first. ``raters`` says whether intervals cover new raters. ``notes`` tell
    how the ratings were read; ``findings`` are the sentences that change what one may conclude.
    """

    design: Design
    source: str
    scale: str
    level: float
    raters: RaterScope
    weights: WeightsChoice
    dimensions: Sequence[DimensionAgreement]
    refused: Sequence[RefusedAgreement] = ()
    notes: Sequence[str] = ()
    findings: Sequence[str] = ()
    versions: dict[str, str] = field(default_factory=dict)
