"""More than two systems by a mixed model for each pair of them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.compare import Comparison, Contrast, SystemPanel, fit_mixed, fit_pairs
from dialgauge.stats.compare.pairwise import take_systems

from .conftest import draw


def fit(panel: SystemPanel) -> Comparison:
    return fit_pairs(panel, rng=np.random.default_rng(1))


def test_two_systems_have_the_answer_of_the_model_of_all() -> None:
    panel = draw((2, 8, 4, 1, 1), (0.6, 0.5, 0.5, 0.4, 0.0, 0.0, 0.0, 0.8), 3, rated=False)
    assert fit(panel) == fit_mixed(panel, rng=np.random.default_rng(1))


def test_each_pair_has_the_interval_and_p_of_its_own_two_systems(unbalanced: SystemPanel) -> None:
    found = fit(unbalanced)
    assert len(found.contrasts) == 6
    for contrast in found.contrasts:
        alone = fit_mixed(
            take_systems(unbalanced, (contrast.first, contrast.second)), rng=np.random.default_rng(1)
        ).contrasts[0]
        assert contrast.difference == alone.difference
        assert (contrast.p, contrast.df, contrast.n_paired) == (alone.p, alone.df, alone.n_paired)


def test_all_pairs_are_held_by_bonferroni_with_their_own_degrees_of_freedom(unbalanced: SystemPanel) -> None:
    for contrast in fit(unbalanced).contrasts:
        own, joint = contrast.difference, contrast.simultaneous
        assert own.high is not None
        assert joint.high is not None
        error = (own.high - own.value) / float(stats.t.ppf(0.975, contrast.df))
        assert joint.high - joint.value == pytest.approx(error * float(stats.t.ppf(1 - 0.025 / 6, contrast.df)))
        assert contrast.p_adjusted == pytest.approx(min(6.0 * contrast.p, 1.0))
        assert (contrast.p_adjusted < 0.05) == ((joint.low or 0.0) > 0.0 or joint.high < 0.0)


def test_components_of_balanced_values_are_those_of_the_model_of_all_on_the_mean() -> None:
    rng = np.random.default_rng(3)
    s, p, q = (axis.ravel() for axis in np.indices((3, 12, 8)))
    levels = ((p, 1.5), (q, 1.5), (s * 12 + p, 1.0), (s * 8 + q, 0.9), (np.arange(s.size), 0.6))
    values = sum(sd * rng.normal(size=int(codes.max()) + 1)[codes] for codes, sd in levels)
    balanced = SystemPanel(np.asarray(values), s, p, q, np.arange(s.size))
    found, all_three = fit(balanced), fit_mixed(balanced, rng=np.random.default_rng(1))
    assert not any("boundary" in contrast.difference.flags for contrast in found.contrasts), "at zero they differ"
    for name in ("persona x system", "residual"):
        assert found.variance[name] == pytest.approx(all_three.variance[name], rel=1e-4)
    assert [one.value for one in found.means] == [one.value for one in all_three.means]


def test_a_pair_without_an_answer_has_the_other_route_and_leaves_the_others_alone(balanced: SystemPanel) -> None:
    values = np.where(balanced.system < 2, 1.0, balanced.values)
    panel = replace(balanced, values=values)
    with pytest.raises(CannotEstimateError, match="all alike"):
        fit(panel)
    asked = []

    def otherwise(first: int, second: int, m: int) -> Contrast:
        asked.append((first, second, m))
        return replace(fit(balanced).contrasts[0], first=first, second=second)

    found = fit_pairs(panel, rng=np.random.default_rng(1), otherwise=otherwise)
    assert asked == [(0, 1, 3)]
    alone = fit_mixed(take_systems(panel, (0, 2)), rng=np.random.default_rng(1)).contrasts[0]
    assert found.contrasts[1].difference == alone.difference


def test_codes_of_systems_with_gaps_are_an_input_error(balanced: SystemPanel) -> None:
    with pytest.raises(InputError, match="system code 1 has no value"):
        fit(replace(balanced, system=np.where(balanced.system == 1, 3, balanced.system)))
