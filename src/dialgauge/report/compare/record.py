"""A comparison of systems as plain records: JSON, and a row per difference as CSV."""

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from dialgauge.analyse.compare import ComparedMeasure, Difference, SecondRoute, SystemsComparison
from dialgauge.analyse.compare.records import SystemMean
from dialgauge.report.compare.words import conclude, say_difference
from dialgauge.report.values import Json, record_coefficient
from dialgauge.stats.estimate import Estimate, Refusal

COLUMNS = (
    "data_set",
    "measure",
    "family",
    "unit",
    "direction",
    "route",
    "first",
    "second",
    "difference",
    "low",
    "high",
    "simultaneous_low",
    "simultaneous_high",
    "p",
    "p_pairs",
    "p_table",
    "df",
    "n_paired",
    "verdict",
    "better",
    "within_margin",
    *(f"{side}_{name}" for side in ("first", "second") for name in ("mean", "low", "high", "n", "rank", "rank_low")),
    "first_rank_high",
    "second_rank_high",
    "reason",
    "remedy",
)
"""Of the CSV; a measure that could not be compared has a row with reason and remedy alone."""


def comparison_to_json(found: Sequence[SystemsComparison]) -> str:
    """Return everything, an entry per data set, as strict JSON in ASCII."""
    return json.dumps({"data_sets": [_record(each) for each in found]}, indent=2, allow_nan=False) + "\n"


def comparison_to_csv(found: Sequence[SystemsComparison]) -> str:
    """Return a row per data set, measure and pair of systems."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in found:
        for row in _rows(each):
            writer.writerow({"data_set": each.data_set, **row})
    return out.getvalue()


def _record(found: SystemsComparison) -> Json:
    return {
        "data_set": found.data_set,
        "source": found.source,
        "level": found.level,
        "seed": found.seed,
        "declared": found.declared,
        "n_comparisons": found.n_comparisons,
        "margin": found.margin,
        "wanted": found.wanted,
        "power": found.power,
        "conclusion": conclude(found),
        "systems": [asdict(system) for system in found.systems],
        "measures": [_record_measure(measure, found) for measure in found.measures],
        "refused": [asdict(refused) for refused in found.refused],
        "notes": list(found.notes),
        "findings": list(found.findings),
        "versions": dict(found.versions),
    }


def _record_measure(m: ComparedMeasure, found: SystemsComparison) -> Json:
    return {
        "name": m.name,
        "family": m.family,
        "unit": m.unit,
        "scale": m.scale or None,
        "direction": m.direction,
        "bounds": [end if math.isfinite(end) else None for end in m.bounds],
        "route": m.route,
        "method": m.method,
        "n": m.n,
        "n_raters": m.n_raters,
        "means": [_record_mean(mean, found.level) for mean in m.means],
        "differences": [_record_difference(d, m, found) for d in m.differences],
        "left_out": [asdict(left) for left in m.left_out],
        "variance": dict(m.variance),
        "boundary": list(m.boundary),
        "cannot_tell": dict(m.cannot_tell),
        "second_route": _record_route(m.second_route),
        "needed": _record_needed(m),
        "findings": list(m.findings),
    }


def _record_mean(mean: SystemMean, level: float) -> Json:
    return {
        "system": mean.system,
        "mean": record_coefficient(mean.mean, level=level),
        "rank": asdict(mean.rank),
        "n": mean.n,
    }


def _record_difference(d: Difference, m: ComparedMeasure, found: SystemsComparison) -> Json:
    return {
        "first": d.first,
        "second": d.second,
        "difference": record_coefficient(d.difference, level=found.level),
        "simultaneous": record_coefficient(d.simultaneous, level=found.level),
        "p": d.p,
        "p_pairs": d.p_pairs,
        "p_table": d.p_table,
        "df": d.df,
        "n_paired": d.n_paired,
        "route_ratio": d.route_ratio,
        "p_route": d.p_route,
        "verdict": d.verdict,
        "better": better_of(d),
        "within_margin": d.within_margin,
        "identical": d.identical,
        "sentence": say_difference(d, m, found.margin),
    }


def better_of(d: Difference) -> str | None:
    """Return the name of the better system; None where no difference is shown."""
    return {"first": d.first, "second": d.second, "not shown": None}[d.verdict]


def _record_route(route: SecondRoute | Refusal | None) -> Json | None:
    if route is None:
        return None
    nothing: Json = {"ratio": None, "disagrees": None} if isinstance(route, Refusal) else {}
    return {**nothing, **asdict(route)}


def _record_needed(m: ComparedMeasure) -> object:
    if m.needed is None:
        return None
    return {"designs": None, **asdict(m.needed)} if isinstance(m.needed, Refusal) else [asdict(n) for n in m.needed]


def _rows(found: SystemsComparison) -> Iterator[Mapping[str, object]]:
    for m in found.measures:
        sides = {mean.system: mean for mean in m.means}
        for d in m.differences:
            yield {
                "measure": m.name,
                "family": m.family,
                "unit": m.unit,
                "direction": m.direction,
                "route": m.route,
                "first": d.first,
                "second": d.second,
                "difference": d.difference.value,
                "low": d.difference.low,
                "high": d.difference.high,
                "simultaneous_low": d.simultaneous.low,
                "simultaneous_high": d.simultaneous.high,
                **{name: getattr(d, name) for name in ("p", "p_pairs", "p_table", "df", "n_paired", "verdict")},
                "better": better_of(d),
                "within_margin": d.within_margin,
                **_side("first", sides[d.first]),
                **_side("second", sides[d.second]),
            }
    for refused in found.refused:
        yield {"measure": refused.name, "reason": refused.reason, "remedy": refused.remedy}


def _side(side: str, mean: SystemMean) -> Json:
    found: Estimate = mean.mean
    cells: Json = {"mean": found.value, "low": found.low, "high": found.high, "n": mean.n}
    cells |= {"rank": mean.rank.rank, "rank_low": mean.rank.low, "rank_high": mean.rank.high}
    return {f"{side}_{name}": value for name, value in cells.items()}
