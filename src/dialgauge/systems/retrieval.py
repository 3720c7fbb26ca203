"""Items whose words are like those of a text, and a baseline that recommends them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from scipy import sparse

from dialgauge.io.catalogues.names import everyday_words
from dialgauge.model import Turn
from dialgauge.model.item import Catalogue, Item
from dialgauge.stats.arrays import Floats
from dialgauge.systems.items import ItemFinder, write_title
from dialgauge.systems.offline import OfflineConversation, choose
from dialgauge.systems.phrases import describe, find_asked, name_others, tell_about
from dialgauge.systems.popularity import MOST_RANKED
from dialgauge.systems.protocol import Reply
from dialgauge.systems.wants import WantsReader, stems

K1, B = 1.2, 0.75
"""The usual constants of BM25 (Robertson and Zaragoza 2009)."""

NAMED = 3
"""How many items are named at a time, at most."""

_FUNCTION = frozenset(
    {
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "i",
        "in",
        "is",
        "it",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
    }
    | {"that", "the", "to", "we", "with", "you"}
)

_ASK = (
    "Could you tell me more about what you like?",
    "What do you enjoy? A genre, a name or a plot would help me.",
    "I would like to know more: what should it be about?",
)
_OFFERS = (
    "From what you say, {title} could be right.",
    "That sounds like {title}.",
    "You may like {title}.",
    "{title} comes close to what you describe.",
)


class ItemIndex:
    """The words of all items of a catalogue, weighted by BM25 (Robertson and Zaragoza 2009).

    The words of an item are those of its title, attributes, people, description and year, in the form of `stems`.
    Everyday words count only where some attribute has them; articles, prepositions and the like never do.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.items = catalogue.items
        named = {word for item in catalogue for name in item.attributes for word in stems(name)}
        self._skipped = ({word for form in everyday_words() for word in stems(form)} - named) | _FUNCTION
        counts = [Counter(self._words(item)) for item in catalogue]
        self._columns = {word: i for i, word in enumerate(dict.fromkeys(word for each in counts for word in each))}
        self._weights = _weigh(counts, self._columns)

    def score(self, words: Iterable[str]) -> Floats:
        """Return a score of 0 or more for each item, in the order of the catalogue; words that none has add nothing."""
        query = np.zeros(len(self._columns))
        for word, n in Counter(words).items():
            if word in self._columns:
                query[self._columns[word]] = n
        scores: Floats = self._weights @ query
        return scores

    def rank(self, words: Iterable[str], *, most: int, passed: Collection[str] = ()) -> list[Item]:
        """Return up to ``most`` items with a score above 0, the highest first, without the ids in ``passed``.

        Items of one score keep the order of the catalogue.
        """
        scores = self.score(words)
        order = np.argsort(-scores, kind="stable")
        best = (self.items[i] for i in order[: most + len(passed)] if scores[i] > 0.0)
        return [item for item in best if item.id not in passed][:most]

    def _words(self, item: Item) -> list[str]:
        texts = (*item.attributes, *item.people, item.title, item.description)
        words = [word for text in texts for word in stems(text) if word not in self._skipped]
        return words if item.year is None else [*words, str(item.year)]


class Retriever:
    """Finds items like what a user has said: words, kinds asked for in other words, and items that were named."""

    def __init__(self, finder: ItemFinder) -> None:
        self._index = ItemIndex(finder.catalogue)
        self._finder = finder
        self._reader = WantsReader(finder.catalogue)
        self._by_id = finder.catalogue.by_id

    def find(self, turns: Sequence[Turn], *, most: int) -> list[Item]:
        """Return up to ``most`` items, the likest first; none that was named in ``turns``, by either side."""
        users = [turn for turn in turns if turn.speaker == "user"]
        said = [self._finder.without_titles(turn.text) for turn in users]
        words = [word for text in said for word in stems(text)]
        words += [word for name in self._reader.read(said).liked for word in stems(name)]
        for item in sorted(self._finder.mentioned(users)):
            words += [word for name in self._by_id[item].attributes for word in stems(name)]
        everything = "\n".join(turn.text for turn in turns if turn.speaker != "user")
        found = self._index.rank(words, most=most + len(turns) * NAMED, passed=self._finder.mentioned(turns))
        return [item for item in found if write_title(item) not in everything][:most]


class RetrievalSystem:
    """Recommends what is most like the user's words, and says what the catalogue says of it."""

    def __init__(self, finder: ItemFinder, *, name: str = "retrieval", seed: int = 0) -> None:
        self.name = name
        self._seed = seed
        self._finder = finder
        self._retriever = Retriever(finder)

    def begin(self) -> OfflineConversation:
        """Begin a dialogue."""
        return OfflineConversation(self.answer, n_items=len(self._finder.catalogue))

    async def close(self) -> None:
        """Do nothing."""

    def answer(self, turns: Sequence[Turn]) -> Reply:
        """Return the reply to ``turns``; a question where no item is like them."""
        items = self._retriever.find(turns, most=MOST_RANKED)
        if turns and (told := self._tell(turns, items)) is not None:
            return told
        if not items:
            return Reply(text=choose(_ASK, turns, seed=self._seed), recommends=False)
        sentences = (
            choose(_OFFERS, turns, seed=self._seed).format(title=write_title(items[0])),
            describe(items[0], self._finder),
            name_others(items[1:NAMED], turns, seed=self._seed),
        )
        text = " ".join(filter(None, sentences))
        return Reply(text=text, ranking=tuple(item.id for item in items), recommends=True)

    def _tell(self, turns: Sequence[Turn], items: Sequence[Item]) -> Reply | None:
        """Return the answer to a question about an item, which is recommended again where it was named before."""
        said = [turn.text for turn in turns if turn.speaker != "user"]
        item = find_asked(turns[-1].text, self._finder, offered=self._finder.read(said[-1])[0] if said else ())
        if item is None:
            return None
        again = item.id in self._finder.mentioned([turn for turn in turns if turn.speaker != "user"])
        ranking = tuple(each.id for each in (item, *items)) if again else ()
        text = tell_about(item, turns, self._finder, seed=self._seed)
        return Reply(text=text, ranking=ranking, recommends=again)


def _weigh(counts: Sequence[Counter[str]], columns: dict[str, int]) -> "sparse.csr_array":
    """Return the BM25 weight of each word in each item: items x words.

    w = ln(1 + (N - n + 0.5) / (n + 0.5)) f (k1 + 1) / (f + k1 (1 - b + b L / mean L)), with N items, n of them with the
    word, f times the word in an item of L words. The 1 inside the logarithm keeps it above 0.
    """
    rows = np.repeat(np.arange(len(counts)), [len(each) for each in counts])
    cols = np.array([columns[word] for each in counts for word in each], dtype=np.intp)
    f = np.array([n for each in counts for n in each.values()], dtype=np.float64)
    lengths = np.array([each.total() for each in counts], dtype=np.float64)
    n = np.bincount(cols, minlength=len(columns))
    idf = np.log1p((len(counts) - n + 0.5) / (n + 0.5))
    relative = lengths / max(float(lengths.mean()), 1.0)
    weights = idf[cols] * f * (K1 + 1.0) / (f + K1 * (1.0 - B + B * relative[rows]))
    return sparse.csr_array((weights, (rows, cols)), shape=(len(counts), len(columns)))
