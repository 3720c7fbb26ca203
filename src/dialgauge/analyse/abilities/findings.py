"""Sentences that change what one may conclude from measures and abilities."""

from collections.abc import Iterator, Sequence

from dialgauge.analyse.abilities.records import SystemAbilities
from dialgauge.stats.estimate import Estimate

FEW_PER_PERSONA = 5.0
"""Below so many dialogues of a persona the range over personas is mostly chance."""


def find(systems: Sequence[SystemAbilities], *, made_up: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the findings, those on all systems first; ``made_up`` are raters whose ratings do not count."""
    return tuple(_find(systems, made_up))


def _find(systems: Sequence[SystemAbilities], made_up: Sequence[str]) -> Iterator[str]:
    if made_up:
        yield (
            f"The ratings by {', '.join(made_up)} are made up: a fake model gave them, to try the way out. They mean "
            "nothing, and no measure or ability here rests on them."
        )
    if names := [s.system for s in systems if s.deceptive_basis == "as published" and _accepts(s)]:
        yield (
            f"{', '.join(names)}: no accepted item is recorded, so the deceptive share is the published one: "
            "acceptances whose words name no title that fits, those that name none among them."
        )
    if names := [s.system for s in systems if not _accepts(s)]:
        yield (
            f"{', '.join(names)}: no recommendation was accepted, so nothing is known of deceptive tactics; "
            "that is not a share of zero."
        )
    spreads = [spread for s in systems for spread in s.coordination.spreads]
    if spreads and min(spread.per_persona for spread in spreads) < FEW_PER_PERSONA:
        least = min(spread.per_persona for spread in spreads)
        yield (
            f"Coordination rests on {least:.1f} dialogues per persona: a range over so few is mostly "
            "chance and grows with the number of personas. Read the variance of personas, with its interval."
        )
    bounded = [
        f"{s.system} ({ability.name.replace('_', ' ')})"
        for s in systems
        for ability in s.abilities
        if not hasattr(ability.persona, "reason") and "boundary" in ability.persona.share.flags
    ]
    if bounded:
        said = ", ".join(bounded)
        yield f"No variance of personas beyond chance: {said}. Its upper limit says how much there may be."


def _accepts(system: SystemAbilities) -> bool:
    found = system.measure("acceptance")
    return found is not None and isinstance(found.result, Estimate) and found.result.value > 0.0
