"""Code of others in threads of its own, so that what hangs there holds up nobody.

A thread cannot be killed. One that has not come back in time is lost: it goes on in the background, and ends with the
process at the latest. Only so many may be lost at a time; then nothing more is started.
"""

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Any

MOST_LOST = 8
"""How many threads of one system may hang at a time before it gets no more."""


class RaisedError(Exception):
    """What the code of others raised is the ``cause``. Only inside `dialgauge.systems`."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(" ".join(f"{type(cause).__name__}: {_say(cause)}".rstrip(": ").split()))


class TooManyLostError(Exception):
    """So many threads hang that no other is started. Only inside `dialgauge.systems`."""


class Threads:
    """Calls functions, each call in a daemon thread; what they return to be awaited runs in one loop of its own."""

    def __init__(self, *, timeout: float) -> None:
        self._timeout = timeout
        self._left: list[threading.Event] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._beat = threading.Event()

    @property
    def lost(self) -> int:
        """How many threads hang."""
        self._left = [end for end in self._left if not end.is_set()]
        return len(self._left)

    async def call(self, function: Callable[[], Any]) -> Any:  # noqa: ANN401 (whatever the function returns)
        """Return what ``function`` returns, awaited where it can be.

        Raises RaisedError for whatever it raises, TimeoutError when the time is up, and TooManyLostError.
        """
        if self.lost >= MOST_LOST:
            raise TooManyLostError
        async with asyncio.timeout(self._timeout):
            result = await self._in_thread(function)
            return await self._in_loop(result) if inspect.isawaitable(result) else result

    def close(self) -> None:
        """Stop the loop; threads that hang are left alone."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop = None

    async def _in_thread(self, function: Callable[[], Any]) -> Any:  # noqa: ANN401
        here = asyncio.get_running_loop()
        done: asyncio.Future[tuple[Any, BaseException | None]] = here.create_future()
        ended = threading.Event()

        def run() -> None:
            try:
                outcome: tuple[Any, BaseException | None] = (function(), None)
            except BaseException as error:  # noqa: BLE001 (even sys.exit is the system's failure, not ours)
                outcome = (None, error)
            ended.set()
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                here.call_soon_threadsafe(lambda: None if done.done() else done.set_result(outcome))

        threading.Thread(target=run, name="dialgauge-system", daemon=True).start()
        try:
            return _unpack(await done)
        except asyncio.CancelledError:
            self._left.append(ended)
            raise

    async def _in_loop(self, awaitable: Awaitable[Any]) -> Any:  # noqa: ANN401
        async def wait() -> tuple[Any, BaseException | None]:
            try:
                return await awaitable, None
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # noqa: BLE001 (as above)
                return None, error

        loop = self._running_loop()
        try:
            return _unpack(await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(wait(), loop)))
        except asyncio.CancelledError as error:
            if not is_cancelled():  # it has cancelled itself
                raise RaisedError(error) from error
            self._listen(loop)  # the other side is cancelled too, unless it never gives way
            raise

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop, or a new one where the last shows no sign of life since it was asked for one."""
        if self._loop is not None and not self._beat.is_set():
            self._left.append(self._beat)
            self._loop = None
        if self._loop is not None and self._loop.is_closed():  # something in it has ended it
            self._loop = None
        if self._loop is None:
            self._beat = threading.Event()
            self._beat.set()
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(self._loop,), name="dialgauge-system", daemon=True).start()
        return self._loop

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Ask a loop for a sign of life; one that has been replaced ends with it."""
        if loop is not self._loop or not self._beat.is_set():
            return
        beat = self._beat = threading.Event()

        def live() -> None:
            beat.set()
            if loop is not self._loop:
                loop.stop()

        loop.call_soon_threadsafe(live)


def is_cancelled() -> bool:
    """Tell whether the task that runs is told to end; else a CancelledError in it is of the system's own making."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        if pending:
            loop.run_until_complete(asyncio.wait(pending, timeout=1.0))
        loop.close()


def _unpack(outcome: tuple[Any, BaseException | None]) -> Any:  # noqa: ANN401
    result, error = outcome
    if error is not None:
        raise RaisedError(error) from error
    return result


def _say(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 (the error is of the other's making, too)
        return ""
