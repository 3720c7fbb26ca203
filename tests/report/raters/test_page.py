"""The page on raters: whole, safe, usable without a mouse."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from dialgauge.analyse.raters import RaterReport
from dialgauge.report.raters.bars import draw_bars
from dialgauge.report.raters.charts import draw_rater_figures
from dialgauge.report.raters.page import render_rater_page

VOID = {"meta", "br", "wbr", "img", "link", "input", "hr"}


class Reader(HTMLParser):
    """Collects elements and text, and checks that tags are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            self.ids += [value or ""] if name == "id" else []
            self.links += [value or ""] if name in {"href", "xlink:href"} else []
            self.sources += [value or ""] if name == "src" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.fixture(scope="module")
def reader(report: RaterReport) -> Reader:
    return Reader(render_rater_page(report))


def test_every_part_is_there_and_every_link_leads_somewhere(reader: Reader) -> None:
    assert {"findings", "table", "figures", "left-out", "profiles", "methods", "reading"} <= set(reader.ids)
    assert len(reader.ids) == len(set(reader.ids))
    assert all(link.startswith("#") and link[1:] in reader.ids for link in reader.links)


def test_the_page_asks_nothing_of_the_network(report: RaterReport, reader: Reader) -> None:
    assert reader.sources == []
    assert reader.tags["script"] == reader.tags["link"] == 0
    page = render_rater_page(report).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.findall(r"(?:url\(|@import|https?:)", page.replace('xmlns:xlink="http://www.w3.org/1999/xlink"', ""))


def test_every_rater_has_a_row_and_those_worth_a_look_a_profile(report: RaterReport, reader: Reader) -> None:
    assert all(rater.name in reader.text for rater in report.raters)
    assert reader.tags["details"] == len(report.flagged)
    assert "one value, 4, for all 60 ratings" in reader.text


def test_hostile_names_are_escaped(hostile: RaterReport) -> None:
    page = render_rater_page(hostile)
    assert "<script" not in page
    assert not {"\x1b", "\x07", "\u202e"} & set(page)
    Reader(page)


def test_a_page_without_severity_has_no_figures_and_says_why(plain: RaterReport) -> None:
    bare = replace(plain, raters=tuple(replace(r, severity=r.halo) for r in plain.raters))  # type: ignore[arg-type]
    assert draw_rater_figures(bare) == ()
    reader = Reader(render_rater_page(bare))
    assert "figures" not in reader.ids
    assert "gaps" in reader.ids


def test_a_page_without_anybody_worth_a_look_says_so(report: RaterReport) -> None:
    calm = replace(report, raters=tuple(r for r in report.raters if not r.flags), together=None, but_severe=None)
    reader = Reader(render_rater_page(calm))
    assert "None of the 7 raters stands out by any rule." in reader.text
    assert not {"left-out", "profiles"} & set(reader.ids)


def test_the_figures_have_a_title_and_a_description(report: RaterReport) -> None:
    figures = draw_rater_figures(report)
    assert [figure.name for figure in figures] == ["severity", "scatter"]
    for figure in figures:
        assert f'<title id="figure-{figure.name}-title">{figure.title}</title>' in figure.svg
        assert figure.description in figure.svg
    assert "rater_01" in figures[0].svg
    assert "meets no rule" in figures[0].svg


def test_a_large_panel_is_drawn_without_its_middle_and_says_so(report: RaterReport) -> None:
    many = tuple(replace(report.raters[-1], name=f"r{i}") for i in range(400))
    figure = draw_rater_figures(replace(report, raters=many))[0]
    assert "100 raters in the middle are left out" in figure.svg


def test_bars_are_drawn_only_where_there_are_counts() -> None:
    assert not draw_bars((("1", 0), ("2", 0)))
    assert not draw_bars(())
    assert str(draw_bars((("1", 2), ("2", 4)))).count("<rect") == 2
