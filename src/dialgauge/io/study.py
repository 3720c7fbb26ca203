"""The folder of a study: read ``study.toml`` with its instrument, begin a new one, or make what one lacks."""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import BaseModel, ValidationError

from dialgauge.errors import InstrumentError, StudyError
from dialgauge.instruments import load_instrument
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.dialogues_from import FoundDialogues
from dialgauge.io.given_targets import GivenTargets
from dialgauge.io.people_ratings import RATINGS, SCALES
from dialgauge.io.store import Store, open_store
from dialgauge.io.store.engine import AbsentStoreError, parse_location, show_location
from dialgauge.model import (
    Budget,
    CodeRater,
    FakeSettings,
    Instrument,
    Limits,
    LlmRater,
    PeopleSettings,
    Price,
    PromptSettings,
    Ratings,
    Scale,
    Study,
)
from dialgauge.model.problems import explain

FILE = "study.toml"
TARGETS = "targets.jsonl"
INSTRUMENT = "instrument.toml"
STORE = "study.db"
MEASURES = "measures"
"""The instrument of code raters without a function of their own."""

FirstRater = Literal["made-up", "counts"]
"""Of a new study: the fake model, whose ratings mean nothing, or code that counts."""

LARGEST_FILE = 2_000_000
"""Bytes; a study is a page of text."""

_RECORDS: Mapping[str, type[BaseModel]] = {
    "": Study,
    "llm": LlmRater,
    "code": CodeRater,
    "price": Price,
    "fake": FakeSettings,
    "people": PeopleSettings,
    "prompt": PromptSettings,
    "budget": Budget,
    "limits": Limits,
}
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFolder:
    """A study with what its ``study.toml`` refers to.

    ``root`` is the folder, ``instrument`` the loaded instrument of the study, ``measures`` that of its code raters
    without a function (None where there are none), ``store_url`` the file or URL of its database.
    """

    root: Path
    study: Study
    instrument: Instrument
    measures: Instrument | None
    store_url: str

    @property
    def targets_path(self) -> Path:
        """The file of its dialogues."""
        return self.root / self.study.targets

    def open_store(self) -> Store:
        """Return the store of the study; AbsentStoreError, saying how to make one, where there is none."""
        try:
            return open_store(self.store_url)
        except AbsentStoreError:
            place = show_location(parse_location(self.store_url))
            make = shlex.join(["dialgauge", "init", str(self.root)])
            msg = f"the study {self.study.name!r} has no database {place} yet; make an empty one with {make}"
            raise AbsentStoreError(msg) from None

    def instrument_of(self, rater: LlmRater | CodeRater) -> Instrument:
        """Return the instrument whose dimensions ``rater`` rates."""
        if isinstance(rater, LlmRater) or rater.function is not None:
            return self.instrument
        return self.measures or load_instrument(MEASURES)

    def dimensions_of(self, rater: LlmRater | CodeRater) -> tuple[str, ...]:
        """Return the dimensions that ``rater`` rates, in the order of their instrument."""
        instrument = self.instrument_of(rater)
        chosen = rater.measures if instrument is not self.instrument and isinstance(rater, CodeRater) else None
        if chosen is None:
            return self.dimensions
        return tuple(name for name in instrument.dimension_names if not chosen or name in chosen)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions of its instrument that the study asks people and models for, in the instrument's order."""
        names = self.study.dimensions
        return tuple(name for name in self.instrument.dimension_names if not names or name in names)

    def scales(self) -> Mapping[str, Scale]:
        """Return the scale of each dimension that people or some rater of the study rate."""
        own = self.dimensions if self.study.people is not None else ()
        return {name: self.instrument.scale_for(name) for name in own} | {
            name: self.instrument_of(rater).scale_for(name)
            for rater in self.study.raters
            for name in self.dimensions_of(rater)
        }


def read_study(path: str | Path) -> StudyFolder:
    """Return the study in a folder, or of a ``study.toml``.

    The instrument is a name or a file relative to the folder; ``${NAME}`` in ``store`` stands for an environment
    variable. Raises StudyError or InstrumentError naming file, key and remedy.
    """
    file = _find(Path(path))
    return _to_folder(_read(file), file)


def draft_study(folder: str | Path, *, instrument: str, rater: FirstRater = "made-up") -> StudyFolder:
    """Return the study that `init_study` would begin in ``folder`` with an ``instrument`` by name; nothing is made."""
    root = Path(folder)
    return _to_folder(_fill_template(root, load_instrument(instrument), instrument, rater), root / FILE)


def _to_folder(text: str, file: Path) -> StudyFolder:
    study, root = _parse(text, file), file.parent
    instrument = load_instrument(root / study.instrument if _is_file(study.instrument) else study.instrument)
    measured = any(isinstance(rater, CodeRater) and rater.function is None for rater in study.raters)
    folder = StudyFolder(
        root=root,
        study=study,
        instrument=instrument,
        measures=load_instrument(MEASURES) if measured else None,
        store_url=_resolve_store(study.store, root, file),
    )
    _check_dimensions(folder, file)
    return folder


