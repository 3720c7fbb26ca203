"""What a comparison of systems returns, with the names of systems and measures put back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.model.scale import Direction
from dialgauge.stats.compare import NeededDesign, RankInterval
from dialgauge.stats.estimate import Estimate, Refusal

Verdict = Literal["first", "second", "not shown"]
"""Which system is better (higher, where neither end of the scale is better), or that no difference is shown."""

Unit = Literal["share", "turn", "ability", "rating"]
"""A share lies in 0 to 1, a turn counts from 1, an ability lies in 0 to 5; ratings have the unit of their scale."""

Route = Literal["mixed", "clustered"]

Family = Literal["recommendation", "success", "acceptance", "sincerity", "reliability", "rated", "ability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMean:
    """A system on one measure: its mean over personas and preferences, its rank (1 is best), and its values."""

    system: str
    mean: Estimate
    rank: RankInterval
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The mean of ``first`` minus that of ``second`` on one measure.

    ``difference`` has its own interval; that of ``simultaneous`` holds for all pairs of systems together. ``p`` is
    that of no difference, ``p_pairs`` adjusted over the pairs of this measure, ``p_table`` over all pairs and measures
    of the table. ``n_paired`` counts the combinations of persona and preference that both systems met.
    ``route_ratio`` is the standard error of the mixed model over that of the clustered route, ``p_route`` the p of the
    latter over the pairs of this measure; None where there is no second route, p also where that has fewer than six
    personas or preferences. ``within_margin`` tells whether the simultaneous interval lies inside the margin; None
    where none was given. ``identical`` says that both systems have the same values with the same users.
    """

    first: str
    second: str
    difference: Estimate
    simultaneous: Estimate
    p: float
    p_pairs: float
    p_table: float
    df: float
    n_paired: int
    verdict: Verdict
    route_ratio: float | None = None
    p_route: float | None = None
    within_margin: bool | None = None
    identical: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondRoute:
    """The standard errors of the mixed model over those of the clustered route, for the same differences.

    ``ratio`` is that of the root mean squares over all pairs; ``disagrees`` says that it is further from 1 than usual.
    """

    ratio: float
    disagrees: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutSystem:
    """A system that could not be compared on one measure, and why."""

    system: str
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMeasure:
    """One measure of all systems that have it.

    ``variance`` holds the components of the mixed model in squared units of the measure; ``boundary`` names those that
    were estimated at 0, ``cannot_tell`` those that these data do not tell from another, with the reason.
    ``second_route`` is None where the clustered route is the one in use, or a Refusal where it gave nothing.
    ``needed`` is what a wanted difference takes, None where it was not asked for. Ranks are those that the verdicts of
    the table leave possible.
    """

    name: str
    family: Family
    unit: Unit
    scale: str
    direction: Direction
    bounds: tuple[float, float]
    route: Route
    method: str
    n: int
    n_raters: int | None
    means: tuple[SystemMean, ...]
    differences: tuple[Difference, ...]
    left_out: tuple[LeftOutSystem, ...] = ()
    variance: Mapping[str, float] = field(default_factory=dict)
    boundary: tuple[str, ...] = ()
    cannot_tell: Mapping[str, str] = field(default_factory=dict)
    second_route: SecondRoute | Refusal | None = None
    needed: tuple[NeededDesign, ...] | Refusal | None = None
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedMeasure:
    """A measure on which no systems could be compared."""

    name: str
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFacts:
    """What there is of one system; personas and preferences are None where the data do not name them.

    ``n_failed`` of its ``n_dialogues`` failed by the system and count; ``n_left_out`` further ones failed otherwise.
    """

    system: str
    n_dialogues: int
    n_failed: int
    n_left_out: int
    n_personas: int | None
    n_preferences: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemsComparison:
    """Systems compared on the measures of one data set.

    ``declared`` says that the measures were named beforehand, ``simulated`` that users were simulated;
    ``n_comparisons`` is the number of pairs and measures that the verdicts are held to together. ``margin`` and
    ``wanted`` (a difference) are in the unit of the measures.
    """

    data_set: str
    level: float
    seed: int
    systems: tuple[SystemFacts, ...]
    measures: tuple[ComparedMeasure, ...]
    refused: tuple[RefusedMeasure, ...] = ()
    declared: bool = False
    simulated: bool = False
    margin: float | None = None
    wanted: float | None = None
    power: float = 0.8
    source: str = ""
    notes: Sequence[str] = ()
    findings: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_comparisons(self) -> int:
        """The pairs of systems over all measures."""
        return sum(len(measure.differences) for measure in self.measures)

    def measure(self, name: str) -> ComparedMeasure:
        """Return the measure called ``name``; KeyError where it is not compared."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise KeyError(name)
