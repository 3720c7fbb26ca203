"""Sentences that change what one may conclude from a comparison of systems."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from dialgauge.analyse.compare.cases import Layout
from dialgauge.analyse.compare.fitting import APART
from dialgauge.analyse.compare.records import ComparedMeasure, SecondRoute, SystemsComparison
from dialgauge.analyse.findings import number

FEW = 10
"""Below so many personas or preferences little is known of others."""

FEW_RATERS = 6

HALF = 0.5
"""Systems that share less of their combinations of persona and preference are hardly paired."""

MOST_NAMES = 4


def find_in_measure(measure: ComparedMeasure) -> tuple[str, ...]:
    """Return the findings on one measure."""
    return tuple(_find_in_measure(measure))


def find_in_table(found: SystemsComparison, layout: Layout, made_up: Sequence[str]) -> tuple[str, ...]:
    """Return the findings on all measures, the weightiest first."""
    return (
        *_made_up(made_up),
        *_failed(found),
        *_unpaired(layout),
        *_few(layout),
        *_routes(found.measures),
        *_resting_on_model(found),
        *_fallen_back(found.measures),
    )


def _find_in_measure(measure: ComparedMeasure) -> Iterator[str]:
    if measure.name.endswith("_at"):
        counts = _join([f"{mean.n} of {mean.system}" for mean in measure.means])
        yield (
            f"Only dialogues that succeeded count ({counts}): a system that succeeds with the easy ones alone looks "
            "quick here."
        )
    if measure.n_raters == 1:
        yield "One rater: the differences are those that this rater sees, and another may see others."
    elif measure.n_raters is not None and measure.n_raters < FEW_RATERS:
        yield f"With {measure.n_raters} raters it is hardly known how far others would see the same differences."


def _made_up(made_up: Sequence[str]) -> Iterator[str]:
    if made_up:
        yield (
            f"The ratings by {_join(made_up)} are made up: a fake model gave them, to try the way out. They mean "
            "nothing, and no comparison here rests on them."
        )


def _failed(found: SystemsComparison) -> Iterator[str]:
    if not any(system.n_failed for system in found.systems):
        return
    shares = {system.n_failed / (system.n_failed + system.n_dialogues) for system in found.systems}
    counts = _join([f"{s.system} {s.n_failed} of {s.n_failed + s.n_dialogues}" for s in found.systems])
    if len(shares) > 1:
        yield (
            f"Systems differ in the dialogues that failed and were left out ({counts}): what is compared are those "
            "that survived. A system that breaks down where it is hard looks better than it is."
        )
    else:
        yield f"Dialogues that failed were left out, as many of each system ({counts})."


def _unpaired(layout: Layout) -> Iterator[str]:
    if not layout.known:
        yield (
            "Neither personas nor preferences are named, so every dialogue counts as if it had a user and a wish of "
            "its own, and systems are not paired. Where systems met the same ones, naming them makes intervals "
            "right and mostly narrower."
        )
        return
    combinations_of = [
        set(zip(layout.persona[own].tolist(), layout.preference[own].tolist(), strict=True))
        for own in (layout.system == code for code in range(len(layout.names)))
    ]
    apart = []
    for a, b in combinations(range(len(layout.names)), 2):
        shared, either = combinations_of[a] & combinations_of[b], combinations_of[a] | combinations_of[b]
        if len(shared) < HALF * len(either):
            apart.append(f"{layout.names[a]} and {layout.names[b]} {len(shared)} of {len(either)}")
    if apart:
        yield (
            f"Systems met different users: of the combinations of persona and preference that either met, "
            f"{_some(apart)} are shared. The differences are between unlike sets of users, and intervals are wider for "
            "it."
        )


def _few(layout: Layout) -> Iterator[str]:
    counts = {"persona": len(set(layout.persona.tolist())), "preference": len(set(layout.preference.tolist()))}
    few = [f"{n} {word}{'' if n == 1 else 's'}" for word, n in counts.items() if word in layout.known and n < FEW]
    if few:
        be = "is" if few[0].startswith("1 ") else "are"
        yield (
            f"There {be} {_join(few)} in all, so little is known of how far systems differ with others. More of these "
            "help more than more dialogues with those there are."
        )


def _routes(measures: Sequence[ComparedMeasure]) -> Iterator[str]:
    apart = [
        f"{_say(m)} ({route.ratio:.2f})"
        for m in measures
        if isinstance(route := m.second_route, SecondRoute) and route.disagrees
    ]
    if apart:
        yield (
            f"The two routes to the standard errors of differences are further apart than a factor of {APART:g}, as "
            f"mixed model over clustered: {_some(apart)}. Read these differences with care."
        )


def _resting_on_model(found: SystemsComparison) -> Iterator[str]:
    alone = [
        f"{d.first} and {d.second} on {_say(m)} (p {number(d.p_route)})"
        for m in found.measures
        for d in m.differences
        if d.verdict != "not shown" and d.p_route is not None and d.p_route >= 1.0 - found.level
    ]
    if alone:
        yield (
            f"{len(alone)} verdict{'' if len(alone) == 1 else 's'} by the mixed model would not be shown by the "
            f"clustered route, which trusts no model and has few degrees of freedom: {_some(alone)}."
        )


def _fallen_back(measures: Sequence[ComparedMeasure]) -> Iterator[str]:
    names = [_say(m) for m in measures if any(text.startswith("No mixed model") for text in m.findings)]
    if names:
        yield f"No mixed model could be fitted for {_some(names)}: these have the clustered route."


def _say(measure: ComparedMeasure) -> str:
    name = measure.name.removeprefix("ability:").replace("_sr@", " SR@")
    return (f"{name.removesuffix('_at')} AT" if name.endswith("_at") else name).replace("_", " ")


def _some(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMES:
        return _join(names)
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
