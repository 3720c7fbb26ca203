"""Checks of model raters as plain records under a versioned schema."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from dialgauge.analyse.checking.records import Contrast, Halo, KnownGroups, LengthBias, RaterChecks, SelfPreference
from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.users import Replicability, UserChecks, UserShare
from dialgauge.report.checks.biases import ORDER
from dialgauge.report.values import Json, record_coefficient

SCHEMA = "dialgauge.checks"

SCHEMA_VERSION = 1
"""Rises when a key goes or changes its meaning; new keys alone do not raise it."""


def checks_to_dict(found: RaterChecks, *, users: UserChecks | None = None) -> Json:
    """Return all as dicts, lists, texts, numbers and None. The keys are described in docs/checks.md."""
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
        "users": None if users is None else _users(users),
        "versions": dict(found.versions),
    }


def checks_to_json(found: RaterChecks, *, users: UserChecks | None = None) -> str:
    """Return `checks_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(checks_to_dict(found, users=users), indent=2, allow_nan=False) + "\n"


def _users(users: UserChecks) -> Json:
    return {
        "users": list(users.users),
        "n_dialogues": users.n_dialogues,
        "n_failed": users.n_failed,
        "n_acceptances": users.n_acceptances,
        "n_personas": users.n_personas,
        "n_preferences": users.n_preferences,
        "n_unreplicated": users.unreplicated,
        "checks": [asdict(check) for check in users.checks],
        "shares": [_share(one, users.level) for one in users.shares],
        "replicability": [_replicability(one, users.level) for one in users.replicability],
        "not_made": [{"check": check, "reason": reason} for check, reason in users.not_made.items()],
        "finding": users.finding,
    }


def _share(one: UserShare, level: float) -> Json:
    return {**asdict(one), "result": record_coefficient(one.result, level=level)}


def _replicability(one: Replicability, level: float) -> Json:
    icc = {outcome: record_coefficient(found, level=level) for outcome, found in one.icc.items()}
    return {**asdict(one), "same_end": record_coefficient(one.same_end, level=level), "icc": icc}


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
