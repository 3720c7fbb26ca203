"""One dialogue: who speaks when, how it ends, and whatever a system does is written down."""
# ruff: noqa: ARG002 (methods of a protocol take what others need)

import asyncio
import time
from collections.abc import Sequence

import pytest

from dialgauge.io.store.simulations import to_target
from dialgauge.model import Turn
from dialgauge.model.simulated import Preference, SystemTurn, UserTurn
from dialgauge.model.simulation import Simulation
from dialgauge.simulate.agenda import AgendaUsers
from dialgauge.simulate.asking import SystemAwayError
from dialgauge.simulate.hearing import Heard, Listener
from dialgauge.simulate.session import Case, simulate_dialogue, to_turns
from dialgauge.simulate.users import Answer, User, UserFailedError
from dialgauge.systems import Reply, SystemFailedError

from .conftest import FILMS, WANT, Hanging, Toy, ToyConversation, persona, recommend, simulate, stage


def ask(turns: Sequence[Turn]) -> Reply:
    return Reply(text=f"What genre do you like, number {len(turns)}?", recommends=False)


def marks(simulation: Simulation) -> set[str]:
    return {notice.mark for notice in simulation.notices}


class Scripted:
    """Users that say what they are told, one after the other."""

    name = "scripted"
    template: str | None = None

    def __init__(self, *answers: Answer | Exception) -> None:
        self.settings: dict[str, object] = {}
        self._answers = answers

    def begin(self, *_: object, seed: int) -> User:
        return _Scripted(self._answers)

    async def close(self) -> None: ...


class _Scripted:
    calls = ()

    def __init__(self, answers: Sequence[Answer | Exception]) -> None:
        self._answers = list(answers)

    async def open(self) -> UserTurn:
        return UserTurn(text="Something scary?")

    async def feel(self, turns: Sequence[Turn], heard: Heard) -> str:
        return "So-so."

    async def answer(self, turns: Sequence[Turn], heard: Heard, *, feeling: str, last: bool) -> Answer:
        answer = self._answers.pop(0) if self._answers else Answer(turn=UserTurn(text="Go on.", feeling=feeling))
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def reword(self, turns: Sequence[Turn], number: int) -> str | None:
        return None


def accepting(title: str) -> Answer:
    item = next((item for item in FILMS if item.title == title), None)
    turn = UserTurn(text=f"{title}, yes.", accepting=True, accepts=item.id if item else None, accepts_title=title)
    return Answer(turn=turn)


def test_both_sides_speak_in_turn_beginning_and_ending_with_the_user() -> None:
    dialogue = simulate(Toy(ask), persona("curiosity-adults")).dialogue
    kinds = [type(turn) for turn in dialogue.turns]
    assert kinds == [UserTurn, SystemTurn] * 10 + [UserTurn]
    assert dialogue.ended == "turn limit"
    assert [turn.seconds is not None for turn in dialogue.system_turns] == [True] * 10


def test_a_system_is_given_the_dialogue_so_far_and_each_dialogue_a_conversation_of_its_own() -> None:
    system = Toy(ask)
    first, second = (simulate(system, replicate=r).dialogue for r in (1, 2))
    assert len(system.given) == system.closed == 2
    for dialogue, given in zip((first, second), system.given, strict=True):
        said = to_turns(dialogue.turns)
        assert given == [said[: 2 * k + 1] for k in range(len(dialogue.system_turns))]


def test_the_key_makes_the_id_and_the_targets_are_the_items_that_fit() -> None:
    dialogue = simulate(Toy(ask), replicate=3).dialogue
    assert dialogue.id == "toy/satisfaction-adults/horror/3"
    assert dialogue.targets == tuple(item.id for item in FILMS.fitting({"horror"}, "containing"))
    exact = Preference(id="x", attributes=("fantasy", "horror"))
    equal = simulate(Toy(ask), wants=exact, on=stage(fit="equal")).dialogue
    assert equal.targets == tuple(item.id for item in FILMS.fitting({"fantasy", "horror"}, "equal"))


def test_systems_meet_the_same_users() -> None:
    one, other = (simulate(Toy(ask, name=name), replicate=2) for name in ("a", "b"))
    assert one.seed == other.seed
    assert one.dialogue.turns[0] == other.dialogue.turns[0]
    assert simulate(Toy(ask), replicate=3).seed != one.seed


