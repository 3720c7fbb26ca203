"""Measures and abilities as plain records: JSON, and long CSV."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from dialgauge.analyse.abilities.records import Abilities, Ability, Coordination, Group, Measure, SystemAbilities
from dialgauge.analyse.results import Coefficient
from dialgauge.report.abilities.words import FORMULAS, scores_of, share_of
from dialgauge.report.values import Json, record_coefficient
from dialgauge.stats.abilities.persona import PersonaVariance
from dialgauge.stats.estimate import Estimate, Refusal

COLUMNS = ("data_set", "system", "facet", "level", "name", "value", "low", "high", "n", "counted", "flags", "reason")
"""Of the CSV: ``facet`` and ``level`` are empty for all dialogues of a system."""


def abilities_to_json(found: Sequence[Abilities]) -> str:
    """Return everything, an entry per data set, as JSON."""
    return (
        json.dumps({"data_sets": [_record(each) for each in found]}, indent=2, ensure_ascii=False, allow_nan=False)
        + "\n"
    )


def abilities_to_csv(found: Sequence[Abilities]) -> str:
    """Return a row per data set, system, group and measure or ability."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in found:
        for system in each.systems:
            for row in _rows(system):
                writer.writerow({"data_set": each.data_set, "system": system.system, **row})
    return out.getvalue()


def _record(found: Abilities) -> Json:
    return {
        "data_set": found.data_set,
        "source": found.source,
        "catalogue": found.catalogue,
        "title_match": found.title_match,
        "level": found.level,
        "formulas": dict(FORMULAS),
        "made_up": list(found.made_up),
        "systems": [_record_system(system, found.level) for system in found.systems],
        "notes": list(found.notes),
        "findings": list(found.findings),
        "versions": dict(found.versions),
    }


def _record_system(system: SystemAbilities, level: float) -> Json:
    return {
        "system": system.system,
        "n_dialogues": system.n_dialogues,
        "n_pairs": system.n_pairs,
        "n_personas": system.n_personas,
        "n_preferences": system.n_preferences,
        "n_failed": system.n_failed,
        "n_left_out": system.n_left_out,
        "deceptive_basis": system.deceptive_basis,
        "measures": [_record_measure(measure, level) for measure in system.measures],
        "abilities": [_record_ability(ability, level) for ability in system.abilities],
        "coordination": _record_coordination(system.coordination, level),
        "groups": [_record_group(group, level) for group in system.groups],
    }


def _record_measure(measure: Measure, level: float) -> Json:
    return {
        "name": measure.name,
        "family": measure.family,
        "unit": measure.unit,
        "denominator": measure.denominator,
        "counted": measure.counted,
        "ceiling": measure.ceiling,
        "result": record_coefficient(measure.result, level=level),
    }


def _record_variance(found: PersonaVariance | Refusal) -> Json:
    if isinstance(found, Refusal):
        return {"persona": None, "preference": None, "residual": None}
    return {"persona": found.persona, "preference": found.preference, "residual": found.residual}


def _record_ability(ability: Ability, level: float) -> Json:
    return {
        "name": ability.name,
        "measures": list(ability.measures),
        "result": record_coefficient(ability.result, level=level),
        "variance": _record_variance(ability.persona),
        "persona_share": record_coefficient(share_of(ability.persona), level=level),
    }


def _record_coordination(found: Coordination, level: float) -> Json:
    return {
        "spread": record_coefficient(found.spread, level=level),
        "score": record_coefficient(found.score, level=level),
        "success_variance": _record_variance(found.success),
        "success_persona_share": record_coefficient(share_of(found.success), level=level),
        "spreads": [asdict(spread) for spread in found.spreads],
    }


def _record_group(group: Group, level: float) -> Json:
    results = {name: record_coefficient(result, level=level) for name, result in group.results.items()}
    return {"facet": group.facet, "level": group.level, "n_dialogues": group.n_dialogues, "results": results}


def _rows(system: SystemAbilities) -> Iterator[Json]:
    share = system.n_failed / system.n_dialogues
    yield {"name": "failed", "value": share, "n": system.n_dialogues, "counted": "dialogues"}
    for measure in system.measures:
        yield {"name": measure.name, "n": measure.denominator, "counted": measure.counted, **_cells(measure.result)}
    for name, result in scores_of(system).items():
        yield {"name": name, "n": _n_of(result), **_cells(result)}
    for ability in system.abilities:
        yield {"name": f"{ability.name}: share of personas", **_cells(share_of(ability.persona))}
    yield {"name": "success: share of personas", **_cells(share_of(system.coordination.success))}
    for group in system.groups:
        for name, result in group.results.items():
            place = {"facet": group.facet, "level": group.level}
            yield {**place, "name": name, "n": _n_of(result), "counted": "dialogues", **_cells(result)}


def _n_of(result: Coefficient) -> int | None:
    """Return the number of rows that a result rests on; None where there is none."""
    return result.n if isinstance(result, Estimate) else None


def _cells(result: Coefficient) -> Json:
    if isinstance(result, Estimate):
        return {"value": result.value, "low": result.low, "high": result.high, "flags": " ".join(result.flags)}
    return {"flags": "refused", "reason": result.reason}
