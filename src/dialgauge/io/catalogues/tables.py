"""Catalogues in CSV: the project's own form, MovieLens `movies.csv`, and ReDial `movies_with_mentions.csv`."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from dialgauge.errors import CatalogueError, TableError
from dialgauge.io.catalogues.names import parse_year, place_article, split_year
from dialgauge.io.catalogues.records import CatalogueFile, ItemRow, build_catalogue
from dialgauge.io.files import read_table
from dialgauge.io.words import clip, count, shorten

COLUMNS = ("id", "title", "year", "attributes", "people", "description")
"""Of the own form; all but the first two may be absent."""

SEPARATOR = "|"
"""Stands between the names in a cell of attributes or people."""

_NO_GENRES = "(no genres listed)"

_Cells = Mapping[str, str]


def read_items_table(path: str | Path) -> CatalogueFile:
    """Return the catalogue in a CSV or TSV file, told by its columns.

    ``id, title`` and perhaps ``year, attributes, people, description``: the own form. ``movieId, title, genres``:
    MovieLens. ``movieId, movieName`` and perhaps ``nbMentions``: ReDial as published, which has titles only. Where
    there is no year, one in brackets at the end of the title counts. Raises CatalogueError with file, line and value.
    """
    file = Path(path)
    try:
        table = read_table(file)
    except TableError as error:
        raise CatalogueError(str(error).replace("a table of ratings", "a catalogue")) from None
    name, form, to_row = _find_form(tuple(table.columns), file)
    untitled: list[int] = []
    cells = table.frame.select(table.columns).iter_rows(named=True)

    def rows() -> Iterator[ItemRow]:
        for line, row in zip(table.rows, cells, strict=True):
            item = to_row(f"line {line} of {file}", row)
            if form == _REDIAL and not item.title:
                untitled.append(line)
            else:
                yield item

    checked = list(rows())
    notes = list(table.notes)
    if untitled:
        notes.append(f"Left out: {count(len(untitled), 'item')} without a title, on line {shorten(untitled, 4)}.")
    return build_catalogue(checked, name=name or file.stem, form=form, source=str(file), notes=notes)


_OWN, _MOVIELENS, _REDIAL = "own columns", "MovieLens", "ReDial as published"


def _find_form(columns: tuple[str, ...], file: Path) -> tuple[str, str, Callable[[str, _Cells], ItemRow]]:
    names = set(columns)
    if {"movieId", "movieName"} <= names:
        return "redial", _REDIAL, _from_redial
    if {"movieId", "title", "genres"} <= names:
        return "movielens", _MOVIELENS, _from_movielens
    if {"id", "title"} <= names:
        strange = [name for name in columns if name not in COLUMNS]
        if strange:
            msg = f"{file} has a column {clip(strange[0])!r}; the columns of a catalogue are {', '.join(COLUMNS)}"
            raise CatalogueError(msg)
        return "", _OWN, _from_own
    msg = f"{file} has the columns {shorten(columns, 8)}; a catalogue has {', '.join(COLUMNS)}"
    msg += ", or those of MovieLens (movieId, title, genres) or ReDial (movieId, movieName)"
    raise CatalogueError(msg)


def _from_own(place: str, row: _Cells) -> ItemRow:
    title, in_title = split_year(row["title"])
    cell = (row.get("year") or "").strip()
    year = parse_year(cell)
    if cell and year is None:
        msg = f"{place} has the year {clip(cell)!r}; write it in figures, or leave the cell empty"
        raise CatalogueError(msg)
    return ItemRow(
        place=place,
        id=row["id"],
        title=title,
        year=year if cell else in_title,
        attributes=(row.get("attributes") or "").split(SEPARATOR),
        people=(row.get("people") or "").split(SEPARATOR),
        description=row.get("description") or "",
    )


def _from_movielens(place: str, row: _Cells) -> ItemRow:
    title, year = split_year(row["title"])
    genres = "" if row["genres"].strip() == _NO_GENRES else row["genres"]
    return ItemRow(
        place=place, id=row["movieId"], title=place_article(title), year=year, attributes=genres.split(SEPARATOR)
    )


def _from_redial(place: str, row: _Cells) -> ItemRow:
    title, year = split_year(row["movieName"])
    return ItemRow(place=place, id=row["movieId"], title=title, year=year)
