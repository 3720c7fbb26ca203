"""Ratings by people that came with dialogues: kept beside a study, with their scales, and read again."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from dialgauge.errors import InputError
from dialgauge.io.dialogues_from import read_foreign_dialogues
from dialgauge.io.reading import read_ratings
from dialgauge.io.writing import to_long, to_separated
from dialgauge.model import Ratings, Scale

RATINGS, SCALES = "people.csv", "people.toml"
"""Names of the two files in the folder of a study."""


def write_people(ratings: Ratings) -> dict[str, str]:
    """Return the texts of the two files that keep ``ratings``, by their names; `read_people` reads the same back."""
    return {RATINGS: to_separated(to_long(ratings)), SCALES: "\n".join(_to_toml(ratings.scales))}


def read_people(path: str | Path, *, scale: str | None = None, instrument: str | None = None) -> Ratings:
    """Return the ratings by people in a file: a table as `read_ratings` takes it, or one of AB-ReDial.

    The scale is ``scale`` or that of ``instrument``, else that of the TOML file of the same name beside it. Raises
    InputError where none of these is there, and what `read_ratings` raises.
    """
    file = Path(path)
    if scale is None and instrument is None:
        found = read_foreign_dialogues(file) if file.suffix.lower() in {".csv", ".tsv"} else None
        if found is not None and found.ratings is not None:
            return found.ratings
        beside = file.with_suffix(".toml")
        if not beside.is_file() and file.is_file():
            msg = (
                f"on which scale people rated in {file} is not declared; give --people-scale LOW:HIGH, "
                f"--people-instrument NAME|FILE, or an instrument in {beside.name} beside it"
            )
            raise InputError(msg)
        instrument = str(beside) if beside.is_file() else None
    by_file = Path(instrument) if instrument is not None and instrument.endswith(".toml") else instrument
    return read_ratings(file, scale=scale, instrument=by_file)


def _to_toml(scales: Mapping[str, Scale]) -> Iterator[str]:
    yield "# The scales on which people rated, in the file of ratings beside this one."
    yield 'name = "people"\nversion = "1.0"\ntitle = "Ratings by people"\n'
    for name, scale in scales.items():
        text = json.dumps(name, ensure_ascii=False)
        content = scale.model_dump(mode="json", exclude_none=True)
        fields = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in content.items())
        yield f"[[dimensions]]\nname = {text}\ntitle = {text}\nscale = {{ {fields} }}\n"
