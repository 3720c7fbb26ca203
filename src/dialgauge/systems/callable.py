"""A recommender in Python: a function of the dialogue so far, or a class with such a method."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from dialgauge.errors import RecommenderError
from dialgauge.io.words import clip
from dialgauge.model import Turn
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.protocol import Reply, SystemFailedError
from dialgauge.systems.replies import read_reply
from dialgauge.systems.threads import MOST_LOST, RaisedError, Threads, TooManyLostError

LONGEST_MESSAGE = 300


class CallableSystem:
    """A function, or a class of which each dialogue gets an object of its own.

    The function takes the dialogue so far, a list of ``{"speaker": "user" or "system", "text": ...}``, oldest first,
    and returns what `read_reply` reads. A class has a method ``reply`` that is such a function, and is called without
    arguments; where its objects have ``close``, that is called at the end. All of them may be asynchronous.

    Each call runs in a thread of its own, asynchronous ones in one loop for all dialogues. What hangs longer than
    ``timeout`` seconds is a failure, and its thread is lost; while `MOST_LOST` are, every reply is a failure.
    """

    def __init__(self, function: Callable[..., Any], finder: ItemFinder, *, name: str, timeout: float = 60.0) -> None:
        _check(function, name)
        self.name = name
        self._function = function
        self._finder = finder
        self._timeout = timeout
        self._threads = Threads(timeout=timeout)

    def begin(self) -> "CallableConversation":
        """Begin a dialogue; an object of a class is made with its first reply."""
        return CallableConversation(self)

    async def close(self) -> None:
        """Stop the loop of asynchronous functions."""
        self._threads.close()

    async def run(self, function: Callable[[], Any]) -> Any:  # noqa: ANN401 (whatever the function returns)
        """Call ``function`` in a thread; raise SystemFailedError where it fails or hangs."""
        try:
            return await self._threads.call(function)
        except TimeoutError:
            msg = f"{self.name} did not return within {self._timeout:g} s"
            raise SystemFailedError(msg, kind="timeout") from None
        except TooManyLostError:
            msg = f"{self.name} is not called: {MOST_LOST} earlier calls still hang, and no thread can be stopped"
            raise SystemFailedError(msg, kind="timeout") from None
        except RaisedError as error:
            msg = f"{self.name} raised {clip(str(error), LONGEST_MESSAGE)}"
            raise SystemFailedError(msg, kind="crashed") from error

    async def read(self, value: object) -> Reply:
        """Return what the function gave as a reply."""
        return await read_reply(value, self._finder, who=self.name)

    def make(self) -> tuple[Callable[..., Any], Any]:
        """Return what replies in a dialogue, and the object that is to be closed after it, if any."""
        if not isinstance(self._function, type):
            return self._function, None
        made = self._function()
        return made.reply, made


class CallableConversation:
    """One dialogue with a function or object."""

    def __init__(self, system: CallableSystem) -> None:
        self._system = system
        self._reply: Callable[..., Any] | None = None
        self._made: Any = None

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        """Return what the function says to ``turns``; raise SystemFailedError where it gives no reply."""
        if self._reply is None:
            self._reply, self._made = await self._system.run(self._system.make)
        function = self._reply
        dialogue = [{"speaker": turn.speaker, "text": turn.text} for turn in turns]
        return await self._system.read(await self._system.run(lambda: function(dialogue)))

    async def close(self) -> None:
        """Close the object of this dialogue, where it can be; raise SystemFailedError where that fails."""
        close = getattr(self._made, "close", None)
        self._made = None
        if callable(close):
            await self._system.run(close)


def _check(function: Callable[..., Any], name: str) -> None:
    """Check what can be known before the first call."""
    taker: Any = function
    arguments: tuple[None, ...] = (None,)
    if isinstance(function, type):
        taker = getattr(function, "reply", None)
        if not callable(taker):
            msg = f"the class {name!r} has no method reply; give it one that takes the dialogue so far"
            raise RecommenderError(msg)
        arguments = (None, None)
        _check_signature(function, (), f"the class {name!r} cannot be called without arguments")
    _check_signature(taker, arguments, f"{name!r} cannot be called with the dialogue so far alone")


def _check_signature(function: Any, arguments: tuple[None, ...], problem: str) -> None:  # noqa: ANN401 (anything)
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # some functions in C do not tell
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        raise RecommenderError(f"{problem}: it takes {signature}; change what it takes") from None
