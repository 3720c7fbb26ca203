"""How many personas, preferences and raters a difference needs."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.compare import Comparison, SystemPanel, fit_mixed, needed
from dialgauge.stats.compare.needed import needed_by_proportion, needed_dealt, pick_designs
from dialgauge.stats.compare.power import Size
from dialgauge.stats.compare.terms import only_one

PLAIN = {"persona": 0.3, "preference": 0.1, "persona x system": 0.2, "preference x system": 0.02, "residual": 0.6}
RATED = PLAIN | {"rater": 0.2, "rater x system": 0.05, "dialogue": 0.3}


def comparison(variance: Mapping[str, float], left_out: Mapping[str, str] | None = None) -> Comparison:
    return Comparison((), (), (), "REML", variance, (), left_out or {}, 100)


def told_from(name: str) -> str:
    return f"cannot be told from {name} in these data"


def test_without_interactions_the_number_is_that_of_a_paired_t_test() -> None:
    # a paired t test of d = 1 / sqrt(2) with n pairs, by the noncentral t distribution
    (design,) = needed(comparison({"residual": 1.0}), difference=1.0, n_preferences=[1])

    def power(n: int) -> float:
        critical = stats.t.ppf(0.975, n - 1)
        return float(stats.nct.sf(critical, n - 1, math.sqrt(n / 2.0)))

    assert power(design.n_personas) >= 0.8 > power(design.n_personas - 1)
    assert design.n_personas == 18
    assert (design.n_dialogues, design.n_raters) == (18, None)


def test_the_mean_squares_of_a_planned_study_sum_to_the_variance_of_its_difference() -> None:
    size = Size(12, 4, 3)
    total = sum(square for square, _ in size.mean_squares(RATED))
    expected = 2.0 * (0.2 / 12 + 0.02 / 4 + 0.05 / 3 + 0.3 / 48 + 0.6 / 144)
    assert 2.0 * total / size.dialogues == pytest.approx(expected, rel=1e-12)


def test_designs_come_with_the_fewest_dialogues_first_and_one_persona_less_is_not_enough() -> None:
    found = needed(comparison(PLAIN), difference=0.5)
    assert [one.n_dialogues for one in found] == sorted(one.n_dialogues for one in found)
    for one in found:
        assert one.n_dialogues == one.n_personas * one.n_preferences
        tight: dict[str, Any] = {"n_preferences": [one.n_preferences], "most_personas": one.n_personas - 1}
        with pytest.raises(CannotEstimateError, match="no design with up to"):
            needed(comparison(PLAIN), difference=0.5, **tight)


@given(st.floats(0.3, 2.0), st.floats(0.5, 0.95), st.floats(0.01, 0.2))
def test_a_smaller_difference_more_power_and_a_smaller_alpha_need_no_fewer_personas(
    difference: float, power: float, alpha: float
) -> None:
    def personas(difference: float, power: float, alpha: float) -> int:
        data = comparison({"persona x system": 0.1, "residual": 0.6})
        return needed(data, difference=difference, power=power, alpha=alpha, n_preferences=[4])[0].n_personas

    base = personas(difference, power, alpha)
    assert personas(0.9 * difference, power, alpha) >= base
    assert personas(difference, min(power + 0.04, 0.99), alpha) >= base
    assert personas(difference, power, alpha / 2.0) >= base
    assert personas(-difference, power, alpha) == base


def test_more_raters_never_need_more_personas() -> None:
    found = needed(comparison(RATED), difference=1.0, n_raters=[3, 5, 10, 20], n_preferences=[8])
    by_raters = sorted(found, key=lambda one: one.n_raters or 0)
    assert [one.n_raters for one in by_raters] == [3, 5, 10, 20]
    assert [one.n_personas for one in by_raters] == sorted((one.n_personas for one in by_raters), reverse=True)


def test_a_difference_that_raters_x_system_hides_is_refused_with_the_component_that_stays() -> None:
    data = comparison(RATED | {"rater x system": 4.0})
    with pytest.raises(CannotEstimateError, match="where rater x system varies most"):
        needed(data, difference=0.5, n_raters=[2])


def test_a_difference_that_personas_x_system_hides_is_refused_with_the_personas_at_hand() -> None:
    data = comparison(PLAIN | {"persona x system": 2.0})
    with pytest.raises(CannotEstimateError, match=r"with up to 12 personas .* where persona x system varies most"):
        needed(data, difference=0.5, most_personas=12)
    assert needed(data, difference=0.5)[0].n_personas > 12


def test_a_single_preference_is_planned_for_alone() -> None:
    left_out = {name: only_one("preference") for name in ("preference", "preference x system")}
    found = needed(comparison({"persona": 0.3, "persona x system": 0.2, "residual": 0.6}, left_out), difference=0.5)
    assert [one.n_preferences for one in found] == [1]


def test_with_unknown_personas_the_number_is_that_of_dialogues() -> None:
    values = np.tile([1.0, 4.0, 2.0, 7.0, 3.0], 4)
    none = np.zeros(20, dtype=np.intp)
    found = fit_mixed(
        SystemPanel(values, np.repeat([0, 1], 10), none, none, np.arange(20)), rng=np.random.default_rng(1)
    )
    (design,) = needed(found, difference=2.0)
    assert (design.n_personas, design.n_preferences) == (1, 1)
    assert design.n_dialogues > 10


def test_what_cannot_be_told_apart_is_planned_for_as_the_worse_of_both() -> None:
    known = comparison({"persona x system": 0.5, "residual": 0.5})
    merged = comparison({"residual": 1.0}, {"persona x system": told_from("residual")})
    for preferences in (1, 4):
        best, safe = (
            needed(data, difference=0.6, n_preferences=[preferences])[0].n_personas for data in (known, merged)
        )
        assert safe >= best
    unpaired = comparison({"persona": 0.4, "residual": 0.5}, {"persona x system": told_from("persona")})
    alone = comparison({"residual": 0.5})
    assert needed(unpaired, difference=0.6)[0].n_dialogues > needed(alone, difference=0.6)[0].n_dialogues


def test_systems_with_personas_of_their_own_cannot_be_planned_for() -> None:
    data = comparison({"residual": 1.0}, {"persona": told_from("system")})
    with pytest.raises(CannotEstimateError, match="each system has a persona of its own"):
        needed(data, difference=0.5)


def test_a_comparison_without_components_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="no variance components"):
        needed(comparison({}), difference=0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0.0}, "must not be 0"),
        ({"power": 1.0}, "the power"),
        ({"alpha": 0.0}, "alpha"),
        ({"n_raters": [2]}, "nobody rated"),
        ({"n_preferences": [0]}, "the number of preferences"),
        ({"most_personas": 1}, "the largest number of personas"),
    ],
)
def test_arguments_out_of_range_are_input_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        needed(comparison(PLAIN), **({"difference": 0.5} | options))


def test_preferences_from_a_pool_count_as_many_as_are_different() -> None:
    size = Size(12, 4, 1, 16)
    total = sum(square for square, _ in size.mean_squares(PLAIN))
    expected = 2.0 * (0.2 / 12 + 0.02 / 16 + 0.6 / 48)
    assert 2.0 * total / size.dialogues == pytest.approx(expected, rel=1e-12)


def test_different_raters_average_what_raters_make_of_systems() -> None:
    size = Size(12, 4, 2, 0, 8)
    total = sum(square for square, _ in size.mean_squares(RATED))
    expected = 2.0 * (0.2 / 12 + 0.02 / 4 + 0.05 / 8 + 0.3 / 48 + 0.6 / 96)
    assert 2.0 * total / size.dialogues == pytest.approx(expected, rel=1e-12)


def test_dealt_designs_keep_to_the_personas_that_there_are_and_deal_no_more_than_the_pool() -> None:
    found = needed_dealt(comparison(PLAIN), difference=0.4, most_personas=48)
    for one in found:
        assert one.n_pool is not None
        assert 2 <= one.n_personas <= 48
        assert one.n_preferences <= one.n_pool
        assert one.n_dialogues == one.n_personas * one.n_preferences >= 2 * one.n_pool
    by_pool = sorted(found, key=lambda one: one.n_pool or 0)
    assert by_pool[-1].n_dialogues <= by_pool[0].n_dialogues


def test_two_preferences_suffice_where_systems_take_preferences_alike() -> None:
    # as in a fit, a component at zero takes no degrees of freedom: 24 users with 2 tasks showed such differences
    found = needed(comparison(PLAIN | {"preference x system": 0.0}), difference=0.5, n_preferences=[2])
    assert found[0].n_personas < 40


def test_a_study_by_proportion_has_the_error_that_its_size_gives() -> None:
    factor = needed_by_proportion(0.3, 200, groups=12, difference=0.6)
    n = round(200 * factor)

    def power(n: int) -> float:
        df = 12 * n / 200 - 1.0
        return float(stats.nct.sf(stats.t.ppf(0.975, df), df, 0.6 / (0.3 * math.sqrt(200 / n))))

    assert power(n) >= 0.8 > power(n - 1)


def test_of_many_designs_those_that_no_other_beats_are_picked_and_the_own_number_of_preferences() -> None:
    found = needed(comparison(PLAIN), difference=0.5)
    picked = pick_designs(found, keep=4)
    assert len(picked) <= 6
    assert [one.n_dialogues for one in picked] == sorted(one.n_dialogues for one in picked)
    assert any(one.n_preferences == 4 for one in picked)
    assert picked[0] == found[0]
