"""Tables targets x replicates with gaps: the largest complete part, and REML on all of it."""

from dataclasses import dataclass

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

    A replicate that few targets have would leave few targets: columns are added in the order of their number of
    ratings, and as many are taken as keep the most ratings in complete targets (at least two columns). Raises
    ``CannotEstimateError`` unless two targets have two ratings in the same replicates.
    """
    order = np.argsort(-filled.sum(axis=0), kind="stable")
    n_complete = np.logical_and.accumulate(filled[:, order], axis=1).sum(axis=0)
    kept = n_complete[1:] * np.arange(2, len(order) + 1)
    if not kept.size or n_complete[1] < 2:
        raise CannotEstimateError(
            "fewer than two targets were rated twice", remedy="rate every target at least twice, each time alike"
        )
    k = len(kept) - int(np.argmax(kept[::-1])) + 1  # of equal ones the most replicates
    columns = np.sort(order[:k])
    part = filled[:, columns]
    rated = part.any(axis=1)
    return CompletePart(np.flatnonzero(part.all(axis=1)), columns, float(1.0 - part[rated].mean()))


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
