"""Checks as text, page and JSON: the same numbers, nothing that could be taken for markup, no line too wide."""

import json
from dataclasses import replace

import pytest
from rich.cells import cell_len

from dialgauge.analyse.checking import RaterChecks
from dialgauge.model import RaterCheck
from dialgauge.report.checks.page import render_checks_page
from dialgauge.report.checks.record import checks_to_dict, checks_to_json
from dialgauge.report.checks.terminal import MOST_SENTENCES, render_checks
from dialgauge.report.checks.words import RULES, summarise_checks

from .conftest import check, model_of, see_quality


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> RaterChecks:
    """Return the checks of two raters, asked for all dimensions in a call."""
    models = {"m": model_of(quality=see_quality("concept")), "<b>blind</b>": model_of(seed=1)}
    return check(tmp_path_factory.mktemp("study"), models, n_targets=12, prompt={"dimensions_per_call": "all"})


@pytest.mark.parametrize("width", [44, 60, 80, 100, 200])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_no_line_is_wider_than_the_terminal(found: RaterChecks, width: int, ascii_only: bool) -> None:
    text = render_checks(found, width=width, ascii_only=ascii_only)
    assert max(map(cell_len, text.splitlines())) <= min(width, 100)
    assert not ascii_only or text.isascii()


def test_the_text_names_what_failed_and_what_was_not_made(found: RaterChecks) -> None:
    text = render_checks(found)
    assert "<b>blind</b>, known groups in order: " in text
    assert "Not made" in text
    assert "mass on the scale: it has no expected scores." in text
    assert "Not made" not in render_checks(found, brief=True)


def test_many_failures_are_cut_short_with_their_number(found: RaterChecks) -> None:
    many = [RaterCheck(rater="m", dimension=f"d{i}", check="constant answers", passed=False) for i in range(20)]
    text = render_checks(replace(found, checks=tuple(many), constants=found.constants))
    assert f"{20 - MOST_SENTENCES} more" in text


def test_the_record_is_strict_json_with_every_number(found: RaterChecks) -> None:
    text = checks_to_json(found)
    assert text.isascii()
    record = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert record == json.loads(json.dumps(checks_to_dict(found)))
    assert len(record["checks"]) == len(found.checks)
    for recorded, known in zip(record["known_groups"], found.known_groups, strict=True):
        assert (recorded["rater"], recorded["right"]["value"]) == (known.rater, known.right.value)
        assert recorded["differences"][0]["dimension"] is None


def test_the_page_shows_names_as_they_are_and_asks_nothing_of_the_network(found: RaterChecks) -> None:
    page = render_checks_page(found)
    assert "<b>blind" not in page
    assert "&lt;b&gt;blind&lt;/b&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    assert all(rule.split(",")[0] in page for rule in RULES.values())


def test_the_summary_for_other_pages_has_a_row_for_each_rater_and_check(found: RaterChecks) -> None:
    summary = summarise_checks(found)
    assert len(summary.rows) == len({(one.rater, one.check) for one in found.checks})
    assert sum(row.passed + row.failed for row in summary.rows) == len(found.checks)
    assert len(summary.failed) == len(found.failed)
