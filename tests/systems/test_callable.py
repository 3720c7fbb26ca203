"""Recommenders in Python: what they may return, and every way in which they fail."""

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.systems import examples
from tests.systems.talk import ask, ask_all, dialogue, fail, talk

from dialgauge.systems import CheckedSystem, Reply, SystemFailedError, open_system
from dialgauge.systems.callable import CallableSystem
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.threads import MOST_LOST

Function: TypeAlias = Any
"""Anything that is taken for a recommender."""


@pytest.fixture(autouse=True)
def released() -> Iterator[None]:
    """Let what hangs end with the test."""
    examples.release.clear()
    yield
    examples.release.set()


def make(finder: ItemFinder, function: Function, *, timeout: float = 10.0) -> CallableSystem:
    return CallableSystem(function, finder, name="mine", timeout=timeout)


def test_a_text_alone_ranks_the_titles_in_it(finder: ItemFinder) -> None:
    reply = ask(make(finder, examples.plain), "hello")
    assert reply.text == 'You said hello. Try "Alien" (1979).'
    assert [finder.catalogue.by_id[name].title for name in reply.ranking] == ["Alien"]
    assert reply.recommends is None


def test_a_dict_may_give_items_by_id_or_title_and_what_is_unknown_is_kept(finder: ItemFinder) -> None:
    reply = ask(make(finder, examples.full), "hello")
    assert [finder.catalogue.by_id[name].title for name in reply.ranking] == ["Nosferatu", "Alien"]
    assert reply.unknown == ("nowhere",)
    assert reply.recommends is True


def test_a_tuple_may_be_cut_short(finder: ItemFinder) -> None:
    reply = ask(make(finder, examples.pair), "hello")
    assert (reply.ranking, reply.recommends) == (("f001",), None)


def test_asynchronous_functions_are_awaited(finder: ItemFinder) -> None:
    assert [reply.text for reply in ask_all(make(finder, examples.later), [("a",)] * 5)] == ["later"] * 5


def test_what_a_function_does_to_its_argument_changes_nothing_else(finder: ItemFinder) -> None:
    turns = dialogue("a", "b", "c")

    async def run() -> None:
        await make(finder, examples.spoil).begin().reply(turns)

    asyncio.run(run())
    assert len(turns) == 3


def test_each_dialogue_has_an_object_of_its_own_that_is_closed(finder: ItemFinder) -> None:
    system = make(finder, examples.Counting)
    examples.Counting.closed.clear()
    first, second = (talk(system, "a", "b"), talk(system, "a"))
    assert [reply.text.split(": ")[1] for reply in (*first, *second)] == ["1", "2", "1"]
    assert first[0].text.split(": ")[0] != second[0].text.split(": ")[0]
    assert len(set(examples.Counting.closed)) == 2


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (examples.crash, "mine raised ValueError: no idea"),
        (examples.leave, "mine raised SystemExit: gone"),
        (examples.stop, "mine raised StopIteration"),
        (examples.crash_later, "mine raised KeyboardInterrupt"),
        (examples.Unmakable, "mine raised OSError: no weights"),
    ],
)
def test_whatever_is_raised_is_a_crash_with_its_message(finder: ItemFinder, function: Function, said: str) -> None:
    error = fail(make(finder, function), "hello")
    assert (error.kind, str(error)) == ("crashed", said)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "gave NoneType; expected: a text"),
        (5, "gave int; expected: a text"),
        (["text"], "gave list"),
        ({"reply": "x"}, r"a mapping without text \(its keys: reply\)"),
        ({"text": 5}, "a text of type int; expected: a str"),
        ({"text": "x", "items": "f001"}, "items of type str; expected: a list of ids or titles"),
        ({"text": "x", "items": [1.5]}, "an item of type float"),
        ({"text": "x", "items": ["f001"] * 10_001}, "10,001 items"),
        ({"text": "x", "recommends": "yes"}, "recommends of type str; expected: true, false or nothing"),
        (("x", [], True, 1), "a tuple of 4"),
        ((), "a tuple of 0"),
    ],
)
def test_a_value_of_another_type_is_no_reply_and_what_was_expected_is_said(
    finder: ItemFinder, value: object, said: str
) -> None:
    error = fail(make(finder, lambda _: value), "hello")
    assert error.kind == "no reply"
    with pytest.raises(type(error), match=said):
        raise error


