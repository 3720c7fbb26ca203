"""Plans of studies: what they hold, where they come from, and what they refuse."""

from collections.abc import Callable

import numpy as np
import pytest

from dialgauge.analyse.planning import PlanOptions, StudyPlan, plan_study, state_components
from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.results import DimensionReliability
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.model import Ratings
from dialgauge.stats.components import Components
from dialgauge.stats.dstudy import Costs
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.power import icc_sample_size

from .conftest import ends

TYPICAL = Components(target=0.35, rater=0.15, residual=0.5)
REPLICATED = Components(target=0.35, rater=0.15, target_x_rater=0.15, residual=0.35)


@pytest.fixture(scope="module")
def accuracy(crowd: Ratings) -> DimensionReliability:
    return next(d for d in analyse_reliability(crowd).dimensions if d.name == "accuracy")


def answer(plan: StudyPlan, group: str, *words: str) -> float | Refusal:
    (found,) = [a for a in plan.answers if a.group.startswith(group) and all(word in a.label for word in words)]
    return found.value


def test_the_formulas_answer_for_the_study_of_redial_as_its_reference_has_it() -> None:
    # definitions.md: width .120 at an ICC of .6; the least detectable ICC in closed form (.062 was a point of a grid)
    plan = plan_study(PlanOptions(targets=200, per_target=5, icc=0.6))
    assert answer(plan, "formulas", "least ICC(1)") == pytest.approx(0.0604, abs=5e-5)
    assert answer(plan, "formulas", "width of its 95% interval") == pytest.approx(0.120, abs=5e-4)
    assert answer(plan, "correlations", "least correlation") == pytest.approx(0.197, abs=5e-4)
    assert answer(plan, "formulas", "targets to show") == icc_sample_size(0.6, k=5)


def test_the_least_detectable_icc_comes_with_what_a_search_on_a_grid_would_have_found() -> None:
    # definitions.md: the published .062 is the first of 200 values from .01 to .95 that suffices; .0604 is exact
    plan = plan_study(PlanOptions(targets=200, per_target=5))
    (found,) = [a for a in plan.answers if a.key == "least_detectable_icc"]
    assert found.value == pytest.approx(0.0604, abs=5e-5)
    assert found.remark == (
        "searched on a grid of 200 values from 0.01 to 0.95, as a published study did, it would be 0.062"
    )
    (none,) = [a for a in plan_study(PlanOptions(targets=2, per_target=2)).answers if a.key == found.key]
    assert none.remark.endswith("none suffices")


def test_what_targets_buy_holds_the_numbers_of_the_study_of_redial_without_any_assumption() -> None:
    # definitions.md: width .120 at an ICC of .6, power .812 at a correlation of .2 and .991 at .3
    for options in (PlanOptions(), PlanOptions(targets=200)):
        (row,) = [row for row in plan_study(options).by_targets if row.targets == 200]
        assert row.planned == (options.targets == 200)
        assert row.least_icc_on_grid == pytest.approx(0.062, abs=5e-4)
        assert {at.at: round(at.value, 3) for at in row.widths}[0.6] == 0.120
        powers = {at.at: round(at.value, 3) for at in row.powers}
        assert (powers[0.2], powers[0.3]) == (0.812, 0.991)


def test_the_size_of_a_design_needs_no_assumption() -> None:
    plan = plan_study(PlanOptions(targets=60, raters=20, per_target=4, costs=Costs(0.5, 10, 2)))
    found = {a.key: a.value for a in plan.answers if a.group == "planned design"}
    assert found == {"ratings": 240, "targets_per_rater": 12.0, "cost": 440.0}


def test_the_raters_needed_of_a_pilot_are_given_for_the_wanted_reliability_too(accuracy: DimensionReliability) -> None:
    plan = plan_study(PlanOptions(pilot=accuracy, wanted=0.6))
    assert plan.decision is not None
    # odds .48658 of one rater: 1.5 / .48658 = 3.08
    assert [(n.wanted, n.by_value) for n in plan.decision.needed] == [
        (0.5, 3), (0.6, 4), (0.75, 7), (0.8, 9), (0.9, 19),
    ]  # fmt: skip


