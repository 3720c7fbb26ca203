"""The page on kinds of rater: whole, safe, usable without a mouse."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from dialgauge.analyse.kinds import KindsComparison
from dialgauge.report.kinds.charts import draw_kinds_figures
from dialgauge.report.kinds.page import render_kinds_page
from dialgauge.report.numerals import decimal
from dialgauge.stats.estimate import Estimate

VOID = {"meta", "br", "wbr"}


class Reader(HTMLParser):
    """Collects identifiers, links and text, and checks that tags are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if "style" not in self.open else ""


@pytest.fixture(scope="module")
def reader(compared: KindsComparison) -> Reader:
    return Reader(render_kinds_page(compared))


def test_every_part_is_there_and_every_link_leads_somewhere(reader: Reader) -> None:
    assert {"findings", "table", "figures", "gaps", "details", "methods", "reading"} <= set(reader.ids)
    assert len(reader.ids) == len(set(reader.ids))
    assert all(link.startswith("#") and link[1:] in reader.ids for link in reader.links)


def test_the_page_asks_nothing_of_the_network(compared: KindsComparison) -> None:
    page = re.sub(r'xmlns(:xlink)?="[^"]*"', "", render_kinds_page(compared))
    assert not re.findall(r"(?:url\(|@import|https?:|<script|src=)", page)


def test_correlations_and_reliabilities_of_the_tables_are_those_of_the_analysis(
    compared: KindsComparison, reader: Reader
) -> None:
    for d in compared.dimensions:
        for coefficient in (d.pairs[0].correlation, d.pairs[0].observed, *(kind.rel_single for kind in d.kinds)):
            assert isinstance(coefficient, Estimate)
            assert decimal(coefficient.value) in reader.text


def test_hostile_names_are_escaped(hostile: KindsComparison) -> None:
    page = render_kinds_page(hostile)
    assert "<script" not in page
    assert not {"\x1b", "\x07", "\u202e"} & set(page)
    Reader(page)


def test_one_dimension_has_its_own_sentences_as_findings(one_model: KindsComparison) -> None:
    text = Reader(render_kinds_page(one_model)).text
    assert "with the noise of single ratings left in" in text.split("What the kinds have in common")[0]


def test_a_page_without_any_dimension_says_why(compared: KindsComparison) -> None:
    reader = Reader(render_kinds_page(replace(compared, dimensions=(), findings=())))
    assert not {"table", "figures", "details"} & set(reader.ids)
    assert "gaps" in reader.ids
    assert "cannot be told without noise" in reader.text


def test_the_figures_show_the_correlation_of_each_pair_and_the_reliabilities(compared: KindsComparison) -> None:
    figures = draw_kinds_figures(compared)
    assert [figure.name for figure in figures] == ["correlation-1", "reliability"]
    assert "ceiling of observed" in figures[0].svg
    assert all("d0" in figure.svg and figure.description in figure.svg for figure in figures)


def test_without_a_correlation_free_of_noise_the_figure_of_correlations_is_left_out(one_model: KindsComparison) -> None:
    assert [figure.name for figure in draw_kinds_figures(one_model)] == ["reliability"]
