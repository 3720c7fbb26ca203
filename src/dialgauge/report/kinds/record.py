"""Kinds of rater as plain records: a JSON object, rows of a flat table, CSV."""

import json
from dataclasses import asdict

import polars as pl

from dialgauge.analyse.kinds import AgreementWithPeople, DimensionKinds, KindReliability, KindsComparison, PairOfKinds
from dialgauge.analyse.kinds.pairs import PerfectCorrelation, Worth
from dialgauge.analyse.results import Coefficient
from dialgauge.report.values import Json, flatten, record_coefficient, record_design
from dialgauge.stats.estimate import Refusal

_ENDS = ("", "_low", "_high")
_FORMS = ("rel_single", "rel_k", "rel_single_relative", "rel_k_relative", "this_rater_only", "this_rater_only_k")
_VARIANCES = ("target", "rater", "target_x_rater", "residual")
_PAIR = ("correlation", "correlation_as_rated", "observed", "difference")


def kinds_to_dict(comparison: KindsComparison) -> Json:
    """Return all of ``comparison`` as dicts, lists, texts, numbers and None, ready for strict JSON.

    The keys are described in docs/kinds.md. A Refusal has the value None, the flag "refused", a reason and a remedy.
    """
    return {
        "source": comparison.source,
        "scale": comparison.scale,
        "n_targets": comparison.n_targets,
        "level": comparison.level,
        "reference": comparison.reference,
        "kinds": dict(comparison.kinds),
        "dimensions": [_dimension(d, comparison.level) for d in comparison.dimensions],
        "refused": [asdict(refused) for refused in comparison.refused],
        "people": [_people(one, comparison.level) for one in comparison.people],
        "notes": list(comparison.notes),
        "findings": list(comparison.findings),
        "versions": dict(comparison.versions),
    }


