"""Tables targets x replicates with gaps: the largest complete part, and REML on all of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.reml import fit_reml
from dialgauge.stats.reml.intervals import odds_intervals
from dialgauge.stats.reml.odds import reliability_estimate
from dialgauge.stats.retest.repeat import NO_SHIFTS

MOST_TRIED = 12
"""Columns of a table of which all sets are tried."""


@dataclass(frozen=True, slots=True, eq=False)
class CompletePart:
    """The ``rows`` (targets) and ``columns`` (replicates) of a table that are complete together.

    ``gaps`` is the share (0 to 1) of empty cells among the chosen columns and the targets with a rating in them.
    """

    rows: Codes
    columns: Codes
    gaps: float


def find_complete(filled: NDArray[np.bool_]) -> CompletePart:
    """Return the targets that have all replicates; ``filled`` has shape (targets, replicates).

    A replicate that few targets have would leave few targets: of all sets of two columns or more the one is taken that
    keeps the most ratings in complete targets (of equal ones that with the most columns, then the first). Beyond 12
    columns not all sets are tried: columns are added in the order of their number of ratings. Raises
    ``CannotEstimateError`` unless two targets have two ratings in the same replicates.
    """
    columns = max(_choices(filled), key=lambda chosen: _kept(filled, chosen), default=())
    if _kept(filled, columns)[0] == 0:
        raise CannotEstimateError(
            "fewer than two targets were rated twice", remedy="rate every target at least twice, each time alike"
        )
    part = filled[:, columns]
    rated = part.any(axis=1)
    return CompletePart(
        np.flatnonzero(part.all(axis=1)), np.array(columns, dtype=np.intp), float(1.0 - part[rated].mean())
    )


def _choices(filled: NDArray[np.bool_]) -> Iterator[tuple[int, ...]]:
    """Yield the sets of columns that are tried, in rising order of the columns in each."""
    n = filled.shape[1]
    if filled.all() and n > 1:
        yield tuple(range(n))
    elif n <= MOST_TRIED:
        for k in range(2, n + 1):
            yield from combinations(range(n), k)
    else:
        order = np.argsort(-filled.sum(axis=0), kind="stable").tolist()
        for k in range(2, n + 1):
            yield tuple(sorted(order[:k]))


def _kept(filled: NDArray[np.bool_], columns: tuple[int, ...]) -> tuple[int, int]:
    """Return the ratings in complete targets, 0 where fewer than two targets are complete, and the columns."""
    if not columns:
        return 0, 0
    n_targets = int(filled[:, columns].all(axis=1).sum())
    return (n_targets * len(columns) if n_targets > 1 else 0), len(columns)


def reml_consistency(table: Floats, *, level: float = 0.95) -> tuple[Estimate | Refusal, Estimate | Refusal]:
    """Return ICC(3,1) and ICC(3,k) of all ratings of ``table`` (targets, replicates), NaN for gaps, by REML.

    The model is crossed, target + replicate + residual, and shifts of whole replicates are left out of the error. On
    complete tables it equals the form of Shrout and Fleiss, or where replicates shift less than noise alone would make
    them (their variance is then zero) the printed form; both where targets differ. The interval is the profile
    likelihood's. What cannot be estimated comes back as a Refusal.
    """
    target, replicate = np.nonzero(np.isfinite(table))
    values = table[target, replicate]
    codes = [np.unique(code, return_inverse=True)[1] for code in (target, replicate)]
    try:
        (fit,) = fit_reml(codes[0], codes[1], values, model="crossed")
    except CannotEstimateError as error:
        refused = Refusal(error.reason, error.remedy)
        return refused, refused
    (odds,) = odds_intervals([fit], form="relative", level=level, rng=child_rng(0, "unused"))
    k = int(codes[1].max()) + 1
    single, mean = (
        reliability_estimate(fit, odds, k=size, level=level, form="relative", covers=NO_SHIFTS)
        for size in (1.0, float(k))
    )
    return single, mean
