"""Work that nobody waits for any more: it writes nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from dialgauge.errors import StoreError

_given_up: ContextVar[Callable[[], bool] | None] = ContextVar("given_up", default=None)


class GivenUpError(StoreError):
    """Nobody waits any more for what was to be written, so that it was not."""


@contextmanager
def wanted_until(given_up: Callable[[], bool]) -> Iterator[None]:
    """Let what is written in the block, in this thread, be written only while ``given_up`` returns False.

    A transaction looks as soon as its turn has come and before it is committed; it raises GivenUpError.
    """
    before = _given_up.set(given_up)
    try:
        yield
    finally:
        _given_up.reset(before)


def is_watched() -> bool:
    """Whether what is written here may be given up while it waits."""
    return _given_up.get() is not None


def check_wanted() -> None:
    """Raise GivenUpError where what is to be written was given up."""
    given_up = _given_up.get()
    if given_up is not None and given_up():
        msg = "the database was held by another process for too long, so that nothing was written; try again"
        raise GivenUpError(msg)