def test_an_acceptance_ends_the_dialogue_and_names_its_item() -> None:
    system = Toy(lambda _: recommend("Psycho"))
    found = next(
        d
        for r in range(1, 30)
        if (d := simulate(system, persona("excitement-adults"), replicate=r).dialogue).ended == "accepted"
    )
    last = found.user_turns[-1]
    assert (last.accepting, last.accepts_title) == (True, "Psycho")
    assert FILMS.by_id[str(last.accepts)].title == "Psycho"
    assert found.failure is None


def fails(*, kind: str = "crashed", text: str = "") -> Toy:
    def answer(turns: Sequence[Turn]) -> Reply:
        if len(turns) < 3:
            return ask(turns)
        raise SystemFailedError("no proper reply", kind=kind, text=text)

    return Toy(answer)


def breaks(turns: Sequence[Turn]) -> Reply:
    raise ZeroDivisionError("one by\nzero")


@pytest.mark.parametrize(
    ("system", "failure"),
    [
        (fails(kind="timeout"), "timeout: no proper reply"),
        (Toy(breaks), "crashed: toy broke down: ZeroDivisionError: one by zero"),
        (Toy(lambda _: Reply(text="  \n")), "empty text: toy gave an empty text"),
        (Toy(lambda _: Reply(text="x" * 1_000_000)), "too long: toy gave 1,000,000 characters"),
        (Toy(lambda _: Reply(text="<!DOCTYPE html><html><body>502</body></html>")), "no reply: the reply is a page"),
        (Toy(lambda _: "Psycho"), "no reply: toy gave str"),  # type: ignore[arg-type,return-value]
        (Toy(lambda _: Reply(text=None)), "no reply: toy gave a text of type NoneType"),  # type: ignore[arg-type]
    ],
)
def test_a_reply_that_is_none_ends_the_dialogue_as_a_failure_that_says_what_happened(system: Toy, failure: str) -> None:
    simulation = simulate(system, on=stage(pairs=1))
    dialogue = simulation.dialogue
    assert dialogue.ended == "failed"
    assert str(dialogue.failure).startswith(f"system: {failure}")
    last = dialogue.turns[-1]
    assert isinstance(last, SystemTurn)
    assert str(last.failure).startswith(failure)
    assert len(last.text) <= 2000
    assert last.seconds is not None


def test_a_system_that_hangs_is_given_up_in_time() -> None:
    simulation = simulate(Hanging(), on=stage(timeout=0.05))
    assert simulation.dialogue.ended == "failed"
    assert str(simulation.dialogue.failure).startswith("system: timeout: hanging did not reply within 0.05 s")
    assert simulation.seconds < 5.0


def test_a_system_that_cannot_begin_is_a_failure_too() -> None:
    class Broken(Toy):
        def begin(self) -> object:  # type: ignore[override]
            raise OSError("no room")

    assert "could not begin a dialogue: OSError: no room" in str(simulate(Broken(ask)).dialogue.failure)


def test_html_within_a_reply_is_text_like_any_other() -> None:
    simulation = simulate(Toy(lambda _: Reply(text="<b>What</b> genre <script>alert(1)</script>?")))
    assert simulation.dialogue.ended != "failed"
    assert "<script>" in simulation.dialogue.system_turns[0].text


def test_half_a_character_and_nul_are_mended_so_that_every_database_holds_them() -> None:
    text = simulate(Toy(lambda _: Reply(text="Ah\ud800 \x00?"))).dialogue.system_turns[0].text
    assert text == "Ah� ␀?"
    text.encode()


def test_unknown_items_are_noticed_and_the_dialogue_goes_on() -> None:
    simulation = simulate(
        Toy(lambda _: Reply(text="Try this.", ranking=("f001", "x9"), unknown=("Xyz",), recommends=True))
    )
    notice = next(notice for notice in simulation.notices if notice.mark == "unknown items")
    assert notice.turn == 2
    assert "x9" in notice.detail
    assert "Xyz" in notice.detail
    assert {"unknown items", "no title", "system repeats"} <= marks(simulation)
    assert simulation.dialogue.system_turns[0].ranking == ("f001",)
    assert len(simulation.dialogue.system_turns) > 1


