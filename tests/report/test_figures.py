"""The figures: readable, accessible, honest axes."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from dialgauge.analyse.results import Reliability, VarianceComponents
from dialgauge.errors import InputError
from dialgauge.report.figures import Figure, draw, draw_all, save_figure

from .conftest import HOSTILE, make_dimension

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def figures(analysis: Reliability) -> tuple[Figure, ...]:
    return draw_all(analysis)


def parse(figure: Figure) -> ET.Element:
    return ET.fromstring(figure.svg)  # noqa: S314 (our own output)


def texts(figure: Figure) -> list[str]:
    return [element.text or "" for element in parse(figure).iter(f"{SVG}text")]


def test_there_are_three_figures(figures: tuple[Figure, ...]) -> None:
    assert [figure.name for figure in figures] == ["forest", "variance", "raters"]


def test_each_figure_is_named_and_described_for_those_who_cannot_see_it(figures: tuple[Figure, ...]) -> None:
    for figure in figures:
        root = parse(figure)
        assert root.get("role") == "img"
        assert (root.get("aria-labelledby") or "").split() == [
            f"figure-{figure.name}-title",
            f"figure-{figure.name}-desc",
        ]
        title, desc = root[0], root[1]
        assert (title.tag, title.text) == (f"{SVG}title", figure.title)
        assert (desc.tag, desc.text) == (f"{SVG}desc", figure.description)


def test_no_identifier_occurs_twice_on_a_page_of_all_figures(figures: tuple[Figure, ...]) -> None:
    ids = [found for figure in figures for found in re.findall(r'\bid="([^"]+)"', figure.svg)]
    assert len(ids) == len(set(ids))
    used = {found for figure in figures for found in re.findall(r"url\(#([^)]+)\)", figure.svg)}
    assert used <= set(ids)


def test_text_is_text_and_names_every_dimension(analysis: Reliability, figures: tuple[Figure, ...]) -> None:
    for figure in figures[:2]:
        assert {d.name for d in analysis.dimensions} <= set(texts(figure))
    assert {"accuracy (highest)", "intention_to_purchase (middle)", "dull (lowest)"} <= set(texts(figures[2]))


def test_axes_of_reliabilities_run_from_zero_to_one(figures: tuple[Figure, ...]) -> None:
    assert {"0.00", "1.00", "poor", "moderate", "good", "excellent"} <= set(texts(figures[0]))
    assert {"0%", "100%"} <= set(texts(figures[1]))
    assert {"0.00", "moderate  0.50", "1.00", *map(str, range(1, 21))} <= set(texts(figures[2]))


def test_shares_are_labelled_where_they_fit(figures: tuple[Figure, ...]) -> None:
    labels = [text for text in texts(figures[1]) if text.endswith("%")]
    assert {"33%", "15%", "52%", "75%"} <= set(labels)
    assert labels.count("0%") == 1


def test_target_x_rater_has_a_colour_of_its_own(analysis: Reliability) -> None:
    variance = VarianceComponents(target=0.4, rater=0.2, target_x_rater=0.3, residual=0.1)
    crossed = replace(make_dimension("twice"), variance=variance)
    svg = draw(replace(analysis, dimensions=(crossed,)), "variance")
    assert "target × rater" in texts(svg)
    assert "#009E73" in svg.svg


def test_the_axis_reaches_the_k_of_the_study(analysis: Reliability) -> None:
    many = replace(make_dimension("crowded"), k=63.5)
    assert "65" in texts(draw(replace(analysis, dimensions=(many,)), "raters"))


def test_hostile_names_are_text(hostile: Reliability) -> None:
    for figure in draw_all(hostile):
        root = parse(figure)
        assert not list(root.iter(f"{SVG}script"))
        assert "\x1b" not in figure.svg
        assert "\u202e" not in figure.svg
    whole = " ".join(texts(draw(hostile, "variance")))
    assert "<script>alert(1)" in whole
    assert HOSTILE[:25] in draw(hostile, "forest").description


def test_nothing_in_a_figure_asks_for_the_network(figures: tuple[Figure, ...]) -> None:
    for figure in figures:
        assert not re.search(r'(?:href|src)="(?!#)', figure.svg)
        assert not re.search(r"url\((?!#)", figure.svg)


def test_without_dimensions_there_is_nothing_to_draw(analysis: Reliability) -> None:
    assert draw_all(replace(analysis, dimensions=())) == ()


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_a_figure_is_saved_by_its_suffix(
    figures: tuple[Figure, ...], suffix: str, start: bytes, tmp_path: Path
) -> None:
    path = tmp_path / f"forest{suffix}"
    save_figure(figures[0], path)
    assert path.read_bytes().startswith(start)


def test_another_suffix_is_refused(figures: tuple[Figure, ...], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"written to .svg, .png or .pdf, and .*forest.gif has the suffix '.gif'"):
        save_figure(figures[0], tmp_path / "forest.gif")


def test_names_that_are_cut_stay_apart(analysis: Reliability) -> None:
    long = "an_endless_name_of_a_dimension_that_no_axis_can_hold"
    same_ends = [f"{long}_one_{long}", f"{long}_two_{long}", f"{long}_ending_otherwise"]
    figure = draw(replace(analysis, dimensions=tuple(map(make_dimension, same_ends))), "variance")
    shown = [text for text in texts(figure) if "endless" in text or "…" in text]
    assert len(shown) == len(set(shown)) == 3


def test_many_dimensions_still_fit_one_figure_each(analysis: Reliability) -> None:
    many = tuple(make_dimension(f"dimension_{i:03d}") for i in range(120))
    forest = draw(replace(analysis, dimensions=many), "forest")
    assert {d.name for d in many} <= set(texts(forest))
    assert float(parse(forest).get("height") or "inf") < 2200


def test_of_very_many_dimensions_the_first_and_the_last_are_drawn_and_the_page_says_so(analysis: Reliability) -> None:
    (d, *_) = analysis.dimensions
    many = replace(analysis, dimensions=tuple(replace(d, name=f"dim_{i:04d}") for i in range(1500)))
    figure = draw(many, "forest")
    assert "dim_0099" in figure.svg
    assert "dim_0100" not in figure.svg
    assert "dim_1499" in figure.svg
    assert "Of 1,500 dimensions the figures show the first and the last 100" in figure.description
    assert "Of 1,500 dimensions" not in draw(analysis, "forest").description
