"""A simulated crowd study is believable, sparse, and the same under the same seed."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.errors import InputError
from dialgauge.io import read_ratings, write_wide
from dialgauge.model import Ratings
from dialgauge.simulate import PROFILES, generate_crowd_study


@pytest.fixture(scope="module")
def study() -> Ratings:
    return generate_crowd_study(seed=1)


@pytest.fixture(scope="module")
def large() -> Ratings:
    return generate_crowd_study(seed=2, n_targets=1500, n_raters=300, raters_per_target=6, missing_share=0.0)


def test_the_same_seed_gives_the_same_study_and_another_seed_another(study: Ratings) -> None:
    assert generate_crowd_study(seed=1).frame.equals(study.frame)
    assert not generate_crowd_study(seed=2).same_ratings(study)


def test_each_dialogue_has_four_to_six_raters_and_raters_are_not_equally_active(study: Ratings) -> None:
    cells = study.of("accuracy")
    assert (study.n_targets, study.n_raters) == (60, 40)
    assert set(cells.group_by("target").len()["len"]) == {4, 5, 6}
    loads = cells.group_by("rater").len()["len"]
    assert 4 <= loads.min() < loads.max() <= 12  # type: ignore[operator]
    assert not cells.select("target", "rater").is_duplicated().any()


def test_a_few_cells_are_empty_and_all_others_use_the_whole_scale(study: Ratings) -> None:
    assert 0 < study.n_missing < 0.03 * study.frame.height
    for name in study.dimensions:
        assert set(study.of(name)["value"].drop_nulls()) == {1.0, 2.0, 3.0, 4.0, 5.0}


def test_its_names_and_dimensions_are_those_of_a_user(study: Ratings) -> None:
    assert {"dialogue_01", "dialogue_60"} <= set(study.frame["target"])
    assert {"rater_01", "rater_40"} <= set(study.frame["rater"])
    assert set(study.dimensions) == {profile.name for profile in PROFILES}
    assert study.instrument is not None
    assert set(study.dimensions) < set(study.instrument.dimension_names)
    assert "seed 1" in study.source


def shares(ratings: Ratings, name: str) -> tuple[float, float]:
    """Return the shares of target and rater in the variance, from products of pairs that share one of them."""
    values = ratings.of(name).with_columns(pl.col("value") - pl.col("value").mean())
    found = []
    for facet in ("target", "rater"):
        sums = values.group_by(facet).agg(total=pl.col("value").sum(), squares=pl.col("value").pow(2).sum(), n=pl.len())
        total, squares, n = (sums[name].cast(pl.Float64).to_numpy() for name in ("total", "squares", "n"))
        covariance = float(np.sum(total**2 - squares) / np.sum(n * (n - 1)))
        found.append(covariance / float(np.var(values["value"].to_numpy())))
    return found[0], found[1]


def test_the_variance_shares_of_a_large_study_are_those_of_the_profiles_but_for_the_cut(large: Ratings) -> None:
    # Cutting a normal variable to five points leaves the correlation of two raters at some 0.90 of its value;
    # with 1,500 targets and 300 raters the standard error of a share is about .02.
    for profile in PROFILES:
        target, rater = shares(large, profile.name)
        assert target == pytest.approx(0.9 * profile.target, abs=0.06)
        assert rater == pytest.approx(0.9 * profile.rater, abs=0.08)


def test_dimensions_go_together(large: Ratings) -> None:
    wide = large.frame.pivot(on="dimension", index=["target", "rater"], values="value").drop("target", "rater")
    correlation = np.corrcoef(wide.to_numpy(), rowvar=False)
    assert np.all(correlation > 0.2)


def test_profiles_differ_from_good_to_poor_and_one_is_a_matter_of_severity() -> None:
    by_name = {profile.name: profile for profile in PROFILES}
    assert by_name["accuracy"].target > 0.6
    assert by_name["cui_humanness"].target < 0.1
    assert by_name["cui_rapport"].rater >= 0.5
    assert all(profile.residual > 0 for profile in PROFILES)


def test_written_as_a_wide_file_it_is_read_back_the_same(study: Ratings, tmp_path: Path) -> None:
    write_wide(study, tmp_path / "crowd.csv", target="dialogue_id", rater="rater_id")
    assert read_ratings(tmp_path / "crowd.csv", instrument="crs-que").same_ratings(study)


@pytest.mark.parametrize(
    "design",
    [{"n_targets": 0}, {"n_raters": 5}, {"raters_per_target": 0}, {"missing_share": 1.0}, {"missing_share": -0.1}],
)
def test_an_impossible_design_is_an_input_error(design: dict[str, float]) -> None:
    with pytest.raises(InputError, match="a crowd study needs"):
        generate_crowd_study(seed=1, **design)  # type: ignore[arg-type]
