"""A catalogue with where it came from, and the checks that every form of it goes through."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from dialgauge.errors import CatalogueError
from dialgauge.io.words import clip, count, shorten
from dialgauge.model.item import Catalogue, Item
from dialgauge.model.problems import explain


@dataclass(frozen=True, slots=True, eq=False)
class CatalogueFile(Catalogue):
    """A catalogue as it was read.

    ``form`` says what the source was taken for, ``source`` is its path or name, ``notes`` are sentences on what was
    left out, merged or is missing.
    """

    form: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """The facts on one item in a source; ``place`` names the source and the line or key."""

    place: str
    id: str
    title: str
    year: int | None = None
    attributes: Sequence[str] = ()
    people: Sequence[str] = ()
    description: str = ""


def build_catalogue(
    rows: Iterable[ItemRow], *, name: str, form: str, source: str, notes: Iterable[str] = ()
) -> CatalogueFile:
    """Check the rows and return them as a catalogue, in their order.

    Attributes are put in lower case; attributes and people are kept once. Raises CatalogueError for an id that occurs
    twice, for a row that is no item, and where there is none.
    """
    places: dict[str, str] = {}
    items: list[Item] = []
    for row in rows:
        item = _make_item(row)
        if item.id in places:
            msg = (
                f"{row.place} has the id {clip(item.id)!r} of {places[item.id]} again; give each item an id of its own"
            )
            raise CatalogueError(msg)
        places[item.id] = row.place
        items.append(item)
    if not items:
        msg = f"{source} has no item; a catalogue has at least one"
        raise CatalogueError(msg)
    return CatalogueFile(name, tuple(items), form=form, source=source, notes=(*notes, *_describe(items)))


def _make_item(row: ItemRow) -> Item:
    facts = {
        "id": row.id.strip(),
        "title": " ".join(row.title.split()),
        "year": row.year,
        "attributes": _once(name.lower() for name in row.attributes),
        "people": _once(row.people),
        "description": row.description.strip(),
    }
    if not all(_is_unicode(text) for text in (row.id, row.title, row.description, *row.attributes, *row.people)):
        msg = f"{row.place} has half of a surrogate pair, which is no character; write the whole one"
        raise CatalogueError(msg)
    try:
        return Item.model_validate(facts)
    except ValidationError as error:
        msg = f"{row.place}: {explain(error, facts, {'': Item})}"
        raise CatalogueError(msg) from None


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    clean = (" ".join(name.split()) for name in names)
    return tuple(dict.fromkeys(name for name in clean if name))


def _describe(items: Sequence[Item]) -> list[str]:
    """Count what a reader of results should know: doubled titles, and items without facts."""
    notes = []
    times = Counter((item.title.casefold(), item.year) for item in items)
    doubled = {key: n for key, n in times.items() if n > 1}
    if doubled:
        titles = dict.fromkeys(item.title for item in items if (item.title.casefold(), item.year) in doubled)
        n = sum(doubled.values())
        notes.append(
            f"{n:,} items share title and year with another: {shorten(titles, 4)}; in a text they are not told apart."
        )
    for what, n in (
        ("a year", sum(item.year is None for item in items)),
        ("attributes", sum(not item.attributes for item in items)),
        ("people", sum(not item.people for item in items)),
    ):
        if n:
            notes.append(f"{count(n, 'item')} of {len(items):,} without {what}.")
    return notes
