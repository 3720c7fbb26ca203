"""Targets and raters with extreme scores: all ratings lowest, or all highest.

Their maximum likelihood measures are infinite. As Facets does (Linacre 1989, ch. 9; Wright 1998), they are set aside,
the rest is calibrated, and then their scores are moved .3 of a point inwards and measured against the calibration.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.ordinal.rasch_model import moments_of

ADJUSTMENT = 0.3
"""Part of a score point by which an extreme score is moved inwards."""

MOVE_TOLERANCE = 1e-10
LONGEST_STEP, DAMPING = 1.0, 0.97
MAX_STEPS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Peeling:
    """What remains when extreme scores are set aside, again and again until there are none.

    ``kept`` (n,) marks the ratings that remain, whose categories run from ``lowest`` to ``highest``. ``target_round``
    and ``rater_round`` hold the round in which a level was set aside, 0 for those that remain; ``target_extreme`` and
    ``rater_extreme`` are -1 for lowest, +1 for highest, 0 for not extreme. A level that is not extreme is set aside
    with its last extreme counterpart.
    """

    kept: Codes
    lowest: int
    highest: int
    rounds: int
    target_round: Codes
    rater_round: Codes
    target_extreme: Codes
    rater_extreme: Codes


def peel(target: Codes, rater: Codes, category: Codes) -> Peeling:
    """Set aside targets and raters with extreme scores; raises ``CannotEstimateError`` where nothing remains."""
    facets = (target, rater)
    rounds = [np.zeros(int(codes.max()) + 1, dtype=np.intp) for codes in facets]
    extremes = [np.zeros(int(codes.max()) + 1, dtype=np.intp) for codes in facets]
    kept = np.arange(len(category))
    number = 0
    while True:
        here = category[kept]
        low, high = (int(here.min()), int(here.max())) if here.size else (0, 0)
        if low == high:
            raise CannotEstimateError(
                "there are only extreme scores: without targets and raters whose ratings are all lowest or highest, "
                "none remain",
                remedy="collect ratings that disagree more, or use a finer scale",
            )
        found = [_extreme(codes[kept], here, len(r), (low, high)) for codes, r in zip(facets, rounds, strict=True)]
        if not any(f.any() for f in found):
            break
        number += 1
        for new, seen, sign in zip(found, rounds, extremes, strict=True):
            seen[new != 0] = number
            sign[new != 0] = new[new != 0]
        kept = kept[(rounds[0][target[kept]] == 0) & (rounds[1][rater[kept]] == 0)]
        for codes, seen in zip(facets, rounds, strict=True):
            seen[(seen == 0) & (np.bincount(codes[kept], minlength=len(seen)) == 0)] = number
    return Peeling(kept, low, high, number, rounds[0], rounds[1], extremes[0], extremes[1])


def _extreme(codes: Codes, category: Codes, n_levels: int, ends: tuple[int, int]) -> Codes:
    """Return -1, 0 or +1 per level: all ratings at the lower end, neither, all at the upper end."""
    count = np.bincount(codes, minlength=n_levels)
    low, high = (np.bincount(codes[category == end], minlength=n_levels) for end in ends)
    seen = count > 0
    return np.where(seen & (high == count), 1, 0) - np.where(seen & (low == count), 1, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The measures so far, NaN where there is none yet: filled in place. ``thresholds`` has one row per rater."""

    target: Floats
    severity: Floats
    thresholds: Floats


def measure_extremes(
    scale: Scale, target: Codes, rater: Codes, category: Codes, peeling: Peeling
) -> tuple[Floats, Floats]:
    """Fill in the measures of all levels set aside, last round first; return the information of targets and raters.

    ``category`` holds the recoded categories 0 .. q of all ratings. A level is measured by its ratings with levels
    that have a measure.
    """
    information = np.zeros(len(scale.target)), np.zeros(len(scale.severity))
    waiting = [np.zeros(0, dtype=np.intp)] * 2
    for number in range(peeling.rounds, -1, -1):
        if number:
            new = (np.flatnonzero(peeling.target_round == number), np.flatnonzero(peeling.rater_round == number))
            waiting = [np.concatenate(pair) for pair in zip(waiting, new, strict=True)]
        progress = True
        while progress and any(w.size for w in waiting):
            progress = False
            for facet in (0, 1):
                done = _measure(scale, facet, waiting[facet], (target, rater, category), information[facet])
                waiting[facet] = np.setdiff1d(waiting[facet], done)
                progress = progress or done.size > 0
    return information


def _measure(
    scale: Scale, facet: int, levels: Codes, ratings: tuple[Codes, Codes, Codes], information: Floats
) -> Codes:
    """Measure those ``levels`` of a facet (0 target, 1 rater) that have a counterpart with a measure; return them."""
    own, other = (ratings[0], ratings[1]) if facet == 0 else (ratings[1], ratings[0])
    mine, others = (scale.target, scale.severity) if facet == 0 else (scale.severity, scale.target)
    sign = 1.0 if facet == 0 else -1.0
    use = np.flatnonzero(np.isin(own, levels) & np.isfinite(others[other]))
    if use.size == 0:
        return use
    done, position = np.unique(own[use], return_inverse=True)
    category = ratings[2][use]
    fixed = -scale.thresholds[ratings[1][use]] - sign * others[other[use]][:, None]
    q = fixed.shape[1]
    score = np.bincount(position, category)
    score = np.clip(score, ADJUSTMENT, q * np.bincount(position) - ADJUSTMENT)
    measure = np.zeros(len(done))
    for limit in LONGEST_STEP * DAMPING ** np.arange(MAX_STEPS):
        moments = moments_of(fixed + sign * measure[position][:, None], category)
        spread = np.bincount(position, moments.variance)
        move = sign * (score - np.bincount(position, moments.expected)) / np.maximum(spread, 1e-12)
        measure += np.clip(move, -limit, limit)
        if float(np.abs(move).max()) < MOVE_TOLERANCE:
            break
    else:
        raise CannotEstimateError(
            "the measure of an extreme score was not found", remedy="collect ratings of that target by other raters"
        )
    mine[done], information[done] = measure, spread
    return done
