"""The cheapest design against a search one by one."""

import pytest

from dialgauge.errors import InputError
from dialgauge.stats.components import Components, Score
from dialgauge.stats.dstudy import Costs
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan import Goal, Layout, Limits, cheapest_layouts, expected_precision
from dialgauge.stats.plan.precision import expected_power
from dialgauge.stats.plan.search import price

from .conftest import REPLICATED, TYPICAL

SMALL = Limits(targets=(10, 60), raters=(6, 14), per_target=(2, 5))
COSTS = Costs(rating=1.0, rater=12.0, target=3.0)


def met(layout: Layout, components: Components, goal: Goal) -> bool:
    score = goal.score(layout.per_target, layout.replicates)
    width = expected_precision(layout, components, score=score, level=goal.level).width
    power = 1.0
    if goal.lower is not None:
        power = expected_power(layout, components, score=score, wanted=goal.lower, level=goal.level)
    return (goal.width is None or width <= goal.width) and power >= goal.power


@pytest.mark.parametrize(
    ("components", "goal", "replicates"),
    [
        (TYPICAL, Goal(width=0.3, k=1, replicates=1), 1),
        (TYPICAL, Goal(lower=0.45), 1),
        (TYPICAL, Goal(width=0.35, lower=0.4, power=0.7, form="relative"), 1),
        (REPLICATED, Goal(lower=0.45), 2),
    ],
)
def test_the_cheapest_design_is_that_of_a_search_one_by_one(
    components: Components, goal: Goal, replicates: int
) -> None:
    limits = Limits(targets=(10, 60), raters=(6, 14), per_target=(2, 5), most_replicates=replicates)
    found = cheapest_layouts(components, goal, costs=COSTS, limits=limits)
    assert not isinstance(found, Refusal)
    possible = [
        layout
        for k in range(2, 6)
        for n_raters in range(6, 15)
        for n_targets in range(10, 61)
        for r in range(1, replicates + 1)
        if n_targets * k >= 2 * n_raters and met(layout := Layout(n_targets, n_raters, k, r), components, goal)
    ]
    assert found[0].cost == min(price(layout, COSTS) for layout in possible)
    assert {option.layout.per_target for option in found} == {layout.per_target for layout in possible}
    assert [option.cost for option in found] == sorted(option.cost for option in found)
    assert all(met(option.layout, components, goal) for option in found)
    assert all(option.cost == price(option.layout, COSTS) for option in found)


def test_of_equally_cheap_designs_the_more_precise_is_chosen() -> None:
    free = Costs(rating=1.0)
    found = cheapest_layouts(TYPICAL, Goal(width=0.3, k=1, replicates=1), costs=free, limits=SMALL)
    assert not isinstance(found, Refusal)
    best = found[0].layout
    widths = [
        expected_precision(Layout(best.n_targets, n, best.per_target), TYPICAL, score=Score()).width
        for n in range(6, 15)
    ]
    assert found[0].precision.width == pytest.approx(min(widths))


def test_dear_raters_make_small_pools_and_dear_targets_many_raters_each() -> None:
    goal = Goal(width=0.2, k=1, replicates=1)
    dear_raters, dear_targets = (
        cheapest_layouts(TYPICAL, goal, costs=costs) for costs in (Costs(1, rater=100), Costs(1, target=100))
    )
    assert not isinstance(dear_raters, Refusal)
    assert not isinstance(dear_targets, Refusal)
    assert dear_raters[0].layout.n_raters < dear_targets[0].layout.n_raters
    assert dear_raters[0].layout.per_target < dear_targets[0].layout.per_target


def test_a_goal_out_of_reach_is_refused_with_what_would_help() -> None:
    answer = cheapest_layouts(TYPICAL, Goal(width=0.01), costs=COSTS, limits=SMALL)
    assert isinstance(answer, Refusal)
    assert "targets" in answer.remedy


def test_a_score_of_replicates_needs_a_design_with_replicates() -> None:
    goal = Goal(width=0.3, k=4, replicates=2)
    assert isinstance(cheapest_layouts(REPLICATED, goal, costs=COSTS, limits=SMALL), Refusal)
    limits = Limits(targets=(10, 60), raters=(6, 14), per_target=(2, 5), most_replicates=2)
    found = cheapest_layouts(REPLICATED, goal, costs=COSTS, limits=limits)
    assert not isinstance(found, Refusal)
    assert {option.layout.replicates for option in found} == {2}


@pytest.mark.parametrize(
    "call",
    [
        Goal,
        lambda: Goal(width=0.0),
        lambda: Goal(lower=1.0),
        lambda: Goal(width=0.1, power=0.0),
        lambda: Goal(width=0.1, level=1.0),
        lambda: Goal(width=0.1, k=0.0),
        lambda: Limits(targets=(1, 10)),
        lambda: Limits(raters=(10, 5)),
        lambda: Limits(most_replicates=0),
    ],
)
def test_goals_and_limits_out_of_range_are_refused(call) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    with pytest.raises(InputError):
        call()
