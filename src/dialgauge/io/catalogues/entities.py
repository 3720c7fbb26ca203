"""ReDial and OpenDialKG as `id2info.json` and `entity2id.json` give them: the ids are those of rankings."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dialgauge.errors import CatalogueError
from dialgauge.io.catalogues.names import parse_year, split_year
from dialgauge.io.catalogues.records import CatalogueFile, ItemRow, build_catalogue
from dialgauge.io.catalogues.sources import read_object
from dialgauge.io.words import clip, count, shorten

INFO, ENTITIES = "id2info.json", "entity2id.json"

_PEOPLE = ("director", "writer", "star", "actor")


def read_entities(folder: str | Path) -> CatalogueFile:
    """Return the catalogue of a folder with `id2info.json` and `entity2id.json`.

    The id of an item is its entity id, as text. ``genre`` gives the attributes, ``director``, ``writer``, ``star`` or
    ``actor`` the people, ``plot`` the description, ``year`` or the end of the title the year. Items of one name have
    one entity id: the first is kept; an item whose name is no entity is in no ranking and is left out; both are
    counted. Raises CatalogueError, naming file and key.
    """
    root = Path(folder)
    info, entities = read_object(root / INFO), read_object(root / ENTITIES)
    place = str(root / INFO)
    name = "redial" if any("plot" in facts for facts in info.values() if isinstance(facts, dict)) else "opendialkg"
    kept: dict[str, ItemRow] = {}
    unknown: list[str] = []
    doubled: list[str] = []
    for key, facts in info.items():
        where = f"item {clip(key)!r} of {place}"
        title = _text(facts, "name", where)
        if title not in entities:
            unknown.append(title)
        elif title in kept:
            doubled.append(title)
        else:
            kept[title] = _to_row(facts, where, _entity(entities[title], title, str(root / ENTITIES)))
    notes = []
    if doubled:
        same = count(len(doubled), "item")
        notes.append(f"Merged: {same} with the name and entity id of an earlier one: {shorten(doubled, 4)}.")
    if unknown:
        notes.append(f"Left out: {count(len(unknown), 'item')} without an entity id: {shorten(unknown, 4)}.")
    form = {"redial": "ReDial", "opendialkg": "OpenDialKG"}[name]
    return build_catalogue(kept.values(), name=name, form=f"{form} with entity ids", source=str(root), notes=notes)


def _to_row(facts: Mapping[str, Any], where: str, entity: str) -> ItemRow:
    title, in_title = split_year(_text(facts, "name", where))
    return ItemRow(
        place=where,
        id=entity,
        title=title,
        year=_year(facts, where) if facts.get("year") is not None else in_title,
        attributes=tuple(_names(facts, "genre", where)),
        people=tuple(name for key in _PEOPLE for name in _names(facts, key, where)),
        description=_text(facts, "plot", where) if facts.get("plot") is not None else "",
    )


def _entity(value: object, title: str, place: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        msg = f"{place} gives {clip(title)!r} the id {clip(str(value))}; write it as a whole number or text"
        raise CatalogueError(msg)
    return str(value)


def _text(facts: object, key: str, where: str) -> str:
    value = facts.get(key) if isinstance(facts, dict) else None
    if not isinstance(value, str):
        msg = f'{where} has no text under {key!r}; write it as {{"name": ..., "genre": [...]}}'
        raise CatalogueError(msg)
    return value


def _year(facts: Mapping[str, Any], where: str) -> int:
    value = facts["year"]
    year = parse_year(str(value)) if isinstance(value, int | str) and not isinstance(value, bool) else None
    if year is not None:
        return year
    msg = f"{where} has the year {clip(str(value))!r}; write it in figures, or leave it out"
    raise CatalogueError(msg)


def _names(facts: Mapping[str, Any], key: str, where: str) -> Iterator[str]:
    values = facts.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        msg = f'{where} has no list of names under {key!r}; write it as ["...", "..."]'
        raise CatalogueError(msg)
    yield from values
