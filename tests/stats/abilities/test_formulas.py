"""The formulas of the abilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.abilities import take_ratio
from dialgauge.stats.abilities.formulas import FORMULAS, apply_formula, spread_of

KNOWN = {
    "quality": ((0.6, 0.3, 0.5, 0.7), 5.0 * (0.6 + 0.3 + 0.6) / 3.0),
    "reliability": ((0.4 * 0.75,), 3.5),
    "sincerity": ((0.5, 0.1), 3.5),
    "cooperation": ((4.0, 3.0, 2.0, 0.5, 0.1), (4.0 + 3.5 + 3.0 + 2.0) / 4.0),
    "social_awareness": ((3.2,), 3.2),
    "identity": ((4.0, 0.25), 3.0),
}


def test_every_formula_has_a_worked_example() -> None:
    assert set(KNOWN) == set(FORMULAS)


@pytest.mark.parametrize("name", KNOWN)
def test_a_formula_gives_what_its_definition_says(name: str) -> None:
    values, expected = KNOWN[name]
    assert FORMULAS[name].function(*values) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_bounds_of_an_ability_are_those_of_its_best_and_worst_measures(name: str) -> None:
    formula = FORMULAS[name]
    good = {"acceptance", "recall_of_ceiling@50", "recommender_sr@10", "conversation_sr@10"}
    bad = {"deceptive", "non_existent", "harmful_change"}
    worst = [0.0 if m in good else 1.0 for m in formula.measures]
    best = [1.0 if m in good else 0.0 if m in bad else 5.0 for m in formula.measures]
    assert (formula.function(*worst), formula.function(*best)) == pytest.approx(formula.bounds)


@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data())
def test_the_delta_method_agrees_with_leaving_each_row_out(name: str, data: st.DataObject) -> None:
    formula, n = FORMULAS[name], 400
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    columns = [rng.uniform(size=n) for _ in formula.measures]
    found = apply_formula(formula, [take_ratio(column, np.ones(n)) for column in columns])
    whole = formula.function(*(column.mean() for column in columns))
    without = formula.function(*(column[1:].mean() for column in columns))
    assert found.value == pytest.approx(whole, abs=1e-12)
    assert whole - without == pytest.approx(found.influence[0], abs=5e-5)


def test_the_spread_is_range_over_mean() -> None:
    assert spread_of(np.array([1.0, 2.0, 3.0])) == pytest.approx(1.0)


@given(st.lists(st.floats(0.5, 5.0), min_size=2, max_size=9), st.floats(0.5, 4.0))
def test_the_spread_does_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    assert spread_of(factor * np.array(values)) == pytest.approx(spread_of(np.array(values)), abs=1e-9)


@pytest.mark.parametrize("values", [[2.0], [0.0, 0.0]])
def test_a_spread_without_two_personas_or_a_mean_is_refused(values: list[float]) -> None:
    with pytest.raises(CannotEstimateError):
        spread_of(np.array(values))
