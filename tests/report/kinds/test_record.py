"""Kinds of rater as JSON, CSV and LaTeX."""

import io
import json
from dataclasses import replace

import polars as pl
import pytest

from dialgauge.analyse.kinds import KindsComparison
from dialgauge.report.kinds.latex import kinds_to_latex
from dialgauge.report.kinds.record import kinds_schema, kinds_to_csv, kinds_to_dict, kinds_to_frame, kinds_to_json
from dialgauge.stats.estimate import Estimate


def test_the_json_holds_every_number_of_the_comparison(compared: KindsComparison) -> None:
    read = json.loads(kinds_to_json(compared))
    assert read == kinds_to_dict(compared)
    d, found = compared.dimensions[0], read["dimensions"][0]
    assert isinstance(d.pairs[0].correlation, Estimate)
    assert found["pairs"][0]["correlation"]["value"] == d.pairs[0].correlation.value
    assert found["pairs"][0]["correlation"]["low"] == d.pairs[0].correlation.low
    assert found["kinds"][1]["variance"]["target_x_rater"] == d.kinds[1].variance.target_x_rater
    assert read["kinds"] == {"human": 6, "llm": 2}
    assert [refused["name"] for refused in read["refused"]] == ["same"]


def test_what_is_refused_has_no_value_and_a_reason(one_model: KindsComparison) -> None:
    llm = json.loads(kinds_to_json(one_model))["dimensions"][0]["kinds"][1]
    assert llm["rel_single"]["value"] is None
    assert llm["rel_single"]["flags"] == ["refused"]
    assert llm["variance"]["residual"]["value"] is None
    assert llm["variance"]["residual"]["reason"]


def test_the_table_has_a_row_per_dimension_and_pair_and_the_refused_last(compared: KindsComparison) -> None:
    frame = kinds_to_frame(compared)
    assert frame["dimension"].to_list() == ["d0", "d1", "same"]
    assert frame["status"].to_list() == ["ok", "ok", "refused"]
    first = compared.dimensions[0].pairs[0]
    assert isinstance(first.correlation, Estimate)
    assert frame["correlation"][0] == first.correlation.value
    assert frame["second_n_raters"][0] == 2
    assert frame["reason"][2]
    read = pl.read_csv(io.StringIO(kinds_to_csv(compared)))
    assert read.columns == list(kinds_schema())
    assert read["correlation_low"][0] == first.correlation.low


def test_a_dimension_on_which_one_kind_is_left_has_a_row_without_a_second(compared: KindsComparison) -> None:
    alone = replace(compared.dimensions[0], kinds=compared.dimensions[0].kinds[:1], pairs=())
    made = replace(compared, dimensions=(alone,), refused=())
    frame = kinds_to_frame(made)
    assert frame.select("first", "second").rows() == [("human", None)]
    assert "no second kind" in kinds_to_latex(made)


def test_latex_has_a_row_per_pair_and_escapes_names(compared: KindsComparison, hostile: KindsComparison) -> None:
    text = kinds_to_latex(compared)
    body = text.split("\\midrule\n")[1].split("  \\bottomrule")[0]
    assert [line.split("&")[0].strip() for line in body.splitlines()] == ["d0", "d1", "same"]
    assert r"\begin{tabular}" in text
    assert "not estimable" in text
    made = kinds_to_latex(hostile)
    assert r"a \& b\_c 100\%" in made
    assert "\x1b" not in made


@pytest.mark.parametrize("which", ["compared", "one_model"])
def test_every_row_of_the_latex_table_has_twelve_columns(which: str, request: pytest.FixtureRequest) -> None:
    body = kinds_to_latex(request.getfixturevalue(which)).split("\\midrule\n")[1].split("  \\bottomrule")[0]
    for line in body.splitlines():
        spanned = 10 if "multicolumn{11}" in line else 0
        assert line.replace(r"\&", "").count("&") + spanned == 11
