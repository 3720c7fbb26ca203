"""An anchor set over occasions: states, when, how much, events."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.monitor import Event, Monitoring, analyse_drift
from dialgauge.analyse.monitor.study import find_model_changes
from dialgauge.errors import InputError
from dialgauge.io import from_frame
from dialgauge.model import Ratings, Scale
from dialgauge.stats.estimate import Estimate, Refusal

N, OCCASIONS, REPLICATES, DRIFT = 40, 6, 3, 3


def rate(
    dimension: str,
    *,
    shift: float = 0.0,
    noise: float = 0.3,
    rater: str = "gpt",
    seed: int = 1,
    replicates: int = REPLICATES,
) -> pl.DataFrame:
    rng = np.random.default_rng([seed, len(dimension)])
    i, t, r = (x.ravel() for x in np.indices((N, OCCASIONS, replicates)))
    later = t >= DRIFT
    values = rng.standard_normal(N)[i] + np.where(later, noise, 0.3) * rng.standard_normal(len(i)) + shift * later
    return pl.DataFrame(
        {"target": [f"a{k}" for k in i], "occasion": t, "replicate": r + 1, "value": values}
    ).with_columns(rater=pl.lit(rater), dimension=pl.lit(dimension))


def split(frame: pl.DataFrame, scale: str | Scale = "-9.0:9.0") -> Mapping[str, Ratings]:
    return {
        str(t): from_frame(frame.filter(pl.col("occasion") == t).drop("occasion"), scale=scale, duplicates="replicate")
        for t in sorted(frame["occasion"].unique())
    }


@pytest.fixture(scope="module")
def found() -> Monitoring:
    parts = [rate("calm"), rate("warmth", shift=0.4), rate("patience", noise=1.2)]
    return analyse_drift(split(pl.concat(parts)))


def test_each_dimension_has_the_state_that_was_planted(found: Monitoring) -> None:
    assert {w.dimension: w.state for w in found.watches} == {
        "calm": "steady",
        "warmth": "shifted",
        "patience": "less reliable",
    }
    assert {w.dimension for w in found.alarms} == {"warmth", "patience"}


def test_the_alarm_names_the_occasion_and_the_size_with_an_interval_around_the_truth(found: Monitoring) -> None:
    (warmth,) = [w for w in found.watches if w.dimension == "warmth"]
    assert (warmth.shifted_since, warmth.shift_began, warmth.less_reliable_since) == ("3", "3", None)
    latest = warmth.latest
    assert latest is not None
    assert isinstance(latest.shift, Estimate)
    assert latest.shift.low is not None
    assert latest.shift.high is not None
    assert latest.shift.low < 0.4 < latest.shift.high
    assert warmth.sd is not None
    assert latest.shift_in_sd == pytest.approx(latest.shift.value / warmth.sd)
    assert (latest.p_shift <= 0.05, latest.p_reliability > 0.05) == (True, True)


def test_lost_reliability_has_a_change_below_zero_and_leaves_its_class(found: Monitoring) -> None:
    (patience,) = [w for w in found.watches if w.dimension == "patience"]
    latest = patience.latest
    assert latest is not None
    assert isinstance(latest.change, Estimate)
    assert latest.change.high is not None
    assert latest.change.high < 0.0
    assert latest.class_left
    assert patience.shifted_since is None
    assert not patience.changes[0].class_left or patience.changes[0].p_reliability > 0.05


def test_further_dimensions_only_raise_the_p_values(found: Monitoring) -> None:
    alone = analyse_drift(split(rate("warmth", shift=0.4)))
    (warmth,) = [w for w in found.watches if w.dimension == "warmth"]
    assert all(one.p_shift <= many.p_shift for one, many in zip(alone.watches[0].changes, warmth.changes, strict=True))


def test_one_replicate_shows_shifts_but_no_reliability() -> None:
    (watch,) = analyse_drift(split(rate("warmth", shift=1.0, replicates=1))).watches
    assert watch.state == "shifted"
    assert isinstance(watch.icc, Refusal)
    assert all(isinstance(change.change, Refusal) and change.p_reliability == 1.0 for change in watch.changes)


def test_replicates_beyond_the_least_usual_number_are_not_used() -> None:
    frame = rate("calm")
    fewer = frame.filter((pl.col("occasion") != 4) | (pl.col("replicate") <= 2))
    assert [analyse_drift(split(f)).watches[0].replicates for f in (frame, fewer)] == [3, 2]


def test_too_few_targets_are_not_steady_but_not_enough() -> None:
    few = rate("calm").filter(pl.col("target").is_in([f"a{i}" for i in range(9)]))
    whole = analyse_drift(split(few))
    assert whole.watches[0].state == "not enough"
    assert "at most 9 targets" in whole.watches[0].reason
    assert "unknown is not steady" in whole.findings[0]
    assert analyse_drift(split(few), minimum=5).watches[0].state == "steady"


def test_categories_without_an_order_and_raters_without_a_baseline_are_not_enough() -> None:
    frame = rate("calm").with_columns(value=pl.col("value").sign())
    nominal = analyse_drift(split(frame, Scale(level="nominal", points=(-1, 1, 2))))
    assert "no mean that could shift" in nominal.watches[0].reason
    late = rate("calm", rater="new").filter(pl.col("occasion") > 0)
    both = analyse_drift(split(pl.concat([rate("calm"), late])))
    assert {w.rater: w.state for w in both.watches} == {"gpt": "steady", "new": "not enough"}


def test_one_occasion_shows_no_drift_and_numbers_out_of_range_are_refused() -> None:
    parts = split(rate("calm"))
    with pytest.raises(InputError, match="drift shows from the second one on"):
        analyse_drift({"0": parts["0"]})
    for options in ({"alpha": 0.0}, {"level": 1.0}, {"minimum": 1}):
        with pytest.raises(InputError):
            analyse_drift(parts, **options)


def test_another_version_of_a_model_is_an_event_and_no_alarm() -> None:
    details = pl.DataFrame(
        {
            "rater": ["gpt"] * 4 + ["own"] * 2,
            "occasion": [0, 0, 1, 2, 0, 1],
            "model": ["m"] * 4 + [None] * 2,
            "fingerprint": ["f1", "f1", "f1", "f2", None, None],
        }
    )
    events = find_model_changes(details)
    assert events == (Event("2", "gpt", "answers came from m f2, before from m f1"),)
    whole = analyse_drift(split(rate("calm")), events=events)
    assert not whole.alarms
    assert "no change of its ratings shows" in whole.findings[-1]


def test_ratings_are_counted_over_all_occasions_and_what_holds_for_one_names_it() -> None:
    whole = split(rate("calm"))
    parts = {
        name: replace(part, notes=("Columns are fine.", "Read 9 ratings: 3 targets.")) for name, part in whole.items()
    }
    last = list(parts)[-1]
    parts[last] = replace(parts[last], notes=(*parts[last].notes, "One is missing."))
    n = sum(part.frame.height for part in parts.values())
    assert analyse_drift(parts).notes == (
        "Columns are fine.",
        f"Occasion '{last}': One is missing.",
        f"Read {n:,} ratings on {len(parts)} occasions.",
    )
