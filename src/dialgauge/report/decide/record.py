"""Decisions as plain records: a JSON object under a versioned schema, and a flat table."""

import json

import polars as pl

from dialgauge.decide.decisions import Decision, Decisions
from dialgauge.report.values import Json, flatten, record_coefficient

SCHEMA = "dialgauge.decisions"

SCHEMA_VERSION = 1
"""Rises when a key goes or changes its meaning; new keys alone do not raise it."""

_COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("dimension", "rater", "group", "use", "kind", "verdict"), pl.String()),
    "k": pl.Float64(),
    "unit": pl.String(),
    "n": pl.Int64(),
    "n_unit": pl.String(),
    "n_is_least": pl.Boolean(),
    "expected": pl.String(),
    "undecided": pl.Boolean(),
    **dict.fromkeys(("threshold", "estimate", "estimate_low", "estimate_high"), pl.Float64()),
    **dict.fromkeys(("coefficient", "reasons", "policy", "policy_version", "policy_hash"), pl.String()),
    "rater_kind": pl.String(),
}


def decisions_to_dict(decisions: Decisions) -> Json:
    """Return all of ``decisions`` as dicts, lists, texts, numbers and None, ready for strict JSON.

    The keys are described in docs/decide.md.
    """
    policy = decisions.policy
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "source": decisions.source,
        "policy": {**policy.model_dump(mode="json"), "hash": policy.hash},
        "uses": [use.name for use in decisions.uses],
        "decisions": [_decision(d, policy.level) for d in decisions.decisions],
        "gates": [
            {"dimension": g.dimension, "rater": g.rater or None, "use": g.use, "passed": g.passed, "verdict": g.words}
            for g in decisions.gates
        ],
        "passed": decisions.passed,
        "findings": list(decisions.findings),
        "notes": list(decisions.notes),
        "versions": dict(decisions.versions),
    }


def decisions_to_json(decisions: Decisions) -> str:
    """Return `decisions_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(decisions_to_dict(decisions), allow_nan=False, indent=2) + "\n"


def decisions_to_csv(decisions: Decisions) -> str:
    """Return a row per decision as CSV with a header; what is missing is an empty cell."""
    return pl.DataFrame([_row(d) for d in decisions.decisions], schema=_COLUMNS).write_csv()


def _decision(d: Decision, level: float) -> Json:
    return {
        "dimension": d.dimension,
        "rater": d.rater or None,
        "rater_kind": d.rater_kind or None,
        "group": d.group or None,
        "use": d.use,
        "kind": d.kind,
        "verdict": d.verdict,
        "words": d.words,
        "k": d.k,
        "unit": d.unit,
        "n": d.n,
        "n_unit": d.n_unit or None,
        "n_is_least": d.n_is_least,
        "expected": d.expected,
        "undecided": d.undecided,
        "threshold": d.threshold,
        "coefficient": d.coefficient,
        "estimate": record_coefficient(d.estimate, level=level),
        "reasons": list(d.reasons),
        "vetoes": list(d.vetoes),
        "policy": d.policy,
        "policy_version": d.policy_version,
        "policy_hash": d.policy_hash,
    }


def _row(d: Decision) -> Json:
    row: Json = {name: getattr(d, name) for name in _COLUMNS if not name.startswith("estimate")}
    row |= {"rater": d.rater or None, "group": d.group or None, "n_unit": d.n_unit or None}
    row |= {"rater_kind": d.rater_kind or None}
    row |= {"reasons": "; ".join(d.reasons), **flatten("estimate", d.estimate)}
    return {name: row.get(name) for name in _COLUMNS}
