"""A probe as plain records under a versioned schema."""

import json
from dataclasses import asdict

from dialgauge.analyse.probing.records import ProbeReport
from dialgauge.report.values import Json, record_coefficient

SCHEMA = "dialgauge.probe"

SCHEMA_VERSION = 1
"""Rises when a key goes or changes its meaning; new keys alone do not raise it."""


def probe_to_dict(report: ProbeReport) -> Json:
    """Return all of ``report`` as dicts, lists, texts, numbers and None. The keys are described in docs/checks.md."""
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "source": report.source,
        "level": report.level,
        "raters": list(report.raters),
        "dimensions": list(report.dimensions),
        "n_targets": report.n_targets,
        "shifts": [
            {**asdict(one), "shift": record_coefficient(one.shift, level=report.level)} for one in report.shifts
        ],
        "versions": dict(report.versions),
    }


def probe_to_json(report: ProbeReport) -> str:
    """Return `probe_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(probe_to_dict(report), indent=2, allow_nan=False) + "\n"
