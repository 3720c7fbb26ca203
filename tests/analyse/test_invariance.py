"""What must not change a reliability."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.results import DimensionReliability
from dialgauge.io import from_frame
from dialgauge.model import Ratings

from .conftest import ends, known
from .test_refusals import grid

Maker = Callable[..., Ratings]
few = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


def numbers(d: DimensionReliability) -> list[float]:
    estimates = (d.rel_single, d.rel_k, d.icc1, d.icc1_k, d.icc1_anova, d.alpha_ordinal, d.alpha_interval)
    return [x for e in estimates for x in (known(e).value, *ends(e))]


@few
@given(seed=st.integers(0, 1000))
def test_shuffled_rows_and_new_labels_give_the_same_numbers(table: Maker, seed: int) -> None:
    rows = grid(15, 6, seed=seed)
    rng = np.random.default_rng(seed)
    names = {f"r{i}": f"person {j}" for i, j in enumerate(rng.permutation(6))}
    moved = [(f"x{t}", names[r], y) for t, r, y in (rows[i] for i in rng.permutation(len(rows)))]
    (one,), (two,) = (analyse_reliability(table(r)).dimensions for r in (rows, moved))
    assert numbers(two) == pytest.approx(numbers(one), abs=1e-6)


@few
@given(seed=st.integers(0, 1000))
def test_the_same_ratings_on_a_stretched_scale_give_the_same_reliabilities(table: Maker, seed: int) -> None:
    rows = grid(15, 6, seed=seed)
    stretched = [(t, r, None if y is None else 10 * y + 5) for t, r, y in rows]
    (one,) = analyse_reliability(table(rows)).dimensions
    (two,) = analyse_reliability(table(stretched, scale="15:55")).dimensions
    assert numbers(two) == pytest.approx(numbers(one), abs=1e-6)


def test_identical_duplicates_merged_by_any_policy_give_the_numbers_of_the_clean_table(table: Maker) -> None:
    rows = grid(15, 6)
    doubled = [*rows, *rows[:7]]
    (clean,) = analyse_reliability(table(rows)).dimensions
    for policy in ("first", "last", "mean"):
        (d,) = analyse_reliability(table(doubled, duplicates=policy)).dimensions
        assert numbers(d) == pytest.approx(numbers(clean), abs=1e-9), policy


def test_missing_rows_and_empty_cells_give_the_same_numbers(table: Maker) -> None:
    # cases.md, lme4 #158: the same result as after dropping the missing
    rows = grid(15, 6)
    holed = [(t, r, None if i % 11 == 0 else y) for i, (t, r, y) in enumerate(rows)]
    dropped = [row for row in holed if row[2] is not None]
    (one,), (two,) = (analyse_reliability(table(r)).dimensions for r in (holed, dropped))
    assert numbers(one) == numbers(two)


def test_dimensions_with_different_holes_do_not_disturb_each_other() -> None:
    rows = [(t, r, y, 6 - y if i % 5 else None) for i, (t, r, y) in enumerate(grid(15, 6)) if y is not None]
    wide = pl.DataFrame(rows, schema=["target", "rater", "a", "b"], orient="row")
    both = analyse_reliability(from_frame(wide, scale="1:5", dimensions=["a", "b"]))
    alone = analyse_reliability(from_frame(wide.drop("b"), scale="1:5", dimensions=["a"]))
    (a,) = [d for d in both.dimensions if d.name == "a"]
    assert replace(a, findings=()) == replace(alone.dimensions[0], findings=())


def test_a_large_offset_with_small_differences_gives_the_same_numbers(table: Maker) -> None:
    rng = np.random.default_rng(4)
    small = np.round(rng.random((20, 6)) * 8 + 4 * rng.random((20, 1))) * 2.0**-20  # exact beside the offset, too
    near, far = (
        table([(f"d{t}", f"r{r}", offset + small[t, r]) for t in range(20) for r in range(6)], scale=scale)
        for offset, scale in ((0.0, "0.0:1.0"), (2.0**30, "0.0:2e9"))
    )
    (one,), (two,) = (analyse_reliability(ratings).dimensions for ratings in (near, far))
    assert numbers(two) == pytest.approx(numbers(one), abs=1e-5)
