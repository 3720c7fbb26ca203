"""Measures and abilities as text, page, LaTeX, CSV and JSON."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from tests.analyse.abilities.examples import (
    CATALOGUE,
    DRAMA,
    PERSONAS,
    RATED,
    make_dialogue,
    make_dialogues,
    make_pairs,
    make_ratings,
)

from dialgauge.analyse.abilities import Abilities, analyse_abilities
from dialgauge.report.abilities.charts import draw_abilities
from dialgauge.report.abilities.latex import abilities_to_latex
from dialgauge.report.abilities.page import render_abilities_page
from dialgauge.report.abilities.record import COLUMNS, abilities_to_csv, abilities_to_json
from dialgauge.report.abilities.terminal import render_abilities
from dialgauge.report.abilities.words import ABILITIES, FORMULAS
from dialgauge.stats.abilities.formulas import FORMULAS as COMPUTED

HOSTILE = "<b>\x1b[31m&_x"


@pytest.fixture(scope="module")
def whole() -> Abilities:
    """Return two systems with ratings and pairs."""
    dialogues = [*make_dialogues("first"), *make_dialogues("second")]
    values = {name: [*column, *column] for name, column in RATED.items()}
    pairs = [*make_pairs(dialogues[:6]), *make_pairs(dialogues[6:])]
    return analyse_abilities(dialogues, CATALOGUE, pairs=pairs, ratings=make_ratings(values, dialogues))


@pytest.fixture(scope="module")
def bare() -> Abilities:
    """Return a system with a hostile name and nothing but its dialogues."""
    return analyse_abilities(make_dialogues(HOSTILE), CATALOGUE)


@pytest.mark.parametrize("width", [44, 60, 100])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_is_wider_than_the_terminal(width: int, ascii_only: bool, whole: Abilities, bare: Abilities) -> None:
    text = render_abilities([whole, bare], width=width, ascii_only=ascii_only)
    assert max(map(cell_len, text.splitlines())) <= width
    assert text.isascii() or not ascii_only


@pytest.mark.parametrize("width", [44, 100])
def test_every_system_is_shown_however_narrow_the_terminal(width: int, whole: Abilities) -> None:
    text = render_abilities([whole], width=width)
    for system in ("first", "second"):
        assert len(re.findall(rf"\b{system}\b", text)) >= 6


def test_a_name_cannot_steer_the_terminal_nor_the_page(bare: Abilities) -> None:
    assert "\x1b" not in render_abilities([bare])
    page = render_abilities_page([bare])
    assert "<b>" not in page
    assert "\x1b" not in page


def test_what_lacks_is_said_with_what_would_help(bare: Abilities) -> None:
    text = " ".join(render_abilities([bare]).split())
    assert "Cooperation: there is no value of manner, response quality, relevance." in text
    assert "Identity: there is no value of persuasiveness. What would help: rate the dialogues" in text


def test_every_ability_has_a_printed_formula() -> None:
    assert set(FORMULAS) == set(ABILITIES) == {*COMPUTED, "coordination"}


def test_the_page_shows_formulas_and_asks_nothing_of_the_network(whole: Abilities) -> None:
    page = render_abilities_page([whole])
    for formula in FORMULAS.values():
        assert formula in page
    assert not re.findall(r"""(?:src|href)=["']https?:""", page)
    assert "<script" not in page


def test_the_radar_is_drawn_where_three_abilities_are_known(whole: Abilities, bare: Abilities) -> None:
    assert "radar" in draw_abilities(whole)[0].name
    assert "Sincerity" in draw_abilities(bare)[0].svg, "alone where Cooperation is unknown"
    silent = [
        make_dialogue(number, persona, DRAMA, replies=[("Hm.", "52")]) for number, persona in enumerate(PERSONAS * 2)
    ]
    few = analyse_abilities([*silent, make_dialogue(9, PERSONAS[0], DRAMA, replies=[("Hm.", "1")])], CATALOGUE)
    assert not any("radar" in figure.name for figure in draw_abilities(few))


def test_intervals_stand_in_the_radar_of_two_systems_and_in_the_bars_of_three(whole: Abilities) -> None:
    assert "Beside the spokes: 95% intervals" in draw_abilities(whole)[0].svg
    first = whole.systems[0]
    three = replace(whole, systems=[replace(first, system=name) for name in ("a", "b", "c")])
    assert "The bars below have the 95% intervals" in draw_abilities(three)[0].svg


def test_what_is_due_to_personas_begins_with_success_in_table_page_csv_and_json(whole: Abilities) -> None:
    text = render_abilities([whole])
    assert text.index("due to persona") < text.index("  Success") < text.index("  Quality")
    assert '<th scope="row">Success</th>' in render_abilities_page([whole])
    names = [row["name"] for row in csv.DictReader(io.StringIO(abilities_to_csv([whole])))]
    assert "success: share of personas" in names
    (data_set,) = json.loads(abilities_to_json([whole]))["data_sets"]
    coordination = data_set["systems"][0]["coordination"]
    assert set(coordination) == {"spread", "score", "spreads", "success_variance", "success_persona_share"}


def test_a_page_is_headed_by_its_title_else_by_the_name_of_its_source(whole: Abilities) -> None:
    assert "<h1>Mine</h1>" in render_abilities_page([whole], title="Mine")
    assert "<h1>films</h1>" in render_abilities_page([replace(whole, source="somewhere/films")])
    assert "<h1>Simulated dialogues</h1>" in render_abilities_page([whole])


