"""Findings that hold for several dimensions are said once."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.analyse.results import Reliability
from dialgauge.report.grouping import Finding, group_findings, shorten_list, shorten_names

from .conftest import make_dimension

SEVERE = (
    "Raters differ in severity ({}% of the variance). Were every target rated by the same raters, Rel(k) would be "
    "{} ({}), not {} ({})."
)


def group(analysis: Reliability, **findings: str) -> list[Finding]:
    rated = tuple(replace(make_dimension(name), findings=(text,)) for name, text in findings.items())
    return group_findings(replace(analysis, dimensions=rated, findings=()))


def test_sentences_that_differ_in_numbers_and_bands_stand_together(analysis: Reliability) -> None:
    found = group(
        analysis,
        accuracy=SEVERE.format(15, ".767", "good", ".717", "moderate"),
        trust=SEVERE.format(16, ".758", "good", ".705", "moderate"),
        rapport=SEVERE.format(41, ".636", "moderate", ".475", "poor"),
        novelty="The order is rough.",
    )
    assert found[0].names == ("accuracy",)
    assert found[0].sentence == SEVERE.format(15, ".767", "good", ".717", "moderate")
    assert found[0].likewise == (
        (("trust",), "16%, .758 good, .705 moderate"),
        (("rapport",), "41%, .636 moderate, .475 poor"),
    )
    assert found[1] == Finding("The order is rough.", ("novelty",))


def test_only_what_differs_is_repeated(analysis: Reliability) -> None:
    (found,) = group(
        analysis,
        a="For these 5 raters only, Rel(k) is .937 (95% interval .851 to .978).",
        b="For these 5 raters only, Rel(k) is .665 (95% interval .205 to .882).",
    )
    assert found.likewise == ((("b",), ".665, .205 to .882"),)


def test_singular_and_plural_are_one_kind_and_equal_numbers_one_group(analysis: Reliability) -> None:
    (found,) = group(
        analysis,
        a="2 of 302 ratings are missing and were left out.",
        b="1 of 302 ratings is missing and was left out.",
        c="1 of 302 ratings is missing and was left out.",
        d="3 of 300 ratings are missing and were left out.",
    )
    assert found.names == ("a",)
    assert found.likewise == ((("b", "c"), "1 of 302"), (("d",), "3 of 300"))


def test_numbers_in_the_name_of_a_coefficient_are_no_values(analysis: Reliability) -> None:
    found = group(analysis, a="Rel(1) is .5.", b="Rel(2) is .5.")
    assert [finding.names for finding in found] == [("a",), ("b",)]


def test_findings_of_the_whole_table_come_first_and_speak_of_all(analysis: Reliability) -> None:
    first = group_findings(analysis)[0]
    assert first == Finding("The order of the dimensions is rough.")


def test_signs_are_those_of_printers(analysis: Reliability) -> None:
    (found,) = group(analysis, a="The raters' values -.012 and 'x' don't agree.")
    assert found.sentence == "The raters’ values −.012 and 'x' don’t agree."


@given(st.lists(st.text(max_size=40), max_size=4))
def test_no_sentence_and_no_name_is_lost(sentences: list[str]) -> None:
    made = [replace(make_dimension(f"d{i}"), findings=(text,)) for i, text in enumerate(sentences)]
    base = Reliability(make_dimension("x").design, "", "", 0.95, 0, tuple(made))
    found = group_findings(base)
    names = [name for f in found for group in (f.names, *(more for more, _ in f.likewise)) for name in group]
    assert sorted(names) == sorted(d.name for d in made)


def test_a_list_is_cut_to_a_number_of_names() -> None:
    assert shorten_list("abc", 3) == "a, b and c"
    assert shorten_list("abcde", 3) == "a, b and 3 more"


@pytest.mark.parametrize(
    ("sentence", "short"),
    [
        ("Poor for 5 of 9: a, b, c, d, e_f. Read on.", "Poor for 5 of 9: a, b and 3 more. Read on."),
        ("Poor for a, b, c, d and e_f: read on.", "Poor for a, b and 3 more: read on."),
        ("Poor for a, b and c.", "Poor for a, b and c."),
        ("A band, a bad, cab.", "A band, a bad, cab."),
    ],
)
def test_long_lists_of_names_in_a_sentence_are_cut(sentence: str, short: str) -> None:
    assert shorten_names(sentence, ["a", "b", "c", "d", "e_f"], 3) == short
