"""What the design of each kind tells apart, and what is refused."""

import numpy as np
import pytest

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.kinds import ConstantKindError, FewSharedError, KindVanishesError, fit_kinds
from dialgauge.stats.kinds.contrast import exchange_raters, perfect_correlation_test
from dialgauge.stats.kinds.layout import describe_kinds, drop_equal_replicates
from dialgauge.stats.kinds.profile import profile_correlation, profile_odds

from .conftest import Codes, Data, Floats, draw

SIGMA = [[0.4, 0.3], [0.3, 0.5]]


def one_model(seed: int, replicates: int, *, n_targets: int = 40) -> Data:
    """Draw people, of whom 3 rate each target, and one model."""
    return draw(seed, n_targets=n_targets, sigma=SIGMA, raters=(6, 1), per_target=(3, 1), replicates=(1, replicates))


def with_values(data: Data, kind: int, values: Floats) -> Data:
    new = data.values.copy()
    new[data.kind == kind] = values
    return Data(data.target, data.rater, data.kind_of, new)


@pytest.mark.parametrize(
    ("raters", "per_target", "replicates", "basis", "severity", "interaction"),
    [
        (4, 2, 1, "raters", True, False),
        (2, 2, 2, "raters", True, True),
        (1, 1, 3, "replicates", False, False),
        (1, 1, 1, "single", False, False),
        (4, 1, 1, "single", True, False),
        (4, 1, 2, "replicates", True, False),
    ],
)
def test_the_layout_says_what_can_be_told_apart(
    raters: int, per_target: int, replicates: int, basis: str, severity: bool, interaction: bool
) -> None:
    data = draw(0, n_targets=20, sigma=[[0.5]], raters=(raters,), per_target=(per_target,), replicates=(replicates,))
    (layout,) = describe_kinds(data.target, data.rater, data.kind_of)
    assert (layout.basis, layout.severity, layout.interaction) == (basis, severity, interaction)


def test_raters_of_one_target_each_have_no_severity_of_their_own() -> None:
    target: Codes = np.repeat(np.arange(10), 3)
    (layout,) = describe_kinds(target, np.arange(30), np.zeros(30, dtype=np.intp))
    assert (layout.basis, layout.severity, layout.interaction) == ("raters", False, False)


def test_one_model_with_replicates_has_no_rater_variance_and_its_residual_is_the_noise_of_replicates() -> None:
    data = one_model(1, 3, n_targets=400)
    fit = fit_kinds(*data.all)
    assert fit.rater[1] is None
    assert fit.cell[1] is None
    y = data.values[data.kind == 1].reshape(400, 3)
    within = float(((y - y.mean(axis=1, keepdims=True)) ** 2).sum() / 800)  # complete: the pooled variance of cells
    assert fit.residual[1] == pytest.approx(within, rel=0.02)


def test_a_kind_with_one_rating_per_target_has_only_the_sum_of_target_and_residual_variance() -> None:
    data = one_model(2, 1, n_targets=400)
    fit = fit_kinds(*data.all)
    assert (fit.rater[1], fit.residual[1]) == (None, None)
    assert fit.sigma[1, 1] == pytest.approx(float(np.var(data.values[data.kind == 1], ddof=1)), rel=0.02)
    with pytest.raises(CannotEstimateError, match="one rating of this kind"):
        profile_odds(fit, 1)
    with pytest.raises(CannotEstimateError, match="one rating of a kind"):
        perfect_correlation_test(fit, 0, 1)
    with pytest.raises(CannotEstimateError, match="one rating of this kind"):
        exchange_raters(fit, 0, 1)


@pytest.mark.parametrize("unsplit", [1e-5, 1e-7])
def test_how_an_unknown_sum_is_split_inside_does_not_matter(unsplit: float, monkeypatch: pytest.MonkeyPatch) -> None:
    data = one_model(3, 1)
    one = fit_kinds(*data.all)
    interval = profile_correlation(one, 0, 1)
    monkeypatch.setattr("dialgauge.stats.kinds.chart.UNSPLIT", unsplit)
    monkeypatch.setattr("dialgauge.stats.kinds.starts.UNSPLIT", unsplit)
    two = fit_kinds(*data.all)
    again = profile_correlation(two, 0, 1)
    assert two.criterion == pytest.approx(one.criterion, abs=1e-7)
    assert two.sigma == pytest.approx(one.sigma, rel=1e-5)
    assert (again.low, again.high) == pytest.approx((interval.low, interval.high), abs=1e-4)


