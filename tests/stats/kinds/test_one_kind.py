"""With one kind of rater the model is the one of `dialgauge.stats.reml`."""

import numpy as np
import pytest

from dialgauge.stats.kinds import fit_kinds
from dialgauge.stats.kinds.profile import profile_odds
from dialgauge.stats.reml import Model, fit_reml
from dialgauge.stats.reml.odds import Form
from dialgauge.stats.reml.profile import profile_odds as profile_one_kind

from .conftest import Data, draw

SAME = 1e-6  # relative


def one_kind(model: Model, seed: int) -> Data:
    replicates = 2 if model in {"crossed_replicated", "nested"} else 1
    data = draw(
        seed, n_targets=30, sigma=[[0.5]], raters=(9,), per_target=(3,), replicates=(replicates,), interaction=0.3
    )
    if model in {"one_way", "nested"}:  # each cell gets a rater of its own
        rater = np.unique(data.target * 9 + data.rater, return_inverse=True)[1]
        return Data(data.target, rater, np.zeros(rater.max() + 1, dtype=np.intp), data.values)
    return data


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", ["crossed", "crossed_replicated", "one_way", "nested"])
def test_one_kind_gives_the_fit_of_the_crossed_models(model: Model, seed: int) -> None:
    data = one_kind(model, seed)
    found = fit_kinds(*data.all)
    (expected,) = fit_reml(data.target, data.rater, data.values, model=model)
    assert found.criterion == pytest.approx(expected.criterion, abs=1e-9)
    assert found.sigma[0, 0] == pytest.approx(expected.target, rel=SAME, abs=1e-9)
    for one, other in ((found.rater[0], expected.rater), (found.cell[0], expected.cell)):
        assert (one is None) == (other is None)
        assert one is None or one == pytest.approx(other, rel=SAME, abs=1e-9)
    assert found.residual[0] == pytest.approx(expected.residual, rel=SAME)
    assert found.mean[0] == pytest.approx(expected.mean, rel=1e-9)
    assert np.sqrt(found.mean_covariance[0, 0]) == pytest.approx(expected.mean_se, rel=SAME)
    assert found.target_effect[:, 0] == pytest.approx(expected.target_effect, abs=1e-5)
    assert found.max_gradient < 1e-4


@pytest.mark.parametrize("form", ["absolute", "relative"])
@pytest.mark.parametrize("seed", range(2))
def test_one_kind_gives_the_intervals_of_the_crossed_model(seed: int, form: Form) -> None:
    data = one_kind("crossed", seed)
    found = profile_odds(fit_kinds(*data.all), 0, form=form)
    (fit,) = fit_reml(data.target, data.rater, data.values, model="crossed")
    (expected,) = profile_one_kind([fit], form=form)
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high), rel=1e-5
    )


@pytest.mark.parametrize("seed", [2, 14, 38, 45])
def test_with_two_raters_an_interval_ends_where_a_scan_over_all_severities_finds_it(seed: int) -> None:
    # much severity of two raters is hardly less likely than none, so at fixed odds the criterion has two minima
    rng = np.random.default_rng(seed)
    target, rater = (x.ravel() for x in np.indices((60, 2)))
    y = 0.7 * rng.normal(size=60)[target] + 0.02 * rng.normal(size=2)[rater] + 0.5 * rng.normal(size=120)
    found = profile_odds(fit_kinds(target, rater, np.array([0, 0]), y), 0)
    (fit,) = fit_reml(target, rater, y, model="crossed")
    severity = np.concatenate([[0.0], np.geomspace(1e-6, 1e4, 4001)])
    for odds in (found.low, found.high):
        assert odds is not None
        ratios = np.column_stack([odds * (1.0 + severity), severity, np.zeros(len(severity))])
        rise = fit.evaluate(ratios).criterion.min() - fit.criterion
        assert rise == pytest.approx(3.841458820694124, abs=2e-4)  # the 95 % point of chi-square; the scan is that fine


def test_kinds_that_share_no_target_are_fitted_as_if_each_were_alone() -> None:
    one, other = one_kind("crossed", 0), one_kind("crossed", 1)
    both = fit_kinds(
        np.concatenate([one.target, other.target + 30]),
        np.concatenate([one.rater, other.rater + 9]),
        np.repeat([0, 1], 9),
        np.concatenate([one.values, other.values]),
    )
    alone = [fit_kinds(*data.all) for data in (one, other)]
    assert both.criterion == pytest.approx(sum(fit.criterion for fit in alone), abs=1e-8)
    for g, fit in enumerate(alone):
        assert both.sigma[g, g] == pytest.approx(fit.sigma[0, 0], rel=SAME)
        assert both.residual[g] == pytest.approx(fit.residual[0], rel=SAME)
