"""Study 1: each dimension by each rater, and the counts per group of dimensions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.retest.classes import CLASSES, classify, is_supported, permit_use
from dialgauge.analyse.retest.cube import Cube
from dialgauge.analyse.retest.records import PARTS, Form, GroupSummary, Part, Repeat, Status
from dialgauge.errors import CannotEstimateError
from dialgauge.model import Ratings, Scale
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.retest.incomplete import CompletePart, find_complete, reml_consistency
from dialgauge.stats.retest.repeat import Repetition, repeat_alpha, repeat_icc

MUCH_MISSING = 0.05
"""Share of empty cells from which REML on all ratings stands beside the complete targets."""


@dataclass(frozen=True, slots=True)
class Options:
    """How Study 1 is done: the ``form`` of the ICC, the confidence ``level``, the ``dominant`` share that excludes."""

    form: Form
    level: float
    dominant: float


def measure_repeats(ratings: Ratings, cube: Cube, options: Options) -> tuple[Repeat, ...]:
    """Return every dimension by every rater, dimension by dimension."""
    instrument = ratings.instrument
    declared = set(instrument.dimension_names) if instrument is not None else set()
    found = []
    for d, name in enumerate(cube.dimensions):
        group = instrument.dimension(name).group if instrument is not None and name in declared else ""
        for r, rater in enumerate(cube.raters):
            cell = _Cell(name, rater, group, ratings.scale_for(name), cube.values[d, r])
            found.append(_measure(cell, cube, options))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Cell:
    """One dimension by one rater: ``values`` (targets, replicates), NaN for gaps."""

    dimension: str
    rater: str
    group: str
    scale: Scale
    values: Floats

    @property
    def categories(self) -> bool:
        """Whether the values are categories without an order, more than two."""
        return self.scale.level == "nominal" and len(self.scale.points or ()) > 2


def _measure(cell: _Cell, cube: Cube, options: Options) -> Repeat:
    filled = ~np.isnan(cell.values)
    dominant, share = _most_frequent(cell.values[filled])
    used: tuple[Repetition, CompletePart] | Refusal
    status: Status = "refused"
    if dominant is not None and share is not None and share >= options.dominant:
        used, status = _exclude(dominant, share), "excluded"
    else:
        used = _repeat(cell, options.level)
    parts = _Coefficients.of(used, cell, options)
    if not isinstance(used, Refusal) and not isinstance(parts.single, Refusal):
        status = "ok"
    rated = np.flatnonzero(filled.any(axis=1))
    rows = rated[:0] if isinstance(used, Refusal) else used[1].rows
    left_out = rated[:0] if isinstance(used, Refusal) else np.setdiff1d(rated, rows)
    why = parts.single if isinstance(parts.single, Refusal) else Refusal("", "")
    exact = not isinstance(used, Refusal) and used[0].exact
    classes = [classify(c, exact=exact) for c in (parts.single, parts.mean)]
    return Repeat(
        dimension=cell.dimension,
        rater=cell.rater,
        group=cell.group,
        level=cell.scale.level,
        status=status,
        reason=why.reason,
        remedy=why.remedy,
        coefficient="alpha" if cell.categories else "icc",
        single=parts.single,
        mean=parts.mean,
        other_single=parts.other_single,
        other_mean=parts.other_mean,
        reml_single=parts.reml_single,
        reml_mean=parts.reml_mean,
        same=None if isinstance(used, Refusal) else used[0].same,
        exact=exact,
        class_single=classes[0],
        class_mean=classes[1],
        supported_single=is_supported(parts.single, classes[0]),
        supported_mean=is_supported(parts.mean, classes[1]),
        use=permit_use(parts.single, parts.mean) if status == "ok" else None,
        replicates=0 if isinstance(used, Refusal) else used[0].k,
        n_replicates=int(filled.any(axis=0).sum()),
        n_targets=len(rows),
        left_out=tuple(cube.targets[i] for i in left_out),
        n_unrated=len(filled) - len(rated),
        n_ratings=int(filled.sum()),
        missing=cube.missing.get((cell.dimension, cell.rater), {}),
        dominant=dominant,
        dominant_share=share,
    )


def _most_frequent(values: Floats) -> tuple[float | None, float | None]:
    """Return the most frequent of ``values`` and its share; ``None`` where there are none."""
    if not len(values):
        return None, None
    points, counts = np.unique(values, return_counts=True)
    top = int(np.argmax(counts))
    return float(points[top]), float(counts[top] / len(values))


def _exclude(dominant: float, share: float) -> Refusal:
    return Refusal(
        f"the value {dominant:g} takes {100 * share:.4g}% of the ratings, so there is no variance to speak of",
        "use targets that differ, or report the share of that value",
    )


def _repeat(cell: _Cell, level: float) -> tuple[Repetition, CompletePart] | Refusal:
    """Return the coefficients and the targets and replicates that they rest on."""
    filled = ~np.isnan(cell.values)
    try:
        if cell.categories:
            rows = np.flatnonzero(filled.sum(axis=1) >= 2)
            part = CompletePart(rows, np.flatnonzero(filled.any(axis=0)), 0.0)
            return repeat_alpha(cell.values, level=level), part
        part = find_complete(filled)
        return repeat_icc(cell.values[np.ix_(part.rows, part.columns)], level=level), part
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


@dataclass(frozen=True, slots=True)
class _Coefficients:
    """The coefficients of one rating and of the mean: in the form asked for, in the other, and by REML."""

    single: Coefficient
    mean: Coefficient
    other_single: Coefficient
    other_mean: Coefficient
    reml_single: Coefficient | None = None
    reml_mean: Coefficient | None = None

    @classmethod
    def of(cls, used: tuple[Repetition, CompletePart] | Refusal, cell: _Cell, options: Options) -> Self:
        """Choose the form, and fit REML where more than a little is missing and not all is certain anyway."""
        if isinstance(used, Refusal):
            return cls(used, used, used, used)
        found, part = used
        printed = (found.printed_single, found.printed_mean)
        consistency = (found.consistency_single, found.consistency_mean)
        forms = (*printed, *consistency) if options.form == "printed" else (*consistency, *printed)
        if part.gaps <= MUCH_MISSING or found.exact or cell.categories:
            return cls(*forms)
        return cls(*forms, *reml_consistency(cell.values, level=options.level))


def summarise_groups(repeats: Sequence[Repeat], raters: Iterable[str]) -> tuple[GroupSummary, ...]:
    """Return the counts of each rater for one rating and for the mean: every group, then all dimensions."""
    groups = list(dict.fromkeys(r.group for r in repeats))
    rows: list[GroupSummary] = []
    for rater in raters:
        own = [r for r in repeats if r.rater == rater]
        parts = [(g, [r for r in own if r.group == g]) for g in groups if any(groups)]
        for part in PARTS:
            rows += [_summarise(members, group, part) for group, members in [*parts, (None, own)]]
    return tuple(rows)


def _summarise(members: Sequence[Repeat], group: str | None, part: Part) -> GroupSummary:
    values = [value for r in members if (value := r.value(part)) is not None]
    excluded = sum(r.status == "excluded" for r in members)
    return GroupSummary(
        group=group,
        rater=members[0].rater,
        part=part,
        n=len(members),
        n_excluded=excluded,
        n_refused=len(members) - excluded - len(values),
        counts={name: sum(r.class_of(part) == name for r in members) for name in CLASSES},
        supported={name: sum(r.class_of(part) == name and r.supports(part) for r in members) for name in CLASSES},
        lowest=min(values, default=None),
        highest=max(values, default=None),
        average=sum(values) / len(values) if values else None,
    )