def test_raters_that_are_made_up_are_named_in_table_page_and_json(whole: Abilities) -> None:
    dialogues = make_dialogues()
    found = analyse_abilities(dialogues, CATALOGUE, ratings=make_ratings(RATED, dialogues), made_up=["r"])
    for text in (render_abilities([found]), render_abilities_page([found])):
        said = " ".join(text.split())
        assert "The ratings by r are made up" in said
        assert "all its ratings are made up, by a fake model" in said
    assert json.loads(abilities_to_json([found]))["data_sets"][0]["made_up"] == ["r"]
    assert json.loads(abilities_to_json([whole]))["data_sets"][0]["made_up"] == []


def test_identifiers_of_figures_differ_between_data_sets(whole: Abilities) -> None:
    page = render_abilities_page([whole, replace(whole, data_set="other")])
    found = re.findall(r'\bid="([^"]+)"', page)
    assert len(found) == len(set(found))


def test_the_json_has_a_reason_for_every_missing_value_and_no_bare_nan(whole: Abilities, bare: Abilities) -> None:
    def refuse(text: str) -> float:
        raise AssertionError(text)

    record = json.loads(abilities_to_json([whole, bare]), parse_constant=refuse)
    assert [each["data_set"] for each in record["data_sets"]] == ["films", "films"]
    for each in record["data_sets"]:
        for system in each["systems"]:
            results = [m["result"] for m in (*system["measures"], *system["abilities"])]
            assert all(result["value"] is not None or result["reason"] for result in results)


def test_the_csv_holds_the_values_of_the_analysis(whole: Abilities) -> None:
    rows = list(csv.DictReader(io.StringIO(abilities_to_csv([whole]))))
    assert tuple(rows[0]) == COLUMNS
    acceptance = [row for row in rows if row["name"] == "acceptance" and not row["facet"]]
    assert [(row["system"], float(row["value"]), row["n"]) for row in acceptance] == [
        ("first", 0.5, "6"),
        ("second", 0.5, "6"),
    ]
    assert {row["facet"] for row in rows} == {"", "emotion", "age", "attribute"}


def test_the_latex_table_has_two_columns_for_each_system_and_escaped_names(whole: Abilities, bare: Abilities) -> None:
    text = abilities_to_latex([whole])
    body = [line for line in text.splitlines() if line.startswith(r"  \quad")]
    assert body
    assert all(line.count("&") == 4 for line in body)
    assert r"\textless{}b\textgreater{}" in abilities_to_latex([bare])
    assert text.count("{") == text.count("}")


def test_failed_and_counted_dialogues_stand_beside_every_system_in_text_page_csv_and_json() -> None:
    first = make_dialogue(9, PERSONAS[0], DRAMA, replies=[], system="weak")
    failed = [
        replace(first, id="weak-9", ended="failed", failure="system: gone"),
        replace(first, id="weak-10", ended="failed", failure="user: gone"),
    ]
    found = analyse_abilities([*make_dialogues("weak"), *failed, *make_dialogues("sound")], CATALOGUE)
    text = render_abilities([found])
    assert re.search(r"Failed by the system +0 of 6 +1 of 7, 1 left out", text)
    assert "Systems failed in dialogues: weak in 1 of 7." in " ".join(text.split())
    page = render_abilities_page([found])
    assert "<td>0 of 6</td><td>1 of 7, 1 left out</td>" in page
    rows = [row for row in csv.DictReader(io.StringIO(abilities_to_csv([found]))) if row["name"] == "failed"]
    assert [(row["system"], float(row["value"]), row["n"]) for row in rows] == [
        ("sound", 0.0, "6"),
        ("weak", 1 / 7, "7"),
    ]
    (data_set,) = json.loads(abilities_to_json([found]))["data_sets"]
    assert [(s["n_dialogues"], s["n_failed"], s["n_left_out"]) for s in data_set["systems"]] == [(6, 0, 0), (7, 1, 1)]


def test_a_breakdown_in_the_csv_has_the_n_that_its_value_rests_on() -> None:
    silent = make_dialogue(9, PERSONAS[0], DRAMA, replies=[("Hm.", "")], system="one")
    rows = csv.DictReader(io.StringIO(abilities_to_csv([analyse_abilities([*make_dialogues(), silent], CATALOGUE)])))
    of_drama = {row["name"]: row["n"] for row in rows if row["level"] == "drama"}
    assert (of_drama["acceptance"], of_drama["recall@50"], of_drama["quality"]) == ("4", "3", "3")


@pytest.mark.parametrize("order", ["always", "zero"])
def test_a_system_all_of_whose_dialogues_failed_stands_beside_the_others_with_acceptance_0(order: str) -> None:
    failed = [replace(dialogue, turns=(), ended="failed", failure="system: gone") for dialogue in make_dialogues(order)]
    found = analyse_abilities([*failed, *make_dialogues("one")], CATALOGUE)
    text = " ".join(render_abilities([found]).split())
    assert f"{order}: all dialogues failed by the system" in text
    assert re.search(r"Acceptance (\.500 \S+ \S+ )?\.000 ", text)
    for render in (render_abilities_page, abilities_to_latex, abilities_to_csv, abilities_to_json):
        assert order in render([found])
