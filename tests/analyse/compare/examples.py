"""Dialogues and ratings of systems whose differences are known or can be worked out by hand."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from tests.analyse.abilities.examples import COMEDY, DRAMA, make_dialogue

from dialgauge.model.ratings import RATING_SCHEMA, Ratings
from dialgauge.model.scale import Scale
from dialgauge.model.simulated import Persona, SimulatedDialogue


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """Ratings with the system, persona and preference of each target; ``values`` has the shape of the design."""

    ratings: Ratings
    systems: dict[str, str]
    personas: dict[str, str]
    preferences: dict[str, str]


def make_values(
    means: Sequence[float], *, n_personas: int = 8, n_preferences: int = 6, n_raters: int = 1, seed: int = 3
) -> np.ndarray[tuple[int, int, int, int], np.dtype[np.float64]]:
    """Return values of shape (system, persona, preference, rater) in which every part of the model varies."""
    rng = np.random.default_rng(seed)
    shape = (len(means), n_personas, n_preferences, n_raters)
    values = np.array(means)[:, None, None, None] + np.zeros(shape)
    values = values + 0.6 * rng.normal(size=(1, n_personas, 1, 1)) + 0.6 * rng.normal(size=(1, 1, n_preferences, 1))
    values = values + 0.5 * rng.normal(size=(len(means), n_personas, 1, 1))
    values = values + 0.5 * rng.normal(size=(len(means), 1, n_preferences, 1))
    values = values + 0.5 * rng.normal(size=(1, 1, 1, n_raters)) + 0.3 * rng.normal(size=(*shape[:3], 1))
    return values + 0.4 * rng.normal(size=shape)


def make_rated(
    values: np.ndarray[tuple[int, int, int, int], np.dtype[np.float64]],
    *,
    names: Sequence[str] = ("one", "two", "three", "four"),
    scale: Scale | None = None,
    dimension: str = "trust",
    own_users: bool = False,
) -> Rated:
    """Return one rating for each of ``values``; with ``own_users`` no system shares its personas with another."""
    rows: list[dict[str, object]] = []
    systems, personas, preferences = {}, {}, {}
    for s, p, q, r in np.ndindex(*values.shape):
        target = f"{names[s]}-{p}-{q}"
        systems[target] = names[s]
        personas[target] = f"{names[s]}{p}" if own_users else f"p{p}"
        preferences[target] = f"q{q}"
        cell = {"target": target, "rater": f"r{r}", "dimension": dimension, "replicate": 1}
        rows.append({**cell, "value": float(values[s, p, q, r]), "missing": None, "row": len(rows) + 2})
    frame = pl.DataFrame(rows, schema=dict(RATING_SCHEMA))
    ratings = Ratings(frame, {dimension: scale or Scale(level="interval", low=-20.0, high=20.0)})
    return Rated(ratings, systems, personas, preferences)


def make_dialogues(
    system: str, *, accepts: Sequence[bool], n_personas: int = 12, failed: int = 0
) -> list[SimulatedDialogue]:
    """Return a dialogue of each persona with each of two preferences; ``accepts`` is gone through again and again.

    The first ``failed`` dialogues broke down.
    """
    found: list[SimulatedDialogue] = []
    for p in range(n_personas):
        persona = Persona(id=str(p), emotion="trust", age="adults")
        for preference, title, item in ((DRAMA, '"Quiet Harbour"', "1"), (COMEDY, '"Zebra Parade"', "3")):
            number = len(found)
            hit = accepts[number % len(accepts)]
            replies = [("Hello!", "5"), (f"Try {title}.", item)] if hit else [("Hello!", "5"), ("No.", "52")]
            found.append(
                make_dialogue(
                    number,
                    persona,
                    preference,
                    replies=replies,
                    accepts=item if hit else None,
                    ended="failed" if number < failed else None,
                    system=system,
                )
            )
    return found