def test_components_are_stated_as_three_or_four_numbers() -> None:
    assert state_components([0.35, 0.15, 0.5]) == TYPICAL
    assert state_components([0.35, 0.15, 0.15, 0.35]) == REPLICATED
    for variances in ([0.5, 0.5], [0.1] * 5, [0.5, -0.1, 0.6], [0.0, 0.0, 0.0]):
        with pytest.raises(InputError):
            state_components(variances)


def test_planned_from_itself_the_study_of_redial_has_the_interval_that_it_had(accuracy: DimensionReliability) -> None:
    plan = plan_study(PlanOptions(targets=200, raters=117, per_target=5, pilot=accuracy))
    low, high = ends(accuracy.rel_single)
    assert answer(plan, "planned", "Rel(1)", "width") == pytest.approx(high - low, abs=0.006)
    assert answer(plan, "planned", "Rel(1)", "interval, low") == pytest.approx(low, abs=0.01)
    assert plan.decision is not None
    assert plan.decision.needed[0].by_value == 3
    assert any("accuracy" in note and ".327" in note for note in plan.notes)


def test_a_pilot_that_was_lucky_leaves_less_power(accuracy: DimensionReliability) -> None:
    plan = plan_study(PlanOptions(targets=100, raters=50, pilot=accuracy, wanted=0.6))
    assert answer(plan, "planned", "lower limit of the pilot") < answer(plan, "planned", "power to show that Rel(5)")  # type: ignore[operator]


def test_the_table_holds_the_planned_design_with_the_numbers_of_the_answers() -> None:
    plan = plan_study(PlanOptions(targets=60, raters=20, per_target=4, components=TYPICAL, costs=Costs(0.5, 10, 2)))
    (row,) = [row for row in plan.table if row.planned]
    assert row.layout == plan.layout
    assert row.width_single == answer(plan, "planned", "Rel(1)", "width")
    assert row.width_k == answer(plan, "planned", "Rel(4)", "width")
    assert row.power == answer(plan, "planned", "power")
    assert row.cost == answer(plan, "planned", "cost") == 60 * 4 * 0.5 + 20 * 10 + 60 * 2
    assert {r.layout.n_targets for r in plan.table} == {30, 45, 60, 90, 120}
    by_targets = [r for r in plan.table if r.layout.n_raters == 20]
    assert [r.width_single for r in by_targets] == sorted((r.width_single for r in by_targets), reverse=True)


def test_the_cheapest_designs_answer_for_the_width_and_for_the_lower_limit_and_score_all_planned_targets() -> None:
    plan = plan_study(PlanOptions(targets=60, components=TYPICAL, width=0.2, costs=Costs(0.5, 10, 2)))
    assert isinstance(plan.for_width, tuple)
    assert isinstance(plan.for_wanted, tuple)
    assert all(option.precision.width <= 0.2 for option in plan.for_width)
    assert all(option.layout.n_targets >= 60 for option in (*plan.for_width, *plan.for_wanted))
    assert plan_study(PlanOptions(components=TYPICAL)).for_width is None


def test_the_simulation_is_of_the_planned_design_and_repeats_with_its_seed() -> None:
    options = PlanOptions(targets=40, raters=12, per_target=4, components=TYPICAL, simulate=20, points=5, seed=3)
    one, two = (plan_study(options) for _ in range(2))
    assert one.simulation is not None
    assert one.simulation.layout == one.layout
    assert one.simulation.model == "crossed"
    assert one.simulated == two.simulated
    assert set(one.simulated) == {"Rel(4)", "Rel(1)"}
    assert one.simulated["Rel(4)"].power is not None


def test_raters_with_one_target_each_are_simulated_by_the_one_way_model() -> None:
    plan = plan_study(PlanOptions(targets=20, raters=60, per_target=3, components=TYPICAL, simulate=5))
    assert plan.simulation is not None
    assert plan.simulation.model == "one_way"
    assert any("one target only" in note for note in plan.notes)


def test_replicates_are_planned_where_the_interaction_is_known() -> None:
    plan = plan_study(PlanOptions(targets=30, raters=10, per_target=4, replicates=2, components=REPLICATED, simulate=5))
    assert answer(plan, "planned", "Rel(4) assumed") == pytest.approx(0.35 / (0.35 + 0.3 / 4 + 0.35 / 8))
    assert set(plan.simulated) == {"Rel(4)"}
    with pytest.raises(CannotEstimateError, match="target x rater"):
        plan_study(PlanOptions(targets=30, raters=10, replicates=2, components=TYPICAL))


