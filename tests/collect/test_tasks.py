"""What is still to be asked, and in which calls."""

from collections.abc import Collection, Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.tasks import CHUNK, CallKey, Key, Layout, Task, lacking_tasks, seed_of
from dialgauge.model import Dialogue, Turn


class Kept:
    """A store of keys that counts how it is asked."""

    def __init__(self, keys: Collection[Key] = (), attempts: dict[CallKey, int] | None = None) -> None:
        self.keys, self.attempts, self.asked = set(keys), attempts or {}, 0

    def done(self, rater: str, targets: Iterable[str]) -> set[Key]:  # noqa: ARG002 (as the protocol has it)
        self.asked += 1
        return {key for key in self.keys if key[0] in set(targets)}

    def attempted(self, rater: str, targets: Iterable[str]) -> dict[CallKey, int]:  # noqa: ARG002 (likewise)
        return self.attempts


def dialogues(n: int) -> list[Dialogue]:
    return [Dialogue(id=f"d{i}", turns=(Turn(speaker="user", text="x"),)) for i in range(n)]


def keys_of(tasks: Sequence[Task]) -> list[Key]:
    return [(task.dialogue.id, name, task.replicate) for task in tasks for name in task.dimensions]


def layout(**changes: object) -> Layout:
    settings = {"rater": "m", "dimensions": ("a", "b", "c"), "replicates": (1, 2), **changes}
    return Layout(**settings)  # type: ignore[arg-type]


def test_each_rating_is_asked_for_once() -> None:
    keys = keys_of(list(lacking_tasks(layout(), dialogues(5), Kept())))
    assert len(keys) == len(set(keys)) == 5 * 3 * 2


def test_what_is_there_is_not_asked_again() -> None:
    there = {("d1", "b", 2), ("d0", "a", 1)}
    keys = keys_of(list(lacking_tasks(layout(), dialogues(2), Kept(there))))
    assert set(keys).isdisjoint(there)
    assert len(keys) == 2 * 3 * 2 - 2


def test_a_finished_study_asks_nothing() -> None:
    everything = keys_of(list(lacking_tasks(layout(), dialogues(3), Kept())))
    assert list(lacking_tasks(layout(), dialogues(3), Kept(everything))) == []


def test_several_dimensions_a_call_come_in_groups_of_that_size() -> None:
    sizes = [len(task.dimensions) for task in lacking_tasks(layout(per_call=2), dialogues(1), Kept())]
    assert sizes == [2, 1, 2, 1]
    sizes = [len(task.dimensions) for task in lacking_tasks(layout(per_call="all"), dialogues(1), Kept())]
    assert sizes == [3, 3]


def test_a_shuffled_order_differs_between_targets_and_replicates_and_repeats_under_its_seed() -> None:
    many = layout(dimensions=tuple("abcdefgh"), per_call="all", order="shuffled")
    first = [task.dimensions for task in lacking_tasks(many, dialogues(10), Kept())]
    again = [task.dimensions for task in lacking_tasks(many, dialogues(10), Kept())]
    assert first == again
    assert len(set(first)) > 15
    assert {tuple(sorted(order)) for order in first} == {tuple("abcdefgh")}


def test_groups_that_were_cut_short_by_a_crash_are_the_same_when_taken_up_again() -> None:
    many = layout(dimensions=tuple("abcdef"), per_call=2, order="shuffled", replicates=(1,))
    whole = list(lacking_tasks(many, dialogues(1), Kept()))
    rest = list(lacking_tasks(many, dialogues(1), Kept(keys_of(whole[1:2]))))
    assert [task.dimensions for task in rest] == [whole[0].dimensions, whole[2].dimensions]


def test_the_store_is_asked_once_for_a_chunk_of_targets() -> None:
    store = Kept()
    list(lacking_tasks(layout(), dialogues(2 * CHUNK + 1), store))
    assert store.asked == 3


def test_attempts_that_failed_before_are_counted_on() -> None:
    store = Kept(attempts={("d0", 1, ("a",)): 4})
    tasks = list(lacking_tasks(layout(replicates=(1,)), dialogues(1), store))
    assert [task.attempted for task in tasks] == [4, 0, 0]


@given(st.integers(0, 3), st.integers(1, 4), st.integers(0, 2))
def test_each_replicate_and_each_further_ask_has_a_seed_of_its_own(target: int, replicate: int, ask: int) -> None:
    (dialogue,) = dialogues(target + 1)[target:]
    seeds = {
        seed_of(1, "m", Task(dialogue, ("a",), replicate + shift), ask + more)
        for shift in range(3)
        for more in range(3)
    }
    assert len(seeds) == 9
    assert all(0 <= seed < 2**31 for seed in seeds)
