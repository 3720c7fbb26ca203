"""Straight-lining, constant raters and long runs."""

import numpy as np
import pytest
from scipy import stats

from dialgauge.stats.raters.straight import constant_tails, find_straight_lines, longest_run, longest_runs

NAN = float("nan")


def test_rows_with_one_value_are_counted_where_three_or_more_are_there() -> None:
    rater = np.array([0, 0, 0, 0, 1])
    values = np.array([[3, 3, 3, 3], [3, 3, 3, NAN], [3, 3, NAN, NAN], [3, 3, 3, 4], [1, 2, 3, 4]], dtype=float)
    found = find_straight_lines(rater, values, n_raters=3)
    assert list(found.targets) == [3, 1, 0]
    assert list(found.straight) == [2, 0, 0]
    assert np.isnan(found.p[2])


def test_the_share_by_chance_is_that_of_independent_answers_with_the_same_marginals() -> None:
    """Two thirds of threes in each of three dimensions: (2/3)^3 + (1/3)^3 = 1/3."""
    values = np.array([[3, 3, 4], [3, 4, 3], [4, 3, 3]], dtype=float)
    found = find_straight_lines(np.zeros(3, dtype=int), values, n_raters=1)
    assert found.by_chance[0] == pytest.approx(1 / 3)


def test_the_test_is_binomial_against_the_larger_expectation() -> None:
    rng = np.random.default_rng(7)
    values = rng.integers(1, 6, (60, 4)).astype(float)
    values[:10] = rng.integers(1, 6, (10, 1))  # rater 0
    values[10:15] = 2.0  # half of rater 1
    rater = np.repeat(np.arange(6), 10)
    found = find_straight_lines(rater, values, n_raters=6)
    assert found.by_others[0] == pytest.approx(found.straight[1:].sum() / 50)
    for j in range(6):
        expected = max(found.by_chance[j], found.by_others[j])
        assert found.p[j] == pytest.approx(stats.binom.sf(found.straight[j] - 1, 10, expected))
    assert found.p[0] < 1e-4


def test_a_rater_who_always_gives_one_value_is_explained_by_the_own_marginals() -> None:
    """That is what the tail of a constant rater is for."""
    values = np.vstack([np.full((8, 4), 4.0), np.random.default_rng(1).integers(1, 6, (40, 4))])
    rater = np.repeat(np.arange(6), 8)
    assert find_straight_lines(rater, values, n_raters=6).p[0] == pytest.approx(1.0)
    tails = constant_tails(rater, values, n_raters=6)
    assert tails[0] < 0.01
    assert (tails[1:] == 1.0).all()


def test_the_tail_of_a_constant_rater_is_dirichlet_multinomial_in_the_unlikeliest_dimension() -> None:
    """The others are as varied within raters as over all at first: the tail is nearly that of independent ratings."""
    rng = np.random.default_rng(1)
    others = np.column_stack([rng.choice([1.0, 2.0], 4000, p=[0.8, 0.2]), rng.choice([1.0, 2.0], 4000, p=[0.6, 0.4])])
    values = np.vstack([np.ones((6, 2)), others])
    rater = np.concatenate([np.zeros(6, dtype=int), 1 + np.arange(4000) % 40])
    found = constant_tails(rater, values, n_raters=41)[0]
    assert found == pytest.approx(0.6**6 + 0.4**6, rel=0.15)
    exact = stats.dirichlet_multinomial([3.0, 2.0], 6)
    drawn = rng.multinomial(30, rng.dirichlet([3.0, 2.0], 4000))  # 4,000 raters with habits of their own
    column = np.concatenate([np.ones(6), *(np.repeat([1.0, 2.0], row) for row in drawn)])[:, None]
    rater = np.concatenate([np.zeros(6, dtype=int), np.repeat(np.arange(1, 4001), 30)])
    expected = float(exact.pmf([6, 0]) + exact.pmf([0, 6]))
    assert constant_tails(rater, column, n_raters=4001)[0] == pytest.approx(expected, rel=0.05)


def test_where_raters_use_one_end_of_the_scale_for_good_one_value_is_nothing_special() -> None:
    values = np.concatenate(
        [np.full(5, 5.0), np.tile([5.0, 5.0, 5.0, 5.0, 4.0], 5), np.tile([1.0, 1.0, 1.0, 2.0, 1.0], 4)]
    )
    rater = np.repeat(np.arange(10), 5)
    assert constant_tails(rater, values[:, None], n_raters=10)[0] > 0.2


def test_few_equal_ratings_say_nothing_and_neither_do_dimensions_on_which_all_agree() -> None:
    rater = np.array([0, 0, 0, 0, 1, 1])
    assert np.isnan(constant_tails(rater, np.array([[1], [1], [1], [1], [2], [3.0]]), n_raters=2)).all()
    assert np.isnan(constant_tails(np.zeros(8, dtype=int), np.ones((8, 2)), n_raters=1)).all()


@pytest.mark.parametrize(
    ("sequence", "length"), [([], 0), ([1], 1), ([1, 1, 2, 2, 2, 1], 3), ([1, 2, 3], 1), ([5, 5], 2)]
)
def test_the_longest_run_is_the_long_string(sequence: list[float], length: int) -> None:
    assert longest_run(np.array(sequence, dtype=float)) == length


def test_runs_go_on_from_answer_to_answer_in_their_order() -> None:
    values = np.array([[1, 2, 2], [2, 2, 3], [NAN, 4, 4]], dtype=float)
    rater = np.zeros(3, dtype=int)
    assert longest_runs(rater, values, np.array([1.0, 2.0, 3.0]), n_raters=1)[0] == 4
    assert longest_runs(rater, values, np.array([2.0, 1.0, 3.0]), n_raters=1)[0] == 2
