"""The key that signs cookies: in a file of the study, so that a restart keeps people logged in."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from dialgauge.errors import StudyError

FILE = "people.key"
BYTES = 32

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_key(root: Path) -> bytes:
    """Return the key (32 bytes) of the study in ``root``, which is made at the first time with mode 0600.

    Raises StudyError where it can be neither read nor made, where it is no key, and where others may read it.
    """
    path = root / FILE
    try:
        if not path.exists():
            _make(path)
        if os.name == "posix" and path.stat().st_mode & _OTHERS:
            msg = f"{path} may be read by others, who could then pass for any rater; chmod 600 it, or remove it"
            raise StudyError(msg)
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except OSError as error:
        msg = f"{path} cannot be read or made ({error.strerror}); it signs who is logged in: let it be written"
        raise StudyError(msg) from None
    except ValueError:
        key = b""
    if len(key) != BYTES:
        msg = f"{path} is no key of {2 * BYTES} hexadecimal digits; remove it (people then enter their code again)"
        raise StudyError(msg)
    return key


def _make(path: Path) -> None:
    """Make the file as a whole, or leave the one that another process made meanwhile."""
    made = path.with_name(f".{FILE}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
            stream.write(secrets.token_hex(BYTES) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileExistsError):
            os.link(made, path)
    finally:
        made.unlink(missing_ok=True)
