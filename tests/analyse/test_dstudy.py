"""Decision studies of analysed dimensions and of fits."""

from collections.abc import Callable

import numpy as np
import pytest

from dialgauge.analyse.dstudy import DecisionStudy, decision_study, rate_targets, to_components
from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.results import DimensionReliability
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.model import Ratings
from dialgauge.stats.components import Score
from dialgauge.stats.dstudy import Costs, Pair
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.reml import RemlFit, fit_reml
from dialgauge.stats.reml.odds import Form
from dialgauge.stats.reml.profile import profile_odds

from .conftest import ends

FORMS: tuple[Form, ...] = ("absolute", "relative")


@pytest.fixture(scope="module")
def dimensions(crowd: Ratings) -> dict[str, DimensionReliability]:
    return {d.name: d for d in analyse_reliability(crowd).dimensions}


def replicated_fit(seed: int = 1) -> RemlFit:
    rng = np.random.default_rng(seed)
    target, rater = (np.repeat(x.ravel(), 2) for x in np.indices((30, 8)))
    cell = np.repeat(np.arange(240), 2)
    y = rng.normal(size=30)[target] + 0.6 * rng.normal(size=8)[rater] + 0.5 * rng.normal(size=240)[cell]
    (fit,) = fit_reml(target, rater, y + rng.normal(size=480), model="crossed_replicated")
    return fit


def needed(study: DecisionStudy) -> dict[float, tuple[int | Refusal, int | Refusal]]:
    return {n.wanted: (n.by_value, n.by_lower_limit) for n in study.needed}


def test_the_raters_that_accuracy_needs_are_those_of_its_reference_components(
    dimensions: dict[str, DimensionReliability],
) -> None:
    # crs_que_redial.json: .3842028 / (.1818301 + .6077654) = .48658; 1 / .48658 = 2.06, 6.17, 8.22, 18.50
    found = needed(decision_study(dimensions["accuracy"]))
    assert [by_value for by_value, _ in found.values()] == [3, 7, 9, 19]
    low = ends(dimensions["accuracy"].rel_single)[0]
    for wanted, (_, by_lower_limit) in found.items():
        assert by_lower_limit == int(np.ceil(wanted / (1 - wanted) * (1 - low) / low))


def test_the_curve_starts_at_rel_single_and_steps_up(dimensions: dict[str, DimensionReliability]) -> None:
    d = dimensions["cui_rapport"]
    study = decision_study(d, most_raters=6)
    assert [point.k for point in study.curve] == [1, 2, 3, 4, 5, 6]
    first = study.curve[0].reliability
    assert (first.value, first.low, first.high) == pytest.approx((d.rel_single.value, *ends(d.rel_single)))
    for point in study.curve:
        assert point.reliability.value == pytest.approx(point.k * first.value / (1 + (point.k - 1) * first.value))
        low, high = ends(point.reliability)
        assert low < point.reliability.value < high
        assert (point.reliability.level, point.reliability.n) == (0.95, 1053)


def test_the_number_needed_is_where_the_curve_reaches_what_is_wanted(
    dimensions: dict[str, DimensionReliability],
) -> None:
    for d in dimensions.values():
        study = decision_study(d, wanted=[0.5, 0.6], most_raters=40)
        for goal in study.needed:
            values = [p.k for p in study.curve if p.reliability.value >= goal.wanted]
            limits = [p.k for p in study.curve if ends(p.reliability)[0] >= goal.wanted]
            assert goal.by_value == values[0]
            assert goal.by_lower_limit == limits[0]


def test_the_relative_form_needs_fewer_raters(dimensions: dict[str, DimensionReliability]) -> None:
    d = dimensions["cui_rapport"]
    absolute, relative = (needed(decision_study(d, form=form)) for form in FORMS)
    assert all(relative[w][0] < absolute[w][0] for w in (0.75, 0.8, 0.9))  # type: ignore[operator]


