"""Decisions on the page, in the terminal and as records."""

import csv
import io
import json
from dataclasses import replace

import pytest

from dialgauge.decide import Decisions, Gate, decide_uses, gather_ratings, load_policy
from dialgauge.model import RaterCheck
from dialgauge.report.decide.page import render_decision_page
from dialgauge.report.decide.record import decisions_to_csv, decisions_to_json
from dialgauge.report.decide.terminal import render_decisions
from dialgauge.simulate.retest import REPEAT_PROFILES, RepeatProfile, generate_retest_study


@pytest.fixture(scope="module")
def found() -> Decisions:
    profiles = (*REPEAT_PROFILES, RepeatProfile("<b>sly</b>", "engagement", 0.8))
    evidence = gather_ratings(generate_retest_study(profiles, seed=1, n_targets=60))
    gates = (Gate("attention", "real-time"), Gate("warmth", "descriptive"))
    return decide_uses(evidence, load_policy(), gates=gates, source="study.csv", notes=("Read <i>it</i>.",))


def test_the_json_is_strict_versioned_and_holds_every_decision(found: Decisions) -> None:
    read = json.loads(decisions_to_json(found), parse_constant=pytest.fail)
    assert (read["schema"], read["schema_version"]) == ("dialgauge.decisions", 1)
    assert len(read["decisions"]) == len(found.decisions) == 9 * 3 * 4
    assert read["policy"]["hash"] == found.policy.hash == read["decisions"][0]["policy_hash"]
    assert read["passed"] is False
    assert {gate["passed"] for gate in read["gates"]} == {True, False}


def test_the_csv_has_a_row_per_decision_with_the_estimate_that_decided(found: Decisions) -> None:
    rows = list(csv.DictReader(io.StringIO(decisions_to_csv(found))))
    assert len(rows) == len(found.decisions)
    first = rows[0]
    assert float(first["estimate_low"]) <= float(first["estimate"]) <= float(first["estimate_high"])
    assert first["verdict"] == found.decisions[0].verdict


@pytest.mark.parametrize("width", [44, 80, 100])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_terminal_keeps_its_width_and_speaks_in_words(found: Decisions, width: int, ascii_only: bool) -> None:
    text = render_decisions(found, width=width, ascii_only=ascii_only)
    assert max(map(len, text.splitlines())) <= width
    assert text.isascii() or not ascii_only
    assert "do not use" in text
    assert "FAILED  attention:real-time by model-a: do not use" in " ".join(text.split()).replace("FAILED ", "FAILED  ")
    assert "\\u" not in text


def test_the_page_shows_all_verdicts_with_reasons_and_escapes_names(found: Decisions) -> None:
    page = render_decision_page(found)
    assert page.startswith("<!DOCTYPE html>")
    assert "<b>sly" not in page
    assert "Read &lt;i&gt;it&lt;/i&gt;." in page
    assert "http" not in page.replace("http://www.w3.org", "")
    for decision in found.decisions:
        assert decision.words in page
    assert found.policy.hash in page
    assert "not all passed" in page


def vetoed(*checks: RaterCheck) -> Decisions:
    """Return decisions on two dimensions by a rater with a small letter, some checks of whom failed."""
    profiles = [RepeatProfile(name, "affect", 0.97) for name in ("calm", "a_dimension_with_a_very_long_name")]
    evidence = gather_ratings(generate_retest_study(profiles, seed=1, n_targets=60, raters=("made-up",)))
    return decide_uses(evidence, load_policy(), checks=checks, source="study.csv")


FAILED = RaterCheck(
    rater="made-up", dimension=None, check="known groups in order", passed=False, detail="0.49 [0.40, -0.59] of 88"
)


def test_a_failed_check_is_said_once_and_first_with_its_rater_and_numbers_as_elsewhere() -> None:
    text = render_decisions(vetoed(FAILED))
    why = [" ".join(part.split()) for part in text.partition("Why\n")[2].partition("\nFindings")[0].split("- ")]
    said = "Rater made-up failed the check “known groups in order” (.49 [.40, −.59] of 88). That vetoes every verdict."
    assert why[1] == said
    assert text.count("known groups in order") == 1
    assert "Made-up" not in text


def test_a_failed_check_of_one_dimension_names_what_it_vetoes() -> None:
    found = vetoed(FAILED, replace(FAILED, dimension="calm", check="order of the answers", detail=""))
    flat = " ".join(render_decisions(found).split())
    assert "“order of the answers”. That vetoes every verdict on calm." in flat


def test_the_verdict_of_page_and_terminal_says_that_a_check_vetoed() -> None:
    said = "A failed check vetoed 8 of 8 verdicts of made-up."
    lead = render_decision_page(vetoed(FAILED)).partition('class="verdict">')[2].partition("</p>")[0]
    assert said in lead
    assert said in " ".join(render_decisions(vetoed(FAILED)).split())
    assert "vetoed" not in render_decision_page(vetoed())


def test_the_records_keep_vetoes_and_expectations_apart() -> None:
    read = json.loads(decisions_to_json(vetoed(FAILED)))["decisions"][0]
    assert read["vetoes"] == ["rater made-up failed the check “known groups in order” (0.49 [0.40, -0.59] of 88)"]
    assert read["vetoes"][0] in read["reasons"]
    assert read["expected"] is None
    assert "expected" in decisions_to_csv(vetoed()).splitlines()[0].split(",")


def test_a_use_that_is_unknown_throughout_is_a_line_and_no_column(found: Decisions) -> None:
    text = render_decisions(found)
    head = next(line for line in text.splitlines() if line.startswith("dimension"))
    assert head.split() == ["dimension", "rater", "real-time", "per-target", "descriptive"]
    assert "? compare-systems, not permitted for any dimension. It cannot be decided" in " ".join(text.split())
    page = render_decision_page(found)
    assert '<th scope="col">compare-systems</th>' not in page
    assert "? compare-systems, not permitted for any dimension." in page
    only = decide_uses(
        gather_ratings(generate_retest_study(seed=1, n_targets=30)), load_policy(), uses=["compare-systems"]
    )
    assert "? do not use" in render_decisions(only)


def test_more_that_would_rule_a_use_out_has_a_cell_of_its_own(found: Decisions) -> None:
    against = [d for d in found.decisions if d.expected == "rule out"]
    towards = [d for d in found.decisions if d.expected == "pass"]
    assert against
    assert towards
    text, page = render_decisions(replace(found, uses=found.uses[:1])), render_decision_page(found)
    for d in against:
        assert f"− unlikely, {'over ' if d.n_is_least else ''}{d.n:,} more targets to rule it out" in page
        assert d.use != "real-time" or f"− unlikely ({'>' if d.n_is_least else ''}{d.n:,} to rule out)" in text
    for d in towards:
        assert f"+ collect {'over ' if d.n_is_least else ''}{d.n:,} more targets" in page
        assert d.use != "real-time" or f"+ collect {'>' if d.n_is_least else ''}{d.n:,} targets" in text
    counted = sum(d.use == "real-time" for d in against)
    assert f"{counted} unlikely" in " ".join(text.split())


def test_names_stay_whole_where_there_is_room() -> None:
    assert "a_dimension_with_a_very_long_name" in render_decisions(vetoed())
    assert "…" in render_decisions(vetoed(), width=60)


def test_the_last_gate_is_shown_where_its_line_would_say_that_one_is_left(found: Decisions) -> None:
    gates = (found.gates[0],) * 9
    assert "1 more" not in render_decisions(replace(found, gates=gates))
    assert "2 more; page and JSON have all" in render_decisions(replace(found, gates=(*gates, found.gates[0])))
