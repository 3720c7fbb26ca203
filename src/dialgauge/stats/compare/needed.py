"""How many personas, preferences, dialogues and raters a difference of two systems needs.

By the decision study of `dialgauge.stats.compare.power`. A component that the data could not tell from another is taken
to be all of that other one, so that a number that is enough stays enough.
"""

import math
from collections.abc import Callable, Sequence

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.compare.power import Held, Size, power_of, power_of_t
from dialgauge.stats.compare.records import Comparison, NeededDesign
from dialgauge.stats.compare.terms import BY_SYSTEM, PERSONA, PREFERENCE, RATER, absorbers, only_one
from dialgauge.stats.ranges import require_above, require_count, require_open

PREFERENCES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
RATERS = (1, 2, 3, 5, 10)
MOST_PERSONAS = 10_000
MOST_DIALOGUES = 1_000_000

_REMEDY = "ask for a larger --difference or a lower --power, or name fewer measures with --measure"


def needed(
    comparison: Comparison,
    *,
    difference: float,
    power: float = 0.8,
    alpha: float = 0.05,
    n_raters: Sequence[int] | None = None,
    n_preferences: Sequence[int] = PREFERENCES,
    n_panel: int = 0,
    most_personas: int = MOST_PERSONAS,
) -> tuple[NeededDesign, ...]:
    """Return the least number of personas for each number of preferences and raters, the fewest dialogues first.

    A true difference of ``difference`` (not 0) is shown with probability ``power`` by a two-sided test of one pair of
    systems at ``alpha``; for a family of m pairs alpha / m is on the safe side. ``comparison`` comes from `fit_mixed`.
    ``n_raters`` of each dialogue are for rated dialogues only (1, 2, 3, 5 and 10 by default); they are of ``n_panel``
    different raters, or the same for all dialogues where that is fewer. Where there was only one persona, the
    number that is sought is that of dialogues with it; where there was only one preference or rater the answer is for
    that one. Numbers that cannot be enough are left out.

    Raises InputError for arguments out of range and for raters where nobody rated; CannotEstimateError for a
    comparison without variance components, and where nothing within ``most_personas`` is enough.
    """
    _check(comparison, difference, power, alpha)
    rated = _is_rated(comparison)
    if n_raters is not None and not rated:
        raise InputError("nobody rated these dialogues; leave the number of raters out")
    alone = _only_one(comparison)
    options = [1] if PREFERENCE in alone else n_preferences
    of_raters = (n_raters or RATERS) if rated and RATER not in alone else (1,)
    require_count("the largest number of personas", most_personas, 2)
    held, found = _hold(comparison), []
    for raters in of_raters:
        for preferences in options:
            require_count("the number of raters", raters, 1)
            require_count("the number of preferences", preferences, 1)

            def enough(personas: int, each: int = preferences, raters: int = raters) -> bool:
                return power_of(held, Size(personas, each, raters, 0, n_panel), abs(difference), alpha) >= power

            n = _least(enough, 2, most_personas)
            if n is not None:
                personas = 1 if PERSONA in alone else n
                size = (personas, preferences, n * preferences, raters if rated else None)
                found.append(NeededDesign(difference, power, alpha, *size))
    if not found:
        raise _never(held, difference, f"{most_personas} personas and {max(options)} preferences")
    found.sort(key=lambda d: (d.n_dialogues, d.n_raters or 0, d.n_preferences))
    return tuple(found)


def needed_dealt(
    comparison: Comparison,
    *,
    difference: float,
    power: float = 0.8,
    alpha: float = 0.05,
    n_pools: Sequence[int] = PREFERENCES,
    most_personas: int,
) -> tuple[NeededDesign, ...]:
    """Return the least dialogues for each pool of preferences that are dealt to at most ``most_personas`` personas.

    Each persona has ``n_preferences`` of the ``n_pool`` in the pool, two or more, and each of these occurs twice or
    more. Nobody rates, or those who rated do again. Raises what `needed` raises.
    """
    _check(comparison, difference, power, alpha)
    alone = _only_one(comparison)
    if PERSONA in alone:
        raise CannotEstimateError(
            "there is only one persona, so what a system makes of others is unknown",
            remedy="simulate with more personas (--personas)",
        )
    held, found = _hold(comparison), []
    pools = [1] if PREFERENCE in alone else n_pools
    for pool in pools:
        require_count("the number of preferences", pool, 1)

        def enough(personas: int, each: int, pool: int = pool) -> bool:
            wide = personas * each >= 2 * pool
            return wide and power_of(held, Size(personas, each, 1, pool), abs(difference), alpha) >= power

        each = next((k for k in range(min(2, pool), pool + 1) if enough(most_personas, k)), None)
        if each is not None:
            n = next(p for p in range(2, most_personas + 1) if enough(p, each))
            found.append(NeededDesign(difference, power, alpha, n, each, n * each, None, pool))
    if not found:
        raise _never(held, difference, f"{most_personas} personas and {max(pools)} preferences")
    found.sort(key=lambda d: (d.n_dialogues, d.n_pool or 0))
    return tuple(found)


