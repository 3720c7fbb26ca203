"""Raters as plain records: a JSON object, rows of a flat table, CSV."""

import json
from collections.abc import Mapping
from dataclasses import asdict

import polars as pl

from dialgauge.analyse.raters.parts import RaterSpeed, Severity, StraightLining, UseOfScale, Without
from dialgauge.analyse.raters.rasch import RaschDimension, RaschReport
from dialgauge.analyse.raters.records import RaterQuality, RaterReport
from dialgauge.analyse.results import Coefficient
from dialgauge.report.values import Json, flatten, record_coefficient, record_design
from dialgauge.stats.estimate import Estimate, Refusal

_ENDS = ("", "_low", "_high")
_RASCH = ("severity", "se", "infit", "outfit")


def raters_to_dict(report: RaterReport) -> Json:
    """Return all of ``report`` as dicts, lists, texts, numbers and None, ready for strict JSON.

    The keys are described in docs/raters.md. A Refusal has the value None, the flag "refused", a reason and a remedy.
    """
    return {
        "source": report.source,
        "scale": report.scale,
        "level": report.level,
        "design": record_design(report.design),
        "dimensions": list(report.dimensions),
        "refused": {name: asdict(refusal) for name, refusal in report.refused.items()},
        "k": dict(report.k),
        "panel": asdict(report.norms),
        "raters": [_rater(rater, report.level) for rater in report.raters],
        "together": _without(report.together),
        "but_severe": _without(report.but_severe),
        "rasch": _rasch(report.rasch),
        "notes": list(report.notes),
        "findings": list(report.findings),
        "versions": dict(report.versions),
    }


