"""Output files: written whole or not at all."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from dialgauge.errors import InputError


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write ``content`` to ``path`` so that the file is there as a whole or not at all.

    The content goes to a new file beside it, which then takes its name; text is written as UTF-8. Devices and pipes are
    written to directly, and a link stays a link. Raises InputError where it cannot be written.
    """
    path = Path(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        if _is_special(path):
            path.write_bytes(data)
        else:
            _replace(path.resolve(), data)
    except OSError as error:
        raise _cannot_write(path, error.strerror or str(error)) from None


def check_outputs(outputs: Iterable[str | Path], *, source: str | Path | None = None) -> None:
    """Raise InputError when one of ``outputs`` cannot be written, or would replace ``source`` or another of them.

    To be called before a long computation, so that its result is not lost.
    """
    taken = [Path(source).resolve()] if source is not None else []
    for path in map(Path, outputs):
        if _is_special(path):
            continue
        whole = path.resolve()
        if path.is_dir():
            raise _cannot_write(path, "it is a folder")
        if not whole.parent.is_dir():
            raise _cannot_write(path, f"there is no folder {path.parent}")
        if not os.access(whole if whole.exists() else whole.parent, os.W_OK):
            raise _cannot_write(path, "permission denied")
        if whole in taken:
            same = "the ratings" if source is not None and whole == taken[0] else "another output"
            msg = f"{path} would replace {same}; give it a name of its own"
            raise InputError(msg)
        taken.append(whole)


def _is_special(path: Path) -> bool:
    """Whether ``path`` is a device or a pipe, such as /dev/stdout."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _replace(path: Path, data: bytes) -> None:
    new = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        with new.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            new.chmod(path.stat().st_mode)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _cannot_write(path: Path, why: str) -> InputError:
    return InputError(f"{path} cannot be written ({why}); choose a file in a folder that exists and may be written to")
