"""What the baselines share: a dialogue without memory, and wording that varies but can be repeated.

What a baseline says depends on the dialogue so far alone. So the same dialogue always has the same reply, and the two
replies to a turn and its paraphrase differ by nothing but that turn.
"""

from collections.abc import Callable, Sequence

import numpy as np

from dialgauge.model import Turn
from dialgauge.seeding import child_rng
from dialgauge.systems.apart import do_apart, stop_clock
from dialgauge.systems.protocol import Reply

MANY_ITEMS = 5_000
"""Items of a catalogue from which on a baseline thinks off the event loop."""


class OfflineConversation:
    """One dialogue with a baseline: each reply is computed from the turns, and has no time limit.

    ``n_items`` is the size of the catalogue.
    """

    def __init__(self, answer: Callable[[Sequence[Turn]], Reply], *, n_items: int = 0) -> None:
        self._answer = answer
        self._long = n_items > MANY_ITEMS

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        """Return what the baseline says to ``turns``."""
        stop_clock()
        return await do_apart(lambda: self._answer(turns), long=self._long)

    async def close(self) -> None:
        """Do nothing."""


def choose(wordings: Sequence[str], turns: Sequence[Turn], *, seed: int) -> str:
    """Return one of the ``wordings``, the same for the same place in a dialogue with the same opening turn."""
    return wordings[int(_rng(turns, seed=seed, of=wordings[0]).integers(len(wordings)))]


def draw_seed(turns: Sequence[Turn], *, seed: int) -> int:
    """Return the seed of the reply to ``turns``, 0 to 2**31 - 1, by the same rule."""
    return int(_rng(turns, seed=seed, of="reply").integers(2**31))


def _rng(turns: Sequence[Turn], *, seed: int, of: str) -> np.random.Generator:
    opening = turns[0].text if turns else ""
    return child_rng(seed, "systems", of, len(turns), opening)
