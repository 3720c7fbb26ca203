"""The page: whole, safe, usable without a mouse."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dialgauge.analyse.results import Check, Reliability
from dialgauge.report import page as page_module
from dialgauge.report.page import render_notebook, render_page
from dialgauge.stats.meansquares import IccForm

from .conftest import estimate, make_dimension

VOID = {"meta", "br", "wbr", "img", "link", "input", "hr"}


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


@pytest.fixture
def page(analysis: Reliability) -> str:
    return render_page(analysis)


@pytest.fixture
def reader(page: str) -> Reader:
    return Reader(page)


def test_the_page_asks_nothing_of_the_network(page: str, reader: Reader) -> None:
    assert {"script", "link", "iframe", "object", "embed", "img"} & set(reader.tags) == set()
    references = [*reader.values("href"), *reader.values("src"), *reader.values("xlink:href")]
    assert [value for value in references if not value.startswith("#")] == []
    assert re.findall(r"@import|url\((?!#)", page) == []


def test_the_page_runs_no_code(reader: Reader) -> None:
    assert [name for _, name, _ in reader.attributes if name.startswith("on")] == []


def test_each_identifier_is_unique_and_each_link_has_a_place(reader: Reader) -> None:
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    assert {value.removeprefix("#") for value in reader.values("href")} <= set(ids)
    labelled = {name for value in reader.values("aria-labelledby") for name in value.split()}
    assert labelled <= set(ids)


def test_the_page_is_in_english_and_follows_the_reader_in_light_and_dark(page: str, reader: Reader) -> None:
    assert ("html", "lang", "en") in reader.attributes
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert ("meta", "content", "width=device-width, initial-scale=1") in reader.attributes


def test_there_is_one_heading_of_the_first_order_and_one_main_part(reader: Reader) -> None:
    assert (reader.tags["h1"], reader.tags["main"]) == (1, 1)


def test_what_scrolls_can_be_reached_with_the_keyboard(page: str) -> None:
    scrolling = re.findall(r'<div class="(?:scroll|canvas)"[^>]*>', page)
    assert scrolling
    assert all('tabindex="0"' in tag and "aria-label" in tag for tag in scrolling)


def test_header_cells_say_what_they_head(page: str) -> None:
    assert re.findall(r"<th(?![a-z])(?![^>]*scope=)[^>]*>", page) == []


def test_every_dimension_has_its_details_with_every_coefficient(analysis: Reliability, reader: Reader) -> None:
    assert reader.tags["details"] == len(analysis.dimensions)
    for title in ("Rel(1), absolute", "ICC(1,k), mean squares", "Krippendorff’s alpha, interval", "Percent agreement"):
        assert reader.text.count(title) >= len(analysis.dimensions)


def test_verdict_design_findings_and_gaps_are_told(reader: Reader) -> None:
    flat = " ".join(reader.text.split())
    assert "The reliability of the mean of 5.2 raters is at least moderate in 3 of 5 dimensions." in flat
    assert "4 to 8, harmonic mean 5.2" in flat
    assert "The order of the dimensions is rough." in flat
    assert "intention_to_purchase, cui_rapport, dull: Raters differ in severity." in flat
    assert "all 1053 ratings are 4: there is no variance to divide." in flat
    assert (
        "What is known of constant all the same: mean 4.00; percent agreement 1.000; ratings by value 1: 0, 4: 1,053"
        in flat
    )
    assert "The condition 'is_gold == 0' kept 1,053 of 1,170 rows" in flat
    assert "Seed 7 · python 3.11.7 · dialgauge 0.1.0" in flat


def test_raters_needed_stand_with_each_dimension(reader: Reader) -> None:
    flat = " ".join(reader.text.split())
    assert "For a reliability of By the value By the lower limit" in flat
    assert ".75 (good) 7 10 .80 9 13 .90 (excellent) 19 28" in flat
    assert ".50 (moderate) – – .75 (good) – –" in flat
    assert "–: cannot be reached by any number of raters" in flat


def test_raters_that_are_enough_by_the_value_only_are_said_to_be(analysis: Reliability) -> None:
    at_zero = estimate(0.3, spread=0.3)
    open_end = replace(make_dimension("open"), rel_single=at_zero, rel_k=at_zero)
    flat = " ".join(Reader(render_page(replace(analysis, dimensions=(open_end,)))).text.split())
    assert "–: cannot be reached beyond sampling error" in flat


def test_the_forms_of_a_complete_table_are_listed(analysis: Reliability) -> None:
    form = IccForm(name="ICC(A,1)", words="agreement", estimate=estimate(0.29), f=11.027, df1=5.0, df2=15.0, p=0.0001)
    complete = replace(make_dimension("complete"), complete_forms=(form,))
    flat = " ".join(Reader(render_page(replace(analysis, dimensions=(complete,)))).text.split())
    assert "ICC(A,1): agreement" in flat
    assert "F = 11.03, df 5 and 15" in flat


def test_hostile_text_stays_text(hostile: Reliability) -> None:
    for made in (render_page(hostile), render_notebook(hostile)):
        reader = Reader(made)
        assert reader.tags["script"] == 0
        assert "<script>alert(1)</script> a & b_c" in reader.text
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", made)


def test_a_hostile_name_cannot_leave_an_attribute(analysis: Reliability) -> None:
    name = '" onmouseover="alert(1)'
    made = Reader(render_page(replace(analysis, dimensions=(make_dimension(name),))))
    assert [attribute for _, attribute, _ in made.attributes if attribute == "onmouseover"] == []


def test_without_dimensions_the_page_has_the_reasons_and_no_table(analysis: Reliability) -> None:
    reader = Reader(render_page(replace(analysis, dimensions=(), findings=())))
    assert (reader.tags["table"], reader.tags["svg"], reader.tags["details"]) == (0, 0, 0)
    assert "No reliability could be computed" in reader.text
    assert "there is no variance to divide" in reader.text


def test_the_notebook_shows_table_findings_and_gaps(analysis: Reliability) -> None:
    reader = Reader(render_notebook(analysis))
    assert reader.tags["tr"] == 1 + len(analysis.dimensions)
    assert ".717 [.637, .787]" in " ".join(reader.text.split())
    assert "there is no variance to divide" in reader.text


def test_a_check_says_what_must_hold_and_whether_it_does(analysis: Reliability, reader: Reader) -> None:
    assert "Check, interval alpha: 0.3012 and 0.3014: they agree." in reader.text
    assert "Check, criterion: 742.469, not above 764.136, as it must be." in reader.text
    above = Check(name="criterion", relation="at_most", first=3.0, second=2.0, gap=1.0, tolerance=0.1)
    wrong = replace(make_dimension("wrong"), checks=(above,))
    assert "criterion: 3, ABOVE 2." in render_page(replace(analysis, dimensions=(wrong,)))


def test_the_columns_that_matter_most_come_first(reader: Reader) -> None:
    flat = " ".join(reader.text.split())
    assert "Dimension Rel(k)k = 5.2 raters Rel(1)one rater Bandfor Rel(k) ICC(1)" in flat
    assert "accuracy .717 [.637, .787] .327 [.247, .397] moderate" in flat


def test_every_work_that_is_cited_is_in_the_references(analysis: Reliability) -> None:
    first, *rest = analysis.dimensions
    cited = replace(first, percent_agreement=estimate(0.3, method="linearised standard error (Gwet 2014), t"))
    text = Reader(render_page(replace(analysis, dimensions=(cited, *rest)))).text
    body, references = text.split("References", 1)
    works = set(re.findall(r"([A-Z][a-z]+)(?: and [A-Z][a-z]+)? \(?((?:19|20)\d\d)\b", body))
    assert {("Gwet", "2014"), ("Brennan", "2001"), ("Koo", "2016"), ("Krippendorff", "2004")} <= works
    missing = [work for work in works if not re.search(rf"{work[0]}, [^\n]*\({work[1]}\)", references)]
    assert missing == []


def test_an_interval_that_ends_at_zero_is_said_to_be_conservative(analysis: Reliability) -> None:
    text = " ".join(Reader(render_page(analysis)).text.split())
    assert "Where it ends at zero, as for dull, it is conservative: of 95% intervals about 98%" in text
    assert text.count("The interval of Rel(k) ends at zero.") == 1
    without = replace(analysis, dimensions=analysis.dimensions[:1])
    assert "ends at zero" not in render_page(without)


def test_the_coverage_on_few_points_is_told_where_the_scale_has_few(analysis: Reliability) -> None:
    assert "92 to 98% for the default 95% intervals of Rel (docs/coverage.md" in render_page(analysis)
    assert "docs/coverage.md" not in render_page(replace(analysis, scale="0..1 (continuous, interval)"))


def test_a_coefficient_of_a_complete_table_is_shown_once(analysis: Reliability) -> None:
    single = IccForm("ICC(1)", "agreement", estimate(0.301), 11.027, 5.0, 15.0, 0.0001)
    complete = replace(make_dimension("complete"), complete_forms=(single,), icc1_anova=estimate(0.301 + 1e-12))
    details = render_page(replace(analysis, dimensions=(complete,))).split('id="details"')[1].split('id="methods"')[0]
    assert "ICC(1), mean squares" not in details
    assert "ICC(1): agreement" in details
    assert "ICC(1,k), mean squares" in details


def test_visible_text_has_one_minus_one_apostrophe_and_no_idle_words(analysis: Reliability) -> None:
    negative = replace(make_dimension("negative"), alpha_ordinal=estimate(-0.317), findings=("Raters' -.317.",))
    text = Reader(render_page(replace(analysis, dimensions=(negative, *analysis.dimensions)))).text
    assert re.findall(r"(?<![\w.])-\.?\d", text) == []
    assert re.findall(r"\w'\w|s' ", text) == []
    assert re.findall(r"\bsurely\b|Rel_|\bthe rest\b|questionnaire", text) == []


TEMPLATES = Path(page_module.__file__).parent / "templates"
PAGES = sorted(TEMPLATES.rglob("page.html.j2"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(TEMPLATES).as_posix())
def test_every_page_says_where_a_table_or_figure_can_be_scrolled_sideways(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert '{% include "page.css" %}' in text
    parts = [
        text,
        *((TEMPLATES / name).read_text(encoding="utf-8") for name in re.findall(r'include "([^"]+j2)"', text)),
    ]
    for part in parts:
        boxed = re.findall(r'<div class="scroll[^"]*" tabindex="0"[^>]*>\n<table class="main', part)
        assert len(boxed) == part.count('<table class="main')
    css = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    for hint in (".scroll::before", ".canvas::before", "scroll the table sideways", "scroll it sideways", "--fade"):
        assert hint in css


def test_the_page_is_headed_by_its_title_or_the_name_of_the_source(analysis: Reliability) -> None:
    assert "<h1>Films &amp; more</h1>" in render_page(analysis, title="Films & more")
    assert "<h1>study.db</h1>" in render_page(replace(analysis, source="/a/study.db"))
