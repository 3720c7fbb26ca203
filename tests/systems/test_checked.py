"""Whatever a system does, a proper reply or one kind of error comes out."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.talk import ask, fail

from dialgauge.io.catalogues import read_catalogue
from dialgauge.model import Turn
from dialgauge.systems import CheckedSystem, Conversation, Reply, SystemFailedError
from dialgauge.systems.apart import stop_clock
from dialgauge.systems.protocol import LONGEST_TEXT

FILMS = read_catalogue("films")


class Scripted:
    """A system whose reply, and end, are what a function does."""

    name = "scripted"

    def __init__(self, behave: Callable[[], object], *, closing: Callable[[], None] = lambda: None) -> None:
        self._behave, self._closing = behave, closing

    def begin(self) -> Conversation:
        return self

    async def reply(self, turns: Sequence[Turn]) -> Reply:  # noqa: ARG002 (the name is the protocol's)
        made = self._behave()
        if made is None:
            await asyncio.sleep(60)
        return made  # type: ignore[return-value] # also what is no reply

    async def close(self) -> None:
        self._closing()


def checked(made: object) -> CheckedSystem:
    return CheckedSystem(Scripted(lambda: made), FILMS, timeout=0.3)


def _raise(error: Exception) -> None:
    raise error


def test_a_proper_reply_passes_as_it_is() -> None:
    reply = Reply(text="<p>Alien &amp; co.</p>", ranking=("f002", "f001"), recommends=False, unknown=("x",))
    assert ask(checked(reply), "hi") == reply


def test_unknown_items_are_set_apart_and_doubled_ones_dropped() -> None:
    reply = ask(checked(Reply(text="x", ranking=("f002", "no", "f002", "f001", "no"), unknown=("Zed",))), "hi")
    assert (reply.ranking, reply.unknown) == (("f002", "f001"), ("Zed", "no"))


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (Reply(text=" \n\t"), "empty text"),
        (Reply(text=""), "empty text"),
        (Reply(text="x" * (LONGEST_TEXT + 1)), "too long"),
        (Reply(text="x" * 1_000_000), "too long"),
        ("a text", "no reply"),
        (Reply(text=5), "no reply"),  # type: ignore[arg-type] # on purpose
        (None, "timeout"),
    ],
)
def test_what_is_no_proper_reply_is_a_failure(made: object, kind: str) -> None:
    error = fail(checked(made), "hi")
    assert error.kind == kind
    assert len(error.text) <= LONGEST_TEXT


def test_a_text_of_the_greatest_length_passes() -> None:
    assert len(ask(checked(Reply(text="x" * LONGEST_TEXT)), "hi").text) == LONGEST_TEXT


def test_half_characters_are_replaced() -> None:
    assert ask(checked(Reply(text="a\ud800b\x00")), "hi").text == "a\ufffdb\u2400"


@pytest.mark.parametrize("error", [ValueError("no\nidea"), KeyError("x"), ConnectionError(), RecursionError()])
def test_any_error_is_a_crash(error: Exception) -> None:
    found = fail(CheckedSystem(Scripted(lambda: _raise(error)), FILMS), "hi")
    assert found.kind == "crashed"
    assert type(error).__name__ in str(found)
    assert "\n" not in str(found)


def test_a_failure_of_the_system_keeps_its_kind() -> None:
    error = SystemFailedError("gone", kind="unreachable", text="\ud800" + "x" * 200_000)
    found = fail(CheckedSystem(Scripted(lambda: _raise(error)), FILMS), "hi")
    assert (found.kind, len(found.text), found.text[0]) == ("unreachable", LONGEST_TEXT, "\ufffd")


def test_a_system_that_cannot_begin_is_a_failure() -> None:
    system = Scripted(lambda: Reply(text="x"))
    system.begin = lambda: _raise(OSError("no memory"))  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(SystemFailedError, match="could not begin a dialogue: OSError: no memory"):
        CheckedSystem(system, FILMS).begin()


def test_what_goes_wrong_at_the_end_changes_nothing() -> None:
    system = Scripted(lambda: Reply(text="x"), closing=lambda: _raise(OSError()))
    assert ask(CheckedSystem(system, FILMS), "hi").text == "x"


def test_a_cancelled_dialogue_is_no_failure_of_the_system() -> None:
    async def run() -> None:
        task = asyncio.create_task(CheckedSystem(Scripted(lambda: None), FILMS).begin().reply([]))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


@given(st.text(), st.lists(st.sampled_from(["f001", "f002", "f003", "no", "none"])), st.lists(st.text(max_size=3)))
def test_items_are_neither_lost_nor_doubled(text: str, ranking: list[str], unknown: list[str]) -> None:
    made = Reply(text=f"a{text}", ranking=tuple(ranking), unknown=tuple(unknown))
    reply = ask(checked(made), "hi")
    assert list(reply.ranking) == [name for name in dict.fromkeys(ranking) if name in FILMS.by_id]
    assert len(set(reply.unknown)) == len(reply.unknown)
    assert set(reply.ranking) | set(reply.unknown) >= set(ranking)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Reply(text="x", ranking=[["a"]]), "an item of type list"),  # type: ignore[arg-type]
        (Reply(text="x", ranking="f001"), "items of type str"),  # type: ignore[arg-type]
        (Reply(text="x", ranking=None), "a Reply whose ranking is no list of texts"),  # type: ignore[arg-type]
        (Reply(text="x", unknown=(1,)), "a Reply whose unknown is no list of texts"),  # type: ignore[arg-type]
        (Reply(text="x", recommends="maybe"), "recommends of type str"),  # type: ignore[arg-type]
        (Reply(text="x", recommends=[1]), "recommends of type list"),  # type: ignore[arg-type]
    ],
)
def test_a_reply_with_fields_of_another_type_is_no_reply(made: Reply, said: str) -> None:
    error = fail(checked(made), "hi")
    assert error.kind == "no reply"
    assert said in str(error)


def test_a_system_that_cancels_itself_has_crashed() -> None:
    def cancel() -> None:
        raise asyncio.CancelledError

    assert fail(CheckedSystem(Scripted(cancel), FILMS), "hi").kind == "crashed"
    assert ask(CheckedSystem(Scripted(lambda: Reply(text="x"), closing=cancel), FILMS), "hi").text == "x"


def test_a_dialogue_that_is_cancelled_from_outside_ends() -> None:
    async def run() -> None:
        task = asyncio.ensure_future(CheckedSystem(Scripted(lambda: None), FILMS).begin().reply([]))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_a_clock_that_has_run_out_does_not_hang_on_what_follows_in_the_same_task() -> None:
    class Stopping(Scripted):
        async def reply(self, turns: Sequence[Turn]) -> Reply:
            stop_clock()
            return await super().reply(turns)

    async def run() -> Reply:
        with pytest.raises(SystemFailedError, match="did not reply within"):
            await checked(None).begin().reply([])
        return await Stopping(lambda: Reply(text="x")).reply([])

    assert asyncio.run(run()).text == "x"
