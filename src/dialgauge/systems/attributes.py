"""A baseline that asks for genres, years and people, one at a time, and recommends what the catalogue says fits."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.model import Turn
from dialgauge.model.item import Item
from dialgauge.systems.items import ItemFinder, join_names, write_title
from dialgauge.systems.offline import OfflineConversation, choose
from dialgauge.systems.phrases import describe, find_asked, name_others, tell_about
from dialgauge.systems.popularity import MOST_RANKED
from dialgauge.systems.protocol import Reply
from dialgauge.systems.wants import Wants, WantsReader

FEW = 5
"""With more items than these it asks on."""

OFFERED = 3
"""How many items it names at a time, at most."""

EXAMPLES = 4

REMEMBERED = 1_000
"""Dialogues whose course is kept, so that each turn is thought about once."""

Slot = Literal["attributes", "years", "people"]

_QUESTIONS: dict[Slot, tuple[str, ...]] = {
    "attributes": (
        "What kind of thing are you in the mood for: {examples}, or something else?",
        "Which genre would you like? I have {examples}, for instance.",
        "What do you enjoy? Is it a genre such as {examples}?",
    ),
    "years": (
        "Should it be something recent, or rather older?",
        "Do you have a decade in mind, such as the {decade}s?",
        "From which years should it be? The {decade}s, perhaps?",
    ),
    "people": (
        "Is there an actor, director or author whom you like, such as {examples}?",
        "Do you have a favourite director, actor or author, for instance {examples}?",
        "Whose work do you like: that of {examples}, or of another actor, director or author?",
    ),
}
_OFFERS = (
    "Then I would recommend {title}.",
    "{title} could be right for you.",
    "How about {title}?",
    "My suggestion is {title}.",
)
_EMPTY = (
    "I am afraid that I have nothing else that fits. Would you like something different?",
    "There is nothing left that fits. Shall we try something else?",
)


@dataclass(slots=True)
class _Course:
    """What was done so far in a dialogue: questions asked, items offered, and those of the latest offer."""

    asked: list[Slot] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)
    latest: list[str] = field(default_factory=list)

    def copy(self) -> "_Course":
        """Return one that goes on without changing this."""
        return _Course([*self.asked], [*self.offered], [*self.latest])


@dataclass(frozen=True, slots=True)
class _Step:
    """What is done next: a question, facts ``about`` an item, or an offer of ``items``.

    Offered items miss some of the wishes where nothing has them all. With facts, the item comes first among ``items``
    where it was offered before, else there are none.
    """

    wants: Wants
    items: Sequence[Item]
    question: Slot | None = None
    about: Item | None = None


class AttributeSystem:
    """Narrows the catalogue by what the user asks for; each question is asked once, and none after the first offer.

    It names up to `OFFERED` items that are all that was asked for, those with the fewest other attributes first, and
    says so out of the catalogue's facts. Where there is none, it offers what misses least, and says what it misses. An
    item is neither offered twice nor after the user named it; what it is asked about an item it answers.
    """

    def __init__(self, finder: ItemFinder, *, name: str = "attributes", seed: int = 0) -> None:
        self.name = name
        self._seed = seed
        self._catalogue = finder.catalogue
        self._finder = finder
        self._reader = WantsReader(finder.catalogue)
        self._having: dict[str, list[Item]] = defaultdict(list)
        for item in finder.catalogue:
            for attribute in dict.fromkeys(item.attributes):
                self._having[attribute].append(item)
        self._courses: dict[tuple[str, ...], _Course] = {}

    def begin(self) -> OfflineConversation:
        """Begin a dialogue."""
        return OfflineConversation(self.answer, n_items=len(self._catalogue))

    async def close(self) -> None:
        """Do nothing."""

    def answer(self, turns: Sequence[Turn]) -> Reply:
        """Return the reply to ``turns``, which follows from the user's turns alone."""
        step = self._follow([turn for turn in turns if turn.speaker == "user"])
        if step.about is not None:
            text = tell_about(step.about, turns, self._finder, seed=self._seed)
            return Reply(text=text, ranking=_rank(step.items), recommends=bool(step.items))
        if step.question is not None:
            return Reply(text=self._ask(step, turns), recommends=False)
        if not step.items:
            return Reply(text=choose(_EMPTY, turns, seed=self._seed), recommends=False)
        return Reply(text=self._offer(step, turns), ranking=_rank(step.items), recommends=True)

    def _follow(self, users: Sequence[Turn]) -> _Step:
        """Go through the dialogue turn by turn, from where it was known up to, and return the last step."""
        texts = tuple(turn.text for turn in users)
        known = next((n for n in range(len(texts) - 1, 0, -1) if texts[:n] in self._courses), 0)
        course = self._courses[texts[:known]].copy() if known else _Course()
        step = self._go_on(users[: known + 1], course)
        for n in range(known + 2, len(texts) + 1):
            step = self._go_on(users[:n], course)
        if len(self._courses) >= REMEMBERED:
            self._courses.clear()
        self._courses[texts] = course.copy()
        return step

    def _go_on(self, users: Sequence[Turn], course: _Course) -> _Step:
        """Decide what to do after the last of the user's turns, and note it."""
        wants = self._reader.read([self._finder.without_titles(turn.text) for turn in users])
        passed = self._finder.mentioned(users) | set(course.offered)
        some = min((self._having[name] for name in wants.liked), key=len, default=self._catalogue.items)
        items = [item for item in some if item.id not in passed and wants.allow(item)]
        about = find_asked(users[-1].text, self._finder, offered=course.latest) if users else None
        if about is not None:
            return _Step(wants, [about, *items] if about.id in course.offered else [], about=about)
        question = self._next_question(wants, items, course)
        if question is not None:
            course.asked.append(question)
            return _Step(wants, items, question)
        if not items:
            items = _nearest([item for item in self._catalogue if item.id not in passed], wants)
        items = sorted(items, key=lambda item: len(item.attributes))
        course.latest = [item.id for item in items[:OFFERED]]
        course.offered += course.latest
        return _Step(wants, items)

    def _next_question(self, wants: Wants, items: Sequence[Item], course: _Course) -> Slot | None:
        if course.offered or len(items) <= FEW:
            return None
        open_slots: tuple[tuple[Slot, bool, int], ...] = (
            ("attributes", not wants.liked, sum(bool(item.attributes) for item in items)),
            ("years", wants.years is None, sum(item.year is not None for item in items)),
            ("people", not wants.people, sum(bool(item.people) for item in items)),
        )
        for slot, is_open, n_known in open_slots:
            if is_open and slot not in course.asked and 2 * n_known >= len(items):
                return slot
        return None

    def _ask(self, step: _Step, turns: Sequence[Turn]) -> str:
        """Return the question, with examples out of what is left."""
        slot = step.question or "attributes"
        names = [name for item in step.items for name in (item.people if slot == "people" else item.attributes)]
        examples = [name for name, _ in Counter(names).most_common(EXAMPLES if slot == "attributes" else 2)]
        decades = Counter(item.year // 10 * 10 for item in step.items if item.year is not None)
        decade = decades.most_common(1)[0][0] if decades else 2000
        wording = choose(_QUESTIONS[slot], turns, seed=self._seed)
        return wording.format(examples=join_names(examples, last="or"), decade=decade)

    def _offer(self, step: _Step, turns: Sequence[Turn]) -> str:
        first, *others = step.items[:OFFERED]
        missing = _missing(first, step.wants)
        sentences = (
            f"I have nothing that is all you asked for, but something near: it misses {join_names(missing)}."
            if missing
            else "",
            choose(_OFFERS, turns, seed=self._seed).format(title=write_title(first)),
            describe(first, self._finder),
            name_others([item for item in others if missing or not _missing(item, step.wants)], turns, seed=self._seed),
        )
        return " ".join(filter(None, sentences))


def _rank(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.id for item in items))[:MOST_RANKED]


def _nearest(items: Sequence[Item], wants: Wants) -> list[Item]:
    """Return what misses least of ``wants`` and has something of it; nothing that is disliked."""
    allowed = [item for item in items if not set(wants.disliked) & set(item.attributes)]
    n_wishes = len(wants.liked) + len(wants.people) + (wants.years is not None)
    misses = {item.id: len(_missing(item, wants)) for item in allowed}
    least = min(misses.values(), default=n_wishes)
    return [item for item in allowed if misses[item.id] == least] if least < n_wishes else []


def _missing(item: Item, wants: Wants) -> list[str]:
    """Return the wishes that the catalogue does not say ``item`` fulfils, in words."""
    missing = [name for name in wants.liked if name not in item.attributes]
    missing += [name for name in wants.people if name not in item.people]
    if wants.years is not None and (item.year is None or not wants.years[0] <= item.year <= wants.years[1]):
        missing.append("the years")
    return missing
