"""Systems compared by the mixed model: what must hold whatever the values are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.compare import Comparison, SystemPanel, fit_mixed

from .conftest import draw


def fit(panel: SystemPanel, *, higher_is_better: bool = True, level: float = 0.95) -> Comparison:
    return fit_mixed(panel, higher_is_better=higher_is_better, level=level, rng=np.random.default_rng(1))


def error(comparison: Comparison, k: int) -> float:
    """Return the standard error of a contrast, from its interval."""
    contrast = comparison.contrasts[k]
    assert contrast.difference.high is not None
    return (contrast.difference.high - contrast.difference.value) / float(stats.t.ppf(0.975, contrast.df))


def mean_squares(table: Floats) -> tuple[float, float, float]:
    """Return the mean squares of persona x system, preference x system and all that is left, of (S, P, Q) values."""
    n_systems, n_personas, n_preferences = table.shape
    by_ps, by_qs = table.mean(axis=2), table.mean(axis=1)
    s, p, q = table.mean(axis=(1, 2)), table.mean(axis=(0, 2)), table.mean(axis=(0, 1))
    mean = table.mean()
    ps = by_ps - s[:, None] - p[None] + mean
    qs = by_qs - s[:, None] - q[None] + mean
    rest = table - by_ps[:, :, None] - by_qs[:, None, :] + s[:, None, None]
    return (
        n_preferences * float((ps**2).sum()) / ((n_systems - 1) * (n_personas - 1)),
        n_personas * float((qs**2).sum()) / ((n_systems - 1) * (n_preferences - 1)),
        float((rest**2).sum()) / (n_systems * (n_personas - 1) * (n_preferences - 1)),
    )


def test_complete_balanced_values_give_the_differences_and_errors_of_mean_squares(balanced: SystemPanel) -> None:
    table = balanced.values.reshape(3, 10, 4)
    ps, qs, rest = mean_squares(table)
    found = fit(balanced)
    means = table.mean(axis=(1, 2))
    expected = np.sqrt(2.0 * (ps + qs - rest) / 40.0)
    for k, contrast in enumerate(found.contrasts):
        assert contrast.difference.value == pytest.approx(means[contrast.first] - means[contrast.second], abs=1e-9)
        assert error(found, k) == pytest.approx(expected, rel=1e-7)
    assert found.variance["residual"] == pytest.approx(rest, rel=1e-6)
    assert found.variance["persona x system"] == pytest.approx((ps - rest) / 4.0, rel=1e-6)
    assert found.variance["preference x system"] == pytest.approx((qs - rest) / 10.0, rel=1e-6)


def test_satterthwaite_of_balanced_values_is_that_of_the_mean_squares(balanced: SystemPanel) -> None:
    ps, qs, rest = mean_squares(balanced.values.reshape(3, 10, 4))
    expected = (ps + qs - rest) ** 2 / (ps**2 / 18.0 + qs**2 / 6.0 + rest**2 / 81.0)
    assert [one.df for one in fit(balanced).contrasts] == pytest.approx([expected] * 3, rel=1e-5)


def test_unknown_personas_and_preferences_give_students_test_of_two_samples() -> None:
    values = np.array([1.0, 4.0, 2.0, 7.0, 3.0, 6.0, 8.0, 5.0, 9.0, 4.5, 7.5])
    system = np.array([0] * 5 + [1] * 6)
    none = np.zeros(11, dtype=np.intp)
    found = fit(SystemPanel(values, system, none, none, np.arange(11)))
    expected = stats.ttest_ind(values[:5], values[5:])
    (contrast,) = found.contrasts
    assert contrast.df == pytest.approx(9.0, abs=1e-9)
    assert contrast.p == pytest.approx(float(expected.pvalue), abs=1e-12)
    assert contrast.p_adjusted == pytest.approx(contrast.p, abs=1e-12)
    assert contrast.difference.covers == "dialogues"


def test_one_preference_and_two_systems_give_students_paired_test() -> None:
    pairs = np.array([[1.0, 3.0], [2.0, 2.5], [6.0, 7.5], [4.0, 6.5], [5.0, 5.5], [3.0, 3.2]])
    persona, system = (axis.ravel() for axis in np.indices(pairs.shape))
    panel = SystemPanel(pairs.ravel(), system, persona, np.zeros(12, dtype=np.intp), np.arange(12))
    (contrast,) = fit(panel).contrasts
    expected = stats.ttest_rel(pairs[:, 0], pairs[:, 1])
    assert contrast.p == pytest.approx(float(expected.pvalue), abs=1e-6)
    assert contrast.df == pytest.approx(5.0, abs=1e-5)
    assert contrast.n_paired == 6


def test_few_raters_and_variances_at_zero_are_flagged_and_named(rated: SystemPanel, edge: SystemPanel) -> None:
    found = fit(rated)
    assert found.contrasts[0].difference.flags == ("boundary", "few_raters")
    assert "only 3 preferences and 3 raters: their variance is hardly known" in found.method
    assert found.contrasts[0].difference.covers == "personas, preferences, raters and dialogues"
    assert fit(edge).contrasts[0].difference.flags == ("boundary",)


def test_raters_that_rated_one_system_each_are_not_covered_and_named() -> None:
    panel = draw((2, 8, 2, 2, 1), (0.5, 0.3, 0.3, 0.2, 0.3, 0.3, 0.2, 0.8))
    assert panel.rater is not None
    own = np.flatnonzero(panel.rater == panel.system)
    codes = (panel.system, panel.persona, panel.preference, panel.dialogue, panel.rater)
    found = fit(SystemPanel(panel.values[own], *(one[own] for one in codes)))
    assert found.left_out["rater"] == "cannot be told from system in these data"
    assert "raters" not in found.contrasts[0].difference.covers
    assert "few_raters" in found.contrasts[0].difference.flags


def relabel(codes: Codes, rng: np.random.Generator) -> Codes:
    order = rng.permutation(int(codes.max()) + 1)
    return np.asarray(3 * order[codes], dtype=np.intp)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.floats(-50.0, 50.0), st.floats(0.01, 100.0), st.booleans())
def test_shifted_scaled_and_shuffled_values_of_relabelled_levels_give_the_same_answer(
    seed: int, shift: float, scale: float, turned: bool
) -> None:
    panel = draw((3, 6, 3, 1, 1), (0.6, 0.5, 0.5, 0.4, 0.0, 0.0, 0.0, 0.8), 3, rated=False)
    rng = np.random.default_rng(seed)
    rows, side = rng.permutation(len(panel)), -1.0 if turned else 1.0
    other = SystemPanel(
        (shift + side * scale * panel.values)[rows],
        panel.system[rows],
        *(relabel(codes, rng)[rows] for codes in (panel.persona, panel.preference, panel.dialogue)),
    )
    one, two = fit(panel), fit(other, higher_is_better=not turned)
    for a, b in zip(one.contrasts, two.contrasts, strict=True):
        assert b.difference.value == pytest.approx(side * scale * a.difference.value, rel=1e-5, abs=1e-6 * scale)
        assert (b.p, b.p_adjusted, b.df) == pytest.approx((a.p, a.p_adjusted, a.df), rel=1e-4)
        assert b.n_paired == a.n_paired
    assert two.ranks == one.ranks
    for name, value in one.variance.items():
        assert two.variance[name] == pytest.approx(scale**2 * value, rel=1e-4, abs=1e-6 * scale**2)


def test_relabelled_systems_give_the_same_contrasts_in_another_order(unbalanced: SystemPanel) -> None:
    order = np.array([2, 0, 3, 1])
    one = fit(unbalanced)
    two = fit(replace(unbalanced, system=order[unbalanced.system]))
    there = {(c.first, c.second): c for c in two.contrasts}
    for a in one.contrasts:
        i, j = int(order[a.first]), int(order[a.second])
        b = there[min(i, j), max(i, j)]
        side = 1.0 if i < j else -1.0
        assert side * b.difference.value == pytest.approx(a.difference.value, abs=1e-6)
        assert (b.p, b.df) == pytest.approx((a.p, a.df), rel=1e-5)
        assert b.p_adjusted == pytest.approx(a.p_adjusted, abs=2e-3)
    assert [two.ranks[i] for i in order] == list(one.ranks)


def test_the_same_seed_gives_the_same_numbers_and_another_one_nearly(unbalanced: SystemPanel) -> None:
    one, again = fit(unbalanced), fit(unbalanced)
    other = fit_mixed(unbalanced, rng=np.random.default_rng(99))
    assert [c.p_adjusted for c in one.contrasts] == [c.p_adjusted for c in again.contrasts]
    assert [c.p_adjusted for c in one.contrasts] == pytest.approx([c.p_adjusted for c in other.contrasts], abs=1e-3)


def test_a_wider_level_gives_wider_intervals_and_simultaneous_ones_are_no_narrower(unbalanced: SystemPanel) -> None:
    for a, b in zip(fit(unbalanced, level=0.8).contrasts, fit(unbalanced, level=0.99).contrasts, strict=True):
        lows = [one.low for one in (b.simultaneous, b.difference, a.difference)]
        assert None not in lows
        assert lows == sorted(lows, key=lambda low: -np.inf if low is None else low)
        assert a.p_adjusted >= a.p


def test_one_system_is_refused(rated: SystemPanel) -> None:
    with pytest.raises(CannotEstimateError, match="there is only one system"):
        fit(replace(rated, system=np.zeros_like(rated.system)))


def test_values_that_are_alike_within_systems_are_refused(balanced: SystemPanel) -> None:
    for values in (np.full(120, 0.3), balanced.system.astype(np.float64)):
        with pytest.raises(CannotEstimateError, match="all alike"):
            fit(replace(balanced, values=values))


def test_a_value_for_each_system_is_refused() -> None:
    one = np.zeros(2, dtype=np.intp)
    with pytest.raises(CannotEstimateError, match="all alike"):
        fit(SystemPanel(np.array([1.0, 2.0]), np.array([0, 1]), one, one, np.array([0, 1])))


def test_copied_ratings_are_refused_as_a_residual_variance_of_zero(rated: SystemPanel) -> None:
    values = np.array([0.0, 1.0, 5.0, 2.0, 8.0, 3.0, 9.0, 4.0])[rated.dialogue % 8] + 0.1 * rated.dialogue
    with pytest.raises(CannotEstimateError, match="residual variance runs to zero"):
        fit(replace(rated, values=values))


def test_codes_with_gaps_and_levels_out_of_range_are_input_errors(rated: SystemPanel) -> None:
    with pytest.raises(InputError, match="system code 1 has no value"):
        fit(replace(rated, system=np.where(rated.system == 1, 3, rated.system)))
    with pytest.raises(InputError, match="confidence level"):
        fit(rated, level=1.0)


def test_a_panel_whose_rows_do_not_fit_together_is_an_input_error(rated: SystemPanel) -> None:
    with pytest.raises(InputError, match=r"226 values need as many codes of persona, got an array of shape \(3,\)"):
        replace(rated, persona=np.arange(3))
    with pytest.raises(InputError, match="codes of rater count from 0, got -1 in row 0"):
        replace(rated, rater=np.full(226, -1))
    with pytest.raises(InputError, match="must be finite, got nan in row 0"):
        replace(rated, values=np.full(226, np.nan))
    with pytest.raises(InputError, match="dialogue 0 has a second system"):
        replace(rated, dialogue=np.zeros(226, dtype=np.intp))


def test_four_systems_of_768_rated_dialogues_are_fitted_in_seconds() -> None:
    panel = draw((4, 48, 4, 3, 2), (0.5, 0.3, 0.4, 0.2, 0.5, 0.3, 0.2, 0.8))
    found = fit(panel)
    assert found.n == 4608
    assert all(contrast.n_paired == 192 for contrast in found.contrasts)


def test_the_order_of_the_rows_changes_not_a_bit(unbalanced: SystemPanel) -> None:
    order = np.random.default_rng(3).permutation(len(unbalanced))
    rows = (unbalanced.values, unbalanced.system, unbalanced.persona, unbalanced.preference, unbalanced.dialogue)
    rater = None if unbalanced.rater is None else unbalanced.rater[order]
    shuffled = SystemPanel(rows[0][order], rows[1][order], rows[2][order], rows[3][order], rows[4][order], rater)
    assert fit(shuffled).contrasts == fit(unbalanced).contrasts


def test_few_raters_are_taken_as_given_where_that_is_asked_for(rated: SystemPanel) -> None:
    assert rated.rater is not None
    n = int(rated.rater.max()) + 1
    given = fit_mixed(rated, fewest_raters=n + 1, rng=np.random.default_rng(0))
    drawn = fit_mixed(rated, fewest_raters=n, rng=np.random.default_rng(0))
    assert given.left_out["rater x system"] == f"{n} raters are taken as given"
    assert "rater x system" not in given.variance
    assert "raters" not in given.contrasts[0].difference.covers
    assert "raters" in drawn.contrasts[0].difference.covers
    assert drawn.contrasts == fit(rated).contrasts
