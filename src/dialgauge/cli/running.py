"""Something long, run to its end: shown while it goes on, and ended by Ctrl-C in two steps."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from dialgauge.cli.output import complain

SHOWN_EVERY = 0.2
"""Seconds."""


class Ending(Protocol):
    """How something ended, or stands."""

    interrupted: bool


class Long(Protocol):
    """Something that runs, and may be told to begin nothing further."""

    @property
    def outcome(self) -> Ending:
        """How it stands."""
        ...

    async def run(self) -> object:
        """Run to the end."""
        ...

    def stop(self) -> None:
        """Begin nothing further."""
        ...


class View(Protocol):
    """What shows how far it is."""

    def shown(self) -> AbstractContextManager[None]:
        """Show it for the time of the block."""
        ...

    def update(self) -> None:
        """Show how far it is now."""
        ...


def run_shown(work: Long, view: View, *, under_way: str) -> None:
    """Run ``work`` to its end; the first Ctrl-C stops it, which ends what is ``under_way``, the second cancels it."""
    import asyncio
    import signal

    async def main() -> None:
        loop = asyncio.get_running_loop()
        running = asyncio.ensure_future(work.run())

        def interrupt() -> None:
            if work.outcome.interrupted:
                running.cancel()
            else:
                work.stop()
                complain(f"ending the {under_way} under way; Ctrl-C again ends at once")

        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, interrupt)
        with view.shown():
            while not running.done():
                view.update()
                await asyncio.wait([running], timeout=SHOWN_EVERY)
        if not running.cancelled():
            await running

    with _kept_open():
        asyncio.run(main())


class _Lent:
    """A stream for code of others, which can do all with it but close it."""

    def __init__(self, stream: Any) -> None:  # noqa: ANN401 (whatever stands for standard output)
        self._stream = stream

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (as of the stream)
        return getattr(self._stream, name)

    def close(self) -> None:
        """Leave it open."""


@contextmanager
def _kept_open() -> Iterator[None]:
    """Let no code of others in the block close standard output and standard error."""
    own = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (None if stream is None else _Lent(stream) for stream in own)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = own
