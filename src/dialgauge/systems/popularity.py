"""A baseline that always recommends the next most popular item, whatever the user says."""

from collections.abc import Mapping, Sequence

from dialgauge.model import Turn
from dialgauge.model.item import Catalogue
from dialgauge.systems.items import write_title
from dialgauge.systems.offline import OfflineConversation, choose
from dialgauge.systems.protocol import Reply

MOST_RANKED = 50

_OFFERS = (
    "You could try {title}.",
    "How about {title}?",
    "Many people like {title}.",
    "Maybe {title} is something for you.",
    "What do you think of {title}?",
)


class PopularitySystem:
    """Recommends one item a turn, the most popular first, and explains nothing.

    ``counts`` tells how popular each item is; without it the order of the catalogue stands for that. When all have had
    their turn, the first comes again.
    """

    def __init__(
        self, catalogue: Catalogue, *, name: str = "popularity", seed: int = 0, counts: Mapping[str, int] | None = None
    ) -> None:
        self.name = name
        self._seed = seed
        known = counts or {}
        self._items = sorted(catalogue, key=lambda item: -known.get(item.id, 0))

    def begin(self) -> OfflineConversation:
        """Begin a dialogue."""
        return OfflineConversation(self.answer)

    async def close(self) -> None:
        """Do nothing."""

    def answer(self, turns: Sequence[Turn]) -> Reply:
        """Return the reply, which depends on the number of system turns so far."""
        at = sum(turn.speaker == "system" for turn in turns) % len(self._items)
        text = choose(_OFFERS, turns, seed=self._seed).format(title=write_title(self._items[at]))
        ranking = tuple(item.id for item in self._items[at : at + MOST_RANKED])
        return Reply(text=text, ranking=ranking, recommends=True)
