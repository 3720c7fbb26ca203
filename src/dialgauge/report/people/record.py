"""How far people and dialogues are, as a JSON object under a versioned schema."""

import json
from collections.abc import Sequence

from dialgauge.collect.people import PersonProgress, TargetProgress
from dialgauge.collect.web.progress import sum_up
from dialgauge.report.values import Json

SCHEMA = "dialgauge.people"

SCHEMA_VERSION = 1
"""Rises when a key goes or changes its meaning. New keys alone do not raise it."""

Found = tuple[Sequence[TargetProgress], Sequence[PersonProgress]]
"""How far each target is, and each person."""


def people_to_dict(found: Found) -> Json:
    """Return all of ``found`` as dicts, lists, texts and numbers; the keys are described in docs/people.md."""
    targets, people = found
    sums = sum_up(targets)
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "wanted": sums.wanted,
        "completed": sums.done,
        "beyond": sums.beyond,
        "reserved": sums.reserved,
        "unanswered": sums.unanswered,
        "people": [
            {
                "rater": one.rater,
                "code": one.code,
                "completed": one.completed,
                "reserved": one.reserved,
                "given_back": one.given_back,
                "revised": one.revised,
                "seconds": one.seconds,
                "first_seen": one.first_seen.isoformat(timespec="seconds"),
                "last_seen": one.last_seen.isoformat(timespec="seconds"),
                "withdrew": None if one.withdrew is None else one.withdrew.isoformat(timespec="seconds"),
            }
            for one in people
        ],
        "targets": [
            {
                "target": one.target,
                "completed": one.completed,
                "reserved": one.reserved,
                "wanted": one.wanted,
                "unanswered": one.unanswered,
            }
            for one in targets
        ],
    }


def people_to_json(found: Found) -> str:
    """Return `people_to_dict` as strict JSON in ASCII."""
    return json.dumps(people_to_dict(found), allow_nan=False, indent=2) + "\n"
