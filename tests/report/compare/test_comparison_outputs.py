"""Systems compared as text, page, LaTeX, CSV and JSON."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from tests.analyse.abilities.examples import CATALOGUE
from tests.analyse.compare.examples import make_dialogues, make_rated, make_values

from dialgauge.analyse.compare import SystemsComparison, Terms, compare_dialogues, compare_ratings
from dialgauge.analyse.compare.naming import say_measure
from dialgauge.report.abilities.words import name_of
from dialgauge.report.compare.charts import axis_end, draw_forest, draw_forests, draw_ranks
from dialgauge.report.compare.latex import comparison_to_latex
from dialgauge.report.compare.page import render_comparison_page
from dialgauge.report.compare.record import COLUMNS, comparison_to_csv, comparison_to_json
from dialgauge.report.compare.terminal import render_comparison
from dialgauge.report.compare.words import conclude, say_difference, say_size, say_verdict, title_of, write_ends

HOSTILE = "<b>\x1b[31m&_x"
DOCS = Path(__file__).parents[3] / "docs"
CLAIMS_OF_EQUALITY = re.compile(
    r"\b(equal(ly)?|the same|identical|equivalent|no difference (exists|between(?! \S+ and \S+ is shown)))\b",
    re.IGNORECASE,
)


def compare(
    means: tuple[float, ...], *, names: tuple[str, ...] = ("alpha", "beta", "gamma"), **options: object
) -> SystemsComparison:
    rated = make_rated(make_values(means), names=names)
    terms = Terms(**options)  # type: ignore[arg-type]
    return compare_ratings(
        rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences, terms=terms
    )


@pytest.fixture(scope="module")
def whole() -> SystemsComparison:
    """Return two systems on all measures of dialogues."""
    dialogues = [
        *make_dialogues("first", accepts=(True, True, True, False, True)),
        *make_dialogues("second", accepts=(True, False), failed=2),
    ]
    return compare_dialogues(dialogues, CATALOGUE)


@pytest.fixture(scope="module")
def three() -> SystemsComparison:
    """Return three systems on one rated dimension with a margin and a wanted difference; two differ by much."""
    return compare((0.0, -0.9, 3.0), margin=2.0, difference=1.0)


@pytest.fixture(scope="module")
def hostile() -> SystemsComparison:
    """Return two systems of which one has a hostile name, and that are alike but for chance."""
    return compare((0.0, 0.0), names=(HOSTILE, "plain"))


def record(*found: SystemsComparison) -> Mapping[str, Any]:
    def refuse(text: str) -> float:
        raise AssertionError(text)

    parsed: Mapping[str, Any] = json.loads(comparison_to_json(found), parse_constant=refuse)
    return parsed


@pytest.mark.parametrize("width", [44, 60, 100])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_is_wider_than_the_terminal(
    width: int, ascii_only: bool, whole: SystemsComparison, three: SystemsComparison, hostile: SystemsComparison
) -> None:
    text = render_comparison([whole, three, hostile], width=width, ascii_only=ascii_only)
    assert max(map(cell_len, text.splitlines())) <= width
    assert text.isascii() or not ascii_only


@pytest.mark.parametrize("width", [44, 100])
def test_every_difference_and_verdict_is_shown_however_narrow_the_terminal(
    width: int, three: SystemsComparison
) -> None:
    table = render_comparison([three], width=width).split("Differences")[1].split("Verdicts")[0]
    table = " ".join(table.split())
    for difference in three.measures[0].differences:
        better = difference.first if difference.verdict == "first" else difference.second
        said = "not shown" if difference.verdict == "not shown" else f"{better} is better"
        assert said in table
        assert f"{abs(difference.difference.value):.2f} [" in table


def test_not_shown_is_never_called_equal(whole: SystemsComparison, three: SystemsComparison) -> None:
    found = [whole, three]
    assert any(d.verdict == "not shown" for each in found for m in each.measures for d in m.differences)
    sentences = [say_difference(d, m, each.margin) for each in found for m in each.measures for d in m.differences]
    texts = [*sentences, *map(conclude, found), render_comparison(found), comparison_to_latex(found)]
    texts.append(render_comparison_page(found).split("</style>")[1].split('id="methods"')[0])
    for text in texts:
        assert not CLAIMS_OF_EQUALITY.search(text), CLAIMS_OF_EQUALITY.search(text)


def test_what_is_not_shown_comes_with_what_can_be_ruled_out(three: SystemsComparison) -> None:
    (difference,) = [d for d in three.measures[0].differences if d.verdict == "not shown"]
    low, high = difference.simultaneous.low, difference.simultaneous.high
    assert low is not None
    assert high is not None
    sentence = say_difference(difference, three.measures[0], None)
    assert "which does not make them alike" in sentence
    assert f"alpha being more than {high:.2f} above beta or more than {-low:.2f} below it" in sentence


def test_a_difference_that_is_lost_in_the_table_alone_is_said_so(three: SystemsComparison) -> None:
    shown = next(d for d in three.measures[0].differences if d.verdict != "not shown")
    sentence = say_difference(replace(shown, verdict="not shown"), three.measures[0], None)
    assert "among all comparisons of this table the difference is not shown" in sentence
    assert "asked alone, with --measure named beforehand, it would be" in sentence


def test_the_conclusion_counts_what_is_shown_and_what_is_not(three: SystemsComparison) -> None:
    said = conclude(three)
    assert "gamma over alpha on trust" in said
    assert "gamma over beta on trust" in said
    assert "In 1 comparison no difference is shown, which does not make the systems alike." in said


def test_a_name_cannot_steer_the_terminal_nor_the_page(hostile: SystemsComparison) -> None:
    assert "\x1b" not in render_comparison([hostile])
    page = render_comparison_page([hostile])
    assert "<b>\\" not in page
    assert "\x1b" not in page
    assert r"\textless{}b\textgreater{}" in comparison_to_latex([hostile])


def test_the_page_asks_nothing_of_the_network_and_numbers_its_figures_apart(
    whole: SystemsComparison, three: SystemsComparison
) -> None:
    page = render_comparison_page([whole, replace(three, data_set="other")])
    assert not re.findall(r"""(?:src|href)=["']https?:""", page)
    assert "<script" not in page
    found = re.findall(r'\bid="([^"]+)"', page)
    assert len(found) == len(set(found))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(found)