def test_the_curves_are_monotone_and_pass_through_the_planned_study() -> None:
    plan = plan_study(PlanOptions(targets=150, raters=40, per_target=4, icc=0.37))
    curves = {curve.name: curve for curve in plan.curves}
    assert set(curves) == {"least_detectable_icc", "power", "width"}
    for name, falls in (("least_detectable_icc", True), ("power", False), ("width", True)):
        curve = curves[name]
        assert all(y.shape == curve.x.shape for y in curve.series.values())
        for y in curve.series.values():
            steps = np.diff(y)
            assert (steps <= 0).all() if falls else (steps >= 0).all()
    for name, level in (("least_detectable_icc", 4), ("power", 4), ("width", 0.37)):
        assert curves[name].focus == level
        mark = curves[name].mark
        assert mark is not None
        assert mark[1] == pytest.approx(np.interp(mark[0], curves[name].x, curves[name].series[level]), rel=0.02)


def test_nothing_is_guessed_what_is_left_open_is_said() -> None:
    plan = plan_study(PlanOptions())
    assert plan.answers == ()
    assert plan.table == ()
    assert [curve.name for curve in plan.curves] == ["least_detectable_icc", "width"]
    assert any("Nothing was assumed" in note for note in plan.notes)
    assert any("open" in note for note in plan_study(PlanOptions(icc=0.3)).notes)


@pytest.mark.parametrize(
    ("targets", "raters", "words"), [(20, 30, "1.3 targets each"), (20, 6, "simulate"), (20, 40, "one target only")]
)
def test_designs_on_which_the_large_sample_numbers_fail_are_pointed_out(targets: int, raters: int, words: str) -> None:
    plan = plan_study(PlanOptions(targets=targets, raters=raters, per_target=2, components=TYPICAL))
    assert any(words in note for note in plan.notes)


def test_a_pilot_that_could_not_tell_severity_from_noise_is_pointed_out(table: Callable[..., Ratings]) -> None:
    rng = np.random.default_rng(1)
    rows = [(f"t{t}", f"r{t}-{j}", float(np.clip(np.round(3 + u + rng.normal()), 1, 5)))
            for t, u in enumerate(rng.normal(size=15)) for j in range(3)]  # fmt: skip
    (pilot,) = analyse_reliability(table(rows)).dimensions
    plan = plan_study(PlanOptions(targets=30, raters=10, per_target=3, pilot=pilot))
    assert any("part of it is severity" in note for note in plan.notes)


def test_an_icc_that_does_not_exceed_the_one_to_be_ruled_out_takes_no_number_of_targets() -> None:
    value = answer(plan_study(PlanOptions(icc=0.3, ruled_out=0.4)), "formulas", "targets to show")
    assert isinstance(value, Refusal)
    assert ".4" in value.reason


def test_every_answer_has_a_label_a_group_and_a_source(accuracy: DimensionReliability) -> None:
    plan = plan_study(PlanOptions(targets=50, raters=12, pilot=accuracy, width=0.2, ruled_out=0.1))
    assert len({(a.group, a.label) for a in plan.answers}) == len(plan.answers)
    assert len({a.key for a in plan.answers}) == len(plan.answers)
    assert all(a.label and a.group and a.source for a in plan.answers)
    assert all(isinstance(a.value, Refusal) or np.isfinite(a.value) for a in plan.answers)


@pytest.mark.parametrize(
    "options",
    [
        {"icc": 0.3, "components": TYPICAL},
        {"icc": 0.0},
        {"icc": 1.0},
        {"targets": 1},
        {"per_target": 1},
        {"raters": 4, "per_target": 5},
        {"width": 0.0},
        {"wanted": 1.0},
        {"alpha": 0.0},
        {"power": 1.0},
        {"simulate": -1},
        {"simulate": 10},
        {"simulate": 10, "targets": 20, "raters": 10},
        {"points": 5},
        {"points": 1, "simulate": 10, "targets": 20, "raters": 10, "icc": 0.3},
    ],
)
def test_options_out_of_range_or_at_odds_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(InputError):
        PlanOptions(**options)  # type: ignore[arg-type]


def test_components_without_variance_to_find_are_refused() -> None:
    with pytest.raises(InputError, match="state an icc"):
        plan_study(PlanOptions(components=Components(target=0.0, residual=1.0)))