def test_two_raters_that_rated_everything_once_correlate_as_pearson_says() -> None:
    rng = np.random.default_rng(4)
    y = rng.multivariate_normal([3.0, 4.0], SIGMA, size=30)
    fit = fit_kinds(np.repeat(np.arange(30), 2), np.tile([0, 1], 30), np.array([0, 1]), y.ravel())
    assert fit.sigma == pytest.approx(np.cov(y.T), rel=1e-6)
    assert fit.correlation(0, 1) == pytest.approx(np.asarray(np.corrcoef(y.T))[0, 1], rel=1e-6)


def test_equal_replicates_count_once_and_leave_no_noise() -> None:
    data = one_model(5, 3)
    cell_values = data.values[data.kind == 1].reshape(-1, 3)[:, :1]
    repeated = with_values(data, 1, np.repeat(cell_values, 3, axis=1).ravel())
    fit, once = fit_kinds(*repeated.all), one_model(5, 3)
    first = np.ones(len(once.values), bool)
    first[np.flatnonzero(once.kind == 1).reshape(-1, 3)[:, 1:]] = False
    single = fit_kinds(once.target[first], once.rater[first], once.kind_of, once.values[first])
    assert [layout.basis for layout in fit.layouts] == ["raters", "identical"]
    assert fit.criterion == pytest.approx(single.criterion, abs=1e-9)
    assert perfect_correlation_test(fit, 0, 1).p < 1.0  # its noise is known to be none, so the test makes sense
    with pytest.raises(CannotEstimateError, match="replicates of this kind are equal"):
        profile_odds(fit, 1)


def test_replicates_that_differ_once_are_all_kept() -> None:
    data = one_model(6, 2)
    values = np.repeat(data.values[data.kind == 1][::2], 2)
    values[0] += 1.0
    kept = drop_equal_replicates(*with_values(data, 1, values).all)
    assert kept.repeats == (False, False)
    assert len(kept.values) == len(data.values)


def test_constant_ratings_of_a_kind_are_refused_and_the_kind_is_named() -> None:
    data = one_model(7, 2)
    with pytest.raises(ConstantKindError) as caught:
        fit_kinds(*with_values(data, 1, np.full(80, 4.0)).all)
    assert caught.value.kinds == (1,)


def test_two_models_that_copy_each_other_have_no_residual_and_are_refused_by_name() -> None:
    data = draw(8, n_targets=30, sigma=SIGMA, raters=(6, 2), per_target=(3, 2), replicates=(1, 1))
    copied = np.repeat(data.values[data.kind == 1][::2], 2)
    with pytest.raises(KindVanishesError) as caught:
        fit_kinds(*with_values(data, 1, copied).all)
    assert caught.value.kinds == (1,)


def test_two_single_raters_that_share_two_targets_are_refused_since_two_points_lie_on_a_line() -> None:
    rng = np.random.default_rng(9)
    target = np.concatenate([np.arange(12), np.arange(10, 22)])
    with pytest.raises(FewSharedError) as caught:
        fit_kinds(target, np.repeat([0, 1], 12), np.array([0, 1]), rng.normal(size=24))
    assert caught.value.kinds == (0, 1)


def test_kinds_that_share_no_target_have_no_correlation() -> None:
    data = draw(10, n_targets=40, sigma=SIGMA, raters=(6, 6), per_target=(3, 3), replicates=(1, 1))
    keep = (data.target < 20) == (data.kind == 0)
    fit = fit_kinds(data.target[keep], data.rater[keep], data.kind_of, data.values[keep])
    assert fit.shared[0, 1] == 0
    with pytest.raises(CannotEstimateError, match="0 targets were rated by both kinds"):
        profile_correlation(fit, 0, 1)
