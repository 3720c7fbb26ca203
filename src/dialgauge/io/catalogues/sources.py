"""JSON files of a catalogue, with what is wrong in them said in one line."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dialgauge.errors import CatalogueError
from dialgauge.io.words import clip

LARGEST_FILE = 1_000_000_000
"""Bytes."""


def read_text(file: Path) -> str:
    """Return the text of a file; raises CatalogueError where it cannot be read, is too large or is not UTF-8."""
    try:
        size = file.stat().st_size
        if size > LARGEST_FILE:
            msg = f"{file} has {size:,} bytes; at most {LARGEST_FILE:,} are read: leave out what is not needed"
            raise CatalogueError(msg)
        content = file.read_bytes()
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        msg = f"there is no file {file}; check the path"
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        msg = f"{file} is not UTF-8 text (byte 0x{content[error.start]:02x} on line {line}); save it again as UTF-8"
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); check its permissions"
    raise CatalogueError(msg) from None


def read_object(file: Path) -> Mapping[str, Any]:
    """Return the JSON object in a file; raises CatalogueError for another content, and for a key that occurs twice."""

    def check_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            times = Counter(key for key, _ in pairs)
            doubled = next(key for key, n in times.items() if n > 1)
            msg = f"{file} has the key {clip(doubled)!r} twice; keep one"
            raise CatalogueError(msg)
        return content

    try:
        content = json.loads(read_text(file), object_pairs_hook=check_keys)
    except json.JSONDecodeError as error:
        msg = f"{file} is not JSON (line {error.lineno}: {error.msg}); copy the file again"
        raise CatalogueError(msg) from None
    except (RecursionError, ValueError):
        msg = f"{file} cannot be read as JSON; copy the file again"
        raise CatalogueError(msg) from None
    if not isinstance(content, dict):
        msg = f"{file} holds no JSON object; a catalogue of this form begins with a brace"
        raise CatalogueError(msg)
    return content
