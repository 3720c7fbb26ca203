"""Light's kappa with targets, raters and cells left out, pair of raters by pair of raters; for few raters."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.stats.agreement.cohen import light_kappa, say_pair
from dialgauge.stats.agreement.correction import TINY
from dialgauge.stats.agreement.counts import MISSING
from dialgauge.stats.agreement.twoway import (
    LEAST,
    ONE_HOLDS_ALL,
    LeftOut,
    NothingLeftError,
    these_raters_only,
    two_way_interval,
)
from dialgauge.stats.agreement.weights import check_weights
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Cohen's kappa of two raters; ``change`` (targets,) is what leaving out a target adds to it."""

    raters: tuple[int, int]
    kappa: float
    change: Floats
    both: NDArray[np.bool_]


def light_jackknife(
    ratings: Codes, n_categories: int, *, weights: Floats | None = None, names: Sequence[str] = ()
) -> LeftOut:
    """Return Light's kappa of ``ratings`` (targets, raters; -1 for empty) with each target, rater and cell left out.

    Units that share no target with another rater are no part of it. Time is O(raters^2 x targets). Raises
    ``CannotEstimateError`` as ``light_kappa``, and where leaving one out leaves a pair of raters nothing to compare.
    """
    whole = light_kappa(ratings, n_categories, weights=weights, names=names).value
    J = ratings.shape[1]
    if J < 3:
        raise NothingLeftError("rater", 0, "pair of raters")
    W = check_weights(weights, n_categories)
    pairs = [_compare(ratings, pair, W, names) for pair in itertools.combinations(range(J), 2)]
    by_target, by_cell = np.zeros(len(ratings)), np.zeros(ratings.shape)
    used = np.zeros(ratings.shape, dtype=np.bool_)
    kappas = np.zeros((J, J))
    for pair in pairs:
        by_target += pair.change
        for g in pair.raters:
            by_cell[:, g] += pair.change
            used[:, g] |= pair.both
        kappas[pair.raters] = pair.kappa
    n = len(pairs)
    by_rater = (kappas.sum() - kappas.sum(axis=0) - kappas.sum(axis=1)) / (n - (J - 1))
    targets = np.any(used, axis=1)
    return LeftOut(
        value=whole,
        target=whole + by_target[targets] / n,
        rater=by_rater,
        cell=whole + by_cell[used] / n,
        n=int(np.sum(ratings != MISSING)),
    )


def two_way_light(
    ratings: Codes,
    n_categories: int,
    *,
    weights: Floats | None = None,
    level: float = 0.95,
    names: Sequence[str] = (),
) -> Estimate:
    """Return Light's kappa with an interval for new targets and new raters; arguments and errors as ``light_kappa``.

    The interval is that of ``two_way_interval``; where leaving one out leaves a pair nothing to compare, it is the
    linearised one for these raters only, and says so. With two raters this is always so.
    """
    plain = light_kappa(ratings, n_categories, weights=weights, level=level, names=names)
    try:
        left = light_jackknife(ratings, n_categories, weights=weights, names=names)
    except NothingLeftError as refusal:
        return these_raters_only(plain, refusal.why)
    found = two_way_interval(left, name="Light's kappa", level=level, floor=LEAST)
    return found or these_raters_only(plain, ONE_HOLDS_ALL)


def _compare(ratings: Codes, raters: tuple[int, int], W: Floats, names: Sequence[str]) -> _Pair:
    """Take each target away from the sums of weights and from the two distributions."""
    a, b = raters
    both = (ratings[:, a] != MISSING) & (ratings[:, b] != MISSING)
    first, second = ratings[both, a], ratings[both, b]
    n = len(first)
    if n < 3:
        raise NothingLeftError("target", int(np.flatnonzero(both)[0]), f"two targets of {say_pair(a, b, names)}")
    rows, columns = (np.bincount(codes, minlength=len(W)) @ W for codes in (first, second))
    agree = W[first, second]
    seen, chance = float(agree.sum()), float(rows[second].sum())
    seen_left = (seen - agree) / (n - 1)
    chance_left = (chance - rows[second] - columns[first] + agree) / (n - 1) ** 2
    if np.any(1.0 - chance_left <= TINY):
        place = int(np.flatnonzero(both)[int(chance_left.argmax())])
        raise NothingLeftError("target", place, f"two categories of {say_pair(a, b, names)}")
    kappa = (seen / n - chance / n**2) / (1.0 - chance / n**2)
    change = np.zeros(len(ratings))
    change[both] = (seen_left - chance_left) / (1.0 - chance_left) - kappa
    return _Pair(raters, kappa, change, both)
