"""The result as JSON, rows and CSV."""

import json
from dataclasses import replace
from io import StringIO
from typing import Any

import polars as pl
import pytest

from dialgauge.analyse.results import Reliability
from dialgauge.report.record import schema, to_csv, to_dict, to_frame, to_json, to_rows
from dialgauge.stats.meansquares import IccForm

from .conftest import estimate, make_dimension

TOP = {"source", "scale", "level", "seed", "design", "dimensions", "refused", "notes", "findings", "versions"}

DIMENSION = {
    "name", "model", "k", "replicates", "n_ratings", "n_targets", "n_raters", "n_missing", "design", "mean", "variance",
    "variance_shares", "rel_single", "rel_k", "rel_single_relative", "rel_k_relative", "icc1", "icc1_k", "icc1_anova",
    "icc1_k_anova", "alpha_ordinal", "alpha_interval", "percent_agreement", "complete_forms", "raters_needed", "band",
    "flags", "fit", "checks", "findings",
}  # fmt: skip

COEFFICIENT = {"value", "low", "high", "level", "method", "covers", "n", "flags"}


def load(analysis: Reliability) -> Any:  # noqa: ANN401 (JSON)
    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is no JSON")

    return json.loads(to_json(analysis), parse_constant=refuse)


def test_the_json_has_these_keys(analysis: Reliability) -> None:
    found = load(analysis)
    assert set(found) == TOP
    assert all(set(d) == DIMENSION for d in found["dimensions"])
    assert set(found["dimensions"][0]["rel_k"]) == COEFFICIENT
    assert {"n_targets", "n_raters", "n_ratings", "k_harmonic", "connected", "kind"} <= set(found["design"])
    assert {"name", "reason", "remedy", "n_ratings", "mean", "percent_agreement", "marginals"} <= set(
        found["refused"][0]
    )


def test_the_json_says_what_the_records_say(analysis: Reliability) -> None:
    found = load(analysis)
    assert [d["name"] for d in found["dimensions"]] == [d.name for d in analysis.dimensions]
    first = analysis.dimensions[0]
    assert found["dimensions"][0]["rel_k"]["value"] == first.rel_k.value
    assert found["dimensions"][0]["variance"] == {"target": 0.3842, "rater": 0.1818, "residual": 0.6078}
    assert sum(found["dimensions"][0]["variance_shares"].values()) == pytest.approx(1.0)
    assert found["seed"] == 7
    assert found["design"]["connected"] is True


def test_the_raters_needed_stand_in_json_and_csv(analysis: Reliability) -> None:
    needed = load(analysis)["dimensions"][0]["raters_needed"]
    assert [n["wanted"] for n in needed] == [0.5, 0.75, 0.8, 0.9]
    # make_dimension: accuracy has odds .3842 / (.1818 + .6078) = .4866 for one rater: 2.06, 6.17, 8.22, 18.50
    assert [n["by_value"] for n in needed] == [3, 7, 9, 19]
    assert all(n["by_lower_limit"] >= n["by_value"] and n["reason"] is None for n in needed)
    first, *_, dull, _ = to_rows(analysis)
    assert [first[f"raters_needed_{goal}"] for goal in (50, 75, 80, 90)] == [3, 7, 9, 19]
    assert first["raters_needed_90_by_lower_limit"] == needed[-1]["by_lower_limit"]
    assert dull["raters_needed_50"] is None
    assert load(analysis)["dimensions"][-1]["raters_needed"][0]["by_value"] is None


def test_a_refused_coefficient_is_null_with_reason_and_remedy(analysis: Reliability) -> None:
    dull = next(d for d in load(analysis)["dimensions"] if d["name"] == "dull")
    assert dull["alpha_ordinal"] == {
        "value": None,
        "low": None,
        "high": None,
        "level": 0.95,
        "method": None,
        "covers": None,
        "n": None,
        "flags": ["refused"],
        "reason": "the ranks of all ratings are tied",
        "remedy": "use a finer scale",
    }


def test_an_infinite_f_is_null_and_said_to_be_infinite(analysis: Reliability) -> None:
    form = IccForm(
        name="ICC(1)", words="agreement", estimate=estimate(1.0, spread=0.0), f=float("inf"), df1=3.0, df2=8.0, p=0.0
    )
    complete = replace(make_dimension("perfect"), complete_forms=(form,))
    found = load(replace(analysis, dimensions=(complete,)))["dimensions"][0]["complete_forms"][0]
    assert found["f"] is None
    assert found["f_infinite"] is True
    assert found["value"] == 1.0


def test_a_number_that_is_none_cannot_become_json(analysis: Reliability) -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        to_json(replace(analysis, level=float("nan")))


def test_the_json_is_ascii_whatever_the_names(hostile: Reliability) -> None:
    assert to_json(replace(hostile, source="größe")).isascii()
    assert load(hostile)["dimensions"][0]["name"] == hostile.dimensions[0].name


def test_the_frame_has_a_row_per_dimension_and_the_refused_ones_last(analysis: Reliability) -> None:
    frame = to_frame(analysis)
    assert frame["dimension"].to_list() == [*(d.name for d in analysis.dimensions), "constant"]
    assert frame["status"].to_list() == ["ok"] * 5 + ["refused"]
    assert frame.columns == list(schema())
    last = frame.row(-1, named=True)
    assert last["rel_k"] is None
    assert last["reason"] == "all 1053 ratings are 4: there is no variance to divide"
    assert last["mean"] == 4.0


def test_types_of_the_frame_do_not_depend_on_the_data(analysis: Reliability) -> None:
    nothing = to_frame(replace(analysis, dimensions=(), refused=()))
    assert nothing.schema == to_frame(analysis).schema
    assert to_frame(replace(analysis, dimensions=())).schema == nothing.schema


def test_a_row_names_its_refused_coefficients(analysis: Reliability) -> None:
    dull = next(row for row in to_rows(analysis) if row["dimension"] == "dull")
    assert dull["alpha_ordinal"] is None
    assert dull["reason"] == "alpha_ordinal: the ranks of all ratings are tied"
    assert dull["flags"] == "boundary"


def test_the_csv_reads_back_as_the_frame(hostile: Reliability) -> None:
    frame = to_frame(hostile)
    assert pl.read_csv(StringIO(to_csv(hostile)), schema=frame.schema).equals(frame, null_equal=True)


def test_dicts_of_the_result_share_nothing_with_it(analysis: Reliability) -> None:
    found = to_dict(analysis)
    assert isinstance(found["versions"], dict)
    found["versions"].clear()
    assert analysis.versions
