"""Plans to show: nothing known, targets only, a design with costs and simulation, and one from a pilot."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.planning import PlanOptions, StudyPlan, plan_study
from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.results import DimensionReliability
from dialgauge.io import from_frame
from dialgauge.stats.components import Components
from dialgauge.stats.dstudy import Costs

TYPICAL = Components(target=0.35, rater=0.15, residual=0.5)

HOSTILE = "<script>alert(1)</script> a & b_c $x^2$ 100% #1 {y} ~ \\z \x1b[31mred\x07\u202egnp"
"""A name that could break HTML, LaTeX and terminals."""


@pytest.fixture(scope="package")
def bare() -> StudyPlan:
    return plan_study(PlanOptions())


@pytest.fixture(scope="package")
def sized() -> StudyPlan:
    """Return the design of the published study of ReDial, nothing assumed."""
    return plan_study(PlanOptions(targets=200, per_target=5))


@pytest.fixture(scope="package")
def full() -> StudyPlan:
    options = PlanOptions(
        targets=60,
        raters=20,
        per_target=4,
        components=TYPICAL,
        width=0.2,
        costs=Costs(0.5, 10, 2),
        simulate=6,
        points=5,
        seed=3,
    )
    return plan_study(options)


@pytest.fixture(scope="package")
def pilot() -> DimensionReliability:
    """Return the dimension "warmth" of 30 targets, each rated by the same 6 raters."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=(30, 1)) + 0.5 * rng.normal(size=(1, 6)) + 1.2 * rng.normal(size=(30, 6))
    rows = [
        {"target": f"t{t:02}", "rater": f"r{r}", "warmth": int(np.clip(round(3.0 + y[t, r]), 1, 5))}
        for t in range(30)
        for r in range(6)
    ]
    (dimension,) = analyse_reliability(from_frame(pl.DataFrame(rows), scale="1:5")).dimensions
    return dimension


@pytest.fixture(scope="package")
def piloted(pilot: DimensionReliability) -> StudyPlan:
    return plan_study(PlanOptions(targets=80, raters=20, pilot=pilot, wanted=0.6))


@pytest.fixture(scope="package")
def hostile(pilot: DimensionReliability) -> StudyPlan:
    plan = plan_study(PlanOptions(targets=30, raters=10, pilot=replace(pilot, name=HOSTILE)))
    return replace(plan, notes=(HOSTILE, *plan.notes))
