"""Ratings of one anchor set on several occasions in, a state for each dimension and rater out."""

import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import polars as pl

from dialgauge.analyse.monitor.records import Event, Monitoring, OccasionChange, State, Watch
from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.retest.classes import CLASSES, ReliabilityClass, classify
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.io.words import shorten
from dialgauge.model import Ratings
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.monitor.difference import mean_shift, reliability_change
from dialgauge.stats.monitor.parts import Evidence, reliability_evidence, shift_evidence
from dialgauge.stats.monitor.sequence import accumulate_evidence, adjust_holm, to_p
from dialgauge.stats.ranges import require_count, require_open
from dialgauge.stats.retest.repeat import repeat_icc

ALPHA = 0.05
MINIMUM = 10
"""Targets with ratings on both occasions from which anything is said."""

COUNTED = "Read"
"""How the note begins that counts the ratings of a part."""

_ONE_REPLICATE = Refusal("there is one replicate per occasion", "let raters rate each target at least twice")


@dataclass(slots=True, eq=False)
class _Case:
    """One dimension by one rater: ``cube`` (targets, occasions, replicates), NaN for gaps; filled in step by step."""

    dimension: str
    rater: str
    cube: Floats
    why_not: str = ""
    shifts: list[Evidence] = field(default_factory=list)
    losses: list[Evidence] = field(default_factory=list)
    p_shift: list[float] = field(default_factory=list)
    p_loss: list[float] = field(default_factory=list)

    def pair(self, t: int) -> tuple[Floats, Floats]:
        """Return baseline and occasion ``t`` of the targets that are complete on both."""
        both = np.isfinite(self.cube[:, [0, t]]).all(axis=(1, 2))
        return self.cube[both, 0], self.cube[both, t]


def analyse_drift(
    parts: Mapping[str, Ratings],
    *,
    events: Sequence[Event] = (),
    alpha: float = ALPHA,
    level: float = 0.95,
    minimum: int = MINIMUM,
) -> Monitoring:
    """Compare every later occasion of an anchor set with the first, for each dimension and rater.

    ``parts`` holds the ratings of each occasion, in their order: the first is the baseline. A state other than steady
    needs evidence that would come up with probability ``alpha`` at most, had nothing ever changed, however many
    occasions, dimensions and raters are looked at. ``level`` is that of the intervals, ``minimum`` the least number of
    targets that a comparison needs. Raises InputError for fewer than two occasions and for numbers out of range.
    """
    require_open("alpha", alpha, 0.0, 1.0)
    require_open("the confidence level", level, 0.0, 1.0)
    require_count("the least number of targets", minimum, 3)
    names = tuple(parts)
    if len(names) < 2:
        raise InputError(
            f"there is {len(names)} occasion; drift shows from the second one on: rate the anchor set again"
        )
    cases = _arrange(parts, minimum)
    for case in cases:
        if not case.why_not:
            _weigh(case, len(names))
    _adjust([case for case in cases if not case.why_not], len(names))
    watches = tuple(_watch(case, names, alpha, level) for case in cases)
    return Monitoring(
        source=next(iter(parts.values())).source,
        alpha=alpha,
        level=level,
        occasions=names,
        watches=watches,
        events=tuple(events),
        findings=_findings(watches, events),
        notes=_notes(parts),
        versions={
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("dialgauge", "numpy", "scipy", "polars")},
        },
    )


def _notes(parts: Mapping[str, Ratings]) -> tuple[str, ...]:
    """Return how all occasions were read: counts as a sum, and what holds for some with their names."""
    whom: dict[str, list[str]] = {}
    for name, part in parts.items():
        for note in part.notes:
            if not note.startswith(COUNTED):
                whom.setdefault(note, []).append(name)
    told = [note if len(names) == len(parts) else f"Occasion {shorten(names)}: {note}" for note, names in whom.items()]
    n = sum(part.frame.height for part in parts.values())
    return (*told, f"{COUNTED} {n:,} rating{'' if n == 1 else 's'} on {len(parts)} occasions.")


