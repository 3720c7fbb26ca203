"""What a study consists of is written once; what changed under an old name is refused."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa

from dialgauge.errors import StoreError
from dialgauge.io.store.records import RaterEntry, digest, to_canonical
from dialgauge.io.store.tables import NUL, Row, prompts, raters, study, targets
from dialgauge.io.words import clip, shorten
from dialgauge.model import Dialogue, Dimension, Instrument, Purpose, Scale

BATCH = 500
LONGEST_NAME = 500
"""Characters; PostgreSQL cannot index much longer names."""

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
    """Keep ``instrument`` unless it is known; StoreError where a known dimension has changed."""
    snapshots = read_snapshots(connection)
    earlier = [old for before, old in snapshots if before == role]
    known = {dimension.name: (old, dimension) for old in earlier for dimension in old.dimensions}
    for dimension in instrument.dimensions:
        check_name(dimension.name, "dimension")
        if dimension.name in known:
            old, before = known[dimension.name]
            changed = _compare(old, before, instrument, dimension)
            if changed:
                msg = (
                    f"the {changed} of the dimension {dimension.name!r} in the instrument {instrument.name!r} has "
                    "changed since ratings of it were collected; take the change back, or give the dimension another "
                    "name"
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
    """Keep ``entry`` unless it is known; StoreError where its settings or its prompt have changed."""
    check_name(entry.name, "rater")
    if entry.base is not None and _read_rater(connection, entry.base) is None:
        msg = f"the rater {entry.name!r} is a variant of {entry.base!r}, which is not in the store; register that first"
        raise StoreError(msg)
    prompt_hash = None if entry.template is None else register_prompt(connection, entry.template)
    settings = to_canonical(dict(entry.settings))
    row = {
        "name": entry.name,
        "kind": entry.kind,
        "settings": settings,
        "hash": digest(to_canonical([entry.kind, settings, prompt_hash, entry.base, entry.variant])),
        "base": entry.base,
        "variant": entry.variant,
        "prompt_hash": prompt_hash,
    }
    known = _read_rater(connection, entry.name)
    if known is None:
        connection.execute(sa.insert(raters), row)
    elif known["hash"] != row["hash"]:
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
    """Keep the dialogues that are new, and return how many; StoreError where one has changed under its id."""
    n_new = 0
    for batch in in_batches(dialogues):
        for dialogue in batch:
            check_name(dialogue.id, "target")
        known = _read_known(connection, [dialogue.id for dialogue in batch])
        rows = []
        for dialogue in batch:
            content = _write_dialogue(dialogue)
            found = known.setdefault(dialogue.id, (digest(content), purpose, True))
            _check_target(dialogue.id, found[:2], (digest(content), purpose))
            if found[2]:
                rows.append({"id": dialogue.id, "purpose": purpose, "hash": found[0], "dialogue": content})
                known[dialogue.id] = (*found[:2], False)
        if rows:
            connection.execute(sa.insert(targets), rows)
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


def _read_known(connection: sa.Connection, ids: Sequence[str]) -> dict[str, tuple[str, str, bool]]:
    query = sa.select(targets.c.id, targets.c.hash, targets.c.purpose).where(targets.c.id.in_(ids))
    return {row.id: (row.hash, row.purpose, False) for row in connection.execute(query)}


def _write_dialogue(dialogue: Dialogue) -> str:
    content = to_canonical(dialogue.model_dump(mode="python"))
    try:
        content.encode()
    except UnicodeEncodeError:
        msg = f"the target {clip(dialogue.id)!r} has half of a surrogate pair, which is no character; take it out"
        raise StoreError(msg) from None
    return content


def _check_target(name: str, known: tuple[str, str], given: tuple[str, str]) -> None:
    if known[1] != given[1]:
        msg = f"the target {clip(name)!r} is known with the purpose {known[1]!r}; as {given[1]!r} it needs another id"
        raise StoreError(msg)
    if known[0] != given[0]:
        msg = (
            f"the target {clip(name)!r} has changed since it was put before raters; take the change back, or give the "
            "changed dialogue another id"
        )
        raise StoreError(msg)


def _compare(old: Instrument, before: Dimension, new: Instrument, after: Dimension) -> str:
    """Say what of a dimension is not as it was, nothing when it is the same."""
    if old.scale_for(before) != new.scale_for(after):
        return "scale"
    fields = (name for name in Dimension.model_fields if name != "scale")
    return next((name for name in fields if getattr(before, name) != getattr(after, name)), "")


def _differences(old: Mapping[Any, Any], new: Row) -> str:
    """Name the settings that differ between two rows of raters."""
    names = [name for name in ("kind", "base", "variant") if old[name] != new[name]]
    names += ["prompt"] if old["prompt_hash"] != new["prompt_hash"] else []
    before, after = json.loads(str(old["settings"])), json.loads(str(new["settings"]))
    names += [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    return shorten(dict.fromkeys(names))
