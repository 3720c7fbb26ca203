"""Simulated studies of repeated measurement."""

import numpy as np
import pytest

from dialgauge.errors import InputError
from dialgauge.simulate.retest import REPEAT_PROFILES, RepeatProfile, generate_retest_study


def test_the_same_seed_gives_the_same_study_and_another_seed_another() -> None:
    first, again, other = (generate_retest_study(seed=seed, n_targets=10) for seed in (1, 1, 2))
    assert first.same_ratings(again)
    assert not first.same_ratings(other)


def test_every_rater_rates_every_target_in_every_replicate() -> None:
    ratings = generate_retest_study(seed=1, n_targets=10, n_replicates=3)
    assert ratings.frame.height == len(REPEAT_PROFILES) * 3 * 10 * 3
    assert ratings.frame.select("target", "rater", "dimension", "replicate").is_unique().all()


def test_values_lie_on_their_scales_and_missing_ones_have_a_reason() -> None:
    ratings = generate_retest_study(seed=1, n_targets=50, missing_share=0.1)
    for name in ratings.dimensions:
        values = ratings.of(name)["value"].drop_nulls().to_numpy()
        assert ratings.scale_for(name).contains(values).all()
    assert ratings.n_missing / ratings.frame.height == pytest.approx(0.1, abs=0.02)
    assert set(ratings.frame["missing"].drop_nulls()) == {"unparsed"}


def test_the_repeated_part_has_its_share_of_the_variance() -> None:
    ratings = generate_retest_study([RepeatProfile("d", "g", 0.8, shared=0.5)], seed=1, n_targets=4000)
    first, second = (
        ratings.frame.filter(rater="model-a", replicate=replicate)["value"].to_numpy() for replicate in (1, 2)
    )
    other = ratings.frame.filter(rater="model-b", replicate=1)["value"].to_numpy()
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.8, abs=0.03)
    assert np.corrcoef(first, other)[0, 1] == pytest.approx(0.4, abs=0.06)


@pytest.mark.parametrize("options", [{"n_targets": 1}, {"missing_share": 1.0}, {"raters": ()}, {"raters": ("a",)}])
def test_a_study_that_cannot_be_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        generate_retest_study(seed=1, **options)  # type: ignore[arg-type]
