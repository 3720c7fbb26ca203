r"""Systems compared by ratios and abilities, whose uncertainty comes from the influence of each dialogue.

The difference of two systems has the influence of the rows of both, those of the second with the other sign. Personas
and preferences are common to the systems, so that pairing is in its two-way cluster-robust variance (Cameron, Gelbach
and Miller 2011; see `dialgauge.stats.abilities.twoway`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.abilities.twoway import METHOD, Crossing, Linear, count_groups, estimate_mean, two_way_variance
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.compare.family import Family, contrast_matrix, pairs, rank_systems
from dialgauge.stats.compare.records import Comparison, Contrast
from dialgauge.stats.compare.terms import PERSONA, PREFERENCE, only_one
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_level

_FROM_SYSTEM = "cannot be told from system in these data"


@dataclass(frozen=True, slots=True, eq=False)
class _Difference:
    """The difference of a pair of systems, who met what, its variance and its degrees of freedom."""

    found: Linear
    crossing: Crossing
    variance: float
    df: float
    n_paired: int


def compare_linear(
    estimates: Sequence[Linear],
    crossings: Sequence[Crossing],
    *,
    bounds: tuple[float, float],
    higher_is_better: bool = True,
    level: float = 0.95,
    rng: np.random.Generator,
) -> Comparison:
    """Return systems compared by one estimate each, in the order of their codes, with the rows it rests on.

    ``bounds`` are the least and the greatest that an estimate can be. Codes of personas and preferences are common to
    the crossings. Intervals are t with one degree of freedom less than there are personas or preferences, whichever
    are fewer; p are adjusted by the largest |t| over pairs with the correlation that the influences give. Where the
    difference of a pair has no spread at all, the share of clusters that might differ is bounded by Clopper and Pearson
    (1934), p is what that bound gives, and the pairs are held together by Bonferroni. Where there is only one
    preference (or persona), or one of its own for each system, dialogues are clustered by the other alone, and that is
    in ``left_out``.

    Raises InputError for lists of different lengths or a level out of range; CannotEstimateError for fewer than two
    systems, for one persona and one preference, and for a difference without spread where ``bounds`` are not finite.
    """
    require_level(level)
    if len(estimates) != len(crossings):
        raise InputError(f"each estimate needs a crossing, got {len(estimates)} and {len(crossings)}")
    if len(estimates) < 2:
        raise CannotEstimateError(
            "there is only one system to compare", remedy="collect dialogues with the system to compare it with"
        )
    crossings, left_out = _fill(estimates, crossings)
    covers = " and ".join(", ".join(_covered(left_out)).rsplit(", ", 1))
    means = [
        estimate_mean(one, crossing, bounds=bounds, covers=covers, level=level)
        for one, crossing in zip(estimates, crossings, strict=True)
    ]
    result = _Result(estimates, crossings, bounds, covers, level)
    contrasts = result.contrasts(rng)
    return Comparison(
        means=tuple(means),
        contrasts=contrasts,
        ranks=rank_systems([one.value for one in means], contrasts, higher_is_better=higher_is_better),
        method=f"{METHOD}, paired by personas and preferences",
        variance={},
        boundary=(),
        left_out=left_out,
        n=sum(one.n for one in estimates),
    )


def _fill(estimates: Sequence[Linear], crossings: Sequence[Crossing]) -> tuple[tuple[Crossing, ...], Mapping[str, str]]:
    """Put the other grouping in the place of one of which each system has a single level, and say so."""
    per_system = [
        [set(codes[one.used].tolist()) for one, codes in zip(estimates, each, strict=True)]
        for each in ([c.persona for c in crossings], [c.preference for c in crossings])
    ]
    lacks = {
        name: _FROM_SYSTEM if len(set.union(*levels)) > 1 else only_one(name)
        for name, levels in zip((PERSONA, PREFERENCE), per_system, strict=True)
        if all(len(own) < 2 for own in levels)
    }
    if _FROM_SYSTEM in lacks.values() and len(lacks) == 2:
        raise CannotEstimateError(
            "each system has a persona or a preference of its own and nothing else tells how far another would differ",
            remedy="let all systems meet the same personas and preferences, and several of them",
        )
    if len(lacks) == 2:
        raise CannotEstimateError(
            "there is only one persona and one preference, so nothing tells how far another would differ",
            remedy="collect dialogues of more personas or preferences",
        )
    if PERSONA in lacks:
        return tuple(Crossing(c.preference, c.preference) for c in crossings), lacks
    if PREFERENCE in lacks:
        return tuple(Crossing(c.persona, c.persona) for c in crossings), lacks
    return tuple(crossings), {}


def _covered(left_out: Mapping[str, str]) -> list[str]:
    return [*(f"{name}s" for name in (PERSONA, PREFERENCE) if name not in left_out), "dialogues"]


class _Result:
    """All pairs of systems, put into records."""

    def __init__(
        self,
        estimates: Sequence[Linear],
        crossings: Sequence[Crossing],
        bounds: tuple[float, float],
        covers: str,
        level: float,
    ) -> None:
        self.estimates, self.crossings, self.covers, self.level = estimates, crossings, covers, level
        self.reach = bounds[1] - bounds[0]
        self.pairs = pairs(len(estimates))
        self.differences = [self._difference(i, j) for i, j in self.pairs]

    def contrasts(self, rng: np.random.Generator) -> tuple[Contrast, ...]:
        moving = [k for k, one in enumerate(self.differences) if one.variance > 0.0]
        family, critical = None, math.inf
        if moving:
            rows = contrast_matrix(len(self.estimates))[moving]
            family = Family(self._covariance(rows), min(self.differences[k].df for k in moving), rng=rng)
            # the pairs without spread take their part of the error first
            critical = family.critical(1.0 - (1.0 - self.level) * len(moving) / len(self.pairs))
        return tuple(
            self._moving(pair, one, family, critical) if family and one.variance > 0.0 else self._still(pair, one)
            for pair, one in zip(self.pairs, self.differences, strict=True)
        )

    def _difference(self, i: int, j: int) -> _Difference:
        first, second, one, other = self.estimates[i], self.estimates[j], self.crossings[i], self.crossings[j]
        crossing = Crossing(
            np.concatenate([one.persona, other.persona]), np.concatenate([one.preference, other.preference])
        )
        found = Linear(
            first.value - second.value,
            np.concatenate([first.influence, -second.influence]),
            np.concatenate([first.used, second.used + len(one)]),
        )
        groups = count_groups(found, crossing)
        if groups < 2:
            raise CannotEstimateError(
                f"systems {i} and {j} met one persona or one preference only, while other systems met more",
                remedy="let all systems meet the same personas and preferences",
            )
        met = [_met(c, e.used) for c, e in ((one, first), (other, second))]
        return _Difference(found, crossing, two_way_variance(found, crossing), groups - 1.0, len(met[0] & met[1]))

    def _covariance(self, rows: Floats) -> Floats:
        """Return the covariance of the contrasts ``rows`` (m, S); without its last term where that breaks it."""
        used = [one.used for one in self.estimates]
        u = np.zeros((sum(map(len, used)), len(used)))
        ends = np.cumsum([0, *map(len, used)])
        for s, one in enumerate(self.estimates):
            u[ends[s] : ends[s + 1], s] = one.influence[one.used]
        persona, preference = (
            np.concatenate([codes[at] for codes, at in zip(each, used, strict=True)])
            for each in ([c.persona for c in self.crossings], [c.preference for c in self.crossings])
        )
        u = u @ rows.T
        wide = _spread(persona, u) + _spread(preference, u)
        narrow = wide - _spread(Crossing(persona, preference).cell, u)
        values = np.linalg.eigvalsh(narrow)
        sound = values[0] > -1e-9 * values[-1] and np.all(np.diag(narrow) > 1e-6 * np.diag(wide))
        return narrow if sound else wide

    def _moving(self, pair: tuple[int, int], one: _Difference, family: Family, critical: float) -> Contrast:
        """Return the contrast of a pair whose difference has a spread."""
        alone = estimate_mean(
            one.found, one.crossing, bounds=(-self.reach, self.reach), covers=self.covers, level=self.level
        )
        error = math.sqrt(one.variance)
        t, margin = abs(one.found.value) / error, critical * error
        low, high = max(alone.value - margin, -self.reach), min(alone.value + margin, self.reach)
        method = f"{METHOD}, max |t| over {len(self.pairs)} pairs with {family.df:.0f} df"
        joint = replace(alone, low=low, high=high, method=method)
        p = 2.0 * float(stdtr(one.df, -t))
        share = len(self.pairs) / sum(d.variance > 0.0 for d in self.differences)
        return Contrast(*pair, alone, joint, p, min(max(share * family.p(t), p), 1.0), one.df, one.n_paired)

    def _still(self, pair: tuple[int, int], one: _Difference) -> Contrast:
        """Return the contrast of a pair whose difference has no spread."""
        value, groups = abs(one.found.value), one.df + 1.0
        if value > 0.0 and not math.isfinite(self.reach):
            raise CannotEstimateError(
                f"systems {pair[0]} and {pair[1]} differ by the same amount everywhere, and the measure has no bounds",
                remedy="collect more dialogues, or compare a measure with a least and a greatest value",
            )
        ends, m = (-self.reach, self.reach), len(self.pairs)
        alone, joint = (
            replace(estimate_mean(one.found, one.crossing, bounds=ends, covers=self.covers, level=at), level=self.level)
            for at in (self.level, 1.0 - (1.0 - self.level) / m)
        )
        p = min(2.0 * (1.0 + value / self.reach) ** -groups, 1.0) if value > 0.0 else 1.0
        return Contrast(*pair, alone, _name_joint(joint, m), p, min(m * p, 1.0), one.df, one.n_paired)


def _name_joint(estimate: Estimate, m: int) -> Estimate:
    return estimate if m == 1 else replace(estimate, method=f"{estimate.method}, Bonferroni over {m} pairs")


def _met(crossing: Crossing, used: Codes) -> set[tuple[int, int]]:
    return set(zip(crossing.persona[used].tolist(), crossing.preference[used].tolist(), strict=True))


def _spread(codes: Codes, u: Floats) -> Floats:
    """Return c_G times the products of the sums of the columns of ``u`` by ``codes``."""
    levels, dense = np.unique(codes, return_inverse=True)
    sums = np.zeros((levels.size, u.shape[1]))
    np.add.at(sums, dense, u)
    return np.asarray(levels.size / (levels.size - 1.0) * sums.T @ sums)
