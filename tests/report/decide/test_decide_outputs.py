"""Decisions on the page, in the terminal and as records."""

import csv
import io
import json

import pytest

from dialgauge.decide import Decisions, Gate, decide_uses, gather_ratings, load_policy
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
