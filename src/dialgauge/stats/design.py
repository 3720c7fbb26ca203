"""What a set of ratings can and cannot tell, read off who rated what."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dialgauge.stats.arrays import Codes

Kind = Literal["complete", "sparse_crossed", "nested", "replicated", "disconnected", "unidentified"]

FEW_RATERS = 6
"""Below this number of raters their variance is hardly identified."""


@dataclass(frozen=True, slots=True)
class Design:
    """The layout of targets x raters, without the values.

    ``k_harmonic`` is the harmonic mean over targets of the number of raters per target, ``replicates_harmonic`` the
    harmonic mean over cells of the ratings in a cell. ``n_informative`` counts the targets that were rated by at least
    two raters: the others say nothing about agreement.

    ``kind``

    - ``complete``: every rater rated every target once;
    - ``sparse_crossed``: raters share targets and targets share raters, cells are missing, all is connected;
    - ``replicated``: crossed, and cells hold several ratings;
    - ``nested``: each rater rated one target only, so a rater's severity cannot be told from the residual;
    - ``disconnected``: crossed within groups of raters and targets that share nothing with other groups;
    - ``unidentified``: no target was rated by two raters, or there is one target only.
    """

    n_targets: int
    n_raters: int
    n_ratings: int
    n_cells: int
    n_informative: int
    k_harmonic: float
    k_min: int
    k_max: int
    replicates_harmonic: float
    replicates_max: int
    n_components: int
    kind: Kind

    @property
    def connected(self) -> bool:
        """Whether a path of shared ratings leads from any target to any other."""
        return self.n_components == 1

    @property
    def few_raters(self) -> bool:
        """Whether there are fewer than six raters."""
        return self.n_raters < FEW_RATERS


def detect(target: Codes, rater: Codes) -> Design:
    """Describe the design of the ratings whose targets and raters are given as codes.

    ``target`` and ``rater`` have shape (n,), one entry a rating. Codes need not be dense: those that do not occur are
    not counted.
    """
    t_ids, t = np.unique(target, return_inverse=True)
    r_ids, r = np.unique(rater, return_inverse=True)
    n_t, n_r, n = len(t_ids), len(r_ids), len(t)
    cells, per_cell = np.unique(t * max(n_r, 1) + r, return_counts=True)
    raters_per_target = np.bincount(cells // max(n_r, 1), minlength=n_t)
    targets_per_rater = np.bincount(cells % max(n_r, 1), minlength=n_r)
    graph = coo_array((np.ones(len(cells)), (cells // max(n_r, 1), n_t + cells % max(n_r, 1))), shape=(n_t + n_r,) * 2)
    n_components = int(connected_components(graph, directed=False, return_labels=False)) if n else 0
    informative = int(np.sum(raters_per_target >= 2))
    replicated = bool(n and per_cell.max() > 1)
    kind: Kind
    if n_t < 2 or informative == 0:
        kind = "unidentified"
    elif targets_per_rater.max() < 2:
        kind = "nested"
    elif n_components > 1:
        kind = "disconnected"
    elif replicated:
        kind = "replicated"
    elif len(cells) == n_t * n_r:
        kind = "complete"
    else:
        kind = "sparse_crossed"
    return Design(
        n_targets=n_t,
        n_raters=n_r,
        n_ratings=n,
        n_cells=len(cells),
        n_informative=informative,
        k_harmonic=float(n_t / np.sum(1.0 / raters_per_target)) if n else 0.0,
        k_min=int(raters_per_target.min()) if n else 0,
        k_max=int(raters_per_target.max()) if n else 0,
        replicates_harmonic=float(len(cells) / np.sum(1.0 / per_cell)) if n else 0.0,
        replicates_max=int(per_cell.max()) if n else 0,
        n_components=n_components,
        kind=kind,
    )
