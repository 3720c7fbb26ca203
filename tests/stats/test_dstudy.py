"""Decision studies from variance components."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.components import Components, Score
from dialgauge.stats.dstudy import (
    Costs,
    Pair,
    cheapest_pair,
    raters_needed,
    reliability_grid,
    replicates_needed,
    target_errors,
)
from dialgauge.stats.estimate import Refusal

# Shrout and Fleiss (1979), table 4: mean squares of targets 11.24, raters 32.49, residual 1.02 with 6 targets, 4 raters
SHROUT_FLEISS = Components(target=(11.2416667 - 1.0194444) / 4, rater=(32.4861111 - 1.0194444) / 6, residual=1.0194444)

BY_HAND = Components(target=0.5, rater=0.1, target_x_rater=0.2, residual=0.4)

VARIANCES = st.floats(0.01, 10.0)


def reliability_by_hand(c: Components, k: float, r: float, *, relative: bool = False) -> float:
    severity = 0.0 if relative else (c.rater or 0.0)
    return c.target / (c.target + severity / k + (c.target_x_rater or 0.0) / k + c.residual / (k * r))


@pytest.mark.parametrize(
    ("score", "published"),
    [(Score(), 0.29), (Score(4), 0.62), (Score(form="relative"), 0.71), (Score(4, form="relative"), 0.91)],
)
def test_the_reliabilities_of_shrout_and_fleiss_come_out(score: Score, published: float) -> None:
    # Shrout and Fleiss (1979), table 4: ICC(2,1), ICC(2,4), ICC(3,1), ICC(3,4)
    assert SHROUT_FLEISS.reliability(score) == pytest.approx(published, abs=5e-3)


def test_two_raters_with_two_ratings_each_are_as_reliable_as_by_hand() -> None:
    # absolute, by hand: .5 / (.5 + .1 / 2 + .2 / 2 + .4 / 4) = .5 / .75
    # and relative, without severity: .5 / (.5 + .2 / 2 + .4 / 4) = .5 / .7
    assert BY_HAND.reliability(Score(2, 2)) == pytest.approx(2 / 3, rel=1e-12)
    assert BY_HAND.reliability(Score(2, 2, "relative")) == pytest.approx(5 / 7, rel=1e-12)
    assert reliability_grid(BY_HAND, [1, 2], [1, 2])[1, 1] == pytest.approx(2 / 3, rel=1e-12)


def test_one_way_components_have_no_relative_form_of_their_own() -> None:
    one_way = Components(target=0.3, residual=0.7)
    assert one_way.reliability(Score(3, form="relative")) == one_way.reliability(Score(3))


def test_without_error_the_reliability_is_one_and_one_rater_is_enough() -> None:
    exact = Components(target=1.0, residual=0.0)
    assert exact.reliability(Score()) == 1.0
    assert raters_needed(exact.odds(Score()), 0.99) == 1


@pytest.mark.parametrize(("wanted", "raters"), [(0.5, 3), (0.7, 6), (0.8, 10), (0.9, 23)])
def test_the_raters_that_shrout_and_fleiss_would_need_are_as_by_hand(wanted: float, raters: int) -> None:
    # odds 2.5556 / (5.2444 + 1.0194) = .40799: 1 / .40799 = 2.45, 2.333 / .40799 = 5.72, 9.80, 22.06
    assert raters_needed(SHROUT_FLEISS.odds(Score()), wanted) == raters


@given(odds=st.floats(1e-6, 1e6), wanted=st.floats(0.01, 0.99))
def test_the_raters_needed_are_the_least_that_reach_the_wanted_reliability(odds: float, wanted: float) -> None:
    k = raters_needed(odds, wanted)
    assert isinstance(k, int)
    assert k * odds / (1 + k * odds) >= wanted * (1 - 1e-8)
    if k > 1:
        assert (k - 1) * odds / (1 + (k - 1) * odds) < wanted


@given(k=st.integers(1, 50), wanted=st.sampled_from([0.5, 0.7, 0.75, 0.8, 0.9]))
def test_rounding_never_asks_for_one_rater_too_many(k: int, wanted: float) -> None:
    assert raters_needed(wanted / (1 - wanted) / k, wanted) == k


@pytest.mark.parametrize("odds", [0.0, 5e-324])
def test_without_variance_between_targets_no_number_of_raters_is_enough(odds: float) -> None:
    answer = raters_needed(odds, 0.7)
    assert isinstance(answer, Refusal)
    assert "0.7" in answer.reason


@given(t=VARIANCES, r=VARIANCES, tr=VARIANCES, e=VARIANCES, k=st.integers(1, 20), wanted=st.floats(0.05, 0.95))
def test_the_replicates_needed_are_the_least_that_reach_the_wanted_reliability_or_none_does(
    t: float, r: float, tr: float, e: float, k: int, wanted: float
) -> None:
    c = Components(target=t, rater=r, target_x_rater=tr, residual=e)
    limit = t / (t + (r + tr) / k)
    n = replicates_needed(c, wanted, k=k)
    if isinstance(n, Refusal):
        assert limit <= wanted + 1e-12
        assert f"{limit:.3f}" in n.reason
    else:
        assert reliability_by_hand(c, k, n) >= wanted - 1e-7
        assert n == 1 or reliability_by_hand(c, k, n - 1) < wanted


def test_what_replicates_gain_is_unknown_where_the_interaction_is_part_of_the_residual() -> None:
    c = Components(target=0.5, rater=0.1, residual=0.6)
    for call in (lambda: c.reliability(Score(2, 2)), lambda: replicates_needed(c, 0.7, k=3)):
        with pytest.raises(CannotEstimateError, match="target x rater"):
            call()


@given(
    t=VARIANCES, r=VARIANCES, tr=VARIANCES, e=VARIANCES, wanted=st.floats(0.1, 0.9),
    rating=st.floats(0, 5), rater=st.floats(0, 50), target=st.floats(0, 5),
)  # fmt: skip
def test_the_cheapest_pair_is_that_of_the_whole_grid(
    t: float, r: float, tr: float, e: float, wanted: float, rating: float, rater: float, target: float
) -> None:
    c, costs = Components(target=t, rater=r, target_x_rater=tr, residual=e), Costs(rating, rater, target)
    pair = cheapest_pair(c, wanted, costs=costs, n_targets=30, most_replicates=4)
    assert isinstance(pair, Pair)
    assert pair.reliability >= wanted - 1e-7
    assert pair.cost == pytest.approx(30 * (target + pair.raters * pair.replicates * rating) + pair.raters * rater)
    grid = reliability_grid(c, range(1, pair.raters + 1), range(1, 5))
    enough = [(k + 1, r + 1) for k, r in np.argwhere(grid >= wanted * (1 + 1e-7))]
    assert all(30 * (target + k * r * rating) + k * rater >= pair.cost - 1e-9 for k, r in enough)


def test_replicates_are_cheaper_where_raters_are_dear() -> None:
    c = Components(target=0.5, rater=0.05, target_x_rater=0.05, residual=0.9)
    cheap = cheapest_pair(c, 0.7, costs=Costs(rating=1.0), n_targets=20)
    assert isinstance(cheap, Pair)
    assert (cheap.raters, cheap.replicates, cheap.cost) == (5, 1, 100.0)
    assert cheap.reliability == pytest.approx(5 / 7)
    dear = cheapest_pair(c, 0.7, costs=Costs(rating=1.0, rater=100.0), n_targets=20)
    assert isinstance(dear, Pair)
    assert (dear.raters, dear.replicates) == (1, 8)


def test_a_pool_that_is_too_small_is_said_to_be() -> None:
    answer = cheapest_pair(
        Components(target=0.1, rater=0.5, residual=0.4), 0.9, costs=Costs(), n_targets=20, n_raters=10
    )
    assert isinstance(answer, Refusal)
    assert "10 raters" in answer.reason


def test_with_as_many_ratings_for_each_target_its_error_is_that_of_the_reliability() -> None:
    target, rater = np.repeat(np.arange(3), 4), np.tile(np.repeat([0, 1], 2), 3)
    errors = target_errors(BY_HAND, target, rater)
    assert errors.error == pytest.approx([0.25] * 3)
    assert errors.reliability == pytest.approx([2 / 3] * 3)
    assert (errors.n_raters.tolist(), errors.n_ratings.tolist()) == ([2] * 3, [4] * 3)


def test_targets_with_fewer_or_lopsided_ratings_have_larger_errors_in_their_own_order() -> None:
    # target 0: one rating; 1: three of one rater, one of another: (.1 + .2) (9 + 1) / 16 + .4 / 4 = .2875
    target, rater = np.array([1, 0, 1, 1, 1]), np.array([0, 0, 0, 0, 1])
    errors = target_errors(BY_HAND, target, rater)
    assert errors.error == pytest.approx([0.7, 0.2875])
    assert target_errors(BY_HAND, target, rater, form="relative").error == pytest.approx([0.6, 0.225])


def test_the_error_of_each_target_is_that_of_the_covariance_matrix() -> None:
    rng = np.random.default_rng(4)
    target = np.sort(np.concatenate([np.arange(8), rng.integers(0, 8, 40)]))
    rater = rng.integers(0, 5, len(target))
    cell = np.unique(target * 5 + rater, return_inverse=True)[1]
    c = BY_HAND
    noise = c.residual * np.eye(len(target))
    noise += (c.rater or 0) * np.equal.outer(rater, rater) + (c.target_x_rater or 0) * np.equal.outer(cell, cell)
    mean = np.equal.outer(np.arange(8), target) / np.bincount(target)[:, None]
    assert target_errors(c, target, rater).error == pytest.approx(np.diagonal(mean @ noise @ mean.T))


@pytest.mark.parametrize(
    "call",
    [
        lambda: Components(target=-1.0, residual=1.0),
        lambda: Components(target=0.0, residual=0.0),
        lambda: Components(target=math.nan, residual=1.0),
        lambda: Score(k=0),
        lambda: Score(replicates=0),
        lambda: Costs(rating=-1),
        lambda: raters_needed(1.0, 1.0),
        lambda: raters_needed(-1.0, 0.5),
        lambda: raters_needed(math.nan, 0.5),
        lambda: target_errors(BY_HAND, np.array([0, 2]), np.array([0, 0])),
        lambda: target_errors(BY_HAND, np.array([0, 1]), np.array([0])),
        lambda: cheapest_pair(BY_HAND, 0.5, costs=Costs(), n_targets=0),
    ],
)
def test_numbers_out_of_range_are_refused(call) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    with pytest.raises(InputError):
        call()
