"""Systems compared by ratios, whose dialogues share personas and preferences."""

import math

import numpy as np
import pytest
from scipy import stats

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.abilities import Crossing, Linear, take_ratio
from dialgauge.stats.arrays import Floats
from dialgauge.stats.compare import Comparison, SystemPanel, compare_linear, fit_mixed

from .conftest import draw

FREE = (-math.inf, math.inf)


def split(panel: SystemPanel) -> tuple[list[Linear], list[Crossing]]:
    """Return the mean of each system with the influence of its dialogues."""
    rows = [np.flatnonzero(panel.system == s) for s in range(int(panel.system.max()) + 1)]
    means = [take_ratio(panel.values[here], np.ones(here.size)) for here in rows]
    return means, [Crossing(panel.persona[here], panel.preference[here]) for here in rows]


def compare(
    parts: tuple[list[Linear], list[Crossing]], bounds: tuple[float, float] = FREE, *, higher_is_better: bool = True
) -> Comparison:
    return compare_linear(
        *parts, bounds=bounds, higher_is_better=higher_is_better, level=0.95, rng=np.random.default_rng(1)
    )


def error(comparison: Comparison, k: int) -> float:
    contrast = comparison.contrasts[k]
    assert contrast.difference.high is not None
    return (contrast.difference.high - contrast.difference.value) / float(stats.t.ppf(0.975, contrast.df))


def test_the_error_of_a_difference_is_the_two_way_one_written_out(unbalanced: SystemPanel) -> None:
    found = compare(split(unbalanced))
    for k, contrast in enumerate(found.contrasts):
        u = np.zeros(len(unbalanced))
        for s, side in ((contrast.first, 1.0), (contrast.second, -1.0)):
            here = unbalanced.system == s
            u[here] = side * (unbalanced.values[here] - unbalanced.values[here].mean()) / here.sum()
        rows = np.flatnonzero(np.isin(unbalanced.system, (contrast.first, contrast.second)))
        both = (unbalanced.persona.tolist(), unbalanced.preference.tolist())
        keys = [[*zip(*groupings, strict=True)] for groupings in (both[:1], both[1:], both)]
        parts = []
        for key in keys:
            sums: dict[tuple[int, ...], float] = {}
            for i in rows:
                sums[key[i]] = sums.get(key[i], 0.0) + float(u[i])
            parts.append(len(sums) / (len(sums) - 1) * sum(x * x for x in sums.values()))
        expected = math.sqrt(max(parts[0] + parts[1] - parts[2], parts[0], parts[1]))
        assert error(found, k) == pytest.approx(expected, rel=1e-9)
        assert contrast.df == 3.0


def test_means_and_paired_numbers_are_those_of_the_mixed_route(balanced: SystemPanel) -> None:
    clustered, mixed = compare(split(balanced)), fit_mixed(balanced, rng=np.random.default_rng(1))
    for a, b in zip(clustered.contrasts, mixed.contrasts, strict=True):
        assert a.difference.value == pytest.approx(b.difference.value, abs=1e-9)
        assert a.n_paired == b.n_paired == 40
    assert [one.rank for one in clustered.ranks] == [one.rank for one in mixed.ranks]
    assert clustered.n == mixed.n == 120


def test_both_routes_have_nearly_the_same_errors_where_there_are_many_clusters() -> None:
    panel = draw((3, 40, 30, 1, 1), (0.6, 0.5, 0.5, 0.4, 0.0, 0.0, 0.0, 0.8), rated=False)
    clustered, mixed = compare(split(panel)), fit_mixed(panel, rng=np.random.default_rng(1))
    for k, contrast in enumerate(mixed.contrasts):
        assert contrast.difference.high is not None
        margin = contrast.difference.high - contrast.difference.value
        ratio = error(clustered, k) / (margin / float(stats.t.ppf(0.975, contrast.df)))
        assert 0.8 < ratio < 1.25


def test_one_preference_and_two_systems_give_students_paired_test() -> None:
    pairs = np.array([[1.0, 3.0], [2.0, 2.5], [6.0, 7.5], [4.0, 6.5], [5.0, 5.5], [3.0, 3.2]])
    crossing = Crossing(np.arange(6), np.zeros(6, dtype=np.intp))
    means = [take_ratio(column, np.ones(6)) for column in pairs.T]
    found = compare((means, [crossing, crossing]))
    assert found.left_out == {"preference": "there is only one preference"}
    assert found.contrasts[0].p == pytest.approx(float(stats.ttest_rel(pairs[:, 0], pairs[:, 1]).pvalue), abs=1e-12)
    assert found.contrasts[0].difference.covers == "personas and dialogues"


