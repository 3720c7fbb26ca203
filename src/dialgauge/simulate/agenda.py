"""The built-in simulated user: it follows an agenda, needs no language model, and is the same for the same seed.

It knows what it wants, not which items fit. What it is recommended it looks up, accepts or turns down with a reason;
what it is asked it answers; it asks back, repeats its wish, and leaves when its patience is over (Schatzmann et al.
2007 describe users of this kind).
"""

from collections.abc import Collection, Mapping, Sequence

from dialgauge.model import Turn
from dialgauge.model.item import Fit, Item
from dialgauge.model.simulated import Persona, Preference, UserTurn
from dialgauge.model.simulation import UserCall
from dialgauge.seeding import child_rng
from dialgauge.simulate.hearing import Heard
from dialgauge.simulate.talk import Act, Voice, pick
from dialgauge.simulate.users import Answer, User

NAME = "agenda"

VERSION = "1"
"""Of the rules below and of the data; another one makes other dialogues."""


class AgendaUsers:
    """Begins agenda-based users; ``fit`` says when an item is what a user wants."""

    name = NAME
    template: str | None = None

    def __init__(self, fit: Fit = "containing") -> None:
        self._fit: Fit = fit

    @property
    def settings(self) -> Mapping[str, object]:
        """The version of its rules."""
        return {"version": VERSION}

    def begin(self, persona: Persona, preference: Preference, *, seed: int) -> User:
        """Begin a user for one dialogue."""
        return AgendaUser(persona, preference, self._fit, seed=seed)

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


class AgendaUser:
    """One user in one dialogue."""

    calls: Sequence[UserCall] = ()

    def __init__(self, persona: Persona, preference: Preference, fit: Fit, *, seed: int) -> None:
        self._persona, self._wanted, self._fit = persona, frozenset(preference.attributes), fit
        self._voice, self._seed = Voice(persona, preference.attributes), seed
        self._rng = child_rng(seed, NAME)
        self._acts: list[Act] = []
        self._turned_down: set[str] = set()
        self._asked_about: set[str] = set()
        self._answered: set[str] = set()
        self._replies = 0
        self._taken: Item | None = None

    async def open(self) -> UserTurn:
        """Say what is wanted."""
        return UserTurn(text=self._say(Act("open")))

    async def feel(self, turns: Sequence[Turn], heard: Heard) -> str:  # noqa: ARG002 (the last reply is enough)
        """Return a feeling of the persona's emotion: good, bad or idle, by what was recommended.

        Whether an item is taken is decided here, so that what is felt and what is said agree.
        """
        emotion = self._voice.emotion
        self._taken = self._choose(heard)
        if not heard.items:
            return pick(self._rng, emotion.bad if heard.unnamed else emotion.idle)
        fresh = any(self._fits(item) and item.id not in self._turned_down for item in heard.items)
        return pick(self._rng, emotion.good if fresh or self._taken is not None else emotion.bad)

    async def answer(self, turns: Sequence[Turn], heard: Heard, *, feeling: str, last: bool) -> Answer:  # noqa: ARG002
        """Accept, ask, turn down, reply or leave, by what was heard."""
        self._replies += 1
        taken, self._taken = self._taken, None
        if taken is not None:
            text = self._say(Act("accept", {"title": taken.title}))
            said = UserTurn(text=text, feeling=feeling, accepting=True, accepts=taken.id, accepts_title=taken.title)
            return Answer(turn=said)
        patience = self._persona.patience
        leaving = patience is not None and self._replies >= patience and not any(map(self._fits, heard.items))
        act = Act("leave") if leaving else Act("end") if last else self._react(heard)
        return Answer(turn=UserTurn(text=self._say(act), feeling=feeling), leaving=leaving)

    async def reword(self, turns: Sequence[Turn], number: int) -> str | None:
        """Say the same act again in other words; what is said later does not depend on it."""
        rng = child_rng(self._seed, "reword", number)
        return self._voice.say_otherwise(self._acts[number - 1], turns[-1].text, rng)

    def _choose(self, heard: Heard) -> Item | None:
        """Return the item that is taken: one that fits more easily than one that does not."""
        emotion = self._voice.emotion
        for item in sorted(heard.items, key=lambda item: not self._fits(item)):
            takes = emotion.takes if self._fits(item) else emotion.slips
            wary = 1.0 if item.id in self._asked_about else 1.0 - emotion.asks
            if item.id not in self._turned_down and self._rng.random() < takes * wary:
                return item
        return None

    def _react(self, heard: Heard) -> Act:
        """Return what to say to a reply of which nothing is accepted."""
        if heard.items:
            return self._turn_down(heard.items)
        if heard.unnamed:
            return Act("unnamed")
        topic = heard.topic
        if topic is None or (topic in self._answered and topic != "kinds"):
            return Act("request" if topic is None or self._rng.random() < 0.5 else "kinds")
        self._answered.add(topic)
        return Act(topic)

    def _turn_down(self, items: Sequence[Item]) -> Act:
        """Return a question about the first item that may do, else the reason why an item will not."""
        fresh = [item for item in items if item.id not in self._turned_down]
        if not fresh:
            return Act("again", {"title": items[0].title})
        item = next((item for item in fresh if self._fits(item)), fresh[0])
        if item.id not in self._asked_about and self._rng.random() < self._voice.emotion.asks:
            self._asked_about.add(item.id)
            return Act("ask", {"title": item.title})
        self._turned_down |= {item.id for item in fresh}
        if self._fits(item):
            return Act("hesitate", {"title": item.title})
        lacking, extra = sorted(self._wanted - {*item.attributes}), sorted({*item.attributes} - self._wanted)
        name, kinds = ("lacks", lacking) if lacking else ("exceeds", extra)
        return Act(name, {"title": item.title, "kind": pick(self._rng, kinds) if kinds else "that"})

    def _fits(self, item: Item) -> bool:
        return fits(item.attributes, self._wanted, self._fit)

    def _say(self, act: Act) -> str:
        self._acts.append(act)
        return self._voice.say(act, self._rng)


def fits(attributes: Collection[str], wanted: Collection[str], fit: Fit) -> bool:
    """Whether an item of ``attributes`` is what is ``wanted``, by the rule of `Catalogue.fitting`."""
    return frozenset(wanted) == frozenset(attributes) if fit == "equal" else frozenset(wanted) <= frozenset(attributes)
