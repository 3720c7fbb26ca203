"""Agreement in the terminal, as JSON, CSV and LaTeX, and as a page."""

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import polars as pl
import pytest

from dialgauge.analyse.agreement import Agreement, analyse_agreement
from dialgauge.io import from_frame
from dialgauge.model import Instrument, Scale
from dialgauge.model.instrument import Dimension
from dialgauge.report.agreement.charts import colours_of, draw_agreement_figures
from dialgauge.report.agreement.latex import agreement_to_latex
from dialgauge.report.agreement.page import render_agreement_page
from dialgauge.report.agreement.record import agreement_schema, agreement_to_csv, agreement_to_json
from dialgauge.report.agreement.sentences import conclude_agreement, list_agreement_gaps
from dialgauge.report.agreement.terminal import render_agreement
from dialgauge.report.agreement.words import TITLES

NASTY = "<script>alert('x')</script>"

TABLE = [(5, 4, 5), (2, 1, 3), (4, 4, 4), (3, 2, 3), (1, 1, 2), (4, 3, 5), (2, 2, 2), (5, 5, 4)]
RATERS = ("ann", "bo", NASTY)


def study(*, raters: tuple[str, ...] = RATERS, scope: str = "random") -> Agreement:
    """Return an ordinal and a nominal dimension, one that is constant, and one that nobody rated twice."""
    rows = [
        {
            "target": f"d{t}",
            "rater": rater,
            "useful_to_the_person": score,
            "kind": ("asks", "tells", "tells", "chats", "asks")[score - 1],
            "same": 4,
            "lonely": score if rater == raters[t % len(raters)] else None,
        }
        for t, scores in enumerate(TABLE)
        for rater, score in zip(raters, scores, strict=False)
    ]
    scales = {
        "kind": Scale(level="nominal", labels=("asks", "tells", "chats")),
        **dict.fromkeys(("useful_to_the_person", "same", "lonely"), Scale.parse("1:5")),
    }
    dimensions = tuple(Dimension(name=name, title=name, scale=scale) for name, scale in scales.items())
    instrument = Instrument(name="test", version="1", title="test", dimensions=dimensions)
    ratings = replace(from_frame(pl.DataFrame(rows), instrument=instrument), source=f"{NASTY}.csv")
    return analyse_agreement(ratings, raters=scope)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def analysis() -> Agreement:
    return study()


@pytest.fixture(scope="module")
def page(analysis: Agreement) -> str:
    return render_agreement_page(analysis)


def test_the_study_holds_what_the_other_tests_need(analysis: Agreement) -> None:
    assert {d.name for d in analysis.dimensions} == {"useful_to_the_person", "kind", "same"}
    assert [d.name for d in analysis.refused] == ["lonely"]


@pytest.mark.parametrize("width", [44, 60, 100, 200])
def test_no_line_is_wider_than_asked_and_never_than_100(analysis: Agreement, width: int) -> None:
    lines = render_agreement(analysis, width=width).splitlines()
    assert max(map(len, lines)) <= min(width, 100)


def test_in_100_columns_the_table_has_all_its_columns_and_names_stay_whole(analysis: Agreement) -> None:
    text = render_agreement(analysis)
    assert "useful_to_the_person" in text
    assert "do not fit" not in text
    assert "ordinal/nominal" in text or "nominal/ordinal" in text
    assert "AC1/AC2 [95%]" in text


def test_few_dimensions_are_shown_with_what_each_coefficient_is_made_of(analysis: Agreement) -> None:
    text = render_agreement(analysis)
    assert re.search(r"^Brennan-Prediger +\.\d+ \[.+\] +\.\d+ +\.720 +all points alike", text, re.MULTILINE)
    assert "Test that raters rank independently (Kendall’s W)" in text
    many = replace(analysis, dimensions=(*analysis.dimensions, *analysis.dimensions))
    assert "all points alike" not in render_agreement(many)


def test_what_could_not_be_computed_is_said_once_with_reason_and_remedy(analysis: Agreement) -> None:
    gaps = list_agreement_gaps(analysis)
    assert gaps[0].what == ()
    assert gaps[0].dimensions == ("lonely",)
    constant = next(gap for gap in gaps if "Krippendorff’s alpha, ordinal" in gap.what)
    assert constant.dimensions == ("same",)
    text = render_agreement(analysis)
    assert "lonely: no target has two ratings. What would help: let at least" in " ".join(text.split())


