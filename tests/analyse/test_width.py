"""An interval of alpha that leaves nearly everything open is said to tell nothing."""

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.agreement import analyse_agreement
from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.width import say_wide
from dialgauge.io import from_frame
from dialgauge.model import Ratings
from dialgauge.stats.estimate import Estimate


def alpha(low: float | None, high: float | None) -> Estimate:
    flags = ("no_interval",) if low is None else ()
    return Estimate(0.1, low, high, 0.95, "jackknife", "targets and raters", 9, flags)  # type: ignore[arg-type]


def test_an_interval_over_nearly_the_whole_range_says_nothing() -> None:
    interval = "The 95% interval of alpha, −1.000 to .977,"
    said = f"{interval} spans nearly the whole range: these ratings say nothing about alpha."
    assert say_wide(alpha(-1.0, 0.977), "alpha") == [said]


@pytest.mark.parametrize(("low", "high"), [(None, None), (-0.5, 0.9), (0.1, 0.3), (-1.0, 0.4)])
def test_other_intervals_need_no_comment(low: float | None, high: float | None) -> None:
    assert say_wide(alpha(low, high), "alpha") == []


def read(n_targets: int) -> Ratings:
    rng = np.random.default_rng(2)
    rows = [
        {"target": f"t{i}", "rater": r, "calm": int(rng.integers(1, 6))} for i in range(n_targets) for r in ("a", "b")
    ]
    return from_frame(pl.DataFrame(rows), target="target", rater="rater", dimensions="calm", scale="1:5")


def test_agreement_and_reliability_comment_on_it_for_few_targets_and_not_for_many() -> None:
    few, many = read(4), read(300)
    for ratings, wide in ((few, True), (many, False)):
        found = [d.findings for d in analyse_agreement(ratings).dimensions]
        found += [d.findings for d in analyse_reliability(ratings).dimensions]
        assert found
        assert all(any("spans nearly the whole range" in one for one in findings) is wide for findings in found)
