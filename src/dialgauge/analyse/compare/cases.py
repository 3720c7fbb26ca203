"""One measure of several systems as arrays: by rows for the mixed model, by influences for the clustered route."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from dialgauge.analyse.compare.records import Family, LeftOutSystem, Unit
from dialgauge.errors import CannotEstimateError
from dialgauge.model.scale import Direction
from dialgauge.stats.abilities import Crossing, Linear
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.compare import SystemPanel
from dialgauge.stats.compare.pairwise import take_systems
from dialgauge.stats.estimate import Estimate

FEWEST = 5
"""Dialogues of a system that a comparison takes at least: with one or two its error would look like none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a measure is: its unit and ends, and which end is better. ``scale`` is that of ratings in words."""

    name: str
    family: Family
    unit: Unit
    bounds: tuple[float, float]
    direction: Direction = "higher_is_better"
    scale: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A measure of the ``systems`` that have it; their codes are 0, 1, ... in that order.

    ``panel`` is None where a value belongs to no single dialogue. ``estimates`` and ``crossings`` have an entry per
    system, whose codes of personas and preferences are common. ``means`` are those to be printed, where they are known
    from elsewhere; else they are those of the route.
    """

    kind: Kind
    systems: tuple[str, ...]
    panel: SystemPanel | None
    estimates: tuple[Linear, ...]
    crossings: tuple[Crossing, ...]
    left_out: tuple[LeftOutSystem, ...] = ()
    means: tuple[Estimate | None, ...] = ()

    @property
    def n_raters_each(self) -> int:
        """How many rated the dialogue that most rated."""
        if self.panel is None or self.panel.rater is None:
            return 0
        return int(np.bincount(self.panel.dialogue).max())

    @property
    def n_raters(self) -> int | None:
        """The number of raters; None where nobody rated."""
        if self.panel is None or self.panel.rater is None:
            return None
        return int(np.unique(self.panel.rater).size)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which system, persona and preference each dialogue (or pair of replies) has: codes of shape (n,).

    Where the data name no persona or no preference, ``known`` lacks that word and every dialogue has the same code.
    ``dealt`` says that users were simulated, with preferences that were dealt from a pool.
    """

    names: tuple[str, ...]
    system: Codes
    persona: Codes
    preference: Codes
    known: frozenset[str] = frozenset({"persona", "preference"})
    dealt: bool = False

    @classmethod
    def of(cls, systems: Sequence[str], personas: Sequence[str] | None, preferences: Sequence[str] | None) -> Self:
        """Return the layout, systems in the order of their names; personas or preferences may be unknown (None)."""
        names = tuple(sorted(set(systems)))
        given = {"persona": personas, "preference": preferences}
        return cls(
            names,
            np.array([names.index(system) for system in systems], dtype=np.intp),
            encode(personas or ["unknown"] * len(systems)),
            encode(preferences or ["unknown"] * len(systems)),
            frozenset(name for name, values in given.items() if values is not None),
        )

    def crossing_of(self, rows: Codes) -> Crossing:
        """Return the clusters of ``rows``; without personas, or preferences, each dialogue is a cluster of its own."""
        persona, preference = (self._cluster(name)[rows] for name in ("persona", "preference"))
        return Crossing(persona, preference)

    def _cluster(self, name: str) -> Codes:
        codes: Codes = getattr(self, name)
        if name in self.known:
            return codes
        other: Codes = self.preference if name == "persona" else self.persona
        return other if self.known else np.arange(codes.size)


def encode(names: Sequence[str]) -> Codes:
    """Return a code for each of ``names``, in the order in which they first occur."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)


def require_two(systems: Sequence[str], left_out: Sequence[LeftOutSystem]) -> None:
    """Raise CannotEstimateError, with the reason of the first that lacks, where fewer than two systems have a value."""
    if len(systems) >= 2:
        return
    first = left_out[0]
    alone = f"only {systems[0]} can be used; of {first.system}: " if systems else ""
    raise CannotEstimateError(f"{alone}{first.reason}", remedy=first.remedy)


def leave_out_sparse(case: Case) -> Case:
    """Return the case without the systems that have too few values to tell how far others of theirs would differ.

    Raises CannotEstimateError where fewer than two are left.
    """
    sparse = [number for number, estimate in enumerate(case.estimates) if estimate.n < FEWEST]
    if not sparse:
        return case
    gone = [
        LeftOutSystem(
            system=case.systems[number],
            reason=_say_few(case, case.estimates[number].n),
            remedy=f"rate {FEWEST} dialogues of each system or more"
            if case.kind.family == "rated"
            else "collect more dialogues that have one",
        )
        for number in sparse
    ]
    kept = [number for number in range(len(case.systems)) if number not in sparse]
    require_two([case.systems[number] for number in kept], gone)
    return Case(
        case.kind,
        tuple(case.systems[number] for number in kept),
        None if case.panel is None else take_systems(case.panel, kept),
        tuple(case.estimates[number] for number in kept),
        tuple(case.crossings[number] for number in kept),
        (*case.left_out, *gone),
        tuple(case.means[number] for number in kept) if case.means else (),
    )


def take_pair(case: Case, first: int, second: int) -> Case:
    """Return the case of two of its systems, without its panel."""
    estimates = (case.estimates[first], case.estimates[second])
    crossings = (case.crossings[first], case.crossings[second])
    return Case(case.kind, (case.systems[first], case.systems[second]), None, estimates, crossings)


def _say_few(case: Case, n: int) -> str:
    fewest = f"fewer than the {FEWEST} that an error is told from"
    if case.kind.family == "rated":
        count, those = ("1 dialogue was", "that dialogue") if n == 1 else (f"{n} dialogues were", "those dialogues")
        return f"{count} rated, {fewest}: its ratings, however many, tell of {those} and not of the system"
    return f"{'1 dialogue has' if n == 1 else f'{n} dialogues have'} a value, {fewest}"


def make_panel(
    layout: Layout, rows: Codes, values: Floats, kept: Mapping[int, int], rater: Codes | None = None
) -> SystemPanel:
    """Return the panel of ``values``, those of the dialogues ``rows`` of the layout; ``kept`` recodes systems."""
    return SystemPanel(
        values=values,
        system=np.array([kept[code] for code in layout.system[rows].tolist()], dtype=np.intp),
        persona=_dense(layout.persona[rows]),
        preference=_dense(layout.preference[rows]),
        dialogue=_dense(rows),
        rater=rater,
    )


def _dense(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)
