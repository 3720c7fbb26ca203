"""What holds for every coefficient of many raters, whatever the data."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.alpha import weighted_alpha
from dialgauge.stats.agreement.chance import brennan_prediger, fleiss_kappa, fleiss_test, gwet_ac
from dialgauge.stats.agreement.cohen import cohen_kappa, light_kappa, scott_pi
from dialgauge.stats.agreement.conger import conger_kappa
from dialgauge.stats.agreement.counts import tabulate, tabulate_dense
from dialgauge.stats.agreement.observed import exact_agreement, percent_agreement
from dialgauge.stats.agreement.weights import rating_weights

Codes = NDArray[np.intp]

CORRECTED = [fleiss_kappa, brennan_prediger, gwet_ac, conger_kappa, weighted_alpha]
ALL = [*CORRECTED, percent_agreement]
LINEAR = rating_weights("linear", np.arange(4.0))


@st.composite
def tables(draw: st.DrawFn, *, gaps: bool = True) -> Codes:
    """Return codes 0 .. 3 of 3 to 9 targets by 2 to 5 raters, with empty cells where ``gaps``."""
    shape = (draw(st.integers(3, 9)), draw(st.integers(2, 5)))
    codes: Codes = draw(arrays(np.intp, shape, elements=st.integers(-1 if gaps else 0, 3)))
    assume(np.sum(np.sum(codes >= 0, axis=1) >= 2) >= 2)
    paired = codes[np.sum(codes >= 0, axis=1) >= 2]
    assume(len(np.unique(paired[paired >= 0])) > 1)
    return codes


@given(tables(), st.integers(0, 1000))
def test_shuffled_ratings_and_new_labels_for_targets_and_raters_change_nothing(codes: Codes, seed: int) -> None:
    rng = np.random.default_rng(seed)
    target, rater = np.nonzero(codes >= 0)
    order = rng.permutation(len(target))
    new_target, new_rater = rng.permutation(codes.shape[0]) * 3 + 11, rng.permutation(codes.shape[1]) * 7 + 2
    one = tabulate(target, codes[target, rater], n_categories=4, rater_codes=rater)
    other = tabulate(
        new_target[target[order]],
        codes[target[order], rater[order]],
        n_categories=4,
        rater_codes=new_rater[rater[order]],
    )
    for coefficient in ALL:
        a, b = coefficient(one, LINEAR), coefficient(other, LINEAR)
        assert a.value == pytest.approx(b.value, abs=1e-12)
        assert (a.low is None) == (b.low is None)
        if a.low is not None:
            assert a.low == pytest.approx(b.low, abs=1e-10)


@given(tables(), st.permutations(range(4)))
def test_without_weights_the_names_of_the_categories_do_not_matter(codes: Codes, names: list[int]) -> None:
    renamed = np.where(codes >= 0, np.array(names)[codes], -1)
    for coefficient in ALL:
        a, b = (coefficient(tabulate_dense(table, 4)) for table in (codes, renamed))
        assert a.value == pytest.approx(b.value, abs=1e-12)


@given(tables(gaps=False))
def test_with_two_raters_conger_and_light_are_cohen_and_fleiss_is_scott(codes: Codes) -> None:
    pair = codes[:, :2]
    assume(len(np.unique(pair)) > 1)
    counts = tabulate_dense(pair, 4)
    cohen = cohen_kappa(pair, 4, weights=LINEAR)
    for same in (conger_kappa(counts, LINEAR), light_kappa(pair, 4, weights=LINEAR)):
        assert same.value == pytest.approx(cohen.value, abs=1e-12)
        if cohen.low is not None:
            assert same.low == pytest.approx(cohen.low, abs=1e-9)
    assert scott_pi(pair, 4, weights=LINEAR).value == pytest.approx(fleiss_kappa(counts, LINEAR).value, abs=1e-12)


@given(tables(gaps=False))
def test_alpha_of_a_complete_table_is_fleiss_kappa_corrected_for_the_number_of_ratings(codes: Codes) -> None:
    """Krippendorff (2019): alpha = kappa + (1 - kappa) / N for equal numbers of ratings."""
    counts = tabulate_dense(codes, 4)
    kappa = fleiss_kappa(counts, LINEAR).value
    assert weighted_alpha(counts, LINEAR).value == pytest.approx(kappa + (1 - kappa) / codes.size, abs=1e-12)


@given(tables(), st.integers(5, 9))
def test_declared_but_unused_categories_move_only_the_coefficients_that_depend_on_the_scale(
    codes: Codes, n_categories: int
) -> None:
    four, more = tabulate_dense(codes, 4), tabulate_dense(codes, n_categories)
    for coefficient in (fleiss_kappa, conger_kappa, weighted_alpha, percent_agreement):
        assert coefficient(four).value == pytest.approx(coefficient(more).value, abs=1e-12)
    agreement = percent_agreement(four).value
    q = n_categories
    assert brennan_prediger(more).value == pytest.approx((agreement - 1 / q) / (1 - 1 / q), abs=1e-12)


def test_ac1_rises_when_the_scale_declares_more_categories() -> None:
    codes = np.array([[0, 1], [1, 1], [0, 0], [1, 0]])
    assert gwet_ac(tabulate_dense(codes, 2)).value < gwet_ac(tabulate_dense(codes, 5)).value


@pytest.mark.parametrize("coefficient", CORRECTED)
def test_constant_ratings_are_refused_with_reason_and_remedy(coefficient: object) -> None:
    counts = tabulate_dense(np.full((5, 3), 2), 4)
    with pytest.raises(CannotEstimateError) as refusal:
        coefficient(counts)  # type: ignore[operator]
    assert "undefined" in refusal.value.reason
    assert "percent agreement" in refusal.value.remedy
    assert percent_agreement(counts).value == 1.0


@pytest.mark.parametrize("coefficient", [*ALL, exact_agreement])
@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        ([[0, -1], [-1, 1], [1, -1]], "no target has two ratings"),
        ([[0, 1], [-1, 1], [1, -1]], "only one target has two ratings"),
    ],
)
def test_too_few_pairable_ratings_are_refused(coefficient: object, codes: list[list[int]], reason: str) -> None:
    with pytest.raises(CannotEstimateError, match=reason):
        coefficient(tabulate_dense(np.array(codes), 2))  # type: ignore[operator]


def test_weights_that_call_everything_agreement_are_refused() -> None:
    with pytest.raises(CannotEstimateError, match="expected by chance is 1"):
        fleiss_kappa(tabulate_dense(np.array([[0, 1], [1, 1]]), 2), np.ones((2, 2)))


def test_values_below_zero_and_bounds_below_minus_one_are_not_clipped() -> None:
    found = fleiss_kappa(tabulate_dense(np.array([[0, 1], [1, 0], [0, 1], [0, 0]]), 2))
    assert found.value < 0
    assert found.low is not None
    assert found.low < -1


def test_perfect_agreement_has_a_value_and_no_interval() -> None:
    """A standard error of zero is no certainty."""
    found = fleiss_kappa(tabulate_dense(np.array([[0, 0], [1, 1], [0, 0]]), 2))
    assert found.value == pytest.approx(1.0)
    assert (found.low, found.high) == (None, None)
    assert found.flags == ("boundary", "no_interval")


def test_an_interval_is_numeric_and_not_rounded() -> None:
    """IrrCAC #6 and kgwet/irrCAC #1: two raters, five ratings 0 or 1; no text, no three decimals."""
    found = fleiss_kappa(tabulate_dense(np.array([[0, 0], [1, 0], [1, 1], [0, 0], [1, 1]]), 2))
    assert isinstance(found.low, float)
    assert found.low != round(found.low, 6)


