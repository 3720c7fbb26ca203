"""All checks of the simulated users of a study, from what is recorded of their dialogues."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from dialgauge.analyse.users.facts import Fact, find_clusters, look_at
from dialgauge.analyse.users.records import (
    BROKEN,
    GOODBYES,
    OBEYS,
    PREMATURE,
    REPEATS,
    UNRECOMMENDED,
    UserChecks,
    UserShare,
)
from dialgauge.analyse.users.replicability import count_unreplicated, find_replicability
from dialgauge.analyse.users.rules import judge_users
from dialgauge.model.simulation import Simulation
from dialgauge.stats.abilities.twoway import estimate_share, take_ratio
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.ranges import require_open

_OF_ACCEPTANCES: Mapping[str, Callable[[Fact], bool]] = {
    OBEYS: lambda fact: fact.obeys,
    UNRECOMMENDED: lambda fact: fact.unrecommended,
    PREMATURE: lambda fact: fact.premature,
}

_OF_DIALOGUES: Mapping[str, Callable[[Fact], bool]] = {
    REPEATS: lambda fact: fact.repeats,
    GOODBYES: lambda fact: fact.goodbyes,
    BROKEN: lambda fact: fact.broken,
}


def check_users(simulations: Iterable[Simulation], *, level: float = 0.95) -> UserChecks | None:
    """Return every check of simulated users that ``simulations`` allow, and for the others why; None without any.

    It rests on what is recorded: the items accepted, the targets, how each dialogue ended and what was noticed in it.
    Intervals are for new personas and preferences where there are six of both, else for what there is, which they
    name. Raises InputError for a ``level`` outside (0, 1).
    """
    require_open("level", level, 0.0, 1.0)
    facts = look_at(simulations)
    if not facts:
        return None
    shares = tuple(_find_shares(facts, level=level))
    replicability = find_replicability(facts, level=level)
    checks, not_made = judge_users(shares, replicability)
    return UserChecks(
        level=level,
        users=tuple(dict.fromkeys(fact.users for fact in facts)),
        n_dialogues=len(facts),
        n_failed=sum(fact.failed for fact in facts),
        n_acceptances=sum(fact.accepted for fact in facts),
        n_personas=len({fact.persona for fact in facts}),
        n_preferences=len({fact.preference for fact in facts}),
        unreplicated=count_unreplicated(facts),
        shares=shares,
        replicability=replicability,
        checks=checks,
        not_made=not_made,
    )


def _find_shares(facts: Sequence[Fact], *, level: float) -> Iterator[UserShare]:
    """Yield each share over all systems, then for each of several."""
    systems = sorted({fact.system for fact in facts})
    parts: list[tuple[str | None, Sequence[Fact]]] = [(None, facts)]
    if len(systems) > 1:
        parts += [(system, [fact for fact in facts if fact.system == system]) for system in systems]
    for system, rows in parts:
        accepting = [fact for fact in rows if fact.accepted]
        for check, counts in _OF_ACCEPTANCES.items():
            yield _share(check, system, accepting, counts, "acceptances", level=level)
        for check, counts in _OF_DIALOGUES.items():
            yield _share(check, system, rows, counts, "dialogues", level=level)


def _share(
    check: str,
    system: str | None,
    facts: Sequence[Fact],
    counts: Callable[[Fact], bool],
    counted: Literal["acceptances", "dialogues"],
    *,
    level: float,
) -> UserShare:
    hits = [float(counts(fact)) for fact in facts]
    clusters = find_clusters(facts) if facts else Refusal("nothing was accepted", "simulate more dialogues")
    result = (
        clusters
        if isinstance(clusters, Refusal)
        else estimate_share(take_ratio(hits, [1.0] * len(hits)), clusters[0], covers=clusters[1], level=level)
    )
    return UserShare(check=check, system=system, result=result, hits=round(sum(hits)), n=len(hits), counted=counted)
