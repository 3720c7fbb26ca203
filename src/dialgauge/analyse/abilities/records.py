"""What the analysis of abilities returns: measures, abilities and breakdowns of each system, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.analyse.results import Coefficient
from dialgauge.io.catalogues import TitleMatch
from dialgauge.stats.abilities.persona import PersonaVariance
from dialgauge.stats.estimate import Refusal

Family = Literal["recommendation", "success", "acceptance", "reliability", "sincerity", "rated"]

Unit = Literal["share", "turn", "rating"]
"""A share lies in 0 to 1; a turn counts from 1; a rating lies in 1 to 5."""

Facet = Literal["emotion", "age", "attribute"]

FACETS: tuple[Facet, ...] = ("emotion", "age", "attribute")

Basis = Literal["accepted item", "as published"]
"""What a deceptive acceptance is read off: the item that was accepted, or the titles in the accepting utterance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure of one system.

    ``denominator`` is the sum of what was counted: dialogues, pairs or titles, as ``counted`` says. ``ceiling`` is the
    greatest value that it could have, where that is below 1.
    """

    name: str
    family: Family
    unit: Unit
    result: Coefficient
    denominator: int
    counted: str
    ceiling: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """One ability of one system, 0 to 5, from the ``measures`` that its formula takes.

    ``persona`` says how much of the ability of one dialogue is due to the persona, or why that is unknown.
    """

    name: str
    measures: tuple[str, ...]
    result: Coefficient
    persona: PersonaVariance | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaSpread:
    """How far personas differ in one ability: lowest, highest and mean value, and ``spread`` = range / mean.

    ``n_personas`` have a value, ``n_without`` have none; ``per_persona`` is the mean number of dialogues (pairs for
    Reliability) behind a value.
    """

    ability: str
    lowest: float
    highest: float
    mean: float
    spread: float
    n_personas: int
    n_without: int
    per_persona: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordination:
    """The mean spread over personas (0 is best), ``score`` = 5 / (1 + spread), and the ``spreads`` behind it.

    ``success`` says how much of the success of one dialogue is due to the persona: what the system does for it, whether
    or not such a user accepts in the end.
    """

    spread: Coefficient
    score: Coefficient
    spreads: tuple[PersonaSpread, ...]
    success: PersonaVariance | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The dialogues of one ``level`` of a ``facet``; a dialogue belongs to each attribute of its preference."""

    facet: Facet
    level: str
    n_dialogues: int
    results: Mapping[str, Coefficient]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAbilities:
    """All that is known about one system.

    ``n_failed`` of its ``n_dialogues`` failed by the system: they count, as not accepted. ``n_left_out`` further ones
    failed otherwise and do not count. ``deceptive_basis`` says what the deceptive share in abilities rests on.
    """

    system: str
    n_dialogues: int
    n_pairs: int
    n_personas: int
    n_preferences: int
    n_failed: int
    n_left_out: int
    deceptive_basis: Basis
    measures: tuple[Measure, ...]
    abilities: tuple[Ability, ...]
    coordination: Coordination
    groups: tuple[Group, ...]

    def measure(self, name: str) -> Measure | None:
        """Return the measure called ``name``; None where the system has none of that name."""
        return next((measure for measure in self.measures if measure.name == name), None)

    def ability(self, name: str) -> Ability:
        """Return the ability called ``name``."""
        return next(ability for ability in self.abilities if ability.name == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """Systems side by side on one data set, in the order of their names.

    ``made_up`` are raters whose ratings mean nothing and do not count, such as the fake model.
    """

    data_set: str
    catalogue: str
    title_match: TitleMatch
    level: float
    systems: Sequence[SystemAbilities]
    source: str = ""
    made_up: Sequence[str] = ()
    notes: Sequence[str] = ()
    findings: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
