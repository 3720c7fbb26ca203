"""What the data do not determine is refused by name, and nasty inputs change nothing else."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.fits import choose_model
from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.errors import InputError
from dialgauge.io import from_frame
from dialgauge.model import Ratings
from dialgauge.stats.estimate import Estimate, Refusal

from .conftest import ends, known

Maker = Callable[..., Ratings]


def grid(n_targets: int, n_raters: int, seed: int = 0) -> list[tuple[str, str, float | None]]:
    rng = np.random.default_rng(seed)
    effect = rng.normal(size=n_targets)
    y = np.clip(np.round(3 + effect[:, None] + 0.7 * rng.normal(size=(n_targets, n_raters))), 1, 5)
    return [(f"d{t}", f"r{r}", float(y[t, r])) for t in range(n_targets) for r in range(n_raters)]


def test_no_target_with_two_ratings_is_refused_by_name(table: Maker) -> None:
    # cases.md, pingouin #231
    rows = [("0", "a", 1.0), ("1", "b", 2.0), ("2", "c", 3.0), ("3", "a", 2.0), ("4", "b", 1.0)]
    result = analyse_reliability(table(rows))
    (refused,) = result.refused
    assert not result.dimensions
    assert "no target was rated by two raters" in refused.reason
    assert refused.remedy


def test_with_one_replicated_target_there_is_an_estimate_or_a_typed_refusal_and_the_informative_targets_are_counted(
    table: Maker,
) -> None:
    rows = [*grid(8, 1), ("d0", "r1", 2.0), ("d1", "r1", 4.0), ("d2", "r1", 3.0)]
    result = analyse_reliability(table(rows))
    designs = [*(d.design for d in result.dimensions), *(d.design for d in result.refused)]
    assert [design.n_informative for design in designs] == [3]


def test_one_target_only_is_refused_with_a_hint_at_swapped_columns(table: Maker) -> None:
    (refused,) = analyse_reliability(table([("d0", f"r{i}", float(i % 5 + 1)) for i in range(6)])).refused
    assert "one target only" in refused.reason
    assert "swap" in refused.remedy


def test_a_constant_dimension_is_refused_with_its_marginals_and_the_others_go_on(crowd: Ratings) -> None:
    frame = crowd.frame.with_columns(
        value=pl.when(pl.col("dimension") == "novelty").then(4.0).otherwise(pl.col("value"))
    ).filter(pl.col("dimension").is_in(["novelty", "accuracy"]))
    scales = {name: crowd.scales[name] for name in ("accuracy", "novelty")}
    result = analyse_reliability(replace(crowd, frame=frame, scales=scales))
    (refused,) = result.refused
    assert refused.name == "novelty"
    assert "1053 ratings are 4" in refused.reason
    assert refused.percent_agreement == 1.0
    assert [count for _, count in refused.marginals] == [0, 0, 0, 1053, 0]
    assert [d.name for d in result.dimensions] == ["accuracy"]
    assert result.dimensions[0].rel_k.value == pytest.approx(0.7167615, abs=2e-4)


def test_empty_cells_are_counted_and_never_imputed(crowd: Ratings) -> None:
    rng = np.random.default_rng(0)
    accuracy = crowd.of("accuracy")
    rows = rng.choice(len(accuracy), 40, replace=False)
    empty = np.isin(np.arange(len(accuracy)), rows)
    frame = accuracy.with_columns(
        value=pl.when(pl.Series(empty)).then(None).otherwise(pl.col("value")),
        missing=pl.when(pl.Series(empty)).then(pl.lit("empty")).otherwise(None),
    )
    holed = replace(crowd, frame=frame, scales={"accuracy": crowd.scales["accuracy"]})
    (d,) = analyse_reliability(holed).dimensions
    assert (d.n_missing, d.design.n_ratings) == (40, 1013)
    assert d.rel_k.value == pytest.approx(0.717, abs=0.03)  # one tool fills cells with rater means and prints .177
    assert any("40 of 1053 ratings are missing" in s for s in d.findings)


def test_one_more_rater_with_a_single_rating_hardly_moves_the_estimate_and_is_counted(crowd: Ratings) -> None:
    accuracy = crowd.of("accuracy")
    extra = accuracy.head(1).with_columns(rater=pl.lit("newcomer"), value=pl.lit(1.0))
    more = replace(crowd, frame=pl.concat([accuracy, extra]), scales={"accuracy": crowd.scales["accuracy"]})
    (d,) = analyse_reliability(more).dimensions
    assert d.design.n_raters == 118
    assert d.rel_k.value == pytest.approx(0.7167615, abs=0.01)


def test_a_transposed_table_shows_in_the_design(crowd: Ratings) -> None:
    swapped = crowd.of("accuracy").rename({"target": "rater", "rater": "target"}).select(crowd.frame.columns)
    result = analyse_reliability(replace(crowd, frame=swapped, scales={"accuracy": crowd.scales["accuracy"]}))
    assert (result.design.n_targets, result.design.n_raters) == (117, 200)


def test_a_target_variance_of_zero_is_flagged_and_keeps_an_upper_limit(table: Maker) -> None:
    # every target gets the same five ratings, each from another rater: less variance between targets than chance gives
    rows = [(f"d{t}", f"r{r}", float((t + r) % 5 + 1)) for t in range(5) for r in range(5)]
    (d,) = analyse_reliability(table(rows)).dimensions
    assert d.variance.target == 0.0
    assert "boundary" in d.flags
    assert (d.rel_k.value, d.rel_k.low) == (0.0, 0.0)
    assert d.rel_k.high is not None
    assert d.rel_k.high > 0.1
    assert any("exactly zero" in s for s in d.findings)


def test_raters_nested_in_targets_get_the_one_way_model_and_are_told_so(table: Maker) -> None:
    rows = [(t, f"{t}-{r}", y) for t, r, y in grid(12, 3)]
    (d,) = analyse_reliability(table(rows)).dimensions
    assert d.model == "one_way"
    assert d.variance.rater is None
    assert d.rel_k.value == pytest.approx(d.icc1_k.value)
    assert any("rated one target only" in s for s in d.findings)


def test_groups_that_share_nothing_are_answered_and_flagged(table: Maker) -> None:
    rows = [*grid(10, 4), *((f"x{t}", f"x{r}", y) for t, r, y in grid(10, 4, seed=1))]
    result = analyse_reliability(table(rows))
    (d,) = result.dimensions
    assert "disconnected" in d.flags
    assert any("2 groups that share no rating" in s for s in result.findings)


def test_fewer_than_six_raters_are_flagged(table: Maker) -> None:
    result = analyse_reliability(table(grid(20, 4)))
    assert "few_raters" in result.dimensions[0].flags
    assert any("hardly identified" in s for s in result.findings)


def test_replicates_separate_the_interaction_from_the_noise(table: Maker) -> None:
    rows = [(t, r, y, s) for s in (1, 2) for t, r, y in grid(15, 6, seed=s)]
    frame = pl.DataFrame(rows, schema=["target", "rater", "value", "replicate"], orient="row")
    (d,) = analyse_reliability(from_frame(frame, scale="1:5")).dimensions
    assert d.model == "crossed_replicated"
    assert d.variance.target_x_rater is not None
    assert d.replicates == 2.0


def test_a_complete_table_brings_the_six_forms_and_their_check_against_reml(table: Maker) -> None:
    (d,) = analyse_reliability(table(grid(20, 6))).dimensions
    assert [form.name for form in d.complete_forms] == [
        "ICC(1)",
        "ICC(A,1)",
        "ICC(C,1)",
        "ICC(1,6)",
        "ICC(A,6)",
        "ICC(C,6)",
    ]
    assert any("complete table" in check.name for check in d.checks)
    agreement = d.complete_forms[1].estimate
    assert isinstance(agreement, Estimate)
    assert agreement.value == pytest.approx(d.rel_single.value, abs=1e-6)


def test_a_nominal_scale_is_refused_and_not_averaged(table: Maker) -> None:
    ratings = table(grid(10, 4))
    scale = next(iter(ratings.scales.values())).model_copy(update={"level": "nominal"})
    (refused,) = analyse_reliability(replace(ratings, scales=dict.fromkeys(ratings.scales, scale))).refused
    assert "nominal" in refused.reason
    assert refused.mean is None


def test_exact_agreement_on_a_continuous_scale_is_refused(table: Maker) -> None:
    rng = np.random.default_rng(0)
    rows = [
        (f"d{t}", f"r{r}", float(np.clip(0.5 + 0.02 * t + 0.1 * rng.normal(), 0, 1)))
        for t in range(15)
        for r in range(4)
    ]
    (d,) = analyse_reliability(table(rows, scale="0.0:1.0")).dimensions
    assert isinstance(d.percent_agreement, Refusal)


@pytest.mark.parametrize(
    "options", [{"interval": "magic"}, {"k": 0}, {"k": float("nan")}, {"k": -1}, {"level": 0.0}, {"level": 1.0}]
)
def test_options_out_of_range_are_bad_input(table: Maker, options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        analyse_reliability(table(grid(8, 4)), **options)


def test_k_can_be_asked_for(table: Maker) -> None:
    ratings = table(grid(20, 6))
    one, ten = (analyse_reliability(ratings, k=k).dimensions[0] for k in (1, 10))
    assert one.rel_k.value == pytest.approx(one.rel_single.value)
    assert ten.rel_k.value == pytest.approx(10 * one.rel_single.value / (1 + 9 * one.rel_single.value), rel=1e-9)


def test_the_richest_model_that_the_design_supports_is_chosen(table: Maker) -> None:
    design = analyse_reliability(table(grid(8, 4))).design
    assert choose_model(design) == "crossed"
    assert choose_model(replace(design, replicates_max=2)) == "crossed_replicated"
    assert choose_model(replace(design, kind="nested")) == "one_way"
    assert choose_model(replace(design, kind="nested", replicates_max=2)) == "nested"


@pytest.mark.parametrize("interval", ["profile", "wald", "bootstrap"])
def test_each_interval_method_names_itself_and_holds_the_value(table: Maker, interval: Any) -> None:  # noqa: ANN401
    ratings = table(grid(20, 8))
    one, two = (analyse_reliability(ratings, interval=interval, seed=5).dimensions[0] for _ in range(2))
    assert {"profile": "profile", "wald": "Wald", "bootstrap": "999 refits"}[interval] in one.rel_k.method
    low, high = ends(one.rel_k)
    assert low < one.rel_k.value < high
    assert ends(two.rel_k) == (low, high)
    assert one.rel_k.covers == "targets and raters"


def test_few_raters_get_the_figure_for_these_raters_only_beside_it(table: Maker) -> None:
    (d,) = analyse_reliability(table(grid(20, 4))).dimensions
    (sentence,) = [s for s in d.findings if "severity of the 4 raters taken out" in s]
    assert f"{d.rel_k_relative.value:.3f}".lstrip("0") in sentence


def test_the_ordinal_model_is_refused_by_name_where_there_are_no_points(table: Maker) -> None:
    rng = np.random.default_rng(0)
    rows = [(f"d{t}", f"r{r}", 0.4 + 0.01 * t + 0.1 * rng.random()) for t in range(15) for r in range(4)]
    (d,) = analyse_reliability(table(rows, scale="0.0:1.0"), ordinal=True).dimensions
    assert isinstance(d.rel_k_ordinal, Refusal)
    assert "continuous" in d.rel_k_ordinal.reason
    assert analyse_reliability(table(rows, scale="0.0:1.0")).dimensions[0].rel_k_ordinal is None


def test_copies_of_one_answer_are_not_taken_for_agreement(table: Maker) -> None:
    # a model at temperature zero: three raters at random, each answer repeated five times
    rng = np.random.default_rng(1)
    answers = rng.integers(1, 6, (60, 3))
    rows = [(f"d{t}", f"m{r}", float(answers[t, r]), s) for t in range(60) for r in range(3) for s in range(5)]
    frame = pl.DataFrame(rows, schema=["target", "rater", "value", "replicate"], orient="row")
    (d,) = analyse_reliability(from_frame(frame, scale="1:5")).dimensions
    once = frame.filter(pl.col("replicate") == 0).drop("replicate")
    (clean,) = analyse_reliability(from_frame(once, scale="1:5")).dimensions
    assert d.model == "crossed"
    assert d.rel_k.value == pytest.approx(clean.rel_k.value)
    assert d.rel_k.value < 0.3
    assert known(d.alpha_interval).value == pytest.approx(known(clean.alpha_interval).value)
    assert known(d.percent_agreement).value == pytest.approx(known(clean.percent_agreement).value)
    assert any("copy of the first" in s for s in d.findings)


def test_replicates_never_make_a_rater_agree_with_itself(table: Maker) -> None:
    rng = np.random.default_rng(2)
    answers = rng.integers(1, 6, (40, 3, 1)) + 0.3 * rng.normal(size=(40, 3, 4))
    rows = [(f"d{t}", f"m{r}", float(answers[t, r, s]), s) for t in range(40) for r in range(3) for s in range(4)]
    frame = pl.DataFrame(rows, schema=["target", "rater", "value", "replicate"], orient="row")
    (d,) = analyse_reliability(from_frame(frame, scale="-5.0:15.0")).dimensions
    assert d.model == "crossed_replicated"
    assert known(d.alpha_interval).value < 0.2
    assert d.icc1.value < 0.2
    assert any("own repetition" in s for s in d.findings)


def test_a_crossed_model_that_cannot_be_estimated_is_refused_and_not_replaced(table: Maker) -> None:
    rows = [(f"d{t}", f"r{r}", float(1 + t // 2 + r)) for t in range(6) for r in range(3)]
    (refused,) = analyse_reliability(table(rows)).refused
    assert "residual variance runs to zero" in refused.reason


def test_intervals_stay_within_what_is_possible(table: Maker) -> None:
    (d,) = analyse_reliability(table(grid(4, 2, seed=3))).dimensions
    low, high = ends(d.alpha_ordinal)
    assert -1.0 <= low <= high <= 1.0
    low, high = ends(d.mean)
    assert 1.0 <= low <= high <= 5.0


def test_targets_without_a_pair_do_not_widen_the_interval_of_agreement(table: Maker) -> None:
    rows = grid(30, 3)
    lonely = [(f"x{i}", "r0", float(i % 5 + 1)) for i in range(300)]
    (one,), (two,) = (analyse_reliability(table(r)).dimensions for r in (rows, [*rows, *lonely]))
    assert ends(two.percent_agreement) == pytest.approx(ends(one.percent_agreement))
    assert known(two.percent_agreement).n == 90
