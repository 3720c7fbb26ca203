"""Study 3, agreement: the same values, on the dimensions that are excellent by all raters or on all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from dialgauge.analyse.bands import LANDIS_KOCH, band
from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.retest.classes import KAPPA_BANDS, NMAE_BANDS, band_error
from dialgauge.analyse.retest.cube import Cube
from dialgauge.analyse.retest.records import BandCounts, Measure, Repeat, ValueAgreement, ValuePair
from dialgauge.errors import CannotEstimateError
from dialgauge.model import Ratings, Scale
from dialgauge.stats.agreement.counts import MISSING
from dialgauge.stats.agreement.weights import rating_weights
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.retest.between import ReplicatePairs, compare_categories, compare_values

Scope = Literal["excellent", "all"]
Weights = Literal["quadratic", "linear"]

OTHER: dict[Weights, Weights] = {"quadratic": "linear", "linear": "quadratic"}
BANDS: dict[Measure, tuple[str, ...]] = {"nmae": NMAE_BANDS, "kappa": KAPPA_BANDS, "weighted_kappa": KAPPA_BANDS}


@dataclass(frozen=True, slots=True)
class Comparison:
    """What Study 3 compares and how: ``scope``, the ``weights`` of ordinal scales, the confidence ``level``."""

    scope: Scope
    weights: Weights
    level: float


def compare_raters(
    ratings: Ratings, cube: Cube, repeats: Sequence[Repeat], *, excellent: Sequence[str], options: Comparison
) -> ValueAgreement:
    """Return Study 3 on the dimensions of ``excellent``, or on all that no rater's answers exclude."""
    if len(cube.raters) < 2:
        return ValueAgreement(options.scope, (), (), (), why_none="There is one rater, so there is nobody to compare.")
    barred = {r.dimension for r in repeats if r.status == "excluded"}
    chosen = [name for name in cube.dimensions if name not in barred]
    if options.scope == "excellent":
        chosen = list(excellent)
    if not chosen:
        return ValueAgreement(options.scope, (), (), (), why_none=_why_none(options.scope))
    groups = {r.dimension: r.group for r in repeats}
    pairs = []
    for name in chosen:
        d = cube.dimensions.index(name)
        one = _Dimension(name, groups[name], ratings.scale_for(name), cube.values[d], options)
        pairs += [one.compare(cube.raters, a, b) for a, b in combinations(range(len(cube.raters)), 2)]
    return ValueAgreement(options.scope, tuple(chosen), pairs, _count_bands(pairs))


def _why_none(scope: Scope) -> str:
    if scope == "all":
        return "Every dimension is excluded by some rater's answers, so there is nothing to compare."
    return (
        "No dimension is excellent by all raters, so there is nothing to compare; --agreement-on all compares every "
        "dimension."
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Dimension:
    """One dimension: ``values`` (raters, targets, replicates), NaN for gaps."""

    name: str
    group: str
    scale: Scale
    values: Floats
    options: Comparison

    @property
    def measure(self) -> Measure:
        """What is computed on a scale of this level."""
        if self.scale.level in {"interval", "ratio"}:
            return "nmae"
        return "weighted_kappa" if self.scale.level == "ordinal" and len(self.scale.points or ()) > 2 else "kappa"

    def compare(self, raters: Sequence[str], first: int, second: int) -> ValuePair:
        """Return the values of two raters beside each other."""
        spread = float(np.nanmax(self.values) - np.nanmin(self.values)) if self.measure == "nmae" else None
        weights = {"nmae": "", "kappa": "identity", "weighted_kappa": self.options.weights}[self.measure]
        found = _try(lambda: self._pairs(first, second, spread, self.options.weights))
        empty = ValuePair(
            dimension=self.name,
            group=self.group,
            first=raters[first],
            second=raters[second],
            measure=self.measure,
            weights=weights,
            result=found if isinstance(found, Refusal) else found.median,
            other=self._other(first, second),
            spread=spread,
        )
        if isinstance(found, Refusal):
            return empty
        word, supported = _band(found.median, self.measure)
        return replace(
            empty,
            trimmed=found.trimmed,
            lowest=found.lowest,
            highest=found.highest,
            n_pairs=found.n_pairs,
            n_undefined=found.n_undefined,
            n_targets=found.n_targets,
            mae=None if spread is None else found.median.value * spread,
            band=word,
            supported=supported,
        )

    def _other(self, first: int, second: int) -> Coefficient | None:
        """Return weighted kappa with the weights that were not asked for, on ordinal scales."""
        if self.measure != "weighted_kappa":
            return None
        other = _try(lambda: self._pairs(first, second, None, OTHER[self.options.weights]))
        return other if isinstance(other, Refusal) else other.median

    def _pairs(self, first: int, second: int, spread: float | None, weights: Weights) -> ReplicatePairs:
        level = self.options.level
        if spread is not None:
            return compare_values(self.values[first], self.values[second], spread=spread, level=level)
        points = np.asarray(self.scale.points, dtype=np.float64)
        matrix = np.eye(len(points)) if self.measure == "kappa" else rating_weights(weights, points)
        codes = [_codes(self.values[r], points) for r in (first, second)]
        return compare_categories(*codes, weights=matrix, level=level)


def _codes(values: Floats, points: Floats) -> Codes:
    """Return the places of ``values`` among the points of the scale, -1 for gaps."""
    return np.where(np.isnan(values), MISSING, np.searchsorted(points, values))


def _try(compute: Callable[[], ReplicatePairs]) -> ReplicatePairs | Refusal:
    try:
        return compute()
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _band(found: Estimate, measure: Measure) -> tuple[str, bool]:
    """Return the word for a value, and whether the unfavourable end of the interval has it or a better one."""
    say = band_error if measure == "nmae" else lambda value: band(value, LANDIS_KOCH)
    word = say(found.value)
    worst = found.high if measure == "nmae" else found.low
    order = BANDS[measure]
    return word, worst is not None and order.index(say(worst)) <= order.index(word)


def _count_bands(pairs: Sequence[ValuePair]) -> list[BandCounts]:
    found = []
    for measure, bands in BANDS.items():
        own = [pair for pair in pairs if pair.measure == measure]
        if not own:
            continue
        names = tuple(dict.fromkeys((pair.first, pair.second) for pair in own))
        words: dict[str, list[str]] = {}
        for pair in own:
            words.setdefault(pair.dimension, []).append(pair.band)
        found.append(
            BandCounts(
                measure=measure,
                pairs=names,
                bands=bands,
                counts=tuple(
                    tuple(sum(p.band == word and (p.first, p.second) == name for p in own) for word in bands)
                    for name in names
                ),
                in_all=tuple(sum(set(given) == {word} for given in words.values()) for word in bands),
                n_dimensions=len(words),
            )
        )
    return found