def needed_by_proportion(
    error: float, n_dialogues: int, *, groups: int, difference: float, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return by how much a study has to grow, or may shrink, to show ``difference``: a factor of its dialogues.

    ``error`` is the standard error of a difference with ``n_dialogues`` of each system in ``groups`` clusters of the
    grouping with fewer. With as many times the clusters of every kind its square falls by that factor, and the t test
    has the degrees of freedom of that many clusters. The factor is a whole number of dialogues over those there are.

    Raises InputError for numbers out of range; CannotEstimateError where a million dialogues are not enough.
    """
    require_above("the difference to be shown", difference, 0.0)
    require_above("the standard error", error, 0.0)
    require_open("alpha", alpha, 0.0, 1.0)
    require_open("the power", power, alpha / 2.0, 1.0)

    def enough(n: int) -> bool:
        factor = n / n_dialogues
        df = groups * factor - 1.0
        return df >= 1.0 and power_of_t(difference * math.sqrt(factor) / error, df, alpha) >= power

    n = _least(enough, 2, MOST_DIALOGUES)
    if n is None:
        raise CannotEstimateError(
            f"a difference of {difference:g} takes more than {MOST_DIALOGUES} dialogues", remedy=_REMEDY
        )
    return n / n_dialogues


def pick_designs(
    designs: Sequence[NeededDesign], *, most: int = 6, keep: int | None = None
) -> tuple[NeededDesign, ...]:
    """Return at most ``most`` of ``designs``, the cheapest first: those that no other one beats in everything.

    What costs is ratings where people rate, and else dialogues. For each number of raters the design with the fewest
    dialogues stands, and more raters only where that saves dialogues. Without raters, more preferences stand only where
    they save dialogues; the one with ``keep`` preferences stands in any case.
    """
    rated = any(d.n_raters is not None for d in designs)
    found: list[NeededDesign] = []
    by_amount = sorted(designs, key=lambda d: (d.n_raters or 0, d.n_dialogues if rated else 0, _different(d)))
    for design in by_amount:
        if not found or design.n_dialogues < min(one.n_dialogues for one in found):
            found.append(design)
    found.sort(key=lambda d: (d.n_dialogues * (d.n_raters or 1), d.n_dialogues))
    kept = found[:most]
    own = [] if rated else [d for d in designs if _different(d) == keep and d not in kept]
    if own and not any(_different(d) == keep for d in kept):
        kept = [*kept[: most - 1], min(own, key=lambda d: d.n_dialogues * (d.n_raters or 1))]
        kept.sort(key=lambda d: (d.n_dialogues * (d.n_raters or 1), d.n_dialogues))
    return tuple(kept)


def _different(design: NeededDesign) -> int:
    return design.n_pool or design.n_preferences


def _check(comparison: Comparison, difference: float, power: float, alpha: float) -> None:
    if difference == 0.0 or not math.isfinite(difference):
        raise InputError(f"the difference to be shown must not be 0, got {difference}")
    require_open("alpha", alpha, 0.0, 1.0)
    require_open("the power", power, alpha / 2.0, 1.0)
    if not comparison.variance:
        raise CannotEstimateError(
            "this comparison has no variance components to plan from",
            remedy="plan with a measure that has one value per dialogue or rating",
        )
    for name, reason in comparison.left_out.items():
        if absorbers(reason) == ("system",):
            raise CannotEstimateError(
                f"each system has a {name} of its own, so what another would do is unknown",
                remedy="let all systems meet the same personas, preferences and raters",
            )


def _is_rated(comparison: Comparison) -> bool:
    return any(RATER in names for names in (comparison.variance, comparison.left_out))


def _only_one(comparison: Comparison) -> set[str]:
    """Return the factors that have a single level."""
    return {name for name in (PERSONA, PREFERENCE, RATER) if comparison.left_out.get(name) == only_one(name)}


def _hold(comparison: Comparison) -> Held:
    """Return each variance with the components that it may stand for."""
    found = {name: [name] for name in comparison.variance}
    for name, reason in comparison.left_out.items():
        for holder in absorbers(reason):
            if holder in found:
                found[holder].append(name)
    return {name: (comparison.variance[name], tuple(names)) for name, names in found.items()}


def _least(enough: Callable[[int], bool], start: int, most: int) -> int | None:
    """Return the least number from ``start`` that is enough, or None."""
    low, high = start - 1, start
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _never(held: Held, difference: float, limit: str) -> CannotEstimateError:
    """Return the refusal, with the component that stays however many dialogues there are."""
    left = {name: variance for name, (variance, _) in held.items() if name.endswith(BY_SYSTEM) and variance > 0.0}
    worst = f", where {max(left, key=lambda name: left[name])} varies most" if left else ""
    return CannotEstimateError(
        f"no design with up to {limit} shows a difference of {difference:g}{worst}", remedy=_REMEDY
    )
