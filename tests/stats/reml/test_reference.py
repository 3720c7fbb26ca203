"""REML against values that others computed: an independent exact solver, closed forms, and lme4."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.stats.reml import fit_reml

from .conftest import Data, codes

EXACT = 1e-6  # relative, against reml_exact: solved there to a gradient below 1e-10
CRITERION = 1e-9  # relative


@pytest.mark.parametrize(
    ("file", "target", "rater", "value", "key", "names"),
    [
        ("Penicillin", "plate", "sample", "diameter", "Penicillin", ("var_plate", "var_sample", "var_resid")),
        ("sleepstudy", "Subject", "Days", "Reaction", "sleepstudy_crossed", ("var_Subject", "var_Days", "var_resid")),
        ("crossed_1k", "item", "rater", "y", "1k", ("var_a", "var_b", "resid")),
    ],
)
def test_crossed_components_equal_those_of_an_independent_exact_solver(
    crossed: Callable[..., Data], reference: dict[str, Any], file: str, target: str, rater: str, value: str, key: str,
    names: tuple[str, str, str],
) -> None:  # fmt: skip
    expected = reference["reml_exact"][key]
    (fit,) = fit_reml(*crossed(file, target, rater, value), model="crossed")
    assert fit.target == pytest.approx(expected[names[0]], rel=EXACT)
    assert fit.rater == pytest.approx(expected[names[1]], rel=EXACT)
    assert fit.residual == pytest.approx(expected[names[2]], rel=EXACT)
    assert fit.criterion == pytest.approx(expected["REMLcrit"], rel=CRITERION)
    assert fit.mean == pytest.approx(expected["mu"], rel=1e-9)
    assert fit.mean_se == pytest.approx(expected.get("se_mu", expected.get("se")), rel=EXACT)
    assert fit.boundary == ()


def test_incomplete_rows_are_used_and_give_the_exact_components(shared: Path, reference: dict[str, Any]) -> None:
    table = pl.read_csv(shared / "reference/stats/shrout_fleiss_missing.csv", null_values="NA").to_numpy()
    target, rater = np.nonzero(~np.isnan(table))
    expected = reference["reml_exact"]["shrout_fleiss_missing"]
    (fit,) = fit_reml(target, rater, table[target, rater], model="crossed")
    assert (fit.target, fit.rater, fit.residual) == pytest.approx(
        (expected["var_subject"], expected["var_rater"], expected["var_resid"]), rel=EXACT
    )
    assert fit.criterion == pytest.approx(expected["REMLcrit"], rel=CRITERION)


@pytest.mark.parametrize("name", ["Dyestuff", "Dyestuff2"])
def test_balanced_one_way_components_equal_the_closed_form(
    one_way: Callable[..., Data], reference: dict[str, Any], name: str
) -> None:
    expected = reference["closed_form"][name]
    (fit,) = fit_reml(*one_way(name, "Batch", "Yield"), model="one_way")
    assert fit.target == pytest.approx(expected["batch"], rel=1e-8, abs=1e-12)
    assert fit.residual == pytest.approx(expected["resid"], rel=1e-8)
    assert fit.criterion == pytest.approx(expected["REMLcrit"], rel=CRITERION)


def test_a_variance_at_zero_is_exactly_zero_and_named(one_way: Callable[..., Data]) -> None:
    (fit,) = fit_reml(*one_way("Dyestuff2", "Batch", "Yield"), model="one_way")
    assert fit.target == 0.0
    assert fit.boundary == ("target",)


def test_the_data_on_which_another_library_runs_to_the_boundary_are_fitted_right(crossed: Callable[..., Data]) -> None:
    # cases.md: statsmodels MixedLM with lbfgs returns 0 here and says that it converged; true: .2233 and .8252
    (fit,) = fit_reml(*crossed("paper1like_seed0", "it", "ra", "y"), model="one_way")
    assert fit.target == pytest.approx(0.2233, abs=5e-5)
    assert fit.residual == pytest.approx(0.8252, abs=5e-5)
    assert fit.target / (fit.target + fit.residual) == pytest.approx(0.213, abs=5e-4)
    assert fit.mean == pytest.approx(3.4, abs=0.05)


def test_one_way_sleepstudy_agrees_with_lme4(one_way: Callable[..., Data], reference: dict[str, Any]) -> None:
    expected = reference["r"]["sleepstudy_int"]
    (fit,) = fit_reml(*one_way("sleepstudy", "Subject", "Reaction"), model="one_way")
    assert fit.target == pytest.approx(
        expected["reml_varcomp"]["Subject"], rel=1e-5
    )  # lme4: about 1e-6 optimiser error
    assert fit.residual == pytest.approx(expected["reml_varcomp"]["Residual"], rel=1e-5)
    assert fit.criterion == pytest.approx(expected["REMLcrit"], rel=CRITERION)


def test_all_dimensions_of_the_crowd_study_agree_with_lme4(shared: Path) -> None:
    expected = json.loads((shared / "reference/crs_que_redial.json").read_text())["dimensions"]
    frame = pl.read_csv(shared / "data/crs_que_redial/annotations.csv").filter(pl.col("is_gold_standard") == 0)
    target, rater = codes(frame["dialogue_id"]), codes(frame["participant_id"])
    for name, row in expected.items():
        values = frame[name].cast(pl.Float64).to_numpy()
        crossed, one_way = (fit_reml(target, rater, values, model=model)[0] for model in ("crossed", "one_way"))
        for fit, key in ((crossed, "crossed"), (one_way, "one_way")):
            assert fit.target == pytest.approx(row[key]["var_target"], abs=2e-4), name
            assert fit.residual == pytest.approx(row[key]["var_residual"], abs=2e-4), name
            assert fit.criterion == pytest.approx(row[key]["reml_criterion"], abs=1e-6), name
            # lme4's optimiser may stop above the minimum, never below it
            assert fit.criterion <= row[key]["reml_criterion"] + 1e-6, name
        assert crossed.rater == pytest.approx(row["crossed"]["var_rater"], abs=2e-4), name