def test_a_system_that_says_the_same_three_times_is_noticed_at_the_third() -> None:
    simulation = simulate(Toy(lambda _: Reply(text="Hm.")), persona("curiosity-adults"))
    (notice,) = (notice for notice in simulation.notices if notice.mark == "system repeats")
    assert notice.turn == 6
    assert "system repeats" not in marks(simulate(Toy(ask), persona("curiosity-adults")))


def test_accepting_what_was_never_recommended_is_noticed() -> None:
    for title, expected in (("Psycho", {"accepted unrecommended"}), ("Xyz", {"accepted unrecommended"})):
        simulation = simulate(Toy(ask), on=stage(users=Scripted(accepting(title))))
        assert simulation.dialogue.ended == "accepted"
        assert marks(simulation) == expected


def test_accepting_what_does_not_fit_is_noticed() -> None:
    system = Toy(lambda _: recommend("Casablanca"))
    assert marks(simulate(system, on=stage(users=Scripted(accepting("Casablanca"))))) == {"accepted unfit"}
    assert marks(simulate(Toy(lambda _: recommend("Psycho")), on=stage(users=Scripted(accepting("Psycho"))))) == set()


def test_a_user_that_repeats_itself_and_goodbyes_to_and_fro_are_noticed() -> None:
    bye = Answer(turn=UserTurn(text="Goodbye!"))
    simulation = simulate(Toy(lambda t: Reply(text=f"Bye {len(t)}.")), on=stage(users=Scripted(bye, bye, bye)))
    assert {"goodbyes", "user repeats"} <= marks(simulation)
    assert "goodbyes" not in marks(simulate(Toy(ask), persona("boredom-adults")))


def test_a_user_whose_answer_cannot_be_read_ends_the_dialogue_as_a_failure_of_the_user() -> None:
    simulation = simulate(Toy(ask), on=stage(users=Scripted(UserFailedError("no answer", final=True))))
    assert (simulation.dialogue.ended, simulation.dialogue.failure) == ("failed", "user: no answer")


def test_a_user_that_could_not_be_asked_makes_no_dialogue() -> None:
    with pytest.raises(UserFailedError, match="endpoint is down"):
        simulate(Toy(ask), on=stage(users=Scripted(UserFailedError("endpoint is down", final=False))))


# ------------------------------------------------------------------------------------------------------------- pairs


def test_a_pair_puts_a_paraphrase_to_a_fresh_conversation_in_the_same_state() -> None:
    system = Toy(ask)
    simulation = simulate(system, persona("curiosity-adults"), on=stage(pairs=1))
    (pair,) = simulation.pairs
    said = to_turns(simulation.dialogue.turns)
    place = 2 * (pair.turn - 1)
    assert pair.wording == said[place].text != pair.paraphrase
    assert pair.first == simulation.dialogue.system_turns[pair.turn - 1]
    assert pair.second.text == pair.first.text  # this system hears only how many turns there were
    dialogue, replay = system.given
    assert replay[:-1] == dialogue[: pair.turn - 1]
    assert replay[-1] == [*said[:place], Turn(speaker="user", text=pair.paraphrase)]
    assert system.closed == 2


def test_a_dialogue_is_the_same_with_and_without_pairs() -> None:
    without, with_pairs = (simulate(Toy(ask), on=stage(pairs=n)).dialogue for n in (0, 3))
    assert to_turns(without.turns) == to_turns(with_pairs.turns)


def test_several_turns_are_paraphrased_each_once_and_in_order() -> None:
    simulation = simulate(Toy(ask), persona("curiosity-adults"), on=stage(pairs=4))
    turns = [pair.turn for pair in simulation.pairs]
    assert turns == sorted(set(turns))
    assert len(turns) == 4
    assert max(turns) <= 10  # the last turn of the user has no reply


def test_any_turn_with_a_reply_may_be_chosen() -> None:
    chosen = {
        simulate(Toy(ask), persona("curiosity-adults"), replicate=r, on=stage(pairs=1)).pairs[0].turn
        for r in range(1, 60)
    }
    assert chosen == set(range(1, 11))


