"""The result as plain records: a JSON object, rows of a flat table, CSV."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict

import polars as pl

from dialgauge.analyse.dstudy import WANTED
from dialgauge.analyse.results import (
    Check,
    DimensionReliability,
    RefusedDimension,
    Reliability,
    VarianceComponents,
)
from dialgauge.report.needs import needs_of, record_needed
from dialgauge.report.values import Json, flatten, record_coefficient, record_design
from dialgauge.report.words import COEFFICIENTS, coefficient_of
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.meansquares import IccForm

FACETS = ("target", "rater", "target_x_rater", "residual")

_BY_LIMIT = "_by_lower_limit"
"""Ends the names of the numbers of raters that are enough beyond sampling error."""

_COUNTS = ("n_ratings", "n_targets", "n_raters", "n_missing")


def to_dict(analysis: Reliability) -> Json:
    """Return all of ``analysis`` as dicts, lists, texts, numbers and None, ready for strict JSON.

    The keys are described in docs/cli.md. A Refusal has the value None, the flag "refused", a reason and a remedy.
    """
    return {
        "source": analysis.source,
        "scale": analysis.scale,
        "level": analysis.level,
        "seed": analysis.seed,
        "design": record_design(analysis.design),
        "dimensions": [_dimension(d, analysis.level) for d in analysis.dimensions],
        "refused": [_refused(d) for d in analysis.refused],
        "notes": list(analysis.notes),
        "findings": list(analysis.findings),
        "versions": dict(analysis.versions),
    }


def to_json(analysis: Reliability) -> str:
    """Return ``to_dict`` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(to_dict(analysis), allow_nan=False, indent=2) + "\n"


def to_rows(analysis: Reliability) -> list[Json]:
    """Return a flat record per dimension, the refused ones last, with None for what they lack."""
    done = [_row(d) for d in analysis.dimensions]
    return [*done, *(_refused_row(d) for d in analysis.refused)]


def to_frame(analysis: Reliability) -> pl.DataFrame:
    """Return `to_rows` as a frame whose columns and types do not depend on the data."""
    return pl.DataFrame(to_rows(analysis), schema=schema())


def to_csv(analysis: Reliability) -> str:
    """Return `to_frame` as CSV with a header; what is missing is an empty cell."""
    return to_frame(analysis).write_csv()


def schema() -> dict[str, pl.DataType]:
    """Return the columns of the flat table with their types."""
    numbers = [f"{name}{end}" for name in COEFFICIENTS for end in ("", "_low", "_high")]
    variances = [f"{kind}_{facet}" for kind in ("variance", "share") for facet in FACETS]
    columns: dict[str, pl.DataType] = {name: pl.String() for name in ("dimension", "status", "model", "band")}
    columns |= {name: pl.Float64() for name in ("k", "replicates")}
    columns |= {name: pl.Int64() for name in _COUNTS}
    columns |= {name: pl.Float64() for name in ("mean", "mean_low", "mean_high", *variances, *numbers)}
    columns |= {f"raters_needed_{100.0 * wanted:g}{by}": pl.Int64() for wanted in WANTED for by in ("", _BY_LIMIT)}
    return columns | {name: pl.String() for name in ("flags", "reason", "remedy")}


def _dimension(d: DimensionReliability, level: float) -> Json:
    return {
        "name": d.name,
        "model": d.model,
        "k": d.k,
        "replicates": d.replicates,
        "n_ratings": d.design.n_ratings,
        "n_targets": d.design.n_targets,
        "n_raters": d.design.n_raters,
        "n_missing": d.n_missing,
        "design": record_design(d.design),
        "mean": record_coefficient(d.mean, level=level),
        "variance": _variance(d.variance),
        "variance_shares": d.variance.shares(),
        **{name: record_coefficient(coefficient_of(d, name), level=level) for name in COEFFICIENTS},
        **({} if d.rel_k_ordinal is None else {"rel_k_ordinal": record_coefficient(d.rel_k_ordinal, level=level)}),
        "complete_forms": [_form(form, level) for form in d.complete_forms],
        "raters_needed": [record_needed(needed) for needed in needs_of(d)],
        "band": d.band or None,
        "flags": list(d.flags),
        "fit": asdict(d.fit),
        "checks": [_check(check) for check in d.checks],
        "findings": list(d.findings),
    }


def _variance(variance: VarianceComponents) -> Json:
    """Return the variances; the rater is always named, target x rater only where the model has it."""
    found: Json = {"target": variance.target, "rater": variance.rater, "residual": variance.residual}
    return found if variance.target_x_rater is None else {**found, "target_x_rater": variance.target_x_rater}


def _form(form: IccForm, level: float) -> Json:
    """Return one of the six forms; an infinite F, where there is no error variance, is None and said so."""
    infinite = math.isinf(form.f)
    test = {"f": None if infinite else form.f, "f_infinite": infinite, "df1": form.df1, "df2": form.df2, "p": form.p}
    return {"name": form.name, "words": form.words, **record_coefficient(form.estimate, level=level), **test}


def _check(check: Check) -> Json:
    return {**asdict(check), "holds": check.holds}


def _refused(d: RefusedDimension) -> Json:
    marginals = [{"value": value, "count": count} for value, count in d.marginals]
    counts = {"n_ratings": d.design.n_ratings, "n_targets": d.design.n_targets, "n_raters": d.design.n_raters}
    return {**asdict(d), **counts, "design": record_design(d.design), "marginals": marginals}


def _row(d: DimensionReliability) -> Json:
    row: Json = {
        "dimension": d.name,
        "status": "ok",
        "model": d.model,
        "band": d.band or None,
        "k": d.k,
        "replicates": d.replicates,
        **_counts(d),
        **flatten("mean", d.mean),
        **_needs(d),
        **{f"variance_{facet}": value for facet, value in asdict(d.variance).items()},
        **{f"share_{facet}": value for facet, value in d.variance.shares().items()},
        "flags": "; ".join(d.flags),
    }
    reasons: dict[str, list[str]] = {"reason": [], "remedy": []}
    for name in COEFFICIENTS:
        coefficient = coefficient_of(d, name)
        row |= flatten(name, coefficient)
        if not isinstance(coefficient, Estimate):
            reasons["reason"].append(f"{name}: {coefficient.reason}")
            reasons["remedy"].append(f"{name}: {coefficient.remedy}")
    return _complete({**row, **{name: "; ".join(texts) or None for name, texts in reasons.items()}})


def _needs(d: DimensionReliability) -> Json:
    """Return the raters needed for each wanted reliability; a column stays empty where no number is enough."""
    row: Json = {}
    for needed in needs_of(d):
        for by, answer in (("", needed.by_value), (_BY_LIMIT, needed.by_lower_limit)):
            row[f"raters_needed_{100.0 * needed.wanted:g}{by}"] = answer if isinstance(answer, int) else None
    return row


def _refused_row(d: RefusedDimension) -> Json:
    return _complete(
        {
            "dimension": d.name,
            "status": "refused",
            **_counts(d),
            "mean": d.mean,
            "percent_agreement": d.percent_agreement,
            "flags": "refused",
            "reason": d.reason,
            "remedy": d.remedy,
        }
    )


def _complete(row: Mapping[str, object]) -> Json:
    return {name: row.get(name) for name in schema()}


def _counts(d: DimensionReliability | RefusedDimension) -> Json:
    sizes = d.design.n_ratings, d.design.n_targets, d.design.n_raters, d.n_missing
    return dict(zip(_COUNTS, sizes, strict=True))
