"""Repeated measurement as plain records: a JSON object, a flat table of dimension x rater, CSV."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields

import polars as pl

from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.retest.classes import CLASSES
from dialgauge.analyse.retest.records import (
    BandCounts,
    Correspondence,
    GroupConcordance,
    GroupSummary,
    Repeat,
    Retest,
    Universality,
    ValueAgreement,
    ValuePair,
)
from dialgauge.stats.estimate import Estimate

Json = dict[str, object]

_COEFFICIENTS = ("single", "mean", "other_single", "other_mean", "reml_single", "reml_mean", "same")
_TEXTS = ("dimension", "rater", "group", "level", "status", "coefficient", "class_single", "class_mean", "use")
_FLAGS = ("exact", "supported_single", "supported_mean")
_COUNTS = ("replicates", "n_replicates", "n_targets", "n_left_out", "n_unrated", "n_ratings", "n_missing")


def retest_to_dict(analysis: Retest) -> Json:
    """Return all of ``analysis`` as dicts, lists, texts, numbers and None, ready for strict JSON.

    The keys are described in docs/retest.md. What was refused has the value None, a reason and a remedy.
    """
    return {
        "source": analysis.source,
        "level": analysis.level,
        "form": analysis.form,
        "dominant": analysis.dominant,
        "raters": list(analysis.raters),
        "dimensions": list(analysis.dimensions),
        "n_targets": analysis.n_targets,
        "n_ratings": analysis.n_ratings,
        "replicates": list(analysis.replicates),
        "repeats": [_repeat(r) for r in analysis.repeats],
        "summaries": [_summary(s) for s in analysis.summaries],
        "universality": [_universality(u) for u in analysis.universality],
        "values": _values(analysis.values),
        "hypotheses": list(analysis.hypotheses),
        "findings": list(analysis.findings),
        "notes": list(analysis.notes),
        "versions": dict(analysis.versions),
    }


def retest_to_json(analysis: Retest) -> str:
    """Return `retest_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(retest_to_dict(analysis), allow_nan=False, indent=2) + "\n"


def retest_to_frame(analysis: Retest) -> pl.DataFrame:
    """Return a row per dimension and rater; columns and types do not depend on the data."""
    return pl.DataFrame([_row(r) for r in analysis.repeats], schema=retest_schema())


def retest_to_csv(analysis: Retest) -> str:
    """Return `retest_to_frame` as CSV with a header; what is missing is an empty cell."""
    return retest_to_frame(analysis).write_csv()


def retest_schema() -> Mapping[str, pl.DataType]:
    """Return the columns of the flat table with their types."""
    columns: dict[str, pl.DataType] = {name: pl.String() for name in _TEXTS}
    columns |= {f"{name}{end}": pl.Float64() for name in _COEFFICIENTS for end in ("", "_low", "_high")}
    columns |= {name: pl.Boolean() for name in _FLAGS}
    columns |= {name: pl.Int64() for name in _COUNTS}
    columns |= {"missing": pl.String(), "dominant": pl.Float64(), "dominant_share": pl.Float64()}
    return columns | {"reason": pl.String(), "remedy": pl.String()}


def _coefficient(found: Coefficient | None) -> Json | None:
    if found is None:
        return None
    if isinstance(found, Estimate):
        return {**asdict(found), "flags": list(found.flags)}
    nothing = dict.fromkeys(("value", "low", "high", "level", "method", "covers", "n"))
    return {**nothing, "flags": ["refused"], **asdict(found)}


def _plain(record: Repeat | ValuePair, coefficients: tuple[str, ...]) -> Json:
    """Return the fields of a record that are texts, numbers or None as they are, its coefficients as objects."""
    found: Json = {}
    for field in fields(record):
        value = getattr(record, field.name)
        found[field.name] = _coefficient(value) if field.name in coefficients else value
    return found


def _repeat(r: Repeat) -> Json:
    return {**_plain(r, _COEFFICIENTS), "left_out": list(r.left_out), "missing": dict(r.missing)}


def _summary(s: GroupSummary) -> Json:
    return {**asdict(s), "counts": dict(s.counts), "supported": dict(s.supported)}


def _universality(u: Universality) -> Json:
    return {
        "part": u.part,
        "classes": list(CLASSES),
        "pairs": [_correspondence(pair) for pair in u.pairs],
        "groups": [_concordance(group) for group in u.groups],
        "excellent": list(u.excellent),
        "share": _coefficient(u.share),
    }


def _correspondence(pair: Correspondence) -> Json:
    return {**asdict(pair), "table": [list(row) for row in pair.table], "same": _coefficient(pair.same)}


def _concordance(group: GroupConcordance) -> Json:
    return {**asdict(group), "counts": list(group.counts)}


def _values(values: ValueAgreement) -> Json:
    return {
        "scope": values.scope,
        "why_none": values.why_none or None,
        "dimensions": list(values.dimensions),
        "pairs": [_plain(pair, ("result", "other")) for pair in values.pairs],
        "bands": [_bands(found) for found in values.bands],
    }


def _bands(found: BandCounts) -> Json:
    return {
        "measure": found.measure,
        "pairs": [list(pair) for pair in found.pairs],
        "bands": list(found.bands),
        "counts": [list(row) for row in found.counts],
        "in_all": list(found.in_all),
        "n_dimensions": found.n_dimensions,
    }


def _row(r: Repeat) -> Json:
    row: Json = {name: getattr(r, name, None) for name in retest_schema()}
    for name in _COEFFICIENTS:
        found = getattr(r, name)
        ends = (found.value, found.low, found.high) if isinstance(found, Estimate) else (None, None, None)
        row |= dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
    row |= {"n_left_out": len(r.left_out), "n_missing": sum(r.missing.values())}
    row["missing"] = "; ".join(f"{reason}: {count}" for reason, count in r.missing.items()) or None
    return row | {"reason": r.reason or None, "remedy": r.remedy or None, "group": r.group or None}