@pytest.mark.parametrize("function", [examples.hang, examples.hang_later, examples.block])
def test_a_hang_is_a_timeout(finder: ItemFinder, function: Function) -> None:
    start = time.monotonic()
    error = fail(make(finder, function, timeout=0.2), "hello")
    assert (error.kind, str(error)) == ("timeout", "mine did not return within 0.2 s")
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("function", [examples.hang_later, examples.block])
def test_the_next_dialogue_is_not_held_up_by_an_asynchronous_hang(finder: ItemFinder, function: Function) -> None:
    system = make(finder, function, timeout=0.3)

    async def run() -> str:
        with pytest.raises(Exception, match="did not return"):
            await system.begin().reply(dialogue("hello"))
        reply = await system.begin().reply(dialogue("quick"))
        await system.close()
        return reply.text

    assert asyncio.run(run()) == "quick"


def test_only_so_many_threads_may_be_lost_and_they_count_again_once_they_end(finder: ItemFinder) -> None:
    system = make(finder, examples.hang, timeout=0.05)
    errors = [fail(system, "hello") for _ in range(MOST_LOST + 1)]
    assert "did not return" in str(errors[MOST_LOST - 1])
    assert f"{MOST_LOST} earlier calls still hang" in str(errors[MOST_LOST])
    assert {error.kind for error in errors} == {"timeout"}
    examples.release.set()
    deadline = time.monotonic() + 5
    while system._threads.lost and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ask(system, "hello").text == "too late"


def test_dialogues_are_answered_at_the_same_time(finder: ItemFinder) -> None:
    start = time.monotonic()
    ask_all(make(finder, examples.slow), [("a",)] * 20)
    assert time.monotonic() - start < 2.0


@pytest.mark.parametrize("name", ["cancels", "cancels_inside", "cancels_its_task", "ends_its_loop"])
def test_a_function_that_ends_its_own_task_or_loop_has_crashed_and_the_next_dialogue_is_fine(
    finder: ItemFinder, name: str
) -> None:
    function = getattr(examples, name)

    async def run() -> tuple[str, str]:
        system = make(finder, function, timeout=5.0)
        with pytest.raises(SystemFailedError) as caught:
            await system.begin().reply(dialogue("now"))
        await asyncio.sleep(0.05)
        reply = await system.begin().reply(dialogue("later"))
        await system.close()
        return caught.value.kind, reply.text

    assert asyncio.run(run()) == ("crashed", "fine")


def test_an_error_that_cannot_even_say_what_it_is_is_a_crash(finder: ItemFinder) -> None:
    error = fail(make(finder, examples.raise_unspeakable), "hi")
    assert (error.kind, str(error)) == ("crashed", "mine raised UnspeakableError")


def test_a_text_that_is_too_long_is_not_read_first(finder: ItemFinder, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: object, text: str) -> object:
        raise AssertionError(f"{len(text)} characters were read")

    monkeypatch.setattr(ItemFinder, "read", read)
    for value in ("a " * 60_000, {"text": "a " * 60_000}, Reply(text="a " * 60_000)):
        error = fail(make(finder, lambda _, value=value: value), "hi")
        assert (error.kind, len(error.text)) == ("too long", 100_000)


def test_the_time_that_reading_takes_is_not_the_systems(finder: ItemFinder, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
        time.sleep(0.5)
        return ("f001",), ()

    monkeypatch.setattr(ItemFinder, "read", read)
    system = CheckedSystem(make(finder, lambda _: "word " * 1000, timeout=0.3), finder.catalogue, timeout=0.3)
    assert ask(system, "hi").ranking == ("f001",)


def test_a_module_beside_the_function_is_found_when_it_is_imported_in_a_call(
    finder: ItemFinder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "sibling_of_lazy.py").write_text('TEXT = "found"\n')
    (tmp_path / "lazy_in_a_call.py").write_text(
        "def reply(turns):\n    import sibling_of_lazy\n    return sibling_of_lazy.TEXT\n"
    )
    assert ask(open_system("lazy_in_a_call:reply", finder, folder=tmp_path), "hi").text == "found"
