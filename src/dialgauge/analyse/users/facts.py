"""What is counted of each simulated dialogue, and what its rows are sampled from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dialgauge.model.simulation import Simulation
from dialgauge.stats.abilities.counting import first_turn
from dialgauge.stats.abilities.twoway import Crossing
from dialgauge.stats.arrays import Codes
from dialgauge.stats.estimate import Refusal

FEWEST_CLUSTERS = 6
"""Personas or preferences below which they are too few to stand for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What counts of one dialogue: who met whom, how it ended, and what was noticed."""

    users: str
    system: str
    persona: str
    preference: str
    end: str
    accepted: bool
    obeys: bool
    unrecommended: bool
    premature: bool
    repeats: bool
    goodbyes: bool
    broken: bool
    turns: int
    success: bool

    @property
    def failed(self) -> bool:
        """Whether either side broke down."""
        return self.end == "failed"

    @property
    def combination(self) -> tuple[str, str, str]:
        """System, persona and preference."""
        return self.system, self.persona, self.preference


def look_at(simulations: Iterable[Simulation]) -> list[Fact]:
    """Return what counts of each dialogue, from what was recorded."""
    return [_look_at(simulation) for simulation in simulations]


def _look_at(simulation: Simulation) -> Fact:
    dialogue = simulation.dialogue
    marks = {notice.mark for notice in simulation.notices}
    targets, replies = frozenset(dialogue.targets), dialogue.system_turns
    accepting = next((turn for turn in dialogue.user_turns if turn.accepting), None)
    unrecommended = accepting is not None and "accepted unrecommended" in marks
    hit = first_turn([bool(turn.ranking) and turn.ranking[0] in targets for turn in replies])
    return Fact(
        users=simulation.users,
        system=dialogue.system,
        persona=dialogue.persona.id,
        preference=dialogue.preference.id,
        end=dialogue.ended,
        accepted=accepting is not None,
        obeys=accepting is not None and accepting.accepts in targets,
        unrecommended=unrecommended,
        premature=unrecommended and len(replies) == 1,
        repeats="user repeats" in marks,
        goodbyes="goodbyes" in marks,
        broken=dialogue.ended == "failed" and (dialogue.failure or "").startswith("user"),
        turns=len(replies),
        success=hit is not None,
    )


def find_clusters(facts: Sequence[Fact]) -> tuple[Crossing, str] | Refusal:
    """Return what ``facts`` are sampled from, and its name.

    Personas and preferences, where there are at least six of both; else that of which there are six; else their
    combinations. Fewer than six of these are refused.
    """
    personas = encode([fact.persona for fact in facts])
    preferences = encode([fact.preference for fact in facts])
    cells = encode([(fact.persona, fact.preference) for fact in facts])
    n_personas, n_preferences, n_cells = (np.unique(codes).size for codes in (personas, preferences, cells))
    if min(n_personas, n_preferences) >= FEWEST_CLUSTERS:
        return Crossing(personas, preferences), "personas and preferences"
    if n_personas >= FEWEST_CLUSTERS:
        return Crossing(personas, personas), "personas, these preferences only"
    if n_preferences >= FEWEST_CLUSTERS:
        return Crossing(preferences, preferences), "preferences, these personas only"
    if n_cells >= FEWEST_CLUSTERS:
        return Crossing(cells, cells), "combinations of these personas and preferences"
    return Refusal(
        f"it has {n_cells} of the {FEWEST_CLUSTERS} combinations of persona and preference that it needs",
        "simulate with more personas and preferences",
    )


def encode(names: Sequence[object]) -> Codes:
    """Return the code of each name, 0, 1, 2, ... in the order in which they come."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)
