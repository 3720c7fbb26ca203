"""What the ratings of each kind can tell apart, read off who rated what."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.design import Design, detect
from dialgauge.stats.kinds.chart import NONE, Slots

Basis = Literal["raters", "replicates", "identical", "single"]

Facet = Literal["rater", "residual"]


@dataclass(frozen=True, slots=True)
class KindLayout:
    """The layout of one kind's ratings.

    ``basis`` says what noise is told from targets by: ``raters`` that share targets; else ``replicates`` by one rater
    per target, so that what is the rater's own counts as target; ``identical`` where such replicates are all equal
    (the rater has no noise); ``single`` where each target has one rating, so that target and residual variance only
    have a known sum. ``severity`` and ``interaction`` tell whether there are variances of raters and of
    target x rater.
    """

    design: Design
    basis: Basis
    severity: bool
    interaction: bool

    @property
    def splits(self) -> bool:
        """Whether residual and target variance can be told apart."""
        return self.basis in {"raters", "replicates"}

    @property
    def own_view(self) -> bool:
        """Whether the target effects are those of one rater per target, and not what raters of the kind share."""
        return self.basis != "raters"


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The ratings that say something: of kinds whose replicates are all equal, one a cell.

    ``repeats`` (G,) marks these kinds.
    """

    target: Codes
    rater: Codes
    values: Floats
    repeats: tuple[bool, ...]


def drop_equal_replicates(target: Codes, rater: Codes, kind_of: Codes, values: Floats) -> Kept:
    """Keep one rating a cell where all replicates of a kind are equal: they say nothing more, and have no noise."""
    key = target.astype(np.int64) * len(kind_of) + rater
    _, first, cell, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    differs = values != values[first][cell]
    kept = np.ones(len(values), bool)
    repeats = []
    for g in range(int(kind_of.max()) + 1):
        here = kind_of[rater] == g
        equal = bool((count[cell][here] > 1).any() and not differs[here].any())
        repeats.append(equal)
        if equal:
            kept[here] = False
            kept[first[kind_of[rater[first]] == g]] = True
    return Kept(target[kept], rater[kept], values[kept], tuple(repeats))


def describe_kinds(
    target: Codes, rater: Codes, kind_of: Codes, repeats: Collection[bool] = ()
) -> tuple[KindLayout, ...]:
    """Describe the ratings of each kind; ``repeats`` marks kinds whose equal replicates were dropped."""
    again = tuple(repeats) or (False,) * (int(kind_of.max()) + 1)
    found = []
    for g, equal in enumerate(again):
        here = kind_of[rater] == g
        design = detect(target[here], rater[here])
        overlap = design.n_informative > 0
        found.append(
            KindLayout(
                design=design,
                basis=_basis(design, overlap=overlap, equal=equal),
                severity=design.n_raters > 1 and _rates_several(target[here], rater[here]),
                interaction=overlap and design.replicates_max > 1,
            )
        )
    return tuple(found)


def _basis(design: Design, *, overlap: bool, equal: bool) -> Basis:
    if overlap:
        return "raters"
    if equal:
        return "identical"
    return "replicates" if design.replicates_max > 1 else "single"


def _rates_several(target: Codes, rater: Codes) -> bool:
    """Whether any rater rated two targets: only then can severity be told from the rest."""
    cells = np.unique(np.stack([rater, target]), axis=1)
    return bool(np.bincount(cells[0]).max(initial=0) > 1)


def shared_targets(target: Codes, rater: Codes, kind_of: Codes) -> Codes:
    """Return how many targets were rated by both of two kinds, shape (G, G)."""
    rated = np.zeros((int(target.max()) + 1, int(kind_of.max()) + 1), dtype=np.intp)
    rated[target, kind_of[rater]] = 1
    return rated.T @ rated


def too_few_shared(target: Codes, rater: Codes, kind_of: Codes, layouts: tuple[KindLayout, ...]) -> tuple[int, ...]:
    """Return kinds with one rating per target whose shared targets lie on a plane whatever the ratings: () if none.

    The criterion then falls without end as their effects come to depend on each other perfectly.
    """
    rated = np.zeros((int(target.max()) + 1, len(layouts)), dtype=bool)
    rated[target, kind_of[rater]] = True
    bare = [g for g, layout in enumerate(layouts) if not layout.splits]
    for size in range(2, len(bare) + 1):
        for kinds in combinations(bare, size):
            if 0 < int(rated[:, kinds].all(axis=1).sum()) <= size:
                return kinds
    return ()


def choose_slots(layouts: tuple[KindLayout, ...], *, common: Collection[Facet] = ()) -> Slots:
    """Return the variances that the layouts can tell apart; those of the facets in ``common`` are one for all kinds."""
    rater = _number([one.severity for one in layouts], one="rater" in common)
    cell = _number([one.interaction for one in layouts], one=False)
    residual = _number([one.splits for one in layouts], one="residual" in common)
    return Slots(rater=rater, cell=cell, residual=residual)


def _number(present: list[bool], *, one: bool) -> tuple[int, ...]:
    counted = np.cumsum(present) - 1
    return tuple(NONE if not here else 0 if one else int(i) for here, i in zip(present, counted, strict=True))
