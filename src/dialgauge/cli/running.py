"""Something long, run to its end: shown while it goes on, and ended by Ctrl-C in two steps."""

from contextlib import AbstractContextManager
from typing import Protocol

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

    asyncio.run(main())
