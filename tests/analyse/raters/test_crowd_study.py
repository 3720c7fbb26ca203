"""The raters of the published crowd study, as a guard: a change here is a change of method."""

from pathlib import Path

import pytest

from dialgauge.analyse.raters import RaterReport, analyse_raters
from dialgauge.analyse.raters.parts import Severity
from dialgauge.io.extras import read_with_extras
from dialgauge.stats.estimate import Estimate

from .conftest import rater_of, rules_of


@pytest.fixture(scope="module")
def study(shared: Path) -> RaterReport:
    ratings, extras = read_with_extras(
        shared / "data/crs_que_redial/annotations.csv",
        seconds="time_spent",
        order="timestamp",
        target="dialogue_id",
        rater="participant_id",
        instrument="crs_que",
        where="is_gold_standard == 0",
    )
    return analyse_raters(ratings, seconds=extras.seconds, order=extras.order)


def test_severity_of_accuracy_is_that_of_lme4(study: RaterReport) -> None:
    """lme4 1.1-31, lmer(accuracy ~ 1 + (1|dialogue_id) + (1|participant_id)), ranef(condVar = TRUE)."""
    expected = {
        "P003": (-0.91416450552068, 0.235699826876),
        "P005": (-0.00942169962734, 0.236098155493),
        "P146": (-0.34985020432059, 0.235536523416),
    }
    for name, (effect, se) in expected.items():
        found = rater_of(study, name).severities["accuracy"]
        assert isinstance(found, Severity)
        assert found.estimate.value == pytest.approx(effect, abs=2e-6)
        assert found.se_known_mean == pytest.approx(se, abs=2e-6)


def test_a_quarter_of_the_variance_of_a_rating_is_severity(study: RaterReport) -> None:
    assert study.norms.rater_share == pytest.approx(0.249, abs=0.001)
    assert study.norms.seconds == 116.0


def test_few_raters_are_worth_a_look_for_more_than_severity_and_nothing_hangs_on_them(study: RaterReport) -> None:
    assert study.but_severe is not None
    assert set(study.but_severe.raters) == {"P122", "P106", "P144", "P132", "P093", "P103", "P075"}
    assert all(change.within for change in study.but_severe.changes)
    assert all(before == after for before, after in (change.band for change in study.but_severe.changes))


def test_the_rater_who_spread_values_evenly_scatters_most_but_one(study: RaterReport) -> None:
    found = rater_of(study, "P144")
    assert isinstance(found.consistency, Estimate)
    assert found.consistency.value == pytest.approx(2.67, abs=0.01)
    assert found.use[0].entropy > 0.95
    assert rules_of(study, "P144") == {"noise"}
