"""Simulated studies: reproducible, complete in their counts, and in line with theory."""

import math

import numpy as np
import pytest

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.components import Components, Score
from dialgauge.stats.plan import Layout, assign, expected_precision, simulate_design
from dialgauge.stats.plan.precision import expected_power
from dialgauge.stats.reml import Model

from .conftest import REPLICATED, TYPICAL


@pytest.mark.parametrize(
    ("layout", "components", "model", "score"),
    [
        (Layout(60, 20, 5), TYPICAL, "crossed", Score()),
        (Layout(60, 300, 5), TYPICAL, "one_way", Score()),
        (Layout(80, 16, 4, 2), REPLICATED, "crossed_replicated", Score(4, 2)),
    ],
)
def test_simulated_studies_bear_out_the_expected_width_power_and_coverage(
    layout: Layout, components: Components, model: Model, score: Score
) -> None:
    found = simulate_design(layout, components, runs=150, seed=1, model=model, score=score)
    wanted = components.reliability(score) - 0.12
    summary = found.summarise(wanted=wanted)
    expected = expected_precision(layout, components, score=score, assignment=assign(layout, seed=1))
    power = expected_power(layout, components, score=score, wanted=wanted, assignment=assign(layout, seed=1))
    assert summary.power is not None
    assert summary.width.value == pytest.approx(expected.width, rel=0.06)
    assert summary.power.value == pytest.approx(power, abs=3.5 * summary.power.standard_error)
    assert summary.coverage.value == pytest.approx(0.95, abs=3 * summary.coverage.standard_error)
    assert summary.mean.value == pytest.approx(components.reliability(score), abs=4 * summary.mean.standard_error)
    assert summary.truth == pytest.approx(components.reliability(score))


def test_cut_ratings_are_judged_by_the_reliability_that_cutting_leaves() -> None:
    found = simulate_design(Layout(60, 20, 5), TYPICAL, runs=150, seed=2, points=3).summarise()
    assert found.truth < TYPICAL.reliability(Score()) - 0.03
    assert found.mean.value == pytest.approx(found.truth, abs=4 * found.mean.standard_error)
    assert found.coverage.value == pytest.approx(0.95, abs=3 * found.coverage.standard_error)


def test_the_same_seed_gives_the_same_studies_and_more_runs_begin_with_them() -> None:
    few, more, other = (
        simulate_design(Layout(20, 8, 3), TYPICAL, runs=runs, seed=seed) for runs, seed in ((6, 1), (9, 1), (6, 2))
    )
    assert more.values[:6] == pytest.approx(few.values, rel=1e-6, abs=1e-9)
    assert more.intervals[:6] == pytest.approx(few.intervals, rel=1e-4, abs=1e-9)
    assert not np.allclose(few.values, other.values)


def test_studies_without_an_estimate_are_counted_and_never_reach_what_was_wanted() -> None:
    found = simulate_design(Layout(3, 3, 3), TYPICAL, runs=60, seed=1, points=2)
    summary = found.summarise(wanted=0.01)
    assert found.no_fit > 0
    assert len(found.values) == found.runs - found.no_fit
    assert len(found.intervals) == found.runs - found.no_fit - found.no_interval
    assert summary.mean.n == len(found.values)
    assert summary.coverage.n == len(found.intervals)
    assert summary.power is not None
    assert summary.power.n == found.runs
    assert summary.power.value == np.sum(found.intervals[:, 0] / (1 + found.intervals[:, 0]) >= 0.01) / 60


def test_fits_with_a_variance_of_zero_are_counted_by_facet_and_kept() -> None:
    found = simulate_design(Layout(15, 6, 3), Components(target=0.02, rater=0.0, residual=1.0), runs=40, seed=1)
    assert found.boundary["target"] == np.sum(found.values == 0.0) > 5
    assert found.boundary["rater"] > 5
    assert np.all(found.intervals[found.intervals[:, 0] > 0, 0] < found.intervals[found.intervals[:, 0] > 0, 1])


def test_the_summary_for_k_raters_is_that_of_one_stepped_up() -> None:
    found = simulate_design(Layout(20, 8, 3), TYPICAL, runs=5, seed=1)
    values = found.values
    assert found.summarise(k=4).mean.value == pytest.approx(np.mean(4 * values / (1 + 4 * values)))
    assert found.summarise(k=4).truth == pytest.approx(TYPICAL.reliability(Score(4)))


def test_a_share_of_none_or_all_still_has_a_standard_error() -> None:
    found = simulate_design(Layout(40, 12, 4), TYPICAL, runs=20, seed=1).summarise(wanted=0.001)
    assert found.power is not None
    assert found.power.value == 1.0
    assert 0.0 < found.power.standard_error < 0.1
    single = simulate_design(Layout(40, 12, 4), TYPICAL, runs=1, seed=1).summarise()
    assert single.mean.standard_error == math.inf


def test_where_no_study_gives_an_interval_the_summary_is_refused() -> None:
    studies = (simulate_design(Layout(2, 2, 2), TYPICAL, runs=1, seed=seed, points=2) for seed in range(50))
    found = next(study for study in studies if study.no_fit)
    with pytest.raises(CannotEstimateError, match="interval"):
        found.summarise()


def test_no_runs_and_no_level_are_refused() -> None:
    with pytest.raises(InputError, match="simulated studies"):
        simulate_design(Layout(20, 8, 3), TYPICAL, runs=0, seed=1)
    with pytest.raises(InputError, match="level"):
        simulate_design(Layout(20, 8, 3), TYPICAL, runs=1, seed=1, level=1.0)