def test_in_ascii_nothing_else_is_written(analysis: Agreement) -> None:
    assert render_agreement(analysis, ascii_only=True).isascii()
    assert "\x1b[1m" in render_agreement(analysis, styled=True)


def test_json_is_strict_and_has_every_coefficient_with_its_parts(analysis: Agreement) -> None:
    found = json.loads(agreement_to_json(analysis), parse_constant=pytest.fail)
    by_name = {d["name"]: d for d in found["dimensions"]}
    useful = by_name["useful_to_the_person"]["coefficients"]
    assert (found["raters"], found["weights"]) == ("random", "auto")
    assert {"alpha", "light_kappa", "kendall_w", "gwet_ac2"} <= set(useful)
    bp = useful["brennan_prediger"]
    assert bp["value"] == pytest.approx((bp["observed"] - bp["expected"]) / (1 - bp["expected"]))
    same = by_name["same"]["coefficients"]["alpha"]
    assert (same["value"], same["flags"]) == (None, ["refused"])
    assert same["remedy"]
    assert by_name["kind"]["marginals"][0] == {"value": "asks", "count": 8}
    assert found["refused"][0]["name"] == "lonely"


def test_csv_has_a_row_per_dimension_and_the_same_columns_whatever_the_data(analysis: Agreement) -> None:
    frame = pl.read_csv(io.StringIO(agreement_to_csv(analysis)))
    assert frame.columns == list(agreement_schema())
    assert frame["status"].to_list() == ["ok", "ok", "ok", "refused"]
    assert set(TITLES) <= set(frame.columns)
    kind = frame.filter(pl.col("dimension") == "kind").row(0, named=True)
    assert (kind["metric"], kind["weights"], kind["gwet_ac2"]) == ("nominal", "identity", None)


def test_latex_is_balanced_escaped_and_has_a_row_per_dimension(analysis: Agreement) -> None:
    text = agreement_to_latex(analysis)
    assert text.count(r"\begin{") == text.count(r"\end{")
    assert r"useful\_to\_the\_person & ." in text
    rows = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0].strip().splitlines()
    assert [row.count("&") for row in rows[:3]] == [8, 8, 8]
    assert "lonely & \\multicolumn{8}{l}{\\emph{not estimable: no target has two ratings}}" in rows[3]


