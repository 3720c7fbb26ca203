"""What the analysis of raters returns: one record a rater, with the labels put back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.analyse.raters.parts import RaterSpeed, Severity, StraightLining, UseOfScale, Without
from dialgauge.analyse.raters.rasch import RaschReport
from dialgauge.analyse.results import Coefficient
from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Refusal

Rule = Literal["severity", "noise", "agreement", "straight_lining", "one_value", "speed"]

RULES: tuple[Rule, ...] = ("one_value", "straight_lining", "speed", "noise", "agreement", "severity")
"""The rules by which a rater is worth a look, those about care before those about judgement."""

Unit = Literal["scale points", "standard deviations"]


@dataclass(frozen=True, slots=True)
class Flag:
    """A rule that a rater meets, and why, in words.

    ``p`` is adjusted for the number of raters; ``None`` where the rule has no test.
    """

    rule: Rule
    reason: str
    p: float | None


@dataclass(frozen=True, slots=True)
class RaterQuality:
    """All that is known about one rater.

    ``severity`` is over all dimensions, ``severities`` by dimension. ``consistency`` is the residual variance over that
    of the other raters (1: like them; above: noisier), ``consistencies`` the same by dimension. ``agreement`` is the
    correlation with the others' means, ``halo`` the mean correlation between dimensions beyond them. ``p`` holds the
    adjusted p-value of each rule that was tested. ``without`` is there for raters with a flag.
    """

    name: str
    n_ratings: int
    n_targets: int
    severity: Severity | Refusal
    severities: Mapping[str, Severity | Refusal]
    consistency: Coefficient
    consistencies: Mapping[str, Coefficient]
    agreement: Coefficient
    straight_lining: StraightLining | Refusal
    halo: Coefficient
    use: tuple[UseOfScale, ...]
    speed: RaterSpeed | Refusal
    p: Mapping[Rule, float]
    flags: tuple[Flag, ...] = ()
    without: Without | None = None


@dataclass(frozen=True, slots=True)
class Norms:
    """What the panel as a whole does; ``None`` where it is not known.

    ``sd`` is the standard deviation of one rating, in ``unit``; ``rater_share`` the share of its variance that is
    severity; both of the mean over dimensions. ``agreement`` and ``halo`` are the medians over raters, ``straight`` the
    share of targets with one value throughout, ``run`` the median longest run, ``seconds`` the median over raters of
    their medians, ``threshold`` what counts as too fast.
    """

    unit: Unit
    sd: float | None
    rater_share: float | None
    agreement: float | None
    halo: float | None
    straight: float | None
    run: float | None
    seconds: float | None
    threshold: float | None


@dataclass(frozen=True, slots=True)
class RaterReport:
    """The raters of a study, those most worth a look first.

    ``dimensions`` are those that the numbers rest on, ``refused`` those that could not be used, with the reason.
    ``together`` is what dropping all flagged raters would change, ``but_severe`` what dropping those would that are
    flagged for something other than severity; ``None`` where there are none. ``k`` (by dimension) is the number of
    raters that Rel(k) averages over. ``rasch`` is the many-facet Rasch model, ``None`` where it was not asked for.
    """

    source: str
    scale: str
    level: float
    design: Design
    dimensions: tuple[str, ...]
    refused: Mapping[str, Refusal]
    k: Mapping[str, float]
    raters: Sequence[RaterQuality]
    norms: Norms
    together: Without | None
    but_severe: Without | None
    notes: Sequence[str] = ()
    findings: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    rasch: RaschReport | None = None

    @property
    def flagged(self) -> list[RaterQuality]:
        """The raters that meet a rule."""
        return [rater for rater in self.raters if rater.flags]
