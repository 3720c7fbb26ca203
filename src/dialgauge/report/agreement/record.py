"""The agreement as plain records: a JSON object, a flat table, CSV."""

import json
from collections.abc import Mapping
from dataclasses import asdict

import polars as pl

from dialgauge.analyse.agreement import Agreement, AgreementCoefficient, DimensionAgreement, RefusedAgreement
from dialgauge.report.agreement.words import TITLES
from dialgauge.report.values import Json, flatten, record_coefficient, record_design
from dialgauge.stats.estimate import Estimate

_COUNTS = ("n_ratings", "n_targets", "n_raters", "n_missing")
_MADE_OF = ("alpha", "fleiss_kappa", "conger_kappa", "brennan_prediger", "gwet_ac1", "gwet_ac2")
_TEXTS = ("dimension", "status", "metric", "weights")


def agreement_to_dict(analysis: Agreement) -> Json:
    """Return all of ``analysis`` as dicts, lists, texts, numbers and None, ready for strict JSON.

    The keys are described in docs/cli.md. A Refusal has the value None, the flag "refused", a reason and a remedy.
    """
    return {
        "source": analysis.source,
        "scale": analysis.scale,
        "level": analysis.level,
        "raters": analysis.raters,
        "weights": analysis.weights,
        "design": record_design(analysis.design),
        "dimensions": [_dimension(d, analysis.level) for d in analysis.dimensions],
        "refused": [_refused(d) for d in analysis.refused],
        "notes": list(analysis.notes),
        "findings": list(analysis.findings),
        "versions": dict(analysis.versions),
    }


def agreement_to_json(analysis: Agreement) -> str:
    """Return `agreement_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(agreement_to_dict(analysis), allow_nan=False, indent=2) + "\n"


def agreement_to_frame(analysis: Agreement) -> pl.DataFrame:
    """Return a row per dimension, the refused ones last; columns and types do not depend on the data."""
    rows = [*map(_row, analysis.dimensions), *map(_refused_row, analysis.refused)]
    return pl.DataFrame(rows, schema=agreement_schema())


def agreement_to_csv(analysis: Agreement) -> str:
    """Return `agreement_to_frame` as CSV with a header; what is missing is an empty cell."""
    return agreement_to_frame(analysis).write_csv()


def agreement_schema() -> dict[str, pl.DataType]:
    """Return the columns of the flat table with their types."""
    columns: dict[str, pl.DataType] = {name: pl.String() for name in _TEXTS}
    columns |= {name: pl.Int64() for name in _COUNTS}
    columns |= {f"{name}{end}": pl.Float64() for name in TITLES for end in ("", "_low", "_high")}
    columns |= {f"{name}_{part}": pl.Float64() for name in _MADE_OF for part in ("observed", "expected")}
    return columns | {name: pl.String() for name in ("alpha_band", "flags", "reason", "remedy")}


def _counts(d: DimensionAgreement | RefusedAgreement) -> Json:
    sizes = d.design.n_ratings, d.design.n_targets, d.design.n_raters, d.n_missing
    return dict(zip(_COUNTS, sizes, strict=True))


def _marginals(d: DimensionAgreement | RefusedAgreement) -> list[Json]:
    return [{"value": value, "count": count} for value, count in d.marginals]


def _dimension(d: DimensionAgreement, level: float) -> Json:
    return {
        "name": d.name,
        "scale": d.scale,
        "metric": d.metric,
        "weights": d.weights,
        **_counts(d),
        "design": record_design(d.design),
        "marginals": _marginals(d),
        "coefficients": {c.name: _coefficient(c, level) for c in d.coefficients},
        "rater_marginals": {name: list(counts) for name, counts in d.rater_marginals},
        "concordance": None if d.concordance is None else asdict(d.concordance),
        "homogeneity": None if d.homogeneity is None else asdict(d.homogeneity),
        "flags": list(d.flags),
        "findings": list(d.findings),
    }


def _coefficient(c: AgreementCoefficient, level: float) -> Json:
    made_of: Json = {"observed": c.observed, "expected": c.expected, "band": c.band or None}
    return {**record_coefficient(c.result, level=level), **made_of}


def _refused(d: RefusedAgreement) -> Json:
    return {
        "name": d.name,
        "reason": d.reason,
        "remedy": d.remedy,
        **_counts(d),
        "design": record_design(d.design),
        "marginals": _marginals(d),
    }


def _row(d: DimensionAgreement) -> Json:
    alpha = d.get("alpha")
    row: Json = {
        "dimension": d.name,
        "status": "ok",
        "metric": d.metric,
        "weights": d.weights,
        **_counts(d),
        "alpha_band": (alpha.band or None) if alpha else None,
        "flags": "; ".join(d.flags),
    }
    reasons, remedies = [], []
    for c in d.coefficients:
        if isinstance(c.result, Estimate):
            row |= flatten(c.name, c.result)
        else:
            reasons.append(f"{c.name}: {c.result.reason}")
            remedies.append(f"{c.name}: {c.result.remedy}")
        if c.name in _MADE_OF:
            row |= {f"{c.name}_observed": c.observed, f"{c.name}_expected": c.expected}
    return _complete({**row, "reason": "; ".join(reasons) or None, "remedy": "; ".join(remedies) or None})


def _refused_row(d: RefusedAgreement) -> Json:
    texts = {"dimension": d.name, "status": "refused", "flags": "refused", "reason": d.reason, "remedy": d.remedy}
    return _complete({**texts, **_counts(d)})


def _complete(row: Mapping[str, object]) -> Json:
    return {name: row.get(name) for name in agreement_schema()}