def _arrange(parts: Mapping[str, Ratings], minimum: int) -> list[_Case]:
    """Return every dimension by every rater of the baseline, with its ratings as an array."""
    frames = [part.frame.with_columns(occasion=pl.lit(t)) for t, part in enumerate(parts.values())]
    whole = pl.concat(frames).drop_nulls("value").sort("target", "occasion", "replicate")
    first = next(iter(parts.values()))
    dimensions = list(dict.fromkeys(name for part in parts.values() for name in part.dimensions))
    found = []
    for dimension in dimensions:
        nominal = any(p.scale_for(dimension).level == "nominal" for p in parts.values() if dimension in p.dimensions)
        for rater in sorted(pl.concat([p.frame for p in parts.values()])["rater"].unique()):
            own = whole.filter((pl.col("dimension") == dimension) & (pl.col("rater") == rater))
            case = _Case(dimension, rater, _to_cube(own, len(parts)))
            if nominal:
                case.why_not = "categories without an order have no mean that could shift"
            elif dimension not in first.dimensions or not np.isfinite(case.cube[:, 0]).any():
                case.why_not = "there is no rating at the baseline"
            else:
                case.why_not = _too_few(case, minimum)
            found.append(case)
    return found


def _too_few(case: _Case, minimum: int) -> str:
    counts = [len(case.pair(t)[0]) for t in range(1, case.cube.shape[1])]
    if max(counts) >= minimum:
        return ""
    return f"at most {max(counts)} targets have their ratings at the baseline and later, and {minimum} are needed"


def _to_cube(own: pl.DataFrame, n_occasions: int) -> Floats:
    """Return ratings as (targets, occasions, replicates): of each target and occasion the first r, or NaN.

    Exchange needs one number of replicates: r is the least, over occasions, of what a target usually has.
    """
    if not own.height:
        return np.full((0, n_occasions, 1), np.nan)
    counts = own.group_by("occasion", "target").len()
    usual = counts.group_by("occasion").agg(pl.col("len").median())["len"].min()
    r = max(1, int(usual) if isinstance(usual, int | float) else 1)
    target = own["target"].rank("dense").to_numpy().astype(np.intp) - 1
    occasion = own["occasion"].to_numpy()
    place = own.select(pl.int_range(pl.len()).over("target", "occasion")).to_series().to_numpy()
    cube = np.full((int(target.max()) + 1, n_occasions, r), np.nan)
    kept = place < r
    cube[target[kept], occasion[kept], place[kept]] = own["value"].to_numpy()[kept]
    return cube


def _weigh(case: _Case, n_occasions: int) -> None:
    none = Evidence(0.0, 1)
    for t in range(1, n_occasions):
        seen = case.cube[:, : t + 1]
        case.shifts.append(shift_evidence(seen))
        case.losses.append(reliability_evidence(seen) if seen.shape[2] > 1 else none)


def _adjust(cases: Sequence[_Case], n_occasions: int) -> None:
    """Fill in the p-values that hold at all times, adjusted over all that is watched at each occasion."""
    paths = [accumulate_evidence([e.log_e for e in kind]) for case in cases for kind in (case.shifts, case.losses)]
    for t in range(n_occasions - 1):
        adjusted = iter(adjust_holm([to_p(float(path[t])) for path in paths]))
        for case in cases:
            case.p_shift.append(next(adjusted))
            case.p_loss.append(next(adjusted))


def _watch(case: _Case, names: Sequence[str], alpha: float, level: float) -> Watch:
    base = case.cube[np.isfinite(case.cube[:, 0]).all(axis=1), 0] if case.cube.size else np.empty((0, 1))
    icc, name = _reliability(base, level)
    sd = float(base.std(ddof=1)) if base.size > 1 and np.ptp(base) > 0.0 else None
    state: State = "not enough" if case.why_not else "steady"
    shifted = _first(case.p_shift, alpha)
    worse = _first(case.p_loss, alpha)
    if shifted is not None or worse is not None:
        state = "shifted" if shifted is not None else "less reliable"
    began = None if shifted is None else names[shifted + 2 - case.shifts[shifted].window]
    return Watch(
        dimension=case.dimension,
        rater=case.rater,
        state=state,
        reason=case.why_not,
        n_targets=len(base),
        replicates=case.cube.shape[2],
        sd=sd,
        icc=icc,
        reliability_class=name,
        changes=()
        if case.why_not
        else tuple(_change(case, t, names[t], sd, name, level) for t in range(1, len(names))),
        shifted_since=None if shifted is None else names[shifted + 1],
        shift_began=began,
        less_reliable_since=None if worse is None else names[worse + 1],
    )


