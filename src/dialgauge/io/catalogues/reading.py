"""Read a catalogue, whatever its form: told by its content, and said."""

from importlib import resources
from pathlib import Path

from dialgauge.errors import CatalogueError
from dialgauge.io.catalogues.entities import ENTITIES, INFO, read_entities
from dialgauge.io.catalogues.records import CatalogueFile
from dialgauge.io.catalogues.tables import read_items_table
from dialgauge.io.catalogues.triples import read_triples

SHIPPED = ("films",)
"""The catalogues that come with the package."""

_FILES = ("movies_with_mentions.csv", "movies.csv", "opendialkg_triples.txt")
"""What is looked for in a folder without `id2info.json`."""


def read_catalogue(path_or_name: str | Path) -> CatalogueFile:
    """Return the catalogue of that name that ships with the package, or the one in a file or folder.

    ``form`` of the result says what it was taken for, ``notes`` what was left out or is missing. A folder holds
    `id2info.json` and `entity2id.json` (ReDial, OpenDialKG), or one of `movies_with_mentions.csv` (ReDial as
    published), `movies.csv` (MovieLens) and `opendialkg_triples.txt` (OpenDialKG as published). A CSV or TSV file is
    told by its columns. Raises CatalogueError with the file, the line or key, what is wrong and what to do.
    """
    if path_or_name in SHIPPED:
        return _read_shipped(str(path_or_name))
    path = Path(path_or_name)
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        msg = f"there is no catalogue {str(path)!r}; give a file or folder, or one that ships: {', '.join(SHIPPED)}"
        raise CatalogueError(msg)
    if path.name in {INFO, ENTITIES}:
        return read_entities(path.parent)
    suffix = path.suffix.lower()
    if suffix in {".csv", ".tsv"}:
        return read_items_table(path)
    if suffix == ".txt":
        return _read_text(path)
    msg = f"{path} has the suffix {suffix or '(none)'!r}; catalogues are read from .csv, .tsv, {INFO}"
    msg += " and the .txt of OpenDialKG"
    raise CatalogueError(msg)


def _read_shipped(name: str) -> CatalogueFile:
    with resources.as_file(resources.files("dialgauge.io.catalogues") / f"{name}.csv") as file:
        read = read_items_table(file)
    return CatalogueFile(name, read.items, form="shipped with the package", source=name, notes=read.notes)


def _read_folder(folder: Path) -> CatalogueFile:
    if (folder / INFO).exists():
        return read_entities(folder)
    there = [folder / name for name in _FILES if (folder / name).exists()]
    if not there:
        msg = f"the folder {folder} has no catalogue; it holds {INFO} and {ENTITIES}, or {', '.join(_FILES)}"
        raise CatalogueError(msg)
    if len(there) > 1:
        msg = f"the folder {folder} has {there[0].name} and {there[1].name}; give the file that is meant"
        raise CatalogueError(msg)
    return read_catalogue(there[0])


def _read_text(path: Path) -> CatalogueFile:
    with path.open("rb") as stream:
        head = stream.readline(10_000)
    if b"\t" not in head:
        msg = f"the first line of {path} has no tab: a list of entities does not say which are items"
        msg += "; give opendialkg_triples.txt"
        raise CatalogueError(msg)
    return read_triples(path)