def test_the_axis_of_a_forest_reaches_as_far_to_both_sides_and_holds_every_interval(three: SystemsComparison) -> None:
    (measure,) = three.measures
    end = axis_end(three, measure)
    ends = [e for d in measure.differences for e in (d.simultaneous.low, d.simultaneous.high) if e is not None]
    assert end > max(map(abs, ends))
    figure = draw_forest(three, measure, 1)
    assert figure is not None
    labels = [float(text.replace("−", "-")) for text in re.findall(r">([+−]?\d*\.?\d+)</text>", figure.svg)]
    assert min(labels) == -max(labels)
    assert 0.0 in labels


def test_two_systems_have_a_forest_of_all_measures_and_no_ranks(
    whole: SystemsComparison, three: SystemsComparison
) -> None:
    assert [figure.title for figure in draw_forests(whole)] == [
        "first minus second: shares, 0 to 1",
        "first minus second: turns",
        "first minus second: abilities, 0 to 5",
    ]
    assert draw_ranks(whole) is None
    assert draw_forests(three) == ()
    assert draw_ranks(three) is not None
    assert "Ranks, 1 is best" in render_comparison([three])
    assert "Ranks, 1 is best" not in render_comparison([whole])


def test_the_json_has_every_number_of_a_difference_and_a_reason_for_every_missing_one(
    whole: SystemsComparison, three: SystemsComparison
) -> None:
    sets = record(whole, three)["data_sets"]
    assert [each["n_comparisons"] for each in sets] == [whole.n_comparisons, 3]
    measure = sets[1]["measures"][0]
    found = three.measures[0].differences[0]
    first = measure["differences"][0]
    assert first["difference"]["value"] == found.difference.value
    assert first["simultaneous"]["low"] == found.simultaneous.low
    assert first["p_table"] == found.p_table
    assert "gamma" not in first["sentence"]
    for refused in sets[0]["refused"]:
        assert refused["reason"]
        assert refused["remedy"]


