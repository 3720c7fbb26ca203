r"""Decision study: what reliability other numbers of raters and replicates would give, and which number is enough.

.. math::
    \mathrm{Rel}(k, r) = \frac{\sigma_t^2}{\sigma_t^2 + (\sigma_r^2 + \sigma_{tr}^2 + \sigma_e^2 / r) / k}

is the absolute form (Brennan's Phi), and the relative form (his generalizability coefficient) leaves
:math:`\sigma_r^2` out. Source: Brennan (2001), ch. 2 to 4; for unequal numbers of ratings per target, ch. 7.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.components import Components, Score, unknown_interaction
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.ranges import require_above, require_count, require_open
from dialgauge.stats.reml.odds import Form, step_up

ROUNDING = 1e-9
"""Relative excess over a whole number that counts as rounding."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a study costs, in any one unit of money or time.

    ``rating`` per rating, ``rater`` per rater of the pool (recruiting, training), ``target`` per target (making,
    choosing).
    """

    rating: float = 1.0
    rater: float = 0.0
    target: float = 0.0

    def __post_init__(self) -> None:
        for name in ("rating", "rater", "target"):
            cost = getattr(self, name)
            if not (math.isfinite(cost) and cost >= 0.0):
                raise InputError(f"the cost per {name} must not be negative, got {cost}")


@dataclass(frozen=True, slots=True)
class Pair:
    """A number of raters per target and of replicates per rater, with the reliability and the cost of the study."""

    raters: int
    replicates: int
    reliability: float
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class TargetErrors:
    """What each target's own mean is worth, in the order of the target codes; every array has shape (targets,).

    ``error`` is the error variance of the mean of the target's ratings, ``reliability`` the share of true variance in
    such a mean: target / (target + error).
    """

    n_raters: NDArray[np.int64]
    n_ratings: NDArray[np.int64]
    error: Floats
    reliability: Floats


def raters_needed(odds: float, wanted: float) -> int | Refusal:
    """Return the least number of raters whose mean has the reliability ``wanted``, in (0, 1).

    ``odds`` is that of true to error variance of one rater, >= 0: its value gives the number by the point estimate,
    the low end of its interval the number that is enough beyond sampling error. k = wanted / (1 - wanted) / odds,
    rounded up (Spearman 1910, Brown 1910). A Refusal where no number is enough. Raises ``InputError``.
    """
    require_open("the wanted reliability", wanted, 0.0, 1.0)
    if not odds >= 0.0:
        raise InputError(f"the odds of true to error variance must not be negative, got {odds}")
    ratio = wanted / (1.0 - wanted)
    k = ratio / odds if odds > 0.0 else math.inf
    if not math.isfinite(k):
        return Refusal(
            f"no number of raters gives a reliability of {wanted:g}: the variance between targets may be zero",
            "use targets that differ more, or rate more targets so that their variance is known better",
        )
    return max(1, _ceil(k))


def replicates_needed(components: Components, wanted: float, *, k: float, form: Form = "absolute") -> int | Refusal:
    """Return the least number of replicates per rater with which ``k`` raters have the reliability ``wanted``.

    More replicates average the residual away, but neither severity nor the interaction: a Refusal tells the limit.
    Source: Brennan (2001), ch. 4, solved for the replicates. Raises ``InputError``, and ``CannotEstimateError`` where
    the interaction is unknown.
    """
    require_open("the wanted reliability", wanted, 0.0, 1.0)
    require_above("the number of raters", k, 0.0)
    if components.target_x_rater is None:
        raise unknown_interaction()
    lasting = components.lasting(form)
    room = k * components.target * (1.0 - wanted) / wanted - lasting
    if room <= 0.0 < components.residual or room < 0.0:
        limit = step_up(components.target / lasting if lasting > 0.0 else math.inf, k)
        return Refusal(
            f"with {k:g} raters no number of replicates gives a reliability of {wanted:g}: it stays below {limit:.3f}",
            "let more raters rate each target",
        )
    return max(1, _ceil(components.residual / room)) if components.residual > 0.0 else 1


def reliability_grid(
    components: Components, raters: Sequence[int], replicates: Sequence[int], *, form: Form = "absolute"
) -> Floats:
    """Return Rel(k, r), shape (len(raters), len(replicates)); see `Components.reliability` for errors."""
    return np.array([[components.reliability(Score(k, r, form)) for r in replicates] for k in raters])


def cheapest_pair(
    components: Components,
    wanted: float,
    *,
    costs: Costs,
    n_targets: int,
    n_raters: int | None = None,
    most_replicates: int = 10,
    form: Form = "absolute",
) -> Pair | Refusal:
    """Return the cheapest numbers of raters per target and replicates with the reliability ``wanted``, in (0, 1).

    ``n_targets`` are scored by a pool of ``n_raters``; without a pool everybody rates everything. Without a variance
    of target x rater in ``components`` there is one replicate. Of equally cheap pairs the one with fewer ratings per
    rater is chosen. Raises ``InputError``.
    """
    require_count("the number of targets", n_targets, 1)
    require_count("the largest number of replicates", most_replicates, 1)
    found: list[Pair] = []
    for r in range(1, most_replicates + 1 if components.target_x_rater is not None else 2):
        k = raters_needed(components.odds(Score(1.0, r, form)), wanted)
        if isinstance(k, Refusal):
            return k
        if n_raters is not None and k > n_raters:
            continue
        cost = n_targets * (costs.target + k * r * costs.rating) + (n_raters or k) * costs.rater
        found.append(Pair(k, r, components.reliability(Score(k, r, form)), cost))
    if not found:
        return Refusal(
            f"a pool of {n_raters} raters is too small for a reliability of {wanted:g} of each target's mean",
            "enlarge the pool, or allow more replicates",
        )
    return min(found, key=lambda pair: (pair.cost, pair.replicates))


def target_errors(components: Components, target: Codes, rater: Codes, *, form: Form = "absolute") -> TargetErrors:
    """Return the error variance of each target's mean in any design.

    ``target`` and ``rater`` hold dense codes of shape (n,), one entry a rating. For target i with r_ij ratings by
    rater j, n_i in all, the error is (rater + target_x_rater) sum_j (r_ij / n_i)^2 + residual / n_i: with n raters of
    r ratings each this is rater / n + target_x_rater / n + residual / (n r). Source: Brennan (2001), ch. 7. Raises
    ``InputError`` for a code without a rating and for codes of different length.
    """
    if len(target) != len(rater) or not len(target):
        raise InputError(f"{len(target)} targets and {len(rater)} raters; give one of each per rating")
    n_ratings = np.bincount(target)
    if not n_ratings.all():
        raise InputError(f"target code {int(np.argmin(n_ratings))} has no rating; number the targets without gaps")
    cells, per_cell = np.unique(target * (int(rater.max()) + 1) + rater, return_counts=True)
    of_cell = cells // (int(rater.max()) + 1)
    concentration = np.bincount(of_cell, per_cell.astype(np.float64) ** 2) / n_ratings**2
    shared = components.target_x_rater or 0.0
    if form == "absolute":
        shared += components.rater or 0.0
    error = shared * concentration + components.residual / n_ratings
    total = components.target + error
    reliability = np.divide(components.target, total, out=np.ones(len(total)), where=total > 0.0)
    return TargetErrors(np.bincount(of_cell), n_ratings, error, reliability)


def _ceil(x: float) -> int:
    return math.ceil(x - ROUNDING * x)
