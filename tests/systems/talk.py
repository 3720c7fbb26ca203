"""Dialogues with a system, written short."""

import asyncio
from collections.abc import Sequence

import pytest

from dialgauge.model import Turn
from dialgauge.systems import Reply, System, SystemFailedError


def dialogue(*texts: str) -> list[Turn]:
    """Return turns of which the first is the user's, the second the system's, and so on."""
    return [Turn(speaker=("user", "system")[i % 2], text=text) for i, text in enumerate(texts)]


def ask(system: System, *texts: str) -> Reply:
    """Return the reply to one dialogue."""
    return ask_all(system, [texts])[0]


def ask_all(system: System, dialogues: Sequence[Sequence[str]]) -> list[Reply]:
    """Return the reply to each of several dialogues, all at the same time."""

    async def one(texts: Sequence[str]) -> Reply:
        conversation = system.begin()
        try:
            return await conversation.reply(dialogue(*texts))
        finally:
            await conversation.close()

    async def run() -> list[Reply]:
        try:
            return list(await asyncio.gather(*map(one, dialogues)))
        finally:
            await system.close()

    return asyncio.run(run())


def talk(system: System, *users: str) -> list[Reply]:
    """Return the replies in one dialogue in which the user says ``users`` in turn."""

    async def run() -> list[Reply]:
        conversation, turns, replies = system.begin(), list[Turn](), list[Reply]()
        for text in users:
            turns.append(Turn(speaker="user", text=text))
            replies.append(await conversation.reply(turns))
            turns.append(Turn(speaker="system", text=replies[-1].text))
        await conversation.close()
        await system.close()
        return replies

    return asyncio.run(run())


def fail(system: System, *texts: str) -> SystemFailedError:
    """Return the failure that the system must have."""
    with pytest.raises(SystemFailedError) as caught:
        ask(system, *texts)
    return caught.value
