"""A planned design, and a random assignment of raters to targets that is as even as it can be."""

from dataclasses import dataclass

import numpy as np

from dialgauge.errors import InputError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import Codes
from dialgauge.stats.design import detect
from dialgauge.stats.ranges import require_count

MOST_DRAWS = 20
"""How often an assignment that falls into unconnected groups is drawn anew."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How many targets and raters a planned study has, and how many of them meet.

    Each of ``n_targets`` is rated by ``per_target`` different raters out of a pool of ``n_raters``, ``replicates``
    times each. Raises ``InputError`` where this is impossible or says nothing about agreement.
    """

    n_targets: int
    n_raters: int
    per_target: int
    replicates: int = 1

    def __post_init__(self) -> None:
        require_count("the number of targets", self.n_targets, 2)
        require_count("the number of raters per target", self.per_target, 2)
        require_count("the number of replicates", self.replicates, 1)
        require_count("the number of raters", self.n_raters, self.per_target)
        if self.n_raters > self.n_cells:
            raise InputError(
                f"{self.n_raters} raters for {self.n_targets} targets of {self.per_target} raters each: "
                f"{self.n_raters - self.n_cells} would have nothing to rate; plan fewer raters or more targets"
            )

    @property
    def n_cells(self) -> int:
        """Number of target x rater pairs."""
        return self.n_targets * self.per_target

    @property
    def n_ratings(self) -> int:
        """Number of ratings."""
        return self.n_cells * self.replicates

    @property
    def load(self) -> float:
        """Targets per rater, on average."""
        return self.n_cells / self.n_raters

    @property
    def nested(self) -> bool:
        """Whether each rater rates one target only, so that severity cannot be told from noise."""
        return self.n_raters == self.n_cells


def assign(layout: Layout, *, seed: int) -> tuple[Codes, Codes]:
    """Return target and rater codes of shape (n_ratings,), sorted by target, then rater.

    Every target has exactly ``per_target`` raters, and the targets of any two raters differ in number by one at most.
    Chance decides the rest, and is asked again where the ratings fall into unconnected groups and need not.
    """
    rng = child_rng(seed, "plan", "assignment")
    can_connect = layout.n_cells >= layout.n_targets + layout.n_raters - 1
    for _ in range(MOST_DRAWS):
        target, rater = _deal(layout, rng)
        if not can_connect or detect(target, rater).connected:
            break
    return np.repeat(target, layout.replicates), np.repeat(rater, layout.replicates)


def _deal(layout: Layout, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Give each target the raters with the least to do, ties broken by chance."""
    load = np.zeros(layout.n_raters, dtype=np.intp)
    chosen = np.empty((layout.n_targets, layout.per_target), dtype=np.intp)
    for row in chosen:
        row[:] = np.sort(np.lexsort((rng.random(layout.n_raters), load))[: layout.per_target])
        load[row] += 1
    return np.repeat(np.arange(layout.n_targets), layout.per_target), chosen.ravel()
