"""What the analysis of raters returns: one record a rater, with the labels put back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.analyse.results import Coefficient
from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Estimate, Refusal

Rule = Literal["severity", "noise", "agreement", "straight_lining", "one_value", "speed"]

RULES: tuple[Rule, ...] = ("one_value", "straight_lining", "speed", "noise", "agreement", "severity")
"""The rules by which a rater is worth a look, those about care before those about judgement."""

Unit = Literal["scale points", "standard deviations"]


@dataclass(frozen=True, slots=True)
class Severity:
    """How far a rater's ratings lie above (+) or below (-) those that the others would give.

    ``estimate`` is the best linear unbiased prediction, its interval that of the distance from the mean of the raters
    of the study. ``prediction_se`` is the standard error against the mean of all raters there could be, and
    ``se_known_mean`` the same with that mean known (lme4's ``condVar``). ``in_sd`` is the value in standard deviations
    of one rating.
    """

    estimate: Estimate
    prediction_se: float
    se_known_mean: float
    in_sd: float


@dataclass(frozen=True, slots=True)
class StraightLining:
    """How often a rater gave all dimensions of a target one value, over ``n_targets`` with at least three of them.

    ``by_chance`` is the share that the rater's own use of the scale would give if dimensions were answered
    independently, ``by_others`` that of the other raters (``None`` without any). ``longest_run`` is the longest run of
    one value in the order of the answers; ``None`` where no order is known.
    """

    n_targets: int
    n_straight: int
    by_chance: float
    by_others: float | None
    longest_run: int | None

    @property
    def share(self) -> float:
        """The share of the targets (0 to 1)."""
        return self.n_straight / self.n_targets


@dataclass(frozen=True, slots=True)
class UseOfScale:
    """How a rater's ratings of ``dimensions``, which share a scale, spread over it.

    ``counts`` are the ratings at each point (or in each part of a continuous scale) under their labels; ``entropy`` is
    0 for one part only and 1 for all equally often, ``extremes`` the share at both ends of the scale.
    """

    scale: str
    dimensions: tuple[str, ...]
    counts: tuple[tuple[str, int], ...]
    entropy: float
    extremes: float
    low: float
    high: float
    mean: float
    spread: float


@dataclass(frozen=True, slots=True)
class RaterSpeed:
    """Seconds per target: their median over ``n`` timed targets, and the share below the panel's threshold."""

    n: int
    median: float
    fast: float


@dataclass(frozen=True, slots=True)
class Flag:
    """A rule that a rater meets, and why, in words. ``p`` is adjusted for the number of raters; ``None`` without test."""

    rule: Rule
    reason: str
    p: float | None


@dataclass(frozen=True, slots=True)
class Change:
    """One dimension with all raters (first) and without some (second); ``within`` tells whether Rel(k) stays inside
    the interval that it has with all. ``second`` values and ``within`` are ``None`` with a ``refusal``.
    """

    dimension: str
    rel_single: tuple[float, float | None]
    rel_k: tuple[float, float | None]
    mean: tuple[float, float | None]
    band: tuple[str, str | None]
    within: bool | None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Without:
    """What dropping ``raters`` with their ``n_ratings`` would change, dimension by dimension, at the same k."""

    raters: tuple[str, ...]
    n_ratings: int
    changes: tuple[Change, ...]


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
    ``together`` is what dropping all flagged raters would change. ``k`` (by dimension) is the number of raters that
    Rel(k) averages over.
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
    notes: Sequence[str] = ()
    findings: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def flagged(self) -> list[RaterQuality]:
        """The raters that meet a rule."""
        return [rater for rater in self.raters if rater.flags]