def test_a_system_that_fails_on_the_paraphrase_is_kept_as_a_pair_with_its_failure() -> None:
    calls: list[int] = []

    def once(turns: Sequence[Turn]) -> Reply:
        calls.append(len(turns))
        if calls.count(1) > 1:
            raise SystemFailedError("worn out", kind="crashed")
        return ask(turns)

    (pair,) = simulate(Toy(once), on=stage(pairs=1)).pairs
    assert pair.first.failure is None
    assert pair.second.failure == "crashed: worn out"


def test_a_dialogue_without_a_proper_reply_has_no_pair_and_is_no_target_for_raters() -> None:
    silent = simulate(Toy(breaks), on=stage(pairs=2))
    assert silent.pairs == ()
    assert to_target(silent) is None
    target = to_target(simulate(fails()))
    assert target is not None
    assert target.system == "toy"
    assert [turn.speaker for turn in target.turns] == ["user", "system", "user", "system"]


def test_dialogues_side_by_side_do_not_disturb_each_other() -> None:
    scene = stage(pairs=1)

    async def together() -> list[Simulation]:
        cases = [Case(system=Toy(ask), persona=persona(), preference=WANT, replicate=r) for r in range(1, 9)]
        return await asyncio.gather(*(simulate_dialogue(case, scene) for case in cases))

    for simulation in asyncio.run(together()):
        alone = simulate(Toy(ask), replicate=simulation.replicate, on=scene)
        assert to_turns(simulation.dialogue.turns) == to_turns(alone.dialogue.turns)
        assert [pair.paraphrase for pair in simulation.pairs] == [pair.paraphrase for pair in alone.pairs]


def test_the_settings_change_with_all_that_makes_dialogues_what_they_are() -> None:
    base = stage().settings
    assert base == stage(users=AgendaUsers()).settings
    assert base != stage(fit="equal").settings != stage(pairs=2).settings
    assert stage(seed=2).settings != base
    assert stage(timeout=9.0).settings == base


class Prompt:
    """A system that replies in time."""

    name = "prompt"

    def begin(self) -> "Prompt":
        return self

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        await asyncio.sleep(0.05)
        return ask(turns)

    async def close(self) -> None: ...


class Reading(Listener):
    """A listener that takes its time with a long text."""

    def hear(self, reply: Reply) -> Heard:
        if len(reply.text) > 4000:
            time.sleep(0.4)
        return super().hear(reply)


def test_the_long_text_of_one_system_takes_no_time_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialgauge.simulate.session.Listener", Reading)
    scene, wordy = stage(timeout=0.3), Toy(lambda _: Reply(text="word " * 1000))

    async def run() -> list[Simulation]:
        cases = [Case(system=system, persona=persona(), preference=WANT) for system in (wordy, Prompt())]
        return list(await asyncio.gather(*(simulate_dialogue(case, scene) for case in cases)))

    assert [simulation.dialogue.failure for simulation in asyncio.run(run())] == [None, None]


def away(before: int) -> Toy:
    """Return a system that is not reached from the reply after ``before`` on."""

    def answer(turns: Sequence[Turn]) -> Reply:
        if len(turns) > 2 * before:
            raise SystemFailedError("nobody listens", kind="unreachable")
        return ask(turns)

    return Toy(answer)


def test_where_a_system_is_not_reached_before_its_first_reply_there_is_no_dialogue() -> None:
    with pytest.raises(SystemAwayError, match="unreachable: nobody listens"):
        simulate(away(0))


def test_a_system_that_replied_and_is_not_reached_later_has_failed() -> None:
    dialogue = simulate(away(1)).dialogue
    assert (dialogue.ended, dialogue.failure) == ("failed", "system: unreachable: nobody listens")
    assert len(dialogue.system_turns) == 2


def test_a_system_that_is_gone_when_the_paraphrase_is_put_to_it_leaves_a_pair_that_failed() -> None:
    class Leaving(Toy):
        def begin(self) -> ToyConversation:
            if self.given:
                raise SystemFailedError("nobody listens", kind="unreachable")
            return super().begin()

    (pair,) = simulate(Leaving(ask), on=stage(pairs=1)).pairs
    assert pair.first.failure is None
    assert pair.second.failure == "unreachable: nobody listens"
