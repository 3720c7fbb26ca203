"""How measures and abilities are called and written, wherever they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dialgauge.analyse.abilities.records import Abilities, Family, Measure, SystemAbilities, Unit
from dialgauge.analyse.results import Coefficient
from dialgauge.report.numerals import DASH, decimal, fixed, plural
from dialgauge.report.text import clean, join, typeset
from dialgauge.stats.abilities.persona import PersonaVariance
from dialgauge.stats.estimate import Estimate, Refusal

FAMILIES: Mapping[Family, str] = {
    "recommendation": "Recall of the last ranking",
    "success": "Success by turn",
    "acceptance": "Acceptance by the user",
    "sincerity": "Sincerity",
    "reliability": "Reliability: replies to a paraphrase",
    "rated": "Rated, 1 to 5",
}
"""The headings of measures, in the order of all tables."""

_TITLES: Mapping[str, str] = {
    "user_at": "User AT",
    "deceptive_as_published": "Deceptive, as published",
    "deceptive_item": "Deceptive, by item",
    "non_existent": "Non-existent items",
    "false_claims": "False claims",
    "consistent_recommendation": "Same recommendation",
}

ABILITIES: Mapping[str, str] = {
    "quality": "Quality",
    "reliability": "Reliability",
    "cooperation": "Cooperation",
    "sincerity": "– Sincerity, part of it",
    "social_awareness": "Social awareness",
    "identity": "Identity",
    "coordination": "Coordination",
}

FORMULAS: Mapping[str, str] = {
    "quality": "5/3 (acceptance + Recall@50 as a share of its ceiling + mean of recommender and conversation SR@10)",
    "reliability": "5 (1 − inconsistent × sensitive): the product is the share of pairs, both recommending, whose "
    "items differ and do not all fit",
    "cooperation": "mean of Manner, Sincerity, Response quality and Relevance",
    "sincerity": "5 (1 − (deceptive + non-existent) / 2)",
    "social_awareness": "the rated measure, 1 to 5",
    "identity": "persuasiveness × (1 − deceptive)",
    "coordination": "5 / (1 + spread); the spread is range / mean over personas, averaged over the "
    "abilities that have one",
}
"""What an ability is, as it is printed; `dialgauge.stats.abilities.formulas` computes it."""

PERSONA_SHARES = (
    "due to persona: share of the variance among single dialogues that personas account for. In abilities it is also "
    "how easily they accept; Success, the mean SR@10, is what the system does for them, accepted or not."
)

COVERS = "new personas, preferences and dialogues"


@dataclass(frozen=True, slots=True)
class Gap:
    """What could not be computed for some systems, for one reason."""

    what: str
    systems: str
    reason: str
    remedy: str


def title_of(name: str) -> str:
    """Return what a measure or an ability is called in tables."""
    if name in _TITLES:
        return _TITLES[name]
    words = name.replace("recall", "Recall").replace("_sr@", " SR@").replace("_at", " AT").replace("_", " ")
    return words[0].upper() + words[1:]


def say_size(found: Abilities) -> str:
    """Say what was analysed: data set, systems, dialogues, titles."""
    counts = [system.n_dialogues for system in found.systems]
    each = f"{counts[0]} dialogues each" if len(set(counts)) == 1 else f"{min(counts)} to {max(counts)} dialogues each"
    if len(counts) == 1:
        each = plural(counts[0], "dialogue")
    how = "as whole titles" if found.title_match == "whole" else "as substrings"
    return f"{clean(found.data_set)}: {plural(len(counts), 'system')}, {each}, titles matched {how}"


def say_failed(system: SystemAbilities) -> str:
    """Say how many of the dialogues that count failed by the system, such as ``3 of 24``, and how many are left out."""
    left_out = f", {system.n_left_out} left out" if system.n_left_out else ""
    return f"{system.n_failed} of {system.n_dialogues}{left_out}"


def digits_of(unit: Unit) -> int:
    """Return the decimals that a measure is written with."""
    return 3 if unit == "share" else 2


def name_of(ability: str) -> str:
    """Return the name of an ability within a sentence or a figure."""
    return ABILITIES[ability].removeprefix("– ").partition(",")[0]


def write_result(result: Coefficient | None, unit: Unit | None = "share", *, digits: int = 2) -> str:
    """Write value and interval, such as ``.40 [.16, .68]``, or a dash."""
    value, interval = write_value(result, unit, digits=digits), write_interval(result, unit, digits=digits)
    return f"{value} {interval}" if interval else value


def write_value(result: Coefficient | None, unit: Unit | None = "share", *, digits: int = 2) -> str:
    """Write the value, or a dash; shares without the zero before the point."""
    return _write(result.value, unit, digits) if isinstance(result, Estimate) else DASH


def write_interval(result: Coefficient | None, unit: Unit | None = "share", *, digits: int = 2) -> str:
    """Write the interval in brackets; nothing where there is none."""
    if not isinstance(result, Estimate) or result.low is None or result.high is None:
        return ""
    return f"[{_write(result.low, unit, digits)}, {_write(result.high, unit, digits)}]"


def _write(value: float, unit: Unit | None, digits: int) -> str:
    return decimal(value, digits) if unit == "share" else fixed(value, digits)


def measures_by_family(found: Abilities) -> dict[Family, list[Measure]]:
    """Return the measures that some system has a value of, by family; each as the first system has it."""
    rows: dict[Family, list[Measure]] = {}
    for family in FAMILIES:
        names = dict.fromkeys(m.name for s in found.systems for m in s.measures if m.family == family)
        known = [name for name in names if any(isinstance(result_of(s, name), Estimate) for s in found.systems)]
        firsts = [next(m for s in found.systems if (m := s.measure(name)) is not None) for name in known]
        if firsts:
            rows[family] = firsts
    return rows


def result_of(system: SystemAbilities, name: str) -> Coefficient | None:
    """Return the result of a measure of a system; None where it has none of that name."""
    measure = system.measure(name)
    return measure.result if measure is not None else None


def scores_of(system: SystemAbilities) -> dict[str, Coefficient]:
    """Return the abilities of a system, Coordination last."""
    return {**{a.name: a.result for a in system.abilities}, "coordination": system.coordination.score}


def list_gaps(found: Abilities) -> list[Gap]:
    """Return what could not be computed, one entry per reason and set of systems."""
    reasons: dict[tuple[str, str], dict[str, list[str]]] = {}
    for system in found.systems:
        for title, result in _all_results(system):
            if isinstance(result, Refusal):
                reasons.setdefault((result.reason, result.remedy), {}).setdefault(title, []).append(
                    clean(system.system)
                )
    gaps: dict[tuple[str, str, str], list[str]] = {}
    for (reason, remedy), titles in reasons.items():
        for title, systems in titles.items():
            whom = "" if len(systems) == len(found.systems) else join(systems)
            gaps.setdefault((reason, remedy, whom), []).append(title)
    return [
        Gap(join(titles), whom, typeset(clean(reason)), typeset(remedy))
        for (reason, remedy, whom), titles in gaps.items()
    ]


def _all_results(system: SystemAbilities) -> list[tuple[str, Coefficient]]:
    measures = [(title_of(m.name), m.result) for m in system.measures]
    return [
        *measures,
        *((name_of(name), result) for name, result in scores_of(system).items()),
    ]


def share_of(variance: PersonaVariance | Refusal) -> Coefficient:
    """Return the share that is due to personas."""
    return variance if isinstance(variance, Refusal) else variance.share


def persona_shares(found: Abilities) -> dict[str, list[Coefficient]]:
    """Return what is due to personas, a share for each system: that of success, then of abilities, by their titles.

    Success comes first because how easily a persona accepts is no part of it.
    """
    shares = {"Success": [share_of(system.coordination.success) for system in found.systems]}
    for ability in found.systems[0].abilities:
        own = [share_of(system.ability(ability.name).persona) for system in found.systems]
        shares[name_of(ability.name)] = own
    return shares


def names_of(systems: Sequence[SystemAbilities]) -> list[str]:
    """Return the names of the systems as they can be printed."""
    return [clean(system.system) for system in systems]