def read_study_ratings(path: str | Path, dimensions: Sequence[str] = ()) -> Ratings:
    """Return what the raters of a study have rated: the ``dimensions`` named, or all that its instrument has.

    Measures of code raters have dimensions of their own; they come only where they are named, or where there is nothing
    else. Raises StudyError where there are no such ratings, and what `read_study` and `open_store` raise.
    """
    folder = read_study(path)
    with folder.open_store() as store:
        ratings = store.ratings(purpose="study")
    own = [name for name in ratings.dimensions if name in folder.instrument.dimension_names]
    names = list(dimensions) or own or list(ratings.dimensions)
    absent = [name for name in names if name not in ratings.dimensions]
    if absent or not names:
        what = f"the dimension {absent[0]!r}" if absent else "any dimension"
        verb = "rate" if folder.study.raters else "serve"
        unfinished = ratings.notes[1:] if not ratings.frame.height else ()
        msg = f"{path} has no ratings of {what} yet; collect some with dialgauge {verb} {path}"
        msg += f" ({' '.join(unfinished).rstrip('.')})" if unfinished else ""
        raise StudyError(msg)
    scales = {name: ratings.scale_for(name) for name in names}
    frame = ratings.frame.filter(pl.col("dimension").is_in(names))
    return replace(ratings, frame=frame, scales=scales, source=str(path))


def init_study(
    folder: str | Path,
    *,
    instrument: str | Path = "crs_que",
    targets: str | Path | FoundDialogues | None = None,
    examples: bool = True,
    rater: FirstRater = "made-up",
) -> tuple[Path, ...]:
    """Begin a study in ``folder``: study.toml, targets.jsonl and an empty database; return the files that were made.

    ``instrument`` is a name, or a TOML file, which is copied. ``targets`` is a file of dialogues in any form that
    `read_any_dialogues` knows, or what was found in one; ratings by people that came with them are kept in people.csv,
    their scales in people.toml. Three short dialogues are written where there is none, or no file at all without
    ``examples`` (where dialogues are simulated). ``rater`` is the one that it begins with. Raises StudyError, and
    leaves all as it was, where a file is in the way or cannot be written, and what is wrong with instrument or targets.
    """
    root = Path(folder)
    given = None if targets is None else GivenTargets.of(targets)
    loaded = load_instrument(instrument)
    own = Path(instrument) if _is_file(instrument) else None
    texts = {FILE: _fill_template(root, loaded, INSTRUMENT if own else loaded.name, rater)}
    if own is not None:
        texts[INSTRUMENT] = own.read_text(encoding="utf-8-sig")
    if given is None and examples:
        texts[TARGETS] = _shipped(TARGETS)
    elif given is not None:
        texts |= given.people
        given.check()
    written = {*texts, STORE, *([TARGETS] if given is not None else [])}
    names = [name for name in (FILE, INSTRUMENT, TARGETS, RATINGS, SCALES, STORE) if name in written]
    taken = [name for name in names if (root / name).exists()]
    if taken:
        msg = f"{root / taken[0]} exists, and nothing is overwritten; choose another folder, or move that file away"
        raise StudyError(msg)
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(root, error) from None
    try:
        _write_all(root, texts)
        if given is not None:
            write_dialogues(given.dialogues(), root / TARGETS)
        open_store(root / STORE, create=True).close()
    except OSError as error:
        _remove(root, names)
        raise _cannot_write(root, error) from None
    except BaseException:
        _remove(root, names)
        raise
    return tuple(root / name for name in names)


def complete_study(folder: str | Path, *, targets: str | Path | FoundDialogues | None = None) -> tuple[str, ...]:
    """Make what a study with a ``study.toml`` lacks, and return it: the dialogues in ``targets``, an empty database.

    ``targets`` are as in `init_study`. Nothing is overwritten. Raises StudyError where nothing lacks, and where the
    study has dialogues and ``targets`` is given; what is wrong with ``study.toml`` or the dialogues, and StoreError
    where the database cannot be made.
    """
    found = read_study(folder)
    made = [] if targets is None else _add_targets(found, GivenTargets.of(targets))
    try:
        found.open_store().close()
    except AbsentStoreError:
        with open_store(found.store_url, create=True) as store:
            made.append(store.location)
    if not made:
        msg = (
            f"{found.root / FILE} exists, and nothing is overwritten; the study lacks nothing: choose another folder "
            "for another one"
        )
        raise StudyError(msg)
    return tuple(made)


def _add_targets(found: StudyFolder, given: GivenTargets) -> list[str]:
    """Write the dialogues, and ratings by people that came with them; return the files that were made."""
    files = {found.root / name: text for name, text in given.people.items()}
    for file in (found.targets_path, *files):
        if file.exists():
            msg = f"{file} exists, and nothing is overwritten; leave --targets out, or move it away"
            raise StudyError(msg)
    given.check()
    try:
        write_dialogues(given.dialogues(), found.targets_path)
        for file, text in files.items():
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _cannot_write(found.root, error) from None
    return [str(found.targets_path), *map(str, files)]