class Reader(HTMLParser):
    """Collects attributes and text, and checks that tags are closed in order."""

    void = frozenset({"meta", "br", "wbr", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def values(self, name: str) -> list[str]:
        return [value for attribute, value in self.attributes if attribute == name]


def test_the_page_asks_nothing_of_the_network_runs_no_code_and_escapes_names(page: str) -> None:
    reader = Reader(page)
    assert {"script", "link", "iframe", "img"} & set(reader.tags) == set()
    assert [value for value in [*reader.values("href"), *reader.values("src")] if not value.startswith("#")] == []
    assert [name for name, _ in reader.attributes if name.startswith("on")] == []
    assert NASTY not in page
    assert "&lt;script&gt;alert" in page


def test_each_identifier_of_the_page_is_unique_and_each_link_has_a_place(page: str) -> None:
    reader = Reader(page)
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    assert {value.removeprefix("#") for value in reader.values("href")} <= set(ids)
    labelled = {name for value in reader.values("aria-labelledby") for name in value.split()}
    assert labelled <= set(ids)


def test_what_scrolls_on_the_page_can_be_reached_with_the_keyboard(page: str) -> None:
    scrolling = re.findall(r'<div class="(?:scroll|canvas)"[^>]*>', page)
    assert scrolling
    assert all('tabindex="0"' in tag and "aria-label" in tag for tag in scrolling)


def test_the_page_says_for_whom_its_intervals_are(page: str) -> None:
    assert "new targets and new raters" in page
    these = render_agreement_page(study(scope="these"))
    assert "rated by these very raters" in these
    assert "new targets rated by these raters" in these


def test_a_page_without_any_dimension_still_stands(analysis: Agreement) -> None:
    page = render_agreement_page(replace(analysis, dimensions=(), findings=()))
    Reader(page)
    assert "No coefficient could be computed" in page


def test_dimensions_with_the_same_points_share_a_figure_of_marginals(analysis: Agreement) -> None:
    figures = draw_agreement_figures(analysis)
    assert [figure.name for figure in figures] == ["coefficients", "marginals", "marginals"]
    assert all("<title " in figure.svg and "NaN" not in figure.svg for figure in figures)
    assert draw_agreement_figures(replace(analysis, dimensions=())) == ()


def test_points_in_an_order_go_from_light_to_dark_and_categories_have_colours_of_their_own(analysis: Agreement) -> None:
    by_name = {d.name: d for d in analysis.dimensions}
    ordered = [int(colour[3:5], 16) for colour in colours_of(by_name["useful_to_the_person"])]
    assert ordered == sorted(ordered, reverse=True)
    assert len(set(colours_of(by_name["kind"]))) == 3


def test_the_verdict_speaks_of_one_dimension_by_its_word(analysis: Agreement) -> None:
    useful = next(d for d in analysis.dimensions if d.name == "useful_to_the_person")
    assert re.search(
        r"^Two raters .+ in \.\d\d of the cases\. Alpha is \.\d{3}: ",
        conclude_agreement(replace(analysis, dimensions=(useful,))),
    )
    same = next(d for d in analysis.dimensions if d.name == "same")
    assert conclude_agreement(replace(analysis, dimensions=(same,))).endswith("cannot be told.")
    assert "of 2 dimensions (with the whole interval on 0); the highest is" in conclude_agreement(analysis)


def test_two_raters_are_shown_with_the_test_of_their_marginals() -> None:
    two = study(raters=("ann", "bo"))
    assert "Test that both raters use the points equally often (Stuart-Maxwell): chi² = " in render_agreement(two)
    assert "(Stuart-Maxwell): chi² = " in render_agreement_page(two)
    assert json.loads(agreement_to_json(two))["dimensions"][0]["homogeneity"]["df"] >= 1


def test_no_sentence_calls_a_number_sure() -> None:
    rows = [
        {"target": t, "rater": rater, "one": score, "two": 6 - score}
        for t, score in enumerate((1, 2, 5, 4, 3, 1, 2, 5, 4, 3))
        for rater in "abc"
    ]
    rows[0]["one"], rows[4]["two"] = 2, 3
    high = analyse_agreement(from_frame(rows, target="target", rater="rater", scale="1:5"))
    said = conclude_agreement(high) + " ".join(high.findings)
    assert said.count("with the whole interval on") == 3
    assert "surely" not in said


def two_raters(n_targets: int) -> Agreement:
    """Return what two raters who repeat themselves agree on, on one dimension."""
    rows = [
        {"target": f"d{t}", "rater": rater, "replicate": s, "useful": 1 + (t + (t % 3 == 0) * j) % 4}
        for t in range(n_targets)
        for j, rater in enumerate(("ann", "bo"))
        for s in (1, 2)
    ]
    return analyse_agreement(from_frame(pl.DataFrame(rows), scale="1:5"))


def test_the_legend_does_not_promise_more_than_two_raters_can_tell() -> None:
    found = two_raters(12)
    text = " ".join(render_agreement(found).split())
    assert "the intervals are for new targets rated by these two" in text
    assert "targets and raters" not in text
    page = render_agreement_page(found)
    assert "new targets and new raters" not in page
    assert page.count("new targets rated by these raters") >= 2


def test_one_target_is_called_one_target_and_not_one_without_two_raters() -> None:
    text = render_agreement(two_raters(1))
    assert "one target only" in text
    assert "no target with two raters" not in text


def test_findings_that_differ_in_numbers_are_said_once(analysis: Agreement) -> None:
    first = replace(analysis.dimensions[0], name="a", findings=("Kappa is .437, above .289.",))
    others = [replace(first, name=f"d{i}", findings=(f"Kappa is .4{i}7, above .2{i}9.",)) for i in range(8)]
    many = replace(analysis, dimensions=(first, *others), findings=(), refused=())
    text = " ".join(render_agreement(many).split())
    assert text.count("Kappa is") == 1
    assert "a: Kappa is .437, above .289. Likewise d0 (.407, .209); d1 (.417, .219)" in text
    page = render_agreement_page(many)
    listed = page.partition('id="findings"')[2].partition("</section>")[0]
    assert listed.count("Kappa is") == 1
    assert "Likewise <b>d0</b> (.407, .209);" in listed
