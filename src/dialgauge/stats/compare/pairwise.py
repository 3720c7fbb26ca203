"""More than two systems compared by a mixed model for each pair: a difference hangs on its own two systems alone."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import stdtrit

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes
from dialgauge.stats.compare.family import pairs, rank_systems
from dialgauge.stats.compare.mixed import check_systems, fit_mixed
from dialgauge.stats.compare.records import Comparison, Contrast, SystemPanel
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_level

Pair = tuple[int, int]

Fit = Callable[[SystemPanel], Comparison]
"""The mixed model of the systems of a panel."""

Otherwise = Callable[[int, int, int], Contrast]
"""The contrast of systems i and j, held to so many pairs together, by another route than the mixed model."""


def fit_pairs(
    panel: SystemPanel,
    *,
    higher_is_better: bool = True,
    level: float = 0.95,
    fewest_raters: int = 0,
    rng: np.random.Generator,
    otherwise: Otherwise | None = None,
) -> Comparison:
    """Return the systems of ``panel`` compared by `fit_mixed` on the rows of each pair alone.

    What other systems do moves no difference and no interval of its own. For all pairs together, intervals and p are
    held by Bonferroni over the pairs, each with its own degrees of freedom. Variance components are means over the
    pairs; the means of systems are those of one model of all, or, where that has no answer, of the first pair. Two
    systems have the answer of `fit_mixed`, whose ``fewest_raters`` this takes too. ``otherwise`` gives the contrast of
    a pair whose model has no answer.

    Raises what `fit_mixed` raises; a pair without an answer raises where ``otherwise`` is None or no pair has one.
    """
    require_level(level)
    n_systems = int(panel.system.max(initial=0)) + 1
    if n_systems <= 2:
        return fit_mixed(panel, higher_is_better=higher_is_better, level=level, fewest_raters=fewest_raters, rng=rng)
    check_systems(panel)
    fit = partial(fit_mixed, level=level, fewest_raters=fewest_raters, rng=rng)
    fits, refused = _fit_each(panel, n_systems, fit)
    if refused and (otherwise is None or not fits):
        raise next(iter(refused.values()))
    m = len(fits) + len(refused)
    contrasts = tuple(
        hold_pair(replace(fits[pair].contrasts[0], first=pair[0], second=pair[1]), m)
        if pair in fits or otherwise is None
        else otherwise(*pair, m)
        for pair in pairs(n_systems)
    )
    means = _means(panel, fits, fit)
    variance = _average([one.variance for one in fits.values()])
    first = next(iter(fits.values()))
    return Comparison(
        means=means,
        contrasts=contrasts,
        ranks=rank_systems([mean.value for mean in means], contrasts, higher_is_better=higher_is_better),
        method=f"for each pair of systems by itself: {first.method}",
        variance=variance,
        boundary=tuple(name for name, value in variance.items() if value == 0.0),
        left_out={name: why for one in fits.values() for name, why in one.left_out.items() if name not in variance},
        n=len(panel),
    )


def hold_pair(contrast: Contrast, m: int) -> Contrast:
    """Return a contrast with a t interval held to ``m`` pairs by Bonferroni: its interval for all together, and p."""
    if m == 1:
        return contrast
    own = contrast.difference
    if own.low is None or own.high is None:
        return replace(contrast, simultaneous=own, p_adjusted=min(m * contrast.p, 1.0))
    at, joint = (float(stdtrit(contrast.df, 1.0 - (1.0 - own.level) / (2.0 * k))) for k in (1, m))
    reach = (own.high - own.value) * joint / at
    method = f"{own.method}, Bonferroni over {m} pairs"
    simultaneous = replace(own, low=own.value - reach, high=own.value + reach, method=method)
    return replace(contrast, simultaneous=simultaneous, p_adjusted=min(m * contrast.p, 1.0))


def _fit_each(
    panel: SystemPanel, n_systems: int, fit: Fit
) -> tuple[Mapping[Pair, Comparison], Mapping[Pair, CannotEstimateError]]:
    fits: dict[Pair, Comparison] = {}
    refused: dict[Pair, CannotEstimateError] = {}
    for pair in pairs(n_systems):
        try:
            fits[pair] = fit(take_systems(panel, pair))
        except CannotEstimateError as error:
            refused[pair] = error
    return fits, refused


def take_systems(panel: SystemPanel, systems: Sequence[int]) -> SystemPanel:
    """Return the rows of ``systems``, which have the codes 0, 1, ... in that order."""
    rows = np.flatnonzero(np.isin(panel.system, systems))
    code = np.zeros(int(panel.system.max()) + 1, dtype=np.intp)
    code[list(systems)] = np.arange(len(systems))

    def take(codes: Codes) -> Codes:
        return np.asarray(np.unique(codes[rows], return_inverse=True)[1], dtype=np.intp)

    return SystemPanel(
        panel.values[rows],
        code[panel.system[rows]],
        take(panel.persona),
        take(panel.preference),
        take(panel.dialogue),
        None if panel.rater is None else take(panel.rater),
    )


def _means(panel: SystemPanel, fits: Mapping[Pair, Comparison], fit: Fit) -> tuple[Estimate, ...]:
    """Return the mean of each system by one model of all; where that has no answer, from its first pair that has."""
    try:
        return fit(panel).means
    except CannotEstimateError:
        found: dict[int, Estimate] = {}
        for pair, one in fits.items():
            for system, mean in zip(pair, one.means, strict=True):
                found.setdefault(system, mean)
        n_systems = int(panel.system.max()) + 1
        if len(found) < n_systems:
            raise
        return tuple(found[system] for system in range(n_systems))


def _average(variances: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the mean of each component over the pairs that tell it."""
    names = dict.fromkeys(name for one in variances for name in one)
    return {
        name: math.fsum(known) / len(known)
        for name, known in ((name, [one[name] for one in variances if name in one]) for name in names)
    }