def test_the_keys_of_the_json_are_those_of_the_page_of_the_documentation(three: SystemsComparison) -> None:
    section = (DOCS / "compare.md").read_text(encoding="utf-8").split("### The JSON", 1)[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", section))
    (each,) = record(three)["data_sets"]
    measure = each["measures"][0]
    keys = {*each, *measure, *measure["differences"][0], *measure["means"][0], *measure["needed"][0]}
    assert keys <= named, sorted(keys - named)


def test_the_csv_has_a_row_for_each_difference_and_each_measure_that_was_refused(
    whole: SystemsComparison, three: SystemsComparison
) -> None:
    rows = list(csv.DictReader(io.StringIO(comparison_to_csv([whole, three]))))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == whole.n_comparisons + len(whole.refused) + 3
    last = three.measures[0].differences[-1]
    assert (rows[-1]["first"], rows[-1]["second"], rows[-1]["better"]) == ("beta", "gamma", "gamma")
    assert float(rows[-1]["difference"]) == last.difference.value
    assert rows[-1]["second_rank"] == "1.0"


def test_the_latex_tables_have_as_many_cells_as_columns(whole: SystemsComparison, three: SystemsComparison) -> None:
    text = comparison_to_latex([whole, three])
    for table in text.split(r"\begin{tabular}")[1:]:
        body = table.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
        widths = {line.count("&") for line in body if "multicolumn" not in line}
        assert len(widths) == 1
    assert text.count("{") == text.count("}")
    assert "Not shown does not mean alike" in text


def test_an_end_that_is_not_zero_is_not_printed_as_zero(three: SystemsComparison) -> None:
    (measure,) = three.measures
    found = measure.differences[0].difference
    near = replace(found, value=-0.29, low=-0.58, high=-0.0041)
    assert write_ends(near, measure) == "[−0.58, −0.004]"
    assert write_ends(replace(near, high=0.0), measure) == "[−0.58, 0.00]"
    assert write_ends(replace(near, high=1e-13), measure) == "[−0.58, 0.00]", "rounding"


def test_a_system_called_better_is_said_to_be_better() -> None:
    found = compare((0.0, 3.0), names=("plain", "better"))
    (difference,) = found.measures[0].differences
    assert say_verdict(difference, found.measures[0]) == "better is better"


def test_the_conclusion_names_three_measures_and_counts_the_others(three: SystemsComparison) -> None:
    (measure,) = three.measures
    named = [replace(measure, name=name) for name in ("trust", "ease", "fun", "speed", "wit")]
    said = conclude(replace(three, measures=tuple(named[:3])))
    assert "gamma over alpha on trust, ease and fun;" in said
    assert "gamma over alpha on trust, ease, fun and 2 more;" in conclude(replace(three, measures=tuple(named)))


def test_one_dialogue_is_written_in_the_singular(three: SystemsComparison) -> None:
    few = replace(three, systems=tuple(replace(s, n_dialogues=1) for s in three.systems))
    assert "1 dialogue each" in say_size(few)


def test_the_note_of_the_latex_tables_is_a_sentence_whatever_the_routes(
    whole: SystemsComparison, three: SystemsComparison
) -> None:
    mixed = [m for m in whole.measures if m.route == "mixed"]
    clustered = [m for m in whole.measures if m.route == "clustered"]
    for measures in (mixed, clustered, [*mixed, *clustered], []):
        text = comparison_to_latex([replace(whole, measures=tuple(measures))])
        assert "Differences by for" not in text
        assert "by the largest" in text or clustered[0] not in measures
        assert "Bonferroni" in text or mixed[0] not in measures
    assert "Bonferroni" in comparison_to_latex([three])


def test_the_margin_is_explained_only_where_a_pair_is_within_it() -> None:
    near, far = (compare((0.0, 0.0), margin=margin) for margin in (6.0, 0.01))
    assert "Within the margin:" in render_comparison([near])
    assert "Within the margin:" not in render_comparison([far])


def test_columns_without_room_are_named(three: SystemsComparison) -> None:
    said = " ".join(render_comparison([three], width=76).split())
    assert "No room here for shared users" in said
    assert "No room" not in render_comparison([three], width=100)


def test_findings_call_measures_as_tables_do(whole: SystemsComparison) -> None:
    for m in whole.measures:
        assert say_measure(m) == title_of(m)
        if m.name.startswith("ability:"):
            assert say_measure(m) == name_of(m.name.removeprefix("ability:"))


def test_ranks_never_part_systems_that_the_verdicts_do_not(three: SystemsComparison) -> None:
    (measure,) = three.measures
    for d in measure.differences:
        first, second = (next(m.rank for m in measure.means if m.system == name) for name in (d.first, d.second))
        overlap = first.low <= second.high and second.low <= first.high
        assert overlap or d.verdict != "not shown"
    assert "They follow from the verdicts" in render_comparison([three])


def test_a_plan_for_a_table_that_names_no_users_has_no_personas_nor_preferences() -> None:
    rated = make_rated(make_values((0.0, 1.5)))
    text = render_comparison([compare_ratings(rated.ratings, rated.systems, terms=Terms(difference=1.0))])
    plan = text.split("What a difference")[1].split("Findings")[0]
    assert "dialogues" in plan
    assert "personas" not in plan
    assert "preferences" not in plan


def test_a_plan_for_simulated_users_prints_the_options_that_simulate_it() -> None:
    rng = np.random.default_rng(4)
    accepts = {name: [bool(x) for x in rng.random(24) < share] for name, share in (("a", 0.7), ("b", 0.4))}
    dialogues = [d for name, each in accepts.items() for d in make_dialogues(name, accepts=each)]
    terms = Terms(measures=("acceptance",), difference=0.4)
    found = compare_dialogues(dialogues, CATALOGUE, terms=terms)
    designs = found.measure("acceptance").needed
    assert isinstance(designs, tuple)
    best = designs[0]
    assert best.n_personas <= 48
    flags = f"--personas {best.n_personas} --preferences {best.n_preferences} --pool {best.n_pool} --replicates 1"
    for text in (render_comparison([found]), render_comparison_page([found])):
        assert flags in " ".join(text.split())
