"""One simulated dialogue from the opening to its end, with pairs of replies to a turn and its paraphrase."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from dialgauge.io.catalogues import TitleIndex
from dialgauge.model import Turn
from dialgauge.model.item import Catalogue, Fit
from dialgauge.model.simulated import End, Persona, Preference, SimulatedDialogue, SystemTurn, UserTurn
from dialgauge.model.simulation import Notice, ParaphrasePair, Simulation
from dialgauge.seeding import child_rng
from dialgauge.simulate.asking import Line, SystemAwayError
from dialgauge.simulate.hearing import Listener
from dialgauge.simulate.noticing import notice_acceptance, notice_loops, notice_reply
from dialgauge.simulate.users import User, UserFailedError, Users
from dialgauge.systems import System

SYSTEM_TURNS = 10
"""After so many a dialogue ends, as in the published work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Who meets which system: one dialogue to be simulated."""

    system: System
    persona: Persona
    preference: Preference
    replicate: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What all dialogues share.

    ``system_turns`` is the limit; ``timeout`` the seconds of one reply; ``pairs`` how many of the user's turns are
    paraphrased; ``seed`` the root of all choices. ``index`` is that of the titles of the catalogue, where it is made
    already.
    """

    catalogue: Catalogue
    users: Users
    fit: Fit = "containing"
    system_turns: int = SYSTEM_TURNS
    timeout: float = 60.0
    pairs: int = 1
    seed: int = 1
    index: TitleIndex | None = field(default=None, repr=False)
    listener: Listener = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "listener", Listener(self.catalogue, self.index))

    @property
    def settings(self) -> Mapping[str, object]:
        """All that makes two dialogues of one key the same, as JSON types; a catalogue by the hash of its items."""
        return {
            "catalogue": self.catalogue.digest,
            "fit": self.fit,
            "system_turns": self.system_turns,
            "pairs": self.pairs,
            "seed": self.seed,
            "user": dict(self.users.settings),
        }

    def seed_of(self, case: Case) -> int:
        """Return the seed of a dialogue: the same for every system, so that systems meet the same users."""
        rng = child_rng(self.seed, "simulation", case.persona.id, case.preference.id, case.replicate)
        return int(rng.integers(2**31))


async def simulate_dialogue(case: Case, stage: Stage) -> Simulation:
    """Return the dialogue of ``case``, whatever the system does in it.

    It ends when an item is accepted, when the user gives up, after the last system turn and the user's answer to it, or
    with the first failure. Raises UserFailedError where the user could not be asked, and SystemAwayError where the
    system could not be reached before its first reply: there is no dialogue then.
    """
    began, started = time.perf_counter(), datetime.now(UTC)
    seed = stage.seed_of(case)
    user = stage.users.begin(case.persona, case.preference, seed=seed)
    course = _Course(case, stage, user)
    try:
        ended, failure = await course.play()
        pairs = await _pair(course, seed)
    except (UserFailedError, SystemAwayError) as error:
        error.calls = tuple(user.calls)
        raise
    dialogue = SimulatedDialogue(
        id="/".join((case.system.name, case.persona.id, case.preference.id, str(case.replicate))),
        system=case.system.name,
        persona=case.persona,
        preference=case.preference,
        targets=tuple(item.id for item in stage.catalogue.fitting(case.preference.attributes, stage.fit)),
        turns=tuple(course.turns),
        ended=ended,
        failure=failure,
    )
    return Simulation(
        dialogue=dialogue,
        users=stage.users.name,
        replicate=case.replicate,
        seed=seed,
        started=started,
        seconds=time.perf_counter() - began,
        notices=tuple(sorted([*course.notices, *notice_loops(course.turns)], key=lambda notice: notice.turn)),
        pairs=pairs,
        calls=tuple(user.calls),
    )


