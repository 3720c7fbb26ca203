"""Checks of model raters as plain records under a versioned schema."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from dialgauge.analyse.checking.records import Contrast, Halo, KnownGroups, LengthBias, RaterChecks, SelfPreference
from dialgauge.analyse.results import Coefficient
from dialgauge.report.checks.biases import ORDER
from dialgauge.report.values import Json, record_coefficient

SCHEMA = "dialgauge.checks"

SCHEMA_VERSION = 1
"""Rises when a key goes or changes its meaning; new keys alone do not raise it."""


def checks_to_dict(found: RaterChecks) -> Json:
    """Return all of ``found`` as dicts, lists, texts, numbers and None. The keys are described in docs/checks.md."""
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "source": found.source,
        "level": found.level,
        "raters": list(found.raters),
        "checks": [asdict(check) for check in found.checks],
        "constants": [asdict(one) for one in found.constants],
        "key_orders": [asdict(one) for one in found.key_orders],
        "masses": [asdict(one) for one in found.masses],
        "contrasts": [_contrast(one, found.level) for one in found.contrasts],
        "halos": [_halo(one, found.level) for one in found.halos],
        "biases": {
            "order": [_contrast(one, found.level) for one in found.contrasts if one.check in ORDER],
            "length": [_bias(one, found.level) for one in found.lengths],
            "self_preference": [_bias(one, found.level) for one in found.self_preferences],
        },
        "known_groups": [_known(one, found.level) for one in found.known_groups],
        "not_made": [asdict(one) for one in found.not_made],
        "versions": dict(found.versions),
    }


def checks_to_json(found: RaterChecks) -> str:
    """Return `checks_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(checks_to_dict(found), indent=2, allow_nan=False) + "\n"


def _contrast(one: Contrast, level: float) -> Mapping[str, object]:
    listed = None if one.first_over_last is None else record_coefficient(one.first_over_last, level=level)
    return {**asdict(one), "difference": record_coefficient(one.difference, level=level), "first_over_last": listed}


def _halo(one: Halo, level: float) -> Mapping[str, object]:
    return {**asdict(one), "change": record_coefficient(one.change, level=level)}


def _bias(one: LengthBias | SelfPreference, level: float) -> Mapping[str, object]:
    """Return all fields, the coefficients among them as in every JSON."""
    found = {}
    for name in one.__slots__:
        value = getattr(one, name)
        found[name] = record_coefficient(value, level=level) if isinstance(value, Coefficient) else value
    return found


def _known(one: KnownGroups, level: float) -> Mapping[str, object]:
    plain = {**asdict(one), "right": record_coefficient(one.right, level=level)}
    plain["differences"] = [
        {"dimension": name, **record_coefficient(found, level=level)} for name, found in one.differences.items()
    ]
    return plain
