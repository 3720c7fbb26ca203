"""The file of a database while it is open: deleted or replaced under its name, it takes nothing further."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import event

from dialgauge.errors import StoreError


class OpenedFile:
    """The file behind a path as an engine opened it first: its device and its number there."""

    def __init__(self, path: str) -> None:
        self._shown, self._path = path, Path(path).absolute()  # whatever the current folder will be
        self._known: tuple[int, int] | None = None

    def watch(self, engine: sa.Engine) -> None:
        """Check before each connection of ``engine``, which would make a new file, and before each commit."""
        event.listen(engine, "do_connect", lambda *_: self.check())
        event.listen(engine, "commit", lambda _: self.check())

    def check(self) -> None:
        """Raise StoreError where the path leads to another file by now, or to none."""
        try:
            stat = self._path.stat()
        except OSError:
            found = None
        else:
            found = (stat.st_dev, stat.st_ino)
        if self._known is None:
            self._known = found
        elif found != self._known:
            msg = (
                f"the database {self._shown} was {'deleted' if found is None else 'replaced'} while it was in use, and "
                "what it held is no longer there; put the file back, then run the command again"
            )
            raise StoreError(msg)