def test_from_a_fit_every_number_of_replicates_has_its_interval() -> None:
    fit = replicated_fit()
    study = decision_study(fit, replicates=3, most_raters=4, name="trust", level=0.9)
    (odds,) = profile_odds([fit], replicates=3, level=0.9)
    assert (study.name, study.level) == ("trust", 0.9)
    assert ends(study.curve[3].reliability) == pytest.approx(odds.reliability(4)[1:])
    for cell in study.grid:
        assert cell.reliability.value == pytest.approx(study.components.reliability(Score(cell.k, cell.replicates)))
        assert ends(cell.reliability)[0] < cell.reliability.value


def test_costs_ask_for_the_cheapest_pair() -> None:
    free, dear = (decision_study(replicated_fit(), wanted=[0.8], costs=Costs(1, rater=rater)) for rater in (0, 1000))
    pairs = [study.needed[0].cheapest for study in (free, dear)]
    assert all(isinstance(pair, Pair) for pair in pairs)
    assert pairs[0].replicates == 1  # type: ignore[union-attr]
    assert pairs[1].raters < pairs[0].raters  # type: ignore[union-attr]
    assert decision_study(replicated_fit()).needed[0].cheapest is None


def test_where_the_interval_reaches_zero_no_number_of_raters_is_enough_beyond_sampling_error(
    table: Callable[..., Ratings],
) -> None:
    rng = np.random.default_rng(5)
    rows = [(f"t{t}", f"r{r}", float(rng.integers(1, 6))) for t in range(8) for r in range(3)]
    (d,) = analyse_reliability(table(rows)).dimensions
    assert d.rel_single.low == 0.0
    found = decision_study(d).needed[0]
    assert isinstance(found.by_lower_limit, Refusal)
    assert isinstance(found.by_value, Refusal) == (d.rel_single.value == 0.0)


def test_without_replicates_nobody_knows_what_they_gain(dimensions: dict[str, DimensionReliability]) -> None:
    assert decision_study(dimensions["accuracy"]).grid == ()
    with pytest.raises(CannotEstimateError, match="replicates"):
        decision_study(dimensions["accuracy"], replicates=2)


def test_a_dimension_with_replicates_has_intervals_for_one_and_for_those_collected(
    table: Callable[..., Ratings],
) -> None:
    rng = np.random.default_rng(2)
    rows = [
        (f"t{t}", f"r{r}", float(np.clip(np.round(3 + u + v + rng.normal(scale=0.7)), 1, 5)))
        for t, u in enumerate(rng.normal(size=20))
        for r, v in enumerate(rng.normal(scale=0.5, size=6))
        for _ in range(2)
    ]
    (d,) = analyse_reliability(table(rows, duplicates="replicate")).dimensions
    assert d.replicates == 2.0
    study = decision_study(d, replicates=2, most_raters=6)
    assert ends(study.curve[5].reliability) == pytest.approx(ends(d.rel_k))
    known = {cell.replicates for cell in study.grid if cell.reliability.low is not None}
    assert known == {1, 2}
    assert all("no_interval" in cell.reliability.flags for cell in study.grid if cell.replicates in (3, 5))


def test_each_target_has_its_own_error_under_its_own_name(
    crowd: Ratings, dimensions: dict[str, DimensionReliability]
) -> None:
    d = dimensions["accuracy"]
    found = rate_targets(crowd, d)
    c = to_components(d)
    assert len(found) == 200
    assert sum(t.n_ratings for t in found) == 1053
    for t in found:
        error = ((c.rater or 0.0) + c.residual) / t.n_raters
        assert t.standard_error == pytest.approx(np.sqrt(error))
        assert t.reliability == pytest.approx(c.target / (c.target + error))
    frame = crowd.frame.filter((crowd.frame["dimension"] == "accuracy") & (crowd.frame["target"] == found[7].target))
    assert found[7].mean == pytest.approx(frame["value"].mean())


def test_ratings_without_the_dimension_are_refused(
    dimensions: dict[str, DimensionReliability], table: Callable[..., Ratings]
) -> None:
    with pytest.raises(InputError, match="accuracy"):
        rate_targets(table([("a", "x", 1.0), ("a", "y", 2.0)]), dimensions["accuracy"])