def own_rows(*columns: Floats) -> tuple[list[Linear], list[Crossing]]:
    """Return means over personas that are all different, each with a preference of its own."""
    return (
        [take_ratio(column, np.ones(column.size)) for column in columns],
        [Crossing(np.arange(column.size), np.arange(column.size)) for column in columns],
    )


def test_a_difference_that_is_the_same_everywhere_has_the_p_of_a_sign_test() -> None:
    found = compare(own_rows(np.ones(10), np.zeros(10)), (0.0, 1.0))
    (contrast,) = found.contrasts
    assert contrast.p == pytest.approx(2.0 * 0.5**10, rel=1e-12)
    assert contrast.difference.low is not None
    assert contrast.difference.low > 0.0


def test_p_crosses_its_level_where_the_exact_bound_reaches_zero() -> None:
    for n in range(3, 12):
        (contrast,) = compare(own_rows(np.ones(n), np.zeros(n)), (0.0, 1.0)).contrasts
        assert contrast.difference.low is not None
        assert (contrast.p < 0.05) == (contrast.difference.low > 0.0)


def test_systems_that_are_equal_everywhere_have_p_1_and_an_interval_around_zero() -> None:
    (contrast,) = compare(own_rows(np.ones(8), np.ones(8)), (0.0, 1.0)).contrasts
    assert (contrast.p, contrast.p_adjusted) == (1.0, 1.0)
    assert contrast.difference.low is not None
    assert contrast.difference.high is not None
    assert contrast.difference.low < 0.0 < contrast.difference.high


def test_pairs_with_and_without_spread_share_the_error_of_the_family() -> None:
    found = compare(own_rows(np.ones(10), np.zeros(10), np.tile([0.0, 1.0], 5)), (0.0, 1.0))
    still, moving, _ = found.contrasts
    assert still.p_adjusted == pytest.approx(3.0 * still.p)
    assert still.simultaneous.method.endswith("Bonferroni over 3 pairs")
    assert moving.p_adjusted >= moving.p
    for contrast in found.contrasts:
        assert contrast.simultaneous.low is not None
        assert contrast.difference.low is not None
        assert -1.0 <= contrast.simultaneous.low <= contrast.difference.low


def test_intervals_stay_within_what_a_difference_can_be(unbalanced: SystemPanel) -> None:
    means, crossings = split(unbalanced)
    found = compare((means, crossings), (-0.3, 0.3))
    for contrast in found.contrasts:
        for one in (contrast.difference, contrast.simultaneous):
            assert one.low is not None
            assert one.high is not None
            assert -0.6 <= one.low <= one.high <= 0.6


def test_a_constant_difference_of_an_unbounded_measure_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="systems 0 and 1 differ by the same amount everywhere"):
        compare(own_rows(np.ones(6), np.zeros(6)))


def test_one_persona_with_one_preference_and_one_system_are_refused() -> None:
    one = Crossing(np.zeros(4, dtype=np.intp), np.zeros(4, dtype=np.intp))
    mean = take_ratio(np.arange(4.0), np.ones(4))
    with pytest.raises(CannotEstimateError, match="only one persona and one preference"):
        compare(([mean, mean], [one, one]))
    with pytest.raises(CannotEstimateError, match="only one system"):
        compare(([mean], [one]))


def test_systems_that_met_one_persona_while_others_met_more_are_refused_by_name() -> None:
    few, more = np.zeros(4, dtype=np.intp), np.arange(4)
    mean = take_ratio(np.arange(4.0), np.ones(4))
    crossings = [Crossing(few, more), Crossing(few, more), Crossing(more, more)]
    with pytest.raises(CannotEstimateError, match="systems 0 and 1 met one persona or one preference only"):
        compare(([mean] * 3, crossings))


def test_an_estimate_without_a_crossing_is_an_input_error() -> None:
    mean = take_ratio(np.arange(4.0), np.ones(4))
    with pytest.raises(InputError, match="each estimate needs a crossing, got 2 and 1"):
        compare(([mean, mean], [Crossing(np.arange(4), np.arange(4))]))


def test_relabelled_systems_give_the_same_answer_with_the_other_sign(unbalanced: SystemPanel) -> None:
    means, crossings = split(unbalanced)
    one, two = compare((means, crossings)), compare((means[::-1], crossings[::-1]))
    there = {(3 - c.second, 3 - c.first): c for c in two.contrasts}
    for a in one.contrasts:
        b = there[a.first, a.second]
        assert a.difference.value == pytest.approx(-b.difference.value, abs=1e-12)
        assert a.p == pytest.approx(b.p, abs=1e-12)
        assert a.p_adjusted == pytest.approx(b.p_adjusted, abs=2e-3)
    turned = compare((means, crossings), higher_is_better=False)
    assert [one.rank for one in turned.ranks] == [5.0 - one.rank for one in one.ranks]
