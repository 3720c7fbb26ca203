"""Read instruments from TOML, and say in one line what is wrong with a file."""

import tomllib
from difflib import get_close_matches
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ValidationError

from dialgauge.errors import InstrumentError
from dialgauge.model import Dimension, Instrument, Question, Scale
from dialgauge.model.problems import explain

LARGEST_FILE = 2_000_000
"""Bytes; an instrument is a page of text."""

_RECORDS: dict[str, type[BaseModel]] = {"": Instrument, "dimensions": Dimension, "questions": Question, "scale": Scale}


def available_instruments() -> tuple[str, ...]:
    """Return the names of the instruments that ship with Dialgauge, sorted."""
    files = resources.files("dialgauge.instruments").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def load_instrument(name_or_path: str | Path) -> Instrument:
    """Return the instrument that is called so (``crs-que`` and ``crs_que`` alike), or that a TOML file holds.

    A ``Path``, and a text that ends in ``.toml`` or has a slash in it, is a file. Raises InstrumentError when there is
    no such instrument or file, and when the file is not TOML or not an instrument; the message names file, key and
    remedy.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or "/" in text or "\\" in text:
        return _parse(_read(Path(text)), text)
    known = available_instruments()
    name = text.strip().lower().replace("-", "_").replace(" ", "_")
    if name not in known:
        near = get_close_matches(name, known, n=1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        msg = f"there is no instrument {text!r}{meant}; known are {', '.join(known)}, or give the path of a TOML file"
        raise InstrumentError(msg)
    file = resources.files("dialgauge.instruments") / f"{name}.toml"
    return _parse(file.read_text(encoding="utf-8"), f"{name}.toml")


def _read(path: Path) -> str:
    """Return the text of an instrument file."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            msg = f"{path} is too large for an instrument ({path.stat().st_size:,} bytes); give a TOML file"
            raise InstrumentError(msg)
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        known = ", ".join(available_instruments())
        msg = f"there is no instrument file {path}; check the path, or use one that ships with Dialgauge: {known}"
    except UnicodeDecodeError:
        msg = f"{path} is not UTF-8 text; save the instrument as a UTF-8 TOML file"
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); give the path of a TOML file"
    raise InstrumentError(msg) from None


def _parse(text: str, file: str) -> Instrument:
    """Turn the text of ``file`` into an instrument."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = str(error).replace("end of document", f"line {text.count(chr(10)) + 1}, the end of the file")
        msg = f"{file} is not valid TOML: {problem}; correct that line"
        raise InstrumentError(msg) from None
    try:
        return Instrument.model_validate(content)
    except ValidationError as error:
        msg = f"{file}: {explain(error, content, _RECORDS)}"
        raise InstrumentError(msg) from None
