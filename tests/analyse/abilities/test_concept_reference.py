"""Every value of the published logs, by the published rules and by whole titles."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dialgauge.analyse.abilities import Abilities, analyse_abilities
from dialgauge.io.catalogues import TitleMatch, read_catalogue
from dialgauge.io.concept_logs import find_logs, read_concept_logs
from dialgauge.stats.estimate import Estimate, Refusal

SETS, SYSTEMS = ("opendialkg", "redial"), ("barcor", "chatgpt", "kbrd", "unicrs")
MATCHES: tuple[TitleMatch, ...] = ("whole", "substring")
Reference = Mapping[str, Mapping[str, float | None]]


@pytest.fixture(scope="module")
def reference(shared: Path) -> Reference:
    found: Reference = json.loads((shared / "reference/concept_logs.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def analyses(shared: Path) -> Mapping[tuple[str, str], Abilities]:
    """Return the analysis of each data set by each rule for titles."""
    found: dict[tuple[str, str], Abilities] = {}
    for data_set, files in find_logs(shared / "data/concept_logs").items():
        catalogue = read_catalogue(shared / "data" / data_set)
        dialogues = read_concept_logs(files, catalogue).dialogues
        for match in MATCHES:
            found[data_set, match] = analyse_abilities(dialogues, catalogue, title_match=match)
    return found


def place_of(key: str) -> tuple[str, str]:
    """Return the measure and the rule for titles that a key of the reference speaks of."""
    match = "substring" if "substring" in key else "whole"
    name = key.replace("_substring", "").replace("_whole_title", "")
    return ("deceptive_as_published" if name == "deceptive" else name), match


def test_the_reference_has_eight_blocks_and_each_is_tested(reference: Reference) -> None:
    assert set(reference) == {f"{data_set}/{system}" for data_set in SETS for system in SYSTEMS}


@pytest.mark.parametrize("data_set", SETS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_value_of_a_block_is_reached(
    data_set: str, system: str, reference: Reference, analyses: Mapping[tuple[str, str], Abilities]
) -> None:
    block = reference[f"{data_set}/{system}"]
    for key, expected in block.items():
        name, match = place_of(key)
        found = next(s for s in analyses[data_set, match].systems if s.system == system)
        if key == "n_dialogues":
            assert found.n_dialogues == expected
            continue
        measure = found.measure(name)
        assert measure is not None, key
        if expected is None:
            assert isinstance(measure.result, Refusal), key
        else:
            assert isinstance(measure.result, Estimate), key
            assert measure.result.value == pytest.approx(expected, abs=1e-6), key
    assert len(block) == 20


def test_an_interval_holds_its_value_and_stays_in_its_range(analyses: Mapping[tuple[str, str], Abilities]) -> None:
    for analysis in analyses.values():
        for system in analysis.systems:
            for measure in system.measures:
                result = measure.result
                if isinstance(result, Estimate) and result.low is not None and result.high is not None:
                    assert result.low <= result.value <= result.high
                    bounds = (0.0, measure.ceiling or 1.0) if measure.unit == "share" else (1.0, 11.0)
                    assert bounds[0] <= result.low
                    assert result.high <= bounds[1] + 1e-9


def test_every_dialogue_stands_in_one_emotion_and_one_age(analyses: Mapping[tuple[str, str], Abilities]) -> None:
    for system in analyses["redial", "whole"].systems:
        for facet in ("emotion", "age"):
            assert sum(group.n_dialogues for group in system.groups if group.facet == facet) == 40
