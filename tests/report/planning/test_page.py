"""The page of a plan: whole, safe, complete."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from dialgauge.analyse.planning import PlanOptions, StudyPlan, plan_study
from dialgauge.report.planning.page import render_plan_page

VOID = {"meta", "br", "wbr", "hr"}


class Reader(HTMLParser):
    """Collects elements, their attributes and their text, and checks that tags are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.text += " " if tag in {"td", "th"} else ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]

    @property
    def flat(self) -> str:
        return " ".join(self.text.split())


PAGES: dict[str, str] = {}


@pytest.fixture(params=["bare", "sized", "full", "piloted", "hostile"])
def page(request: pytest.FixtureRequest) -> str:
    """Return the page of each plan, made once."""
    name = str(request.param)
    if name not in PAGES:
        PAGES[name] = render_plan_page(request.getfixturevalue(name))
    return PAGES[name]


def test_the_page_asks_nothing_of_the_network_and_runs_no_code(page: str) -> None:
    reader = Reader(page)
    assert page.startswith("<!DOCTYPE html>")
    assert {"script", "link", "iframe", "object", "embed", "img"} & set(reader.tags) == set()
    references = [*reader.values("href"), *reader.values("src"), *reader.values("xlink:href")]
    assert [value for value in references if not value.startswith("#")] == []
    assert re.findall(r"@import|url\((?!#)", page) == []
    assert [name for _, name, _ in reader.attributes if name.startswith("on")] == []


def test_each_identifier_is_unique_and_each_link_has_a_place(page: str) -> None:
    reader = Reader(page)
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    assert {value.removeprefix("#") for value in reader.values("href")} <= set(ids)
    assert {name for value in reader.values("aria-labelledby") for name in value.split()} <= set(ids)


def test_the_page_can_be_used_by_everybody(page: str) -> None:
    reader = Reader(page)
    assert ("html", "lang", "en") in reader.attributes
    assert (reader.tags["h1"], reader.tags["main"]) == (1, 1)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    scrolling = re.findall(r'<div class="(?:scroll|canvas)"[^>]*>', page)
    assert scrolling
    assert all('tabindex="0"' in tag and "aria-label" in tag for tag in scrolling)
    assert re.findall(r"<th(?![a-z])(?![^>]*scope=)[^>]*>", page) == []
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page)


def test_every_row_of_a_table_has_a_cell_for_every_column(page: str) -> None:
    for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
        body = table.split("</thead>")[1]
        rows = [row for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL) if "colspan" not in row]
        assert len({len(re.findall(r"<t[hd][ >]", row)) for row in rows}) == 1


def test_the_four_numbers_of_the_study_of_redial_are_shown(sized: StudyPlan) -> None:
    flat = Reader(render_plan_page(sized)).flat
    assert "least ICC(1) shown to exceed 0 (one-sided alpha 0.05, power 0.8)" in flat
    assert "it would be 0.062 .0604" in flat
    assert "200 planned .0604 .127 .137 .120 .074 .291 .812 .991 >.999" in flat


def test_answers_tables_figures_and_methods_are_there(full: StudyPlan) -> None:
    reader = Reader(render_plan_page(full))
    assert reader.tags["svg"] == 3
    assert all(answer.label in reader.flat for answer in full.answers)
    assert "60 planned 20 12.0 240" in reader.flat
    assert "Cheapest designs whose interval of Rel(1) is at most .20 wide" in reader.flat
    assert "Ratings were cut to 5 points" in reader.flat
    assert "Walter, S. D., Eliasziw, M., and Donner, A. (1998)." in reader.flat
    assert all(note in reader.flat for note in full.notes)
    assert "Seed 3 · python" in reader.flat


def test_a_pilot_adds_the_raters_needed_with_their_curve(piloted: StudyPlan) -> None:
    reader = Reader(render_plan_page(piloted))
    assert reader.tags["svg"] == 4
    assert "How many raters warmth needs" in reader.flat
    assert ".75 (good)" in reader.flat
    assert "20 raters, 5 on each target" in reader.flat


def test_what_was_not_asked_for_has_no_section(bare: StudyPlan) -> None:
    reader = Reader(render_plan_page(bare))
    assert {"answers", "designs", "cheapest", "simulation", "pilot"} & set(reader.values("id")) == set()
    assert reader.tags["svg"] == 2


def test_hostile_text_stays_text(hostile: StudyPlan) -> None:
    reader = Reader(render_plan_page(hostile))
    assert reader.tags["script"] == 0
    assert "<script>alert(1)</script> a & b_c" in reader.text


def test_a_goal_out_of_reach_says_why(bare: StudyPlan) -> None:
    reader = Reader(render_plan_page(plan_study(PlanOptions(targets=20, icc=0.2, wanted=0.99, ruled_out=0.3))))
    assert "No layout within the limits achieves the goal. What would help: allow more" in reader.flat
    assert "Not possible: an ICC(1) of 0.200 does not exceed 0.3" in reader.flat


def test_a_study_too_small_for_a_correlation_has_dashes_there() -> None:
    flat = Reader(render_plan_page(plan_study(PlanOptions(targets=3)))).flat
    assert re.search(r"3 planned \.\d+ >1 >1 >1 (?:\.\d+|>1) – – – –", flat)
