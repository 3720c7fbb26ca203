"""A baseline in the manner of recommenders built on ChatGPT: items are retrieved, and a language model speaks."""

from dialgauge.llm import Model
from dialgauge.systems.chat import ChatSystem
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.retrieval import Retriever

CANDIDATES = 20
"""How many items the model is given to choose from with each turn."""


def chat_with_retrieval(
    model: Model,
    finder: ItemFinder,
    *,
    name: str = "retrieval-chat",
    n_candidates: int = CANDIDATES,
    timeout: float = 60.0,
    seed: int | None = None,
) -> ChatSystem:
    """Return a recommender whose ``model`` is given the ``n_candidates`` items that are most like the user's words.

    Where no item is like them, the model gets an empty list, and has to ask. What it recommends besides is not kept
    from it: unknown titles are among what is measured.
    """
    retriever = Retriever(finder)
    return ChatSystem(
        model,
        finder,
        name=name,
        candidates=lambda turns: retriever.find(turns, most=n_candidates),
        timeout=timeout,
        seed=seed,
    )