class _Course:
    """A dialogue under way."""

    def __init__(self, case: Case, stage: Stage, user: User) -> None:
        self.case, self.stage, self.user = case, stage, user
        self.turns: list[UserTurn | SystemTurn] = []
        self.notices: list[Notice] = []
        self._recommended: set[str] = set()

    async def play(self) -> tuple[End, str | None]:
        """Let both sides speak in turn; return how it ended, and the failure if it ended so."""
        line = Line(self.case.system, self.stage.catalogue, timeout=self.stage.timeout)
        try:
            self.turns.append(await self.user.open())
            for number in range(1, self.stage.system_turns + 1):
                end = await self._exchange(line, last=number == self.stage.system_turns)
                if end is not None:
                    return end
        except UserFailedError as error:
            if not error.final:
                raise
            return "failed", f"user: {error}"
        finally:
            await line.close()
        return "turn limit", None

    async def _exchange(self, line: Line, *, last: bool) -> tuple[End, str | None] | None:
        """Add the system's turn and the user's answer; None where the dialogue goes on."""
        said, reply = await line.ask(to_turns(self.turns))
        self.turns.append(said)
        if reply is None:
            return "failed", f"system: {said.failure}"
        heard = await self.stage.listener.listen(reply)
        self.notices += notice_reply(len(self.turns), reply.unknown, unnamed=heard.unnamed)
        self._recommended |= {item.id for item in heard.items}
        so_far = to_turns(self.turns)
        feeling = await self.user.feel(so_far, heard)
        answer = await self.user.answer(so_far, heard, feeling=feeling, last=last)
        self.turns.append(answer.turn)
        self.notices += notice_acceptance(
            answer.turn,
            len(self.turns),
            recommended=self._recommended,
            preference=self.case.preference,
            catalogue=self.stage.catalogue,
            fit=self.stage.fit,
        )
        if answer.turn.accepting:
            return "accepted", None
        return ("gave up", None) if answer.leaving else None


async def _pair(course: _Course, seed: int) -> tuple[ParaphrasePair, ...]:
    """Have turns of the user paraphrased, chosen by ``seed`` among those with a proper reply, and asked again."""
    places = [
        place
        for place, (turn, reply) in enumerate(zip(course.turns, course.turns[1:], strict=False))
        if isinstance(turn, UserTurn) and isinstance(reply, SystemTurn) and reply.failure is None
    ]
    order = child_rng(seed, "pairs").permutation(len(places))
    found = [await _ask_again(course, places[i]) for i in sorted(order[: course.stage.pairs])]
    return tuple(pair for pair in found if pair is not None)


async def _ask_again(course: _Course, place: int) -> ParaphrasePair | None:
    """Bring a fresh conversation to the same state, and put the paraphrase to it."""
    turns = to_turns(course.turns[: place + 1])
    number = sum(isinstance(turn, UserTurn) for turn in course.turns[: place + 1])
    try:
        paraphrase = await course.user.reword(turns, number)
    except UserFailedError as error:
        if not error.final:
            raise
        paraphrase = None
    first = course.turns[place + 1]
    if paraphrase is None or not isinstance(first, SystemTurn):
        return None
    line = Line(course.case.system, course.stage.catalogue, timeout=course.stage.timeout)
    try:
        for position in range(0, place, 2):
            earlier, reply = await line.ask(turns[: position + 1])
            if reply is None:
                second = earlier
                break
        else:
            second, _ = await line.ask([*turns[:-1], Turn(speaker="user", text=paraphrase)])
    except SystemAwayError as error:
        second = error.turn
    finally:
        await line.close()
    return ParaphrasePair(turn=number, wording=turns[-1].text, paraphrase=paraphrase, first=first, second=second)


def to_turns(turns: Sequence[UserTurn | SystemTurn]) -> list[Turn]:
    """Return what was said, as both sides and raters see it."""
    return [Turn(speaker="user" if isinstance(turn, UserTurn) else "system", text=turn.text) for turn in turns]
