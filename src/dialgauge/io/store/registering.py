"""What a study consists of is kept; what changed under its name after it was rated, or rated, is refused."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa

from dialgauge.errors import StoreError
from dialgauge.io.store.people_tables import answers, assignments, people
from dialgauge.io.store.records import CODE, RaterEntry, digest, to_canonical
from dialgauge.io.store.simulated_tables import simulations
from dialgauge.io.store.tables import NUL, Row, prompts, raters, ratings, study, targets
from dialgauge.io.words import clip
from dialgauge.model import Dialogue, Dimension, Instrument, Purpose, Scale

BATCH = 500
LONGEST_NAME = 500
"""Characters; PostgreSQL cannot index much longer names."""

MOST_DIFFERENCES = 3
"""Named in one message."""

_RATED = {
    "rater": (ratings.c.rater, people.c.rater),
    "target": (ratings.c.target, assignments.c.target),
    "dimension": (ratings.c.dimension, answers.c.dimension),
}

Thing = TypeVar("Thing")


def in_batches(things: Iterable[Thing], size: int = BATCH) -> Iterator[list[Thing]]:
    """Yield ``things`` in lists of at most ``size``."""
    iterator = iter(things)
    while batch := list(islice(iterator, size)):
        yield batch


def read_snapshots(connection: sa.Connection) -> list[tuple[str, Instrument]]:
    """Return the role ("study" or "measures") and the content of each instrument that was registered, in order."""
    rows = connection.execute(sa.select(study.c.role, study.c.snapshot).order_by(study.c.id))
    return [(role, Instrument.model_validate_json(snapshot)) for role, snapshot in rows]


def read_scales(snapshots: Sequence[tuple[str, Instrument]]) -> dict[str, Scale]:
    """Return the scale of each dimension, those of the latest instruments first and the study's before the measures."""
    latest_first = [i for role in ("study", "measures") for r, i in reversed(snapshots) if r == role]
    scales: dict[str, Scale] = {}
    for instrument in latest_first:
        for dimension in instrument.dimensions:
            scales.setdefault(dimension.name, instrument.scale_for(dimension))
    return scales


def register_instrument(connection: sa.Connection, name: str, instrument: Instrument, *, role: str) -> None:
    """Keep ``instrument`` unless it is known; StoreError where a dimension with ratings has changed."""
    snapshots = read_snapshots(connection)
    earlier = [old for before, old in snapshots if before == role]
    known = {dimension.name: (old, dimension) for old in earlier for dimension in old.dimensions}
    for dimension in instrument.dimensions:
        check_name(dimension.name, "dimension")
        if dimension.name in known:
            old, before = known[dimension.name]
            changed = _compare(old, before, instrument, dimension)
            if changed and _is_rated(connection, "dimension", dimension.name):
                name, details = changed
                msg = (
                    f"the {name} of the dimension {dimension.name!r} in the instrument {instrument.name!r} has "
                    f"changed since ratings of it were collected ({_join(details)}); take the change back, or give "
                    "the dimension another name"
                )
                raise StoreError(msg)
    snapshot = to_canonical(instrument.model_dump(mode="json"))
    if earlier[-1:] == [instrument]:
        return
    row = {
        "name": name,
        "instrument": instrument.name,
        "role": role,
        "snapshot": snapshot,
        "hash": digest(snapshot),
        "version": version("dialgauge"),
        "created": datetime.now(UTC),
    }
    connection.execute(sa.insert(study), row)


def register_rater(connection: sa.Connection, entry: RaterEntry) -> None:
    """Keep ``entry`` unless it is known; StoreError where one with ratings has other settings or another prompt."""
    check_name(entry.name, "rater")
    if entry.base is not None and _read_rater(connection, entry.base) is None:
        msg = f"the rater {entry.name!r} is a variant of {entry.base!r}, which is not in the store; register that first"
        raise StoreError(msg)
    prompt_hash = None if entry.template is None else register_prompt(connection, entry.template)
    known = _read_rater(connection, entry.name)
    rated = known is not None and _is_rated(connection, "rater", entry.name)
    settings = to_canonical(_settle_code(entry.settings, known, rated=rated))
    row = {
        "name": entry.name,
        "kind": entry.kind,
        "settings": settings,
        "hash": digest(to_canonical([entry.kind, settings, prompt_hash, entry.base, entry.variant])),
        "base": entry.base,
        "variant": entry.variant,
        "prompt_hash": prompt_hash,
    }
    if known is None:
        connection.execute(sa.insert(raters), row)
    elif known["hash"] != row["hash"]:
        if not rated:
            connection.execute(sa.update(raters).where(raters.c.name == entry.name).values(row))
            return
        msg = (
            f"the rater {entry.name!r} has changed since it rated ({_differences(known, row)}); "
            "take the change back, or give the changed rater another name"
        )
        raise StoreError(msg)


def register_prompt(connection: sa.Connection, template: str) -> str:
    """Keep the text of a prompt, and return its hash."""
    key = digest(template)
    if connection.scalar(sa.select(prompts.c.hash).where(prompts.c.hash == key)) is None:
        connection.execute(sa.insert(prompts), {"hash": key, "template": template})
    return key


def register_targets(connection: sa.Connection, dialogues: Iterable[Dialogue], purpose: Purpose) -> int:
    """Keep the dialogues that are new, and return how many; StoreError where one with ratings has changed."""
    n_new = 0
    for batch in in_batches(dialogues):
        for dialogue in batch:
            check_name(dialogue.id, "target")
        known = _read_known(connection, [dialogue.id for dialogue in batch])
        rows: dict[str, Row] = {}
        for dialogue in batch:
            content = _write_dialogue(dialogue)
            row = {"id": dialogue.id, "purpose": purpose, "hash": digest(content), "dialogue": content}
            there = known.get(dialogue.id) or rows.get(dialogue.id)
            if there is None:
                rows[dialogue.id] = row
            elif (there["hash"], there["purpose"]) != (row["hash"], purpose):
                _replace_target(connection, there, row)
        if rows:
            connection.execute(sa.insert(targets), [*rows.values()])
        n_new += len(rows)
    return n_new