def kinds_to_json(comparison: KindsComparison) -> str:
    """Return `kinds_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(kinds_to_dict(comparison), allow_nan=False, indent=2) + "\n"


def kinds_to_frame(comparison: KindsComparison) -> pl.DataFrame:
    """Return a row per dimension and pair of kinds, refused dimensions last; the columns do not depend on the data.

    A dimension on which one kind is left has a row without a second kind.
    """
    rows = [row for d in comparison.dimensions for row in _rows(d)]
    rows += [
        {"dimension": r.name, "status": "refused", "reason": r.reason, "remedy": r.remedy} for r in comparison.refused
    ]
    schema = kinds_schema()
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


def kinds_to_csv(comparison: KindsComparison) -> str:
    """Return `kinds_to_frame` as CSV with a header; what is missing is an empty cell."""
    return kinds_to_frame(comparison).write_csv()


def kinds_schema() -> dict[str, pl.DataType]:
    """Return the columns of the flat table with their types."""
    columns: dict[str, pl.DataType] = {name: pl.String() for name in ("dimension", "status", "first", "second")}
    columns["n_shared"] = pl.Int64()
    columns |= {f"{name}{end}": pl.Float64() for name in _PAIR for end in _ENDS}
    columns |= {name: pl.Float64() for name in ("difference_se", "difference_df", "ceiling", "perfect_p")}
    columns |= {f"worth{end}": pl.Float64() for end in _ENDS} | {"stand_in": pl.Float64()}
    for side in ("first", "second"):
        columns[f"{side}_basis"] = pl.String()
        columns |= {f"{side}_{name}": pl.Int64() for name in ("n_raters", "n_targets", "n_ratings", "n_missing")}
        columns |= {f"{side}_variance_{name}": pl.Float64() for name in _VARIANCES}
        columns |= {f"{side}_{name}": pl.Float64() for name in ("k", "replicates")}
        columns |= {f"{side}_{name}{end}": pl.Float64() for name in ("mean", *_FORMS) for end in _ENDS}
        columns[f"{side}_flags"] = pl.String()
    return columns | {name: pl.String() for name in ("reason", "remedy")}


def _people(one: AgreementWithPeople, level: float) -> Json:
    found = {name: getattr(one, name) for name in one.__slots__}
    return {
        name: record_coefficient(value, level=level) if isinstance(value, Coefficient) else value
        for name, value in found.items()
    }


def _dimension(d: DimensionKinds, level: float) -> Json:
    return {
        "name": d.name,
        "kinds": [_kind(kind, level) for kind in d.kinds],
        "pairs": [_pair(pair, level) for pair in d.pairs],
        "left_out": [asdict(left) for left in d.left_out],
        "fit": asdict(d.fit),
        "findings": list(d.findings),
    }


def _kind(kind: KindReliability, level: float) -> Json:
    own = {name: getattr(kind, name) for name in _FORMS}
    v = kind.variance
    return {
        "kind": kind.kind,
        "raters": list(kind.raters),
        "n_missing": kind.n_missing,
        "basis": kind.basis,
        "design": record_design(kind.design),
        "mean": record_coefficient(kind.mean, level=level),
        "variance": {name: _number(getattr(v, name)) for name in _VARIANCES},
        "k": kind.k,
        "replicates": kind.replicates,
        **{name: None if value is None else record_coefficient(value, level=level) for name, value in own.items()},
        "flags": list(kind.flags),
    }


def _pair(pair: PairOfKinds, level: float) -> Json:
    as_rated, tested = pair.correlation_as_rated, pair.perfect
    return {
        "first": pair.first,
        "second": pair.second,
        "n_shared": pair.n_shared,
        "correlation": record_coefficient(pair.correlation, level=level),
        "correlation_as_rated": None if as_rated is None else record_coefficient(as_rated, level=level),
        "perfect": asdict(tested) if isinstance(tested, PerfectCorrelation) else {"p": None, **asdict(tested)},
        "observed": record_coefficient(pair.observed, level=level),
        "ceiling": pair.ceiling,
        "difference": record_coefficient(pair.difference, level=level),
        "difference_se": pair.difference_se,
        "difference_df": pair.difference_df,
        "worth": _worth(pair.worth, level),
        "worth_relative": _worth(pair.worth_relative, level),
        "findings": list(pair.findings),
    }


def _worth(worth: Worth | Refusal, level: float) -> Json:
    if isinstance(worth, Refusal):
        return {"equal": None, "stand_in": None, **asdict(worth)}
    return {"equal": record_coefficient(worth.equal, level=level), "stand_in": _number(worth.stand_in)}


def _number(value: float | Refusal | None) -> object:
    """Return a bare number; where it is refused, ``None`` as its value with the reason."""
    return {"value": None, **asdict(value)} if isinstance(value, Refusal) else value


def _rows(d: DimensionKinds) -> list[Json]:
    kinds = {kind.kind: kind for kind in d.kinds}
    start: Json = {"dimension": d.name, "status": "ok"}
    gone = {
        "reason": "; ".join(f"{left.kind}: {left.reason}" for left in d.left_out) or None,
        "remedy": "; ".join(f"{left.kind}: {left.remedy}" for left in d.left_out) or None,
    }
    if not d.pairs:
        return [{**start, "first": kind.kind, **_side("first", kind), **gone} for kind in d.kinds]
    rows = []
    for pair in d.pairs:
        sides = {**_side("first", kinds[pair.first]), **_side("second", kinds[pair.second])}
        rows.append({**start, **_flat_pair(pair), **sides, **gone})
    return rows


def _flat_pair(pair: PairOfKinds) -> Json:
    row: Json = {"first": pair.first, "second": pair.second, "n_shared": pair.n_shared, "ceiling": pair.ceiling}
    row |= {"difference_se": pair.difference_se, "difference_df": pair.difference_df}
    for name in _PAIR:
        row |= flatten(name, getattr(pair, name))
    if isinstance(pair.perfect, PerfectCorrelation):
        row["perfect_p"] = pair.perfect.p
    if isinstance(pair.worth, Worth):
        row |= flatten("worth", pair.worth.equal)
        row["stand_in"] = None if isinstance(pair.worth.stand_in, Refusal) else pair.worth.stand_in
    return row


def _side(side: str, kind: KindReliability) -> Json:
    design = kind.design
    sizes = {"n_raters": design.n_raters, "n_targets": design.n_targets, "n_ratings": design.n_ratings}
    row: Json = {"basis": kind.basis, **sizes, "n_missing": kind.n_missing, "k": kind.k, "replicates": kind.replicates}
    for name in _VARIANCES:
        value = getattr(kind.variance, name)
        row[f"variance_{name}"] = None if isinstance(value, Refusal) else value
    for name in ("mean", *_FORMS):
        row |= flatten(name, getattr(kind, name))
    return {f"{side}_{name}": value for name, value in (row | {"flags": "; ".join(kind.flags)}).items()}
