"""A language model as a recommender: our own short instructions, and the dialogue so far as its conversation."""

import asyncio
from collections.abc import Callable, Sequence

from dialgauge.io.words import clip
from dialgauge.llm import CallFailedError, Completion, Message, Model, Request
from dialgauge.llm.throttle import delay_before
from dialgauge.model import Turn
from dialgauge.model.item import Item
from dialgauge.seeding import child_rng
from dialgauge.systems.items import ItemFinder, join_names, write_title
from dialgauge.systems.offline import draw_seed
from dialgauge.systems.protocol import UNREACHABLE, Reply, SystemFailedError
from dialgauge.systems.replies import read_reply
from dialgauge.systems.writer import MARK

ATTEMPTS = 3
"""How often a call is tried that may succeed later."""

MAX_TOKENS = 300
LONGEST_FACT = 200
LONGEST_MESSAGE = 300

INSTRUCTIONS = """\
You help a user to find something that they will like, in a conversation. Find out what they want: ask short
questions, one at a time, until you know enough, then recommend, and say in a sentence why it fits. Where they do not
like it, recommend something else. Write each title in quotation marks, with its year in brackets. Answer in one to
three sentences of plain text, as yourself only."""

FROM_LIST = "Recommend only from this list, and say nothing of an item that is not written here:"

Candidates = Callable[[Sequence[Turn]], Sequence[Item]]


class ChatSystem:
    """A `Model` that is told to recommend; items are the catalogue's whole titles in what it says.

    ``candidates`` returns for the dialogue so far what it may recommend; without it, it recommends what it knows. A
    call that may succeed later is tried up to `ATTEMPTS` times within ``timeout`` seconds. With a ``seed``, each
    request has one that belongs to its place in the dialogue. The model is closed with the system.
    """

    def __init__(
        self,
        model: Model,
        finder: ItemFinder,
        *,
        name: str,
        candidates: Candidates | None = None,
        timeout: float = 60.0,
        seed: int | None = None,
        temperature: float | None = None,
    ) -> None:
        self.name = name
        self._model = model
        self._finder = finder
        self._candidates = candidates
        self._timeout = timeout
        self._seed = seed
        self._temperature = temperature

    def begin(self) -> "ChatConversation":
        """Begin a dialogue; the model is given all of it with each turn."""
        return ChatConversation(self)

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    async def answer(self, turns: Sequence[Turn]) -> Reply:
        """Return what the model says to ``turns``; raise SystemFailedError where it says nothing."""
        request = self._write_request(turns)
        try:
            async with asyncio.timeout(self._timeout):
                completion = await self._complete(request)
        except TimeoutError:
            msg = f"{self.name} did not answer within {self._timeout:g} s"
            raise SystemFailedError(msg, kind="timeout") from None
        except CallFailedError as error:
            msg = f"{self.name} failed: {clip(str(error), LONGEST_MESSAGE)}"
            raise SystemFailedError(msg, kind=_kind_of(error), text=error.received or "") from error
        if completion.refusal and not completion.text.strip():
            msg = f"{self.name} declined: {clip(completion.refusal, LONGEST_MESSAGE)}"
            raise SystemFailedError(msg, kind="refused", text=completion.refusal)
        return await read_reply(completion.text, self._finder, who=self.name)

    def _write_request(self, turns: Sequence[Turn]) -> Request:
        told = INSTRUCTIONS
        if self._candidates is not None:
            told = "\n".join((INSTRUCTIONS, FROM_LIST, *(_write_line(item) for item in self._candidates(turns))))
        said = (Message("user" if turn.speaker == "user" else "assistant", (turn.text,)) for turn in turns)
        return Request(
            messages=(Message("system", (told,)), *said),
            temperature=self._temperature,
            seed=None if self._seed is None else draw_seed(turns, seed=self._seed),
            max_tokens=MAX_TOKENS,
        )

    async def _complete(self, request: Request) -> Completion:
        rng = child_rng(self._seed or 0, "chat", "delay")
        for attempt in range(1, ATTEMPTS):
            try:
                return await self._model.complete(request)
            except CallFailedError as error:
                if not error.retriable or error.reason == "timeout":
                    raise
                wait = error.retry_after if error.retry_after is not None else delay_before(attempt, rng)
            await asyncio.sleep(wait)
        return await self._model.complete(request)


class ChatConversation:
    """One dialogue with a language model, which remembers nothing."""

    def __init__(self, system: ChatSystem) -> None:
        self._system = system

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        """Return what the model says to ``turns``; raise SystemFailedError where it says nothing."""
        return await self._system.answer(turns)

    async def close(self) -> None:
        """Do nothing: the model belongs to all dialogues."""


def _kind_of(error: CallFailedError) -> str:
    if error.reason == "timeout":
        return "timeout"
    never_began = error.retriable and error.status is None and not error.billable
    if error.throttled or never_began:
        return UNREACHABLE
    return "crashed" if error.retriable else "refused"


def _write_line(item: Item) -> str:
    """Return an item as a line of the list: title, attributes, people and description, as the catalogue has them."""
    facts = [join_names(item.attributes), join_names(item.people[:4]), clip(item.description, LONGEST_FACT)]
    said = "; ".join(filter(None, facts))
    return f"{MARK}{write_title(item)}: {said}" if said else f"{MARK}{write_title(item)}"
