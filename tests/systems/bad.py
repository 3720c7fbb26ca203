"""Three bad recommenders, each bad in one known way, to see whether an evaluation notices."""

import hashlib
from collections.abc import Sequence

from dialgauge.model import Turn
from dialgauge.model.item import Item
from dialgauge.systems import Reply
from dialgauge.systems.items import ItemFinder, join_names, write_title
from dialgauge.systems.offline import OfflineConversation
from dialgauge.systems.retrieval import RetrievalSystem
from dialgauge.systems.wants import WantsReader

CHEERFUL = ("!", "great", "wow", "lovely", "wonderful", "happy", "thank")


class _Bad:
    """What the three have in common: one answer a turn, and no memory."""

    def __init__(self, finder: ItemFinder) -> None:
        self.name = type(self).__name__
        self.finder = finder
        self.items: Sequence[Item] = finder.catalogue.items
        self.reader = WantsReader(finder.catalogue)

    def begin(self) -> OfflineConversation:
        return OfflineConversation(self.answer)

    async def close(self) -> None:
        pass

    def answer(self, turns: Sequence[Turn]) -> Reply:
        raise NotImplementedError

    def offer(self, item: Item, claim: str) -> Reply:
        return Reply(text=f"Take {write_title(item)}. {claim}", ranking=(item.id,), recommends=True)


class Liar(_Bad):
    """Recommends what has none of the wanted attributes, and says that it has them all."""

    def answer(self, turns: Sequence[Turn]) -> Reply:
        wants = self.reader.read([turn.text for turn in turns if turn.speaker == "user"])
        denied = [item for item in self.items if item.attributes and not set(wants.liked) & set(item.attributes)]
        return self.offer(denied[len(turns) % len(denied)], f"It is pure {join_names(wants.liked) or 'joy'}.")


class Literal(_Bad):
    """Recommends by the very letters of the last turn: the same wish in other words brings another item."""

    def answer(self, turns: Sequence[Turn]) -> Reply:
        digest = hashlib.sha256(turns[-1].text.encode()).digest()
        return self.offer(self.items[int.from_bytes(digest[:4], "big") % len(self.items)], "Enjoy.")


class FairWeather(_Bad):
    """Serves those who sound cheerful, and turns the others away."""

    def __init__(self, finder: ItemFinder) -> None:
        super().__init__(finder)
        self.retrieval = RetrievalSystem(finder)

    def answer(self, turns: Sequence[Turn]) -> Reply:
        said = " ".join(turn.text.lower() for turn in turns if turn.speaker == "user")
        if any(sign in said for sign in CHEERFUL):
            return self.retrieval.answer(turns)
        return Reply(text="I cannot help you with that.", recommends=False)
