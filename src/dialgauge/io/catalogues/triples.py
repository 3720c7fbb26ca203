"""OpenDialKG as published: the facts of its knowledge graph, one a line."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from dialgauge.errors import CatalogueError
from dialgauge.io.catalogues.names import split_year
from dialgauge.io.catalogues.records import CatalogueFile, ItemRow, build_catalogue
from dialgauge.io.catalogues.sources import read_text
from dialgauge.io.words import clip, count

RELATIONS: Mapping[str, str] = {
    **dict.fromkeys(("genre", "has_genre"), "attributes"),
    **dict.fromkeys(("director", "directed_by"), "people"),
    **dict.fromkeys(("writer", "written_by", "author"), "people"),
    **dict.fromkeys(("actor", "starring", "starring_actors", "starred_actors"), "people"),
    **dict.fromkeys(("year", "release_year", "release_date"), "year"),
    **dict.fromkeys(("plot", "has_plot"), "description"),
}
"""What each relation tells of an item; other relations, and those that begin with ~ (backwards), are passed over."""

_Facts = Mapping[str, list[str]]


def read_triples(path: str | Path) -> CatalogueFile:
    """Return the catalogue in `opendialkg_triples.txt`: a subject, relation and object a line, with tabs between.

    An entity is an item if it is the subject of a genre or a year and of a person (`RELATIONS`, without regard to case,
    blanks read as _). Its id is its name, the only one that the published files have; its year is the first. Raises
    CatalogueError, naming file and line.
    """
    file = Path(path)
    facts: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    first: dict[str, int] = {}
    n_other = 0
    for number, (subject, relation, thing) in _split(read_text(file), file):
        kind = RELATIONS.get("_".join(relation.lower().split()))
        if kind is None:
            n_other += 1
            continue
        first.setdefault(subject, number)
        facts[subject][kind].append(thing)
    items = {name: known for name, known in facts.items() if _is_item(known)}
    if not items:
        msg = f"no entity of {file} has a genre or a year and a person; give the triples of OpenDialKG"
        raise CatalogueError(msg)
    notes = [f"{count(n_other, 'fact')} of other relations passed over."] if n_other else []
    if len(facts) > len(items):
        notes.append(f"Left out: {count(len(facts) - len(items), 'subject')} with too few facts for an item.")
    rows = (_to_row(name, known, f"line {first[name]} of {file}") for name, known in items.items())
    return build_catalogue(rows, name="opendialkg", form="OpenDialKG as published", source=str(file), notes=notes)


def _split(text: str, file: Path) -> Iterator[tuple[int, tuple[str, str, str]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split("\t")]
        if len(parts) != 3 or not all(parts):
            msg = f"line {number} of {file} is no fact ({clip(line)!r}); write subject, relation and object"
            msg += " with tabs between"
            raise CatalogueError(msg)
        yield number, (parts[0], parts[1], parts[2])


def _is_item(known: _Facts) -> bool:
    return "people" in known and ("attributes" in known or "year" in known)


def _to_row(name: str, known: _Facts, place: str) -> ItemRow:
    title, in_title = split_year(name)
    years = [value[:4] for value in known.get("year", ()) if value[:4].isdecimal()]
    return ItemRow(
        place=place,
        id=name,
        title=title,
        year=int(years[0]) if years else in_title,
        attributes=known.get("attributes", ()),
        people=known.get("people", ()),
        description=" ".join(known.get("description", ())),
    )
