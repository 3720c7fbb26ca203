"""Ratings by a fake model never become a measure or an ability."""

from dataclasses import replace

import polars as pl
from tests.analyse.abilities.examples import CATALOGUE, RATED, make_dialogues, make_ratings

from dialgauge.analyse.abilities import Abilities, analyse_abilities
from dialgauge.model.ratings import Ratings
from dialgauge.stats.estimate import Estimate, Refusal

DIALOGUES = make_dialogues()


def analyse(ratings: Ratings, *made_up: str) -> Abilities:
    return analyse_abilities(DIALOGUES, CATALOGUE, ratings=ratings, made_up=made_up)


def beside(ratings: Ratings, name: str, value: float) -> Ratings:
    """Return the ratings with those of a further rater, who always gives ``value``."""
    other = ratings.frame.with_columns(rater=pl.lit(name), value=pl.lit(value))
    return replace(ratings, frame=pl.concat([ratings.frame, other]))


def test_where_all_ratings_are_made_up_what_rests_on_them_is_refused_and_that_is_said() -> None:
    found = analyse(make_ratings(RATED, DIALOGUES), "r")
    (system,) = found.systems
    for name in ("cooperation", "social_awareness", "identity"):
        result = system.ability(name).result
        assert isinstance(result, Refusal)
        assert "made up, by a fake model" in result.reason
    assert isinstance(system.ability("quality").result, Estimate)
    assert "The ratings by r are made up" in found.findings[0]
    assert found.made_up == ("r",)


def test_beside_a_real_rater_those_that_are_made_up_change_nothing() -> None:
    real = make_ratings(RATED, DIALOGUES)
    alone, found = analyse(real), analyse(beside(real, "fake", 5.0), "fake")
    assert found.systems[0].abilities == alone.systems[0].abilities
    assert found.systems[0].measures == alone.systems[0].measures
    assert "The ratings by fake are made up" in found.findings[0]
    assert not alone.made_up


def test_a_fake_model_that_rated_nothing_is_not_spoken_of() -> None:
    assert analyse(make_ratings(RATED, DIALOGUES), "fake").made_up == ()
