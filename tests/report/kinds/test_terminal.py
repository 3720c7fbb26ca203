"""The tables of kinds of rater in a terminal."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from dialgauge.analyse.kinds import KindsComparison
from dialgauge.report.kinds.charts import axis_start, draw_kinds_figures
from dialgauge.report.kinds.page import render_kinds_page
from dialgauge.report.kinds.rows import rows_of_kinds, rows_of_pairs
from dialgauge.report.kinds.terminal import render_kinds
from dialgauge.report.numerals import decimal
from dialgauge.stats.estimate import Estimate


def test_every_kind_has_its_reliability_and_every_pair_its_correlation(compared: KindsComparison) -> None:
    text = render_kinds(compared)
    for d in compared.dimensions:
        for kind in d.kinds:
            assert isinstance(kind.rel_single, Estimate)
            low, high = kind.rel_single.low, kind.rel_single.high
            assert low is not None
            assert high is not None
            assert f"{decimal(kind.rel_single.value)} [{decimal(low)}, {decimal(high)}]" in text
        (pair,) = d.pairs
        assert isinstance(pair.correlation, Estimate)
        assert decimal(pair.correlation.value) in text
        assert isinstance(pair.observed, Estimate)
        assert decimal(pair.observed.value) in text


def test_the_shares_of_the_components_are_those_of_the_model(compared: KindsComparison) -> None:
    d = compared.dimensions[0]
    llm, row = d.kinds[1], rows_of_kinds(d)[1]
    v = llm.variance
    assert isinstance(v.rater, float)
    assert isinstance(v.residual, float)
    assert v.target_x_rater is not None
    total = v.target + v.rater + v.target_x_rater + v.residual
    expected = [v.target, v.rater, v.target_x_rater, v.residual]
    assert [int(row.shares[name]) for name in ("target", "rater", "target_x_rater", "residual")] == [
        round(100 * part / total) for part in expected
    ]


@pytest.mark.parametrize("width", [44, 60, 80, 100])
def test_no_line_is_wider_than_the_terminal(compared: KindsComparison, hostile: KindsComparison, width: int) -> None:
    for comparison in (compared, hostile):
        for line in render_kinds(comparison, width=width).splitlines():
            assert cell_len(line) <= max(width, 44)


def test_hostile_names_cannot_steer_the_terminal(hostile: KindsComparison) -> None:
    assert not {"\x1b", "\x07", "\u202e"} & set(render_kinds(hostile))


def test_ascii_is_ascii(compared: KindsComparison, one_model: KindsComparison) -> None:
    assert render_kinds(compared, ascii_only=True).isascii()
    assert render_kinds(one_model, ascii_only=True).isascii()


def test_what_is_refused_is_said_with_its_reason(one_model: KindsComparison) -> None:
    text = " ".join(render_kinds(one_model).split())
    assert "same: " in text
    assert "llm, variance of noise: each target has one rating of this kind" in text
    assert "the noise of single ratings is left in" in text
    assert "nan" not in text.lower().replace("llm", "")


def test_the_correlation_as_rated_stands_in_its_place_with_a_mark(one_model: KindsComparison) -> None:
    (row,) = rows_of_pairs(one_model.dimensions[0])
    as_rated = one_model.dimensions[0].pairs[0].correlation_as_rated
    assert isinstance(as_rated, Estimate)
    assert (row.correlation.value, row.correlation.mark) == (decimal(as_rated.value), "*")
    assert row.p == "–"


def test_many_dimensions_have_their_sentences_elsewhere(compared: KindsComparison) -> None:
    many = replace(compared, dimensions=compared.dimensions * 3)
    assert "The sentences about each dimension stand in the page and the JSON." in render_kinds(many)


def test_bold_and_dim_are_used_if_asked_for(compared: KindsComparison) -> None:
    assert "\x1b[1m" in render_kinds(compared, styled=True)
    assert "\x1b" not in render_kinds(compared)


def test_k_says_how_many_ratings_of_each_rater_are_averaged(
    compared: KindsComparison, one_model: KindsComparison
) -> None:
    text = " ".join(render_kinds(compared).split())
    assert " 2 × 2 " in text
    assert "k: raters × ratings of each that are averaged" in text
    assert "raters × ratings" not in render_kinds(one_model)
    page = render_kinds_page(compared)
    assert '<td class="num">2 × 2</td>' in page
    assert "raters × ratings of each that are averaged" in page
    assert "raters × ratings" not in render_kinds_page(one_model)


def test_an_axis_that_does_not_begin_at_0_says_so() -> None:
    assert [axis_start(lows) for lows in ([0.2, 0.99], [-0.3, 0.5], [0.94, 0.97], [0.71])] == [0.0, -0.3, 0.9, 0.7]


def test_a_figure_of_high_values_shows_them_and_names_its_beginning(compared: KindsComparison) -> None:
    high = Estimate(0.97, 0.95, 0.99, 0.95, "REML", "targets and raters", 60)
    dimensions = [replace(d, kinds=tuple(replace(k, rel_single=high) for k in d.kinds)) for d in compared.dimensions]
    figure = draw_kinds_figures(replace(compared, dimensions=tuple(dimensions)))[-1]
    assert "the axis begins at .90, not at 0" in figure.svg
    assert "the axis begins" not in draw_kinds_figures(compared)[-1].svg
