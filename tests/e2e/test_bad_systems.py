"""Recommenders that are bad in one known way each are caught by the measure that is there for it, and by no other.

The whole way is real: agenda users, store, code rater, analysis. Each fact is one of intervals, not of values alone.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dialgauge.cli import run

HONEST, LIAR, LITERAL, FAIR = "attributes", "liar", "literal", "fair-weather"
SYSTEMS = (HONEST, LIAR, LITERAL, FAIR)
DESIGN = ("--personas", "24", "--preferences", "12")

MODULE = """
from tests.systems.bad import FairWeather, Liar, Literal

from dialgauge.io.catalogues import read_catalogue
from dialgauge.model import Turn
from dialgauge.systems.items import ItemFinder

FINDER = ItemFinder(read_catalogue("films"))


def speak(system):
    def reply(dialogue):
        answer = system.answer([Turn(**turn) for turn in dialogue])
        return {"text": answer.text, "items": list(answer.ranking), "recommends": answer.recommends}

    return reply


liar, literal, fair_weather = (speak(system(FINDER)) for system in (Liar, Literal, FairWeather))


def believe(dialogue, dimension):
    return 4.0
"""

STUDY = """
name = "bad"
instrument = "concept"
dimensions = ["persuasiveness"]
[[raters]]
name = "believes-everything"
kind = "code"
function = "bad_systems:believe"
"""

Result = Mapping[str, float]
Found = Mapping[str, Mapping[str, Result]]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of one simulation of all systems, rated."""
    root = tmp_path_factory.mktemp("bad")
    (root / "bad_systems.py").write_text(MODULE, encoding="utf-8")
    (root / "study.toml").write_text(STUDY, encoding="utf-8")
    specs = (HONEST, *(f"{name}=bad_systems:{name.replace('-', '_')}" for name in SYSTEMS[1:]))
    assert run(["simulate", str(root), *(part for spec in specs for part in ("--system", spec)), *DESIGN]) == 0
    assert run(["rate", str(root)]) == 0
    return root


@pytest.fixture(scope="module")
def found(study: Path) -> Found:
    """Return value and interval of each measure and ability by system."""
    data_set = print_json("abilities", study)
    return {system["system"]: results_of(system) for system in data_set["systems"]}


def print_json(command: str, study: Path, *options: str) -> Any:  # noqa: ANN401 (JSON)
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setattr("dialgauge.cli.output.put", printed.append)
        assert run([command, str(study), *options, "--json"]) == 0
    (data_set,) = json.loads("".join(printed))["data_sets"]
    return data_set


def results_of(system: Mapping[str, Any]) -> Mapping[str, Result]:
    rows = {row["name"]: row["result"] for row in (*system["measures"], *system["abilities"])}
    return {**rows, "success due to personas": system["coordination"]["success_persona_share"]}


def above(found: Found, name: str, system: str) -> set[str]:
    """Return the other systems whose interval of ``name`` lies below that of ``system``, as a whole."""
    low = found[system][name]["low"]
    return {other for other in SYSTEMS if other != system and found[other][name]["high"] < low}


def below(found: Found, name: str, system: str) -> set[str]:
    """Return the other systems whose interval of ``name`` lies above that of ``system``, as a whole."""
    high = found[system][name]["high"]
    return {other for other in SYSTEMS if other != system and found[other][name]["low"] > high}


def others(system: str) -> set[str]:
    return {*SYSTEMS} - {system}


def test_the_liar_alone_claims_what_the_catalogue_denies(found: Found) -> None:
    assert above(found, "false_claims", LIAR) == others(LIAR)
    assert [found[system]["false_claims"]["value"] for system in (HONEST, LITERAL, FAIR)] == [0.0, 0.0, 0.0]
    assert not above(found, "false_claims", HONEST) | above(found, "false_claims", LITERAL)


def test_what_users_accept_of_the_liar_does_not_fit_and_costs_it_sincerity_and_identity(found: Found) -> None:
    for name in ("sincerity", "identity"):  # though its words are believed like those of the others
        assert below(found, name, LIAR) >= {HONEST, FAIR}
    assert above(found, "deceptive_item", LIAR) >= {HONEST, FAIR}, "the literal one offers what does not fit as well"


def test_the_literal_one_alone_changes_its_recommendation_with_the_wording(found: Found) -> None:
    assert below(found, "reliability", LITERAL) == others(LITERAL)
    assert below(found, "consistent_recommendation", LITERAL) == others(LITERAL)
    assert found[LITERAL]["sensitivity"]["low"] > 0.5, "what it changes to does not fit"
    for system in (LIAR, FAIR):
        assert HONEST not in below(found, "reliability", system)


def test_the_fair_weather_one_alone_serves_some_personas_and_not_others(found: Found) -> None:
    assert above(found, "success due to personas", FAIR) == others(FAIR)
    assert found[FAIR]["success due to personas"]["low"] > 0.0
    for system in (LIAR, LITERAL):
        assert not above(found, "success due to personas", system)


def test_the_honest_one_is_better_in_quality_than_each_other_where_systems_are_paired(study: Path) -> None:
    (quality,) = print_json("compare", study, "--measure", "quality")["measures"]
    worse = [{d["first"], d["second"]} - {HONEST} for d in quality["differences"] if d["better"] == HONEST]
    assert set().union(*worse) == others(HONEST)


def test_the_honest_one_is_caught_by_nothing(found: Found) -> None:
    assert above(found, "quality", HONEST) >= {LIAR, LITERAL}
    assert not above(found, "false_claims", HONEST) | above(found, "deceptive_item", HONEST)
    assert not below(found, "reliability", HONEST) | above(found, "success due to personas", HONEST)
