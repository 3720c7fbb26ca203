"""Many looks and many things to look at: the guarantee, by algebra and by simulation with planted drift."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import InputError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import Floats
from dialgauge.stats.monitor.parts import Evidence, reliability_evidence, shift_evidence
from dialgauge.stats.monitor.sequence import accumulate_evidence, adjust_holm, to_p

OCCASIONS, TARGETS, REPLICATES, ALPHA = 12, 25, 3, 0.2


def draw(seed: int, *, shift: float = 0.0, noise: float = 1.0, begin: int = 4) -> Floats:
    """Return ratings on 1 to 5, skewed noise, of an anchor set that drifts from occasion ``begin`` on."""
    rng = child_rng(seed, "anchor set")
    error = 0.4 * (rng.exponential(size=(TARGETS, OCCASIONS + 1, REPLICATES)) - 1.0)
    error[:, begin:] *= noise
    y = 3.0 + rng.standard_normal((TARGETS, 1, 1)) + error
    y[:, begin:] += shift
    return np.clip(np.round(y, 1), 1.0, 5.0)


def first_alarm(cube: Floats, *, lost: bool = False) -> int | None:
    find = reliability_evidence if lost else shift_evidence
    path = accumulate_evidence([find(cube[:, : t + 1]).log_e for t in range(1, cube.shape[1])])
    return next((t + 1 for t, value in enumerate(path) if to_p(float(value)) <= ALPHA), None)


def test_the_weights_of_all_occasions_add_up_to_one() -> None:
    assert math.exp(accumulate_evidence(np.zeros(9_999))[-1]) == pytest.approx(1.0 - 1.0 / 10_000.0)


@given(st.lists(st.floats(-20.0, 20.0), min_size=1, max_size=20))
def test_evidence_never_falls_and_is_the_weighted_sum(logs: list[float]) -> None:
    path = accumulate_evidence(logs)
    assert (np.diff(path) >= 0.0).all()
    total = sum(math.exp(log) / (s * (s + 1)) for s, log in enumerate(logs, start=1))
    assert path[-1] == pytest.approx(math.log(total), abs=1e-9)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12))
def test_holm_is_that_of_the_textbook(p: list[float]) -> None:
    n = len(p)
    ordered = sorted(p)
    expected = [max(min((n - j) * ordered[j], 1.0) for j in range(i + 1)) for i in range(n)]
    assert sorted(adjust_holm(p)) == pytest.approx(sorted(expected))
    assert all(after >= before for before, after in zip(p, adjust_holm(p), strict=True))


@pytest.mark.parametrize("lost", [False, True])
def test_without_drift_the_share_of_false_alarms_on_any_occasion_is_within_the_stated_bound(lost: bool) -> None:
    """The bound is 20 %; 60 runs of 12 occasions with one noisy baseline each would show 32 % with probability .01."""
    alarms = [first_alarm(draw(seed), lost=lost) is not None for seed in range(60)]
    assert np.mean(alarms) <= ALPHA + 2.33 * math.sqrt(ALPHA * (1 - ALPHA) / 60)


def test_a_planted_shift_is_found_soon_after_it_begins_and_not_before() -> None:
    found = [first_alarm(draw(seed, shift=0.5)) for seed in range(20)]
    assert all(alarm is not None and alarm >= 4 for alarm in found)
    assert np.median([alarm for alarm in found if alarm is not None]) <= 5


def test_planted_noise_is_found_as_lost_reliability() -> None:
    found = [first_alarm(draw(seed, noise=3.0), lost=True) for seed in range(20)]
    assert sum(alarm is not None and alarm >= 4 for alarm in found) >= 18


def test_a_shift_alone_is_not_taken_for_lost_reliability() -> None:
    assert sum(first_alarm(draw(seed, shift=0.5), lost=True) is not None for seed in range(20)) <= 4


def test_a_model_that_gives_one_value_to_all_has_lost_its_reliability() -> None:
    rng = np.random.default_rng(2)
    cube = 3.0 + rng.standard_normal((60, 1, 1)) + 0.3 * rng.standard_normal((60, 3, 3))
    cube[:, 2] = 3.0 + 0.3 * rng.standard_normal((60, 3))
    assert reliability_evidence(cube).log_e > math.log(1000)


def test_the_window_tells_how_long_the_change_has_lasted() -> None:
    cube = draw(1, shift=0.3, begin=9)
    assert shift_evidence(cube).window in {2, 4}


def test_gaps_leave_out_their_targets_and_too_few_targets_are_no_evidence() -> None:
    cube = draw(1, shift=2.0)
    cube[5:, 3, 0] = np.nan
    cube[:, 2] = np.nan
    assert shift_evidence(cube[:, :3]) == Evidence(0.0, 1)
    assert shift_evidence(cube[:, :5]).log_e > 5.0
    cube[1:] = np.nan
    assert shift_evidence(cube).log_e == pytest.approx(0.0, abs=1e-12)


def test_reliability_needs_two_replicates() -> None:
    with pytest.raises(InputError, match="two replicates"):
        reliability_evidence(draw(1)[:, :, :1])
