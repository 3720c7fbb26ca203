"""Planned designs and the assignment of raters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import InputError
from dialgauge.stats.design import detect
from dialgauge.stats.plan import Layout, assign


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    n_targets, per_target = draw(st.integers(2, 40)), draw(st.integers(2, 6))
    n_raters = draw(st.integers(per_target, min(60, n_targets * per_target)))
    return Layout(n_targets, n_raters, per_target, draw(st.integers(1, 3)))


@given(layout=layouts(), seed=st.integers(0, 1000))
def test_every_target_has_its_raters_and_the_raters_share_the_work_evenly(layout: Layout, seed: int) -> None:
    target, rater = assign(layout, seed=seed)
    cells, per_cell = np.unique(np.stack([target, rater]), axis=1, return_counts=True)
    load = np.bincount(cells[1], minlength=layout.n_raters)
    assert len(target) == layout.n_ratings
    assert (per_cell == layout.replicates).all()
    assert (np.bincount(cells[0], minlength=layout.n_targets) == layout.per_target).all()
    assert load.max() - load.min() <= 1
    assert load.mean() == pytest.approx(layout.load)
    assert detect(target, rater).kind == "nested" if layout.nested else load.max() > 1


def test_the_assignment_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    layout = Layout(30, 12, 4)
    one, again, other = (assign(layout, seed=seed)[1] for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_the_assignment_is_connected_where_it_can_be() -> None:
    assert all(detect(*assign(Layout(12, 8, 2), seed=seed)).connected for seed in range(50))


def test_where_everybody_rates_everything_the_design_is_complete() -> None:
    assert detect(*assign(Layout(7, 4, 4), seed=0)).kind == "complete"


@pytest.mark.parametrize("numbers", [(1, 5, 2), (10, 5, 1), (10, 3, 4), (10, 5, 2, 0), (2, 5, 2), (10.5, 5, 2)])
def test_impossible_designs_are_refused(numbers: tuple[int, ...]) -> None:
    with pytest.raises(InputError):
        Layout(*numbers)
