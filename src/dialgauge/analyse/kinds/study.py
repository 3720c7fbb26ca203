"""Ratings by several kinds of rater in, what the kinds agree on out."""

import importlib.metadata
import platform
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dialgauge.analyse.kinds.findings import findings_of_dimension, findings_of_pair, findings_of_study
from dialgauge.analyse.kinds.measures import measure_kind, measure_pair
from dialgauge.analyse.kinds.people import APART
from dialgauge.analyse.kinds.raters import order_kinds
from dialgauge.analyse.kinds.records import (
    DimensionKinds,
    KindsComparison,
    KindsFitRecord,
    LeftOutKind,
    RefusedKinds,
)
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.model import Ratings
from dialgauge.stats.arrays import Codes, Floats, one_thread
from dialgauge.stats.kinds import ConstantKindError, FewSharedError, KindsFit, KindVanishesError, fit_kinds
from dialgauge.stats.ranges import require_level

MOST_RATERS = 1_000_000_000
"""The largest k."""


def compare_kinds(
    ratings: Ratings,
    kinds: Mapping[str, str],
    *,
    reference: str | None = None,
    k: float | None = None,
    level: float = 0.95,
    apart: Collection[str] = (),
) -> KindsComparison:
    """Compare kinds of rater, such as people and language models, on every dimension of ``ratings``.

    ``kinds`` maps each rater's label to its kind; ``reference`` names the kind that the others are held against (the
    one with most raters by default). ``k`` is the number of raters that the k forms average over (> 0; by default the
    harmonic mean of the kind's raters per target), ``level`` the confidence level in (0, 1). A kind that cannot be
    estimated on a dimension is left out with its reason, a dimension without any is refused. On the dimensions in
    ``apart`` the kinds rated on scales of their own: no difference of their means is given there. Raises
    ``InputError`` for options out of range, for raters without a kind, and unless two to four kinds occur.
    """
    if k is not None and not 0.0 < k <= MOST_RATERS:
        raise InputError(
            f"k is the number of raters that a score averages over and must be positive and at most {MOST_RATERS:,}, "
            f"got {k}"
        )
    require_level(level)
    order = order_kinds(ratings, kinds, reference)
    done: list[DimensionKinds] = []
    refused: list[RefusedKinds] = []
    for name in ratings.dimensions:
        try:
            with one_thread():
                found = _compare(Case.of(ratings, name, order), k=k, level=level, apart=name in apart)
                done.append(found)
        except CannotEstimateError as error:
            refused.append(RefusedKinds(name, error.reason, error.remedy))
    return KindsComparison(
        source=ratings.source,
        scale="; ".join(dict.fromkeys(str(scale) for scale in ratings.scales.values())),
        n_targets=ratings.n_targets,
        level=level,
        reference=next(iter(order)),
        kinds={kind: len(raters) for kind, raters in order.items()},
        dimensions=tuple(done),
        refused=tuple(refused),
        notes=ratings.notes,
        findings=(*ratings.findings, *(findings_of_study(done) if len(ratings.dimensions) > 1 else ())),
        versions={
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("dialgauge", "numpy", "scipy", "polars")},
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One dimension as arrays: codes of target and rater per rating, the kind of each rater, and the names of both.

    ``absent`` names kinds that rated other dimensions only.
    """

    name: str
    target: Codes
    rater: Codes
    values: Floats
    kind_of: Codes
    kinds: tuple[str, ...]
    raters: tuple[str, ...]
    n_missing: tuple[int, ...]
    absent: tuple[str, ...]

    @classmethod
    def of(cls, ratings: Ratings, name: str, order: Mapping[str, list[str]]) -> "Case":
        """Take one dimension out of ``ratings``; raise ``CannotEstimateError`` for a nominal scale."""
        if ratings.scale_for(name).level == "nominal":
            raise CannotEstimateError(
                "the scale is nominal: its categories have no distances, so there is no variance to divide",
                remedy="judge it by agreement, or declare an order of the categories if there is one",
            )
        frame = ratings.of(name).sort("target", "rater", "replicate")
        kind_by_rater = {rater: kind for kind, raters in order.items() for rater in raters}
        missing = frame.filter(pl.col("value").is_null())["rater"].replace_strict(kind_by_rater, return_dtype=pl.String)
        kept = frame.filter(pl.col("value").is_not_null())
        kinds = tuple(kind for kind in order if set(order[kind]) & set(kept["rater"]))
        if not kinds:
            raise CannotEstimateError(
                "there is no rating with a value", remedy="look at the empty cells and at the filter"
            )
        target = np.unique(kept["target"].to_numpy(), return_inverse=True)[1]
        raters, rater = np.unique(kept["rater"].to_numpy(), return_inverse=True)
        return cls(
            name=name,
            target=target,
            rater=rater,
            values=kept["value"].to_numpy(),
            kind_of=np.array([kinds.index(kind_by_rater[label]) for label in raters]),
            kinds=kinds,
            raters=tuple(str(label) for label in raters),
            n_missing=tuple(int((missing == kind).sum()) for kind in kinds),
            absent=tuple(kind for kind in order if kind not in kinds),
        )

    def without(self, dropped: tuple[int, ...]) -> "Case":
        """Return the ratings of the other kinds."""
        stay = [g for g in range(len(self.kinds)) if g not in dropped]
        here = np.isin(self.kind_of[self.rater], stay)
        labels, rater = np.unique(self.rater[here], return_inverse=True)
        return replace(
            self,
            target=np.unique(self.target[here], return_inverse=True)[1],
            rater=rater,
            values=self.values[here],
            kind_of=np.array([stay.index(g) for g in self.kind_of[labels]]),
            kinds=tuple(self.kinds[g] for g in stay),
            raters=tuple(self.raters[i] for i in labels),
            n_missing=tuple(self.n_missing[g] for g in stay),
        )


def _compare(case: Case, *, k: float | None, level: float, apart: bool) -> DimensionKinds:
    case, fit, left_out = _fit(case)
    indices = range(len(case.kinds))
    raters = [tuple(label for label, g in zip(case.raters, case.kind_of, strict=True) if g == h) for h in indices]
    kinds = tuple(
        measure_kind(fit, g, name=case.kinds[g], raters=raters[g], n_missing=case.n_missing[g], k=k, level=level)
        for g in indices
    )
    kind = case.kind_of[case.rater]
    pairs = [
        measure_pair(fit, (g, h), (kinds[g], kinds[h]), (case.target, kind, case.values), level=level)
        for g in indices
        for h in indices
        if g < h
    ]
    if apart:
        pairs = [replace(pair, difference=APART, difference_se=None, difference_df=None) for pair in pairs]
    found = DimensionKinds(
        name=case.name,
        kinds=kinds,
        pairs=tuple(replace(pair, findings=findings_of_pair(pair, kinds)) for pair in pairs),
        left_out=left_out,
        fit=KindsFitRecord(fit.criterion, fit.evaluations, fit.max_gradient),
    )
    return replace(found, findings=findings_of_dimension(found))


def _fit(case: Case) -> tuple[Case, KindsFit, tuple[LeftOutKind, ...]]:
    """Fit all kinds together; leave out, one after the other, those that make it impossible."""
    left_out = [
        LeftOutKind(kind, "it has no rating with a value here", "look at its empty cells and at the filter")
        for kind in case.absent
    ]
    while True:
        try:
            return case, fit_kinds(case.target, case.rater, case.kind_of, case.values), tuple(left_out)
        except (ConstantKindError, KindVanishesError, FewSharedError) as error:
            # of kinds that cannot stand together the last one goes: the reference comes first
            gone = error.kinds[-1:] if isinstance(error, FewSharedError) else error.kinds
            if len(gone) == len(case.kinds):
                raise
            left_out += [LeftOutKind(case.kinds[g], error.reason, error.remedy) for g in gone]
            case = case.without(gone)
