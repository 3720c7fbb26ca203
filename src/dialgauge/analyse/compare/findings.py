"""Sentences that change what one may conclude from a comparison of systems."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from dialgauge.analyse.compare.cases import Layout
from dialgauge.analyse.compare.fitting import APART, MEANS_APART, NO_MODEL
from dialgauge.analyse.compare.naming import say_measure
from dialgauge.analyse.compare.records import ComparedMeasure, Difference, SecondRoute, SystemsComparison
from dialgauge.analyse.findings import number
from dialgauge.stats.design import FEW_RATERS

FEW = 10
"""Below so many personas or preferences little is known of others."""

HALF = 0.5
"""Systems that share less of their combinations of persona and preference are hardly paired."""

MOST_NAMES = 4

FROM_SYSTEM = "cannot be told from system"


def find_in_measure(measure: ComparedMeasure) -> tuple[str, ...]:
    """Return the findings on one measure."""
    return tuple(_find_in_measure(measure))


def find_in_table(found: SystemsComparison, layout: Layout, made_up: Sequence[str]) -> tuple[str, ...]:
    """Return the findings on all measures, the weightiest first."""
    return (
        *_confounded(found, layout),
        *_made_up(made_up),
        *_failed(found),
        *_left_out(found),
        *_unpaired(layout),
        *_few(layout),
        *_few_raters(found.measures),
        *_identical(found),
        *_apart(found.measures),
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
        yield f"{measure.n_raters} raters, who are taken as given: the differences are those that they see."


def _confounded(found: SystemsComparison, layout: Layout) -> Iterator[str]:
    """Say which pairs of systems had one user, one wish or one rater each, and another one."""
    for name, who in (("persona", "the users"), ("preference", "what was wanted")):
        codes = layout.persona if name == "persona" else layout.preference
        own = [set(codes[layout.system == code].tolist()) for code in range(len(layout.names))]
        pairs = [
            f"{layout.names[a]} and {layout.names[b]}"
            for a, b in combinations(range(len(own)), 2)
            if name in layout.known and len(own[a]) == len(own[b]) == 1 and own[a] != own[b]
        ]
        if pairs:
            yield _say_confounded(name, who, _some(pairs))
    single = [say_measure(m) for m in found.measures if m.cannot_tell.get("rater", "").startswith(FROM_SYSTEM)]
    if single:
        yield _say_confounded("rater", "the raters", _some(single))


def _say_confounded(name: str, who: str, where: str) -> str:
    return (
        f"Systems cannot be told from {name}s ({where}): each had one {name} alone, and another one. Any difference "
        f"may be that of {who} as well as that of the systems, and no interval covers this. Let every system have the "
        f"same {name}s, and several."
    )


def _made_up(made_up: Sequence[str]) -> Iterator[str]:
    if made_up:
        yield (
            f"The ratings by {_join(made_up)} are made up: a fake model gave them, to try the way out. They mean "
            "nothing, and no comparison here rests on them."
        )


def _failed(found: SystemsComparison) -> Iterator[str]:
    if any(system.n_failed for system in found.systems):
        counts = _join([f"{s.system} {s.n_failed} of {s.n_dialogues}" for s in found.systems])
        yield (
            f"Dialogues failed by the system ({counts}). These count as not accepted, and as not successful unless "
            "success came before; measures over turns, titles and rankings take what there is of them."
        )


def _left_out(found: SystemsComparison) -> Iterator[str]:
    if not any(system.n_left_out for system in found.systems):
        return
    shares = {system.n_left_out / (system.n_left_out + system.n_dialogues) for system in found.systems}
    counts = _join([f"{s.system} {s.n_left_out} of {s.n_left_out + s.n_dialogues}" for s in found.systems])
    if len(shares) > 1:
        yield (
            f"Systems differ in the dialogues that failed at the user's side and were left out ({counts}): what is "
            "compared are those that survived."
        )
    else:
        yield f"Dialogues that failed at the user's side were left out, as many of each system ({counts})."


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


def _few_raters(measures: Sequence[ComparedMeasure]) -> Iterator[str]:
    """Say which measures hold for their raters alone."""
    few = [m for m in measures if m.n_raters is not None and m.n_raters < FEW_RATERS]
    if few:
        most = max(m.n_raters or 0 for m in few)
        who = "one rater" if most == 1 else f"at most {most} raters"
        yield (
            f"{_some([say_measure(m) for m in few])}: {who}, taken as given. The differences are those that they see; "
            f"others may see others, which takes {FEW_RATERS} raters or more to tell."
        )


def _identical(found: SystemsComparison) -> Iterator[str]:
    """Say which systems cannot be told apart at all, as where one was compared with itself."""
    behaved = [m for m in found.measures if m.family != "rated"]
    if not behaved:
        return
    pairs: dict[tuple[str, str], list[Difference]] = {}
    for m in behaved:
        for d in m.differences:
            pairs.setdefault((d.first, d.second), []).append(d)
    for (first, second), differences in pairs.items():
        if all(d.identical for d in differences):
            n = next(s.n_dialogues for s in found.systems if s.system == first)
            yield (
                f"{first} and {second} behaved identically in all {n} shared dialogues, as far as these measures see: "
                "there is nothing to tell them apart by. Two names for one system, or a seed that decides everything, "
                "look like this."
            )


def _apart(measures: Sequence[ComparedMeasure]) -> Iterator[str]:
    names = [say_measure(m) for m in measures if any(text.startswith(MEANS_APART) for text in m.findings)]
    if names:
        yield (
            f"The difference of the means is not the difference that is judged, for {_some(names)}: systems met partly "
            "other users, or some personas or preferences more often than others. The means are plain; the difference "
            "is that of the model, as if all had been met alike."
        )


def _routes(measures: Sequence[ComparedMeasure]) -> Iterator[str]:
    apart = [
        f"{say_measure(m)} ({route.ratio:.2f})"
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
        f"{d.first} and {d.second} on {say_measure(m)} (p {number(d.p_route)})"
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
    names = [say_measure(m) for m in measures if any(text.startswith(NO_MODEL) for text in m.findings)]
    if names:
        yield f"No mixed model could be fitted for {_some(names)}: these have the clustered route."


def _some(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMES:
        return _join(names)
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
