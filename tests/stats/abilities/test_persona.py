"""The variance of personas."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.abilities import Crossing
from dialgauge.stats.abilities.persona import persona_variance


def test_dialogues_that_share_no_preference_have_the_one_way_variance_of_lme4(shared: Path) -> None:
    data = pl.read_csv(shared / "reference/stats/Dyestuff.csv")
    _, batch = np.unique(data["Batch"].to_numpy(), return_inverse=True)
    found = persona_variance(data["Yield"].to_numpy().astype(float), Crossing(batch, np.arange(len(batch))))
    # lme4, one-way REML of Dyestuff with its profile interval
    assert found.share.value == pytest.approx(0.4184874, abs=1e-6)
    assert (found.share.low, found.share.high) == pytest.approx((0.0686137, 0.8187499), abs=1e-5)
    assert found.preference is None
    assert found.share.covers == "personas"


def test_connected_personas_and_preferences_have_the_crossed_variances_of_lme4(shared: Path) -> None:
    data = pl.read_csv(shared / "reference/stats/Penicillin.csv")
    _, plate = np.unique(data["plate"].to_numpy(), return_inverse=True)
    _, sample = np.unique(data["sample"].to_numpy(), return_inverse=True)
    found = persona_variance(data["diameter"].to_numpy().astype(float), Crossing(plate, sample))
    # lme4: standard deviations of plate, sample and residual
    deviations = [0.8467, 1.9316, 0.5499]
    assert found.preference is not None
    assert np.sqrt([found.persona, found.preference, found.residual]) == pytest.approx(deviations, abs=1e-4)
    assert found.share.covers == "personas and preferences"


@pytest.mark.parametrize("personas", [[0, 1, 2], [0, 0, 0]])
def test_personas_that_cannot_be_compared_are_refused(personas: list[int]) -> None:
    with pytest.raises(CannotEstimateError, match="fewer than two personas"):
        persona_variance(np.array([1.0, 2.0, 3.0]), Crossing(np.array(personas), np.array([0, 1, 2])))


@pytest.mark.parametrize(("who", "share"), [("persona", 1.0), ("preference", 0.0)])
def test_a_value_that_persona_or_preference_alone_determines_is_all_or_nothing_without_an_interval(
    who: str, share: float
) -> None:
    persona, preference = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    values = np.array([1.0, 0.0, 1.0, 1.0])[persona if who == "persona" else preference]
    found = persona_variance(values, Crossing(persona, preference))
    assert (found.share.value, found.share.low, found.share.flags) == (share, None, ("no_interval",))
    parts = {"persona": found.persona, "preference": found.preference}
    own = [1.0, 0.0, 1.0, 1.0] if who == "persona" else [1.0, 0.0, 1.0]
    assert parts.pop(who) == pytest.approx(np.var(own, ddof=1))
    assert list(parts.values()) == [0.0]


def test_where_nothing_varies_there_is_no_share() -> None:
    with pytest.raises(CannotEstimateError):
        persona_variance(np.ones(12), Crossing(np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)))