def check_name(name: str, what: str) -> None:
    """Raise StoreError for a name that some database could not hold or index."""
    if NUL in name:
        msg = f"the {what} {clip(name)!r} has the character NUL in its name, which cannot be stored; take it out"
        raise StoreError(msg)
    if len(name) > LONGEST_NAME:
        msg = f"the {what} {clip(name)!r} has a name of {len(name):,} characters; at most {LONGEST_NAME} can be stored"
        raise StoreError(msg)


def _read_rater(connection: sa.Connection, name: str) -> sa.RowMapping | None:
    return connection.execute(sa.select(raters).where(raters.c.name == name)).mappings().one_or_none()


def _read_known(connection: sa.Connection, ids: Sequence[str]) -> dict[str, Row]:
    query = sa.select(targets.c.id, targets.c.hash, targets.c.purpose).where(targets.c.id.in_(ids))
    return {row["id"]: dict(row) for row in connection.execute(query).mappings()}


def _is_rated(connection: sa.Connection, what: str, name: str) -> bool:
    """Whether there is a rating of a target or dimension, or by a rater; or it was put before people, or is one."""
    return any(connection.scalar(sa.select(1).where(column == name).limit(1)) for column in _RATED[what])


def _write_dialogue(dialogue: Dialogue) -> str:
    content = to_canonical(dialogue.model_dump(mode="python"))
    try:
        content.encode()
    except UnicodeEncodeError:
        msg = f"the target {clip(dialogue.id)!r} has half of a surrogate pair, which is no character; take it out"
        raise StoreError(msg) from None
    return content


def _replace_target(connection: sa.Connection, there: Row, given: Row) -> None:
    """Put ``given`` in the place of a target that nobody has rated; StoreError where that cannot be."""
    name, before, purpose = clip(given["id"]), there["purpose"], given["purpose"]
    if before != purpose:
        msg = f"the target {name!r} is known with the purpose {before!r}; as {purpose!r} it needs another id"
        raise StoreError(msg)
    if "dialogue" in there:
        msg = f"the target {name!r} is there twice with two contents; give one of the two another id"
        raise StoreError(msg)
    simulated = connection.scalar(sa.select(simulations.c.id).where(simulations.c.dialogue == given["id"]))
    if simulated is None and not _is_rated(connection, "target", given["id"]):
        connection.execute(sa.update(targets).where(targets.c.id == given["id"]).values(given))
        return
    old = connection.scalar(sa.select(targets.c.dialogue).where(targets.c.id == given["id"]))
    changes = _list_changes(json.loads(str(old)), json.loads(given["dialogue"]))
    since = "it was put before raters" if simulated is None else "it was simulated"
    msg = (
        f"the target {name!r} has changed since {since} ({_join(changes)}); take the change back, or give the changed "
        "dialogue another id"
    )
    raise StoreError(msg)


def _compare(old: Instrument, before: Dimension, new: Instrument, after: Dimension) -> tuple[str, list[str]] | None:
    """Return which part of a dimension is not as it was, with the changes in it; None where it is the same."""
    was, now = (scale.model_dump(mode="json") for scale in (old.scale_for(before), new.scale_for(after)))
    if changes := _list_changes(was, now):
        return "scale", changes
    first, second = (one.model_dump(mode="json", exclude={"scale"}) for one in (before, after))
    name = next((name for name in first if first[name] != second[name]), None)
    return None if name is None else (name, _list_changes(first[name], second[name], name))


def _differences(old: Mapping[Any, Any], new: Row) -> str:
    """Say what differs between two rows of raters: what it was and what it is."""
    changes = [
        _say_change(name, old[name], new[name]) for name in ("kind", "base", "variant") if old[name] != new[name]
    ]
    changes += ["the text of its prompt is another"] if old["prompt_hash"] != new["prompt_hash"] else []
    before, after = json.loads(str(old["settings"])), json.loads(str(new["settings"]))
    if before.pop(CODE, None) != after.pop(CODE, None):
        changes.append("its code is not what it was")
    return _join([*changes, *_list_changes(before, after)])


def _list_changes(before: object, after: object, place: str = "") -> list[str]:
    """Say what differs between two contents of JSON, place by place."""
    if before == after:
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        keys = sorted({*before, *after})
        return [
            change
            for key in keys
            for change in _list_changes(before.get(key), after.get(key), f"{place}.{key}".removeprefix("."))
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True), start=1)
        return [change for i, pair in pairs for change in _list_changes(*pair, f"{place}[{i}]")]
    return [_say_change(place, before, after)]


def _say_change(name: str, before: object, after: object) -> str:
    was, now = (json.dumps(v, ensure_ascii=False, default=str) if v is not None else "not set" for v in (before, after))
    return f"{name} was {clip(was)}, is now {clip(now)}"


def _join(changes: Sequence[str]) -> str:
    more = len(changes) - MOST_DIFFERENCES
    return "; ".join(changes[:MOST_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")


def _settle_code(given: Mapping[str, object], known: Mapping[Any, Any] | None, *, rated: bool) -> dict[str, object]:
    """Return the settings with the hash of the code as it is known, where one of then and now cannot be told."""
    settings = dict(given)
    before = {} if known is None else json.loads(str(known["settings"]))
    if CODE in before:
        settings.setdefault(CODE, before[CODE])
    elif rated:
        settings.pop(CODE, None)
    return settings
