"""What goes wrong between the two sides is noticed and written down, not hidden: loops, goodbyes, wrong acceptances."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from dialgauge.io.words import clip, shorten
from dialgauge.model.item import Catalogue, Fit
from dialgauge.model.simulated import Preference, SystemTurn, UserTurn
from dialgauge.model.simulation import Mark, Notice
from dialgauge.simulate.agenda import fits

REPEATS = 3
"""How often the same text is a loop."""

FAREWELLS = 2
"""How often in a row both sides say goodbye before it is noticed."""

_GOODBYE = re.compile(r"\b(good\s?bye|bye|farewell|see you|take care)\b", re.IGNORECASE)


def notice_loops(turns: Sequence[UserTurn | SystemTurn]) -> Iterator[Notice]:
    """Yield each text that one side has said `REPEATS` times, and goodbyes that go to and fro."""
    said: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    farewells = 0
    for number, turn in enumerate(turns, start=1):
        text = " ".join(turn.text.casefold().split())
        by_user = isinstance(turn, UserTurn)
        said[by_user][text] += 1
        if text and said[by_user][text] == REPEATS:
            mark: Mark = "user repeats" if by_user else "system repeats"
            yield Notice(mark=mark, turn=number, detail=clip(turn.text))
        farewells = farewells + 1 if _GOODBYE.search(text) else 0
        if farewells == 2 * FAREWELLS:
            yield Notice(mark="goodbyes", turn=number)


def notice_reply(turn: int, unknown: Sequence[str], *, unnamed: bool) -> Iterator[Notice]:
    """Yield what is wrong with the items of a reply: ``unknown`` ones, and a recommendation that names none."""
    if unknown:
        yield Notice(mark="unknown items", turn=turn, detail=shorten(unknown))
    if unnamed:
        yield Notice(mark="no title", turn=turn)


def notice_acceptance(
    said: UserTurn, turn: int, *, recommended: set[str], preference: Preference, catalogue: Catalogue, fit: Fit
) -> Iterator[Notice]:
    """Yield what is wrong with an acceptance: the item was never recommended, or it does not fit."""
    if not said.accepting:
        return
    item = catalogue.by_id.get(said.accepts or "")
    name = clip(said.accepts_title or said.accepts or "")
    if said.accepts is None or said.accepts not in recommended:
        yield Notice(mark="accepted unrecommended", turn=turn, detail=name)
    if item is not None and not fits(item.attributes, preference.attributes, fit):
        yield Notice(mark="accepted unfit", turn=turn, detail=name)
