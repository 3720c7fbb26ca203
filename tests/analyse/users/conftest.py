"""Simulated dialogues by hand: who met whom, how it ended, what was accepted and noticed."""

from collections.abc import Sequence
from datetime import UTC, datetime

from dialgauge.model.simulated import End, Persona, Preference, SimulatedDialogue, SystemTurn, UserTurn
from dialgauge.model.simulation import Mark, Notice, Simulation

STARTED = datetime(2026, 1, 1, tzinfo=UTC)


def met(
    persona: str = "p1",
    preference: str = "q1",
    *,
    system: str = "s",
    replicate: int = 1,
    accepts: str | None = None,
    ended: End | None = None,
    turns: int = 2,
    marks: Sequence[Mark] = (),
    failure: str | None = None,
    hit: bool = False,
) -> Simulation:
    """Return a dialogue of ``turns`` replies; with ``accepts`` its last user turn takes that item ("t" fits)."""
    said: list[UserTurn | SystemTurn] = [UserTurn(text="hello")]
    for number in range(1, turns + 1):
        said += [SystemTurn(text=f"reply {number}", ranking=("t" if hit else "x",)), UserTurn(text=f"answer {number}")]
    if accepts is not None:
        said[-1] = UserTurn(text="yes", accepting=True, accepts=accepts or None, accepts_title="A film")
    dialogue = SimulatedDialogue(
        id="/".join((system, persona, preference, str(replicate))),
        system=system,
        persona=Persona(id=persona, emotion="trust", age="adults"),
        preference=Preference(id=preference, attributes=("drama",)),
        targets=("t", "u"),
        turns=tuple(said),
        ended=ended or ("turn limit" if accepts is None else "accepted"),
        failure=failure,
    )
    notices = tuple(Notice(mark=mark, turn=1) for mark in marks)
    return Simulation(
        dialogue=dialogue, users="hand", replicate=replicate, seed=1, started=STARTED, seconds=0.1, notices=notices
    )
