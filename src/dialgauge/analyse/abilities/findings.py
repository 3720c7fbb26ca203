"""Sentences that change what one may conclude from measures and abilities."""

from collections.abc import Iterator, Mapping, Sequence

from dialgauge.analyse.abilities.dialogues import SUCCESSES, Facts
from dialgauge.analyse.abilities.records import SystemAbilities
from dialgauge.stats.abilities.formulas import FORMULAS
from dialgauge.stats.estimate import Estimate

_SEVERAL = frozenset(formula.name for formula in FORMULAS.values() if len(formula.measures) > 1)

FEW_PER_PERSONA = 5.0
"""Below so many dialogues of a persona the range over personas is mostly chance."""

NOTICEABLE = 0.05
"""Beyond this share of successes that hang on an everyday word, they are spoken of."""


def find_failed(systems: Sequence[SystemAbilities], without: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the findings on systems that failed; none of the dialogues of the systems ``without`` counts."""
    return tuple(_find_failed(systems, without))


def _find_failed(systems: Sequence[SystemAbilities], without: Sequence[str]) -> Iterator[str]:
    if dead := [s.system for s in systems if s.n_failed == s.n_dialogues]:
        yield f"{', '.join(dead)}: all dialogues failed by the system, so none was accepted."
    some = [f"{s.system} in {s.n_failed} of {s.n_dialogues}" for s in systems if 0 < s.n_failed < s.n_dialogues]
    if some:
        yield (
            f"Systems failed in dialogues: {', '.join(some)}. These count as not accepted, and as not successful "
            "unless success came before."
        )
    if without:
        yield (
            f"{', '.join(without)}: all dialogues failed, and not by the system, so nothing is known of what it can "
            "do; simulate them again."
        )


def find_everyday(facts: Mapping[str, Sequence[Facts]]) -> tuple[str, ...]:
    """Return the finding on successes in conversation that hang on a title like "It" or "Up" in plain speech."""
    last, said = SUCCESSES[-1], []
    for system, own in facts.items():
        hits = [fact for fact in own if fact.conversation is not None and fact.conversation <= last]
        bare = [f for f in hits if f.conversation_surely is None or f.conversation_surely > last]
        if len(bare) > NOTICEABLE * len(hits):
            said.append(f"{system} {len(bare)} of {len(hits)}")
    if not said:
        return ()
    sentence = (
        "Success in conversation that rests on an everyday word alone, said without quotation marks or a year (such as "
        f'"it"): {", ".join(said)}. The system may not have meant the title.'
    )
    return (sentence,)


def say_unknown_ids(facts: Mapping[str, Sequence[Facts]]) -> tuple[str, ...]:
    """Return a note for each system whose rankings have ids that the catalogue does not."""
    counts = {name: (sum(f.unknown for f in own), sum(f.ranked for f in own)) for name, own in facts.items()}
    return tuple(
        f"{name}: {unknown:,} of {ranked:,} ids in rankings ({unknown / ranked:.1%}) are not in the catalogue; "
        "they count as items that do not fit."
        for name, (unknown, ranked) in counts.items()
        if unknown
    )


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
    bare = [
        f"{s.system} ({a.name.replace('_', ' ')}: {a.result.method.partition(': ')[2]})"
        for s in systems
        for a in s.abilities
        if isinstance(a.result, Estimate) and a.result.low is None and a.name in _SEVERAL
    ]
    if bare:
        yield f"Abilities without an interval, as a part has none: {', '.join(bare)}. Rate or simulate more dialogues."
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