def _is_file(instrument: str | Path) -> bool:
    """Whether an instrument is given as a file, by the rule of `load_instrument`."""
    return isinstance(instrument, Path) or instrument.endswith(".toml") or "/" in instrument or "\\" in instrument


def _find(path: Path) -> Path:
    """Return the ``study.toml`` that is meant; StudyError where a path leads to no folder and no TOML file."""
    if path.is_dir():
        return path / FILE
    if path.suffix != ".toml" and path.exists():
        msg = f"{path} is no study; give the folder of a study, or its {FILE}"
        raise StudyError(msg)
    if path.suffix != ".toml":
        begin = shlex.join(["dialgauge", "init", str(path)])
        msg = f"there is no study {path}; check the path, or begin a study with {begin}"
        raise StudyError(msg)
    return path


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_FILE:
            msg = f"{file} is too large for a study ({file.stat().st_size:,} bytes); give its study.toml"
            raise StudyError(msg)
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        begin = shlex.join(["dialgauge", "init", str(file.parent)])
        msg = f"there is no study {file}; check the path, or begin a study with {begin}"
    except UnicodeDecodeError:
        msg = f"{file} is not UTF-8 text; save it as UTF-8"
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); give the folder of a study"
    raise StudyError(msg) from None


def _parse(text: str, file: Path) -> Study:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = str(error).replace("end of document", f"line {text.count(chr(10)) + 1}, the end of the file")
        msg = f"{file} is not valid TOML: {problem}; correct that line"
        raise StudyError(msg) from None
    try:
        return Study.model_validate(content)
    except ValidationError as error:
        msg = f"{file}: {explain(error, content, _RECORDS)}"
        raise StudyError(msg) from None


def _resolve_store(store: str, root: Path, file: Path) -> str:
    """Return a URL as it is, with the environment variables in it, and a file name as seen from here."""
    if "://" not in store:
        return str(root / store)
    absent = [name for name in _VARIABLE.findall(store) if name not in os.environ]
    if absent:
        msg = f"{file}: store needs the environment variable {absent[0]}, which is not set; set it first"
        raise StudyError(msg)
    return _VARIABLE.sub(lambda found: os.environ[found[1]], store)


def _check_dimensions(folder: StudyFolder, file: Path) -> None:
    """Raise StudyError for a dimension that its instrument does not have, or two instruments have on two scales."""
    if folder.study.people is not None:
        _check_known(folder.instrument, folder.study.dimensions, f"{file}: dimensions")
    for position, rater in enumerate(folder.study.raters, start=1):
        own = folder.instrument_of(rater)
        where, names = "dimensions", folder.study.dimensions
        if own is not folder.instrument and isinstance(rater, CodeRater):
            where, names = f"raters[{position}] ({rater.name!r}) measures", rater.measures
        _check_known(own, names, f"{file}: {where}")
        for name in folder.dimensions_of(rater):
            both = own is not folder.instrument and name in folder.instrument.dimension_names
            if both and own.scale_for(name) != folder.instrument.scale_for(name):
                msg = (
                    f"{file}: the dimension {name!r} is in the instrument {folder.instrument.name!r} and among the "
                    f"measures of the rater {rater.name!r}, on different scales; list the wanted ones in measures, "
                    "or rename that of the instrument"
                )
                raise StudyError(msg)


def _check_known(instrument: Instrument, names: Sequence[str], where: str) -> None:
    for name in names:
        try:
            instrument.dimension(name)
        except InstrumentError as error:
            msg = f"{where}: {error}"
            raise StudyError(msg) from None


def _fill_template(root: Path, instrument: Instrument, named: str, rater: FirstRater) -> str:
    name = root.resolve().name.strip() or "study"
    first = list(instrument.dimension_names[:2])
    text = _shipped("study.toml").replace("# <rater>\n", _shipped(f"rater_{rater}.toml"))
    for place, content in (("<name>", name), ("<instrument>", named), ("<dimensions>", first)):
        text = text.replace(f'"{place}"', json.dumps(content, ensure_ascii=False))
    return text


def _shipped(name: str) -> str:
    return (resources.files("dialgauge.io") / "templates" / name).read_text(encoding="utf-8")


def _write_all(root: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        with (root / name).open("x", encoding="utf-8") as stream:
            stream.write(text)


def _cannot_write(root: Path, error: OSError) -> StudyError:
    return StudyError(
        f"the study cannot be written to {root} ({error.strerror}); choose a folder that may be written to"
    )


def _remove(root: Path, names: list[str]) -> None:
    """Take back what was written."""
    for name in names:
        for file in (root / name, root / f"{name}-wal", root / f"{name}-shm"):
            file.unlink(missing_ok=True)