def _change(
    case: _Case, t: int, name: str, sd: float | None, before: ReliabilityClass | None, level: float
) -> OccasionChange:
    first, second = case.pair(t)
    shift = mean_shift(first, second, level=level)
    icc, found = _reliability(second, level)
    several = case.cube.shape[2] > 1
    return OccasionChange(
        occasion=name,
        n_targets=len(first),
        shift=shift,
        shift_in_sd=None if sd is None or isinstance(shift, Refusal) else shift.value / sd,
        icc=icc,
        reliability_class=found,
        change=reliability_change(first, second, level=level) if several else _ONE_REPLICATE,
        class_left=before is not None and found is not None and CLASSES.index(found) > CLASSES.index(before),
        p_shift=case.p_shift[t - 1],
        p_reliability=case.p_loss[t - 1],
    )


def _reliability(table: Floats, level: float) -> tuple[Coefficient, ReliabilityClass | None]:
    """Return ICC(1) of a table (targets, replicates) and its class."""
    if table.shape[1] < 2:
        return _ONE_REPLICATE, None
    try:
        found = repeat_icc(table, level=level)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy), None
    return found.printed_single, classify(found.printed_single, exact=found.exact)


def _first(p: Sequence[float], alpha: float) -> int | None:
    return next((t for t, value in enumerate(p) if value <= alpha), None)


def _findings(watches: Sequence[Watch], events: Sequence[Event]) -> tuple[str, ...]:
    found = []
    left = [w for w in watches if w.latest is not None and w.latest.class_left and not w.alarm]
    if left:
        names = ", ".join(f"{w.dimension} by {w.rater}" for w in left[:6])
        more = f" and {len(left) - 6} more" if len(left) > 6 else ""
        found.append(
            f"By value, {names}{more} left a class of reliability on the last occasion; that may be chance, and is no "
            "alarm by itself."
        )
    if any(w.state == "not enough" for w in watches):
        n = sum(w.state == "not enough" for w in watches)
        found.append(
            f"Of {n} of {len(watches)} dimensions and raters too little is known to tell; unknown is not steady."
        )
    changed = {event.rater for event in events}
    silent = [rater for rater in sorted(changed) if not any(w.alarm for w in watches if w.rater == rater)]
    if silent:
        found.append(f"The model behind {', '.join(silent)} changed, and no change of its ratings shows (yet).")
    return tuple(found)


def find_model_changes(details: pl.DataFrame) -> tuple[Event, ...]:
    """Return where another model, or another version of it, answered than on the occasion before.

    ``details`` has a row per rating with rater, occasion (Int64), model and fingerprint, as the store of a study gives
    them. Nothing is said of raters whose endpoint does not tell.
    """
    known = details.with_columns(version=pl.concat_str(["model", "fingerprint"], separator=" ", ignore_nulls=True))
    known = known.filter(pl.col("version").is_not_null() & (pl.col("version") != ""))
    found = []
    for (rater,), own in known.sort("rater", "occasion").group_by("rater", maintain_order=True):
        by = own.group_by("occasion", maintain_order=True).agg(pl.col("version").unique().sort())
        for (_, before), (occasion, after) in pairwise(by.iter_rows()):
            if before != after:
                what = f"answers came from {', '.join(after)}, before from {', '.join(before)}"
                found.append(Event(str(occasion), str(rater), what))
    return tuple(sorted(found, key=lambda event: (int(event.occasion), event.rater)))
