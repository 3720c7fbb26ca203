"""What was watched, as plain records: a JSON object, and a warning for other programs, under versioned schemas."""

import json

from dialgauge.analyse.monitor.records import Monitoring, OccasionChange, Watch
from dialgauge.report.monitor.words import say_watch
from dialgauge.report.values import Json, record_coefficient

SCHEMA, WARNING_SCHEMA = "dialgauge.monitoring", "dialgauge.warning"

SCHEMA_VERSION = 1
"""Of both; rises when a key goes or changes its meaning. New keys alone do not raise it."""


def monitoring_to_dict(found: Monitoring) -> Json:
    """Return all of ``found`` as dicts, lists, texts, numbers and None; the keys are described in docs/monitor.md."""
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "source": found.source,
        "alpha": found.alpha,
        "level": found.level,
        "occasions": list(found.occasions),
        "alarm": bool(found.alarms),
        "watches": [_watch(watch, found.level) for watch in found.watches],
        "events": [_event(found, i) for i in range(len(found.events))],
        "findings": list(found.findings),
        "notes": list(found.notes),
        "versions": dict(found.versions),
    }


def monitoring_to_json(found: Monitoring) -> str:
    """Return `monitoring_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(monitoring_to_dict(found), allow_nan=False, indent=2) + "\n"


def warning_to_json(found: Monitoring) -> str:
    """Return what has changed alone, for a program that raises the alarm; the list is empty where nothing has."""
    record: Json = {
        "schema": WARNING_SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "source": found.source,
        "occasion": found.occasions[-1],
        "alarm": bool(found.alarms),
        "alpha": found.alpha,
        "warnings": [_warning(watch, found.level) for watch in found.alarms],
        "events": [_event(found, i) for i in range(len(found.events))],
    }
    return json.dumps(record, allow_nan=False, indent=2) + "\n"


def _event(found: Monitoring, i: int) -> Json:
    event = found.events[i]
    return {"occasion": event.occasion, "rater": event.rater, "what": event.what}


def _warning(watch: Watch, level: float) -> Json:
    latest = watch.latest
    return {
        "dimension": watch.dimension,
        "rater": watch.rater,
        "state": watch.state,
        "shifted_since": watch.shifted_since,
        "shift_began": watch.shift_began,
        "less_reliable_since": watch.less_reliable_since,
        "shift": None if latest is None else record_coefficient(latest.shift, level=level),
        "shift_in_sd": None if latest is None else latest.shift_in_sd,
        "change": None if latest is None else record_coefficient(latest.change, level=level),
        "sentence": say_watch(watch),
    }


def _watch(watch: Watch, level: float) -> Json:
    return {
        "dimension": watch.dimension,
        "rater": watch.rater,
        "state": watch.state,
        "reason": watch.reason or None,
        "n_targets": watch.n_targets,
        "replicates": watch.replicates,
        "sd": watch.sd,
        "icc": record_coefficient(watch.icc, level=level),
        "class": watch.reliability_class,
        "shifted_since": watch.shifted_since,
        "shift_began": watch.shift_began,
        "less_reliable_since": watch.less_reliable_since,
        "changes": [_change(change, level) for change in watch.changes],
    }


def _change(change: OccasionChange, level: float) -> Json:
    return {
        "occasion": change.occasion,
        "n_targets": change.n_targets,
        "shift": record_coefficient(change.shift, level=level),
        "shift_in_sd": change.shift_in_sd,
        "icc": record_coefficient(change.icc, level=level),
        "class": change.reliability_class,
        "change": record_coefficient(change.change, level=level),
        "class_left": change.class_left,
        "p_shift": change.p_shift,
        "p_reliability": change.p_reliability,
    }