def test_the_interval_says_that_it_holds_for_these_raters_and_counts_the_ratings() -> None:
    found = gwet_ac(tabulate_dense(np.array([[0, 1, -1], [1, 1, 1], [0, 0, 1]]), 2))
    assert found.covers == "targets (these raters only)"
    assert found.n == 8
    assert "Gwet 2014" in found.method


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_level_outside_0_and_1_is_refused(confidence: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        fleiss_kappa(tabulate_dense(np.array([[0, 1], [1, 1], [0, 0]]), 2), level=confidence)


def test_a_higher_confidence_level_gives_a_wider_interval() -> None:
    counts = tabulate_dense(np.array([[0, 1], [1, 1], [0, 0], [1, 0], [1, 1]]), 2)
    low = [fleiss_kappa(counts, level=level).low or 0.0 for level in (0.5, 0.9, 0.99)]
    assert low == sorted(low, reverse=True)


def test_the_test_of_fleiss_kappa_refuses_unequal_numbers_of_ratings() -> None:
    with pytest.raises(CannotEstimateError, match="from 2 to 3 ratings"):
        fleiss_test(tabulate_dense(np.array([[0, 1, -1], [1, 1, 0]]), 2))


def test_conger_refuses_a_single_rater_with_replicates() -> None:
    target = np.array([0, 0, 1, 1])
    with pytest.raises(CannotEstimateError, match="one rater only"):
        conger_kappa(tabulate(target, np.array([0, 1, 1, 1]), n_categories=2, rater_codes=np.zeros(4, dtype=int)))


def test_wilson_interval_of_exact_agreement_stays_within_0_and_1() -> None:
    found = exact_agreement(tabulate_dense(np.array([[0, 0], [1, 1], [0, 0]]), 2))
    assert found.value == 1.0
    assert found.high == 1.0
    assert found.low == pytest.approx(3 / (3 + 1.959963984540054**2), abs=1e-12)