def raters_to_json(report: RaterReport) -> str:
    """Return `raters_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(raters_to_dict(report), allow_nan=False, indent=2) + "\n"


def raters_to_frame(report: RaterReport) -> pl.DataFrame:
    """Return a row per rater, in the order of the report.

    The columns depend on the dimensions alone, and on whether the Rasch model was asked for.
    """
    return pl.DataFrame([_row(rater, report) for rater in report.raters], schema=_schema(report))


def raters_to_csv(report: RaterReport) -> str:
    """Return `raters_to_frame` as CSV with a header; what is missing is an empty cell."""
    return raters_to_frame(report).write_csv()


def _rater(rater: RaterQuality, level: float) -> Json:
    return {
        "name": rater.name,
        "n_ratings": rater.n_ratings,
        "n_targets": rater.n_targets,
        "worth_a_look": bool(rater.flags),
        "flags": [asdict(flag) for flag in rater.flags],
        "severity": _severity(rater.severity, level),
        "consistency": record_coefficient(rater.consistency, level=level),
        "agreement": record_coefficient(rater.agreement, level=level),
        "straight_lining": _straight(rater.straight_lining),
        "halo": record_coefficient(rater.halo, level=level),
        "use_of_scale": [_use(use) for use in rater.use],
        "speed": _speed(rater.speed),
        "p": dict(rater.p),
        "dimensions": {
            name: {
                "severity": _short(severity.estimate if isinstance(severity, Severity) else severity),
                "consistency": _short(rater.consistencies[name]) if name in rater.consistencies else None,
            }
            for name, severity in rater.severities.items()
        },
        "without": _without(rater.without),
    }


def _short(coefficient: Coefficient) -> Json:
    """Return value and interval alone; method and level stand with the rater."""
    if isinstance(coefficient, Estimate):
        return {"value": coefficient.value, "low": coefficient.low, "high": coefficient.high}
    return {**dict.fromkeys(("value", "low", "high")), **asdict(coefficient)}


def _severity(severity: Severity | Refusal, level: float) -> Json:
    if isinstance(severity, Refusal):
        return {
            **record_coefficient(severity, level=level),
            **dict.fromkeys(("in_sd", "prediction_se", "se_known_mean")),
        }
    more = {"in_sd": severity.in_sd, "prediction_se": severity.prediction_se, "se_known_mean": severity.se_known_mean}
    return {**record_coefficient(severity.estimate, level=level), **more}


def _straight(lines: StraightLining | Refusal) -> Json:
    if isinstance(lines, Refusal):
        return {"share": None, **asdict(lines)}
    return {"share": lines.share, **asdict(lines)}


def _use(use: UseOfScale) -> Json:
    counts = [{"value": label, "count": count} for label, count in use.counts]
    return {**asdict(use), "dimensions": list(use.dimensions), "counts": counts, "most_used": use.most_used}


def _speed(speed: RaterSpeed | Refusal) -> Json:
    return {"median": None, **asdict(speed)} if isinstance(speed, Refusal) else asdict(speed)


def _without(without: Without | None) -> Json | None:
    if without is None:
        return None
    changes = [
        {
            "dimension": c.dimension,
            **{
                f"{name}_{when}": pair[i]
                for name in ("rel_single", "rel_k", "mean", "band")
                for pair in (getattr(c, name),)
                for i, when in enumerate(("before", "after"))
            },
            "within_interval": c.within,
            **(asdict(c.refusal) if c.refusal else {"reason": None, "remedy": None}),
        }
        for c in without.changes
    ]
    return {"raters": list(without.raters), "n_ratings": without.n_ratings, "changes": changes}


def _rasch(rasch: RaschReport | None) -> Json | None:
    if rasch is None:
        return None
    return {
        "model": rasch.model,
        "dimensions": {name: _rasch_dimension(d) for name, d in rasch.dimensions.items()},
        "refused": {name: asdict(refusal) for name, refusal in rasch.refused.items()},
    }


def _rasch_dimension(d: RaschDimension) -> Json:
    found = asdict(d)
    found["separation"] = {"raters": found.pop("of_raters"), "targets": found.pop("of_targets")}
    measurable = {"raters": found.pop("of_raters_measurable"), "targets": found.pop("of_targets_measurable")}
    found["separation_measurable"] = measurable
    return {key: value for key, value in found.items() if key != "name"}


def _schema(report: RaterReport) -> dict[str, pl.DataType]:
    columns: dict[str, pl.DataType] = {"rater": pl.String(), "n_ratings": pl.Int64(), "n_targets": pl.Int64()}
    columns |= {"worth_a_look": pl.Boolean(), "rules": pl.String(), "reasons": pl.String()}
    columns |= {f"{name}{end}": pl.Float64() for name in ("severity",) for end in _ENDS}
    columns |= {name: pl.Float64() for name in ("severity_in_sd", "severity_prediction_se", "severity_se_known_mean")}
    columns |= {f"{name}{end}": pl.Float64() for name in ("consistency", "agreement", "halo") for end in _ENDS}
    columns |= {"straight_targets": pl.Int64(), "straight": pl.Int64()}
    columns |= {"straight_by_chance": pl.Float64(), "straight_by_others": pl.Float64(), "longest_run": pl.Int64()}
    columns |= {name: pl.Float64() for name in ("most_used", "entropy", "extremes", "lowest", "highest", "spread")}
    columns |= {"seconds_median": pl.Float64(), "fast_share": pl.Float64()}
    columns |= {f"severity_{name}": pl.Float64() for name in report.dimensions}
    fitted = () if report.rasch is None else report.rasch.dimensions
    return columns | {f"rasch_{number}_{name}": pl.Float64() for name in fitted for number in _RASCH}


def _row(rater: RaterQuality, report: RaterReport) -> Json:
    severity, lines, speed = rater.severity, rater.straight_lining, rater.speed
    row: Json = {
        "rater": rater.name,
        "n_ratings": rater.n_ratings,
        "n_targets": rater.n_targets,
        "worth_a_look": bool(rater.flags),
        "rules": "; ".join(flag.rule for flag in rater.flags),
        "reasons": "; ".join(flag.reason for flag in rater.flags),
        **flatten("consistency", rater.consistency),
        **flatten("agreement", rater.agreement),
        **flatten("halo", rater.halo),
        **_flat_use(rater),
        **{
            f"severity_{name}": found.estimate.value
            for name, found in rater.severities.items()
            if isinstance(found, Severity)
        },
    }
    if isinstance(severity, Severity):
        row |= flatten("severity", severity.estimate)
        row |= {
            "severity_in_sd": severity.in_sd,
            "severity_prediction_se": severity.prediction_se,
            "severity_se_known_mean": severity.se_known_mean,
        }
    if isinstance(lines, StraightLining):
        row |= {"straight_targets": lines.n_targets, "straight": lines.n_straight, "longest_run": lines.longest_run}
        row |= {"straight_by_chance": lines.by_chance, "straight_by_others": lines.by_others}
    if isinstance(speed, RaterSpeed):
        row |= {"seconds_median": speed.median, "fast_share": speed.fast}
    row |= _flat_rasch(rater.name, report.rasch)
    return {name: row.get(name) for name in _schema(report)}


def _flat_rasch(name: str, rasch: RaschReport | None) -> Json:
    """Return the numbers of the Rasch model of each dimension."""
    return {
        f"rasch_{number}_{dimension}": getattr(found, number)
        for dimension, d in ({} if rasch is None else rasch.dimensions).items()
        for found in d.raters
        if found.name == name
        for number in _RASCH
    }


def _flat_use(rater: RaterQuality) -> Mapping[str, object]:
    """Return the use of the scale that most dimensions have."""
    if not rater.use:
        return {}
    use = max(rater.use, key=lambda use: len(use.dimensions))
    return {
        "most_used": use.most_used,
        "entropy": use.entropy,
        "extremes": use.extremes,
        "lowest": use.low,
        "highest": use.high,
        "spread": use.spread,
    }
