"""Many at once, and the sudden end of one: no place is given twice, and no acknowledged answer is lost."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import takewhile
from pathlib import Path
from threading import Barrier
from typing import TypeVar

import pytest

from dialgauge.collect.people import open_people
from dialgauge.io.study import read_study

from .conftest import Survey, open_survey

ROOT = Path(__file__).parents[3]
CROWD = 8
ROUNDS = 4

Result = TypeVar("Result")


def all_at_once(works: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run each of ``works`` in a thread of its own, all begun in the same moment."""
    barrier = Barrier(len(works))

    def wait_and(work: Callable[[], Result]) -> Result:
        barrier.wait(30)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(wait_and, works))


@pytest.mark.parametrize("apart", [False, True], ids=["one pool of connections", "a store for each"])
def test_each_place_goes_to_one_of_those_who_race_for_it(tmp_path: Path, location: str, apart: bool) -> None:
    with ExitStack() as stack:
        survey = stack.enter_context(open_survey(tmp_path, location, n_targets=2, per_target=2))
        folder = read_study(tmp_path)
        stores = [stack.enter_context(folder.open_store()) if apart else survey.store for _ in range(CROWD)]
        desks = [open_people(folder, store, now=survey.clock) for store in stores]
        names = all_at_once([partial(desk.enter, f"code {i}") for i, desk in enumerate(desks)])
        assert len({*names}) == CROWD
        for _ in range(ROUNDS):
            tasks = all_at_once([partial(desk.next_task, name) for desk, name in zip(desks, names, strict=True)])
            assert sorted(task.target.id for task in tasks if task is not None) == ["d0", "d0", "d1", "d1"]
            assert survey.counts() == {"d0": (0, 2), "d1": (0, 2)}
            survey.clock.pass_minutes(31)


def test_one_code_entered_many_times_at_once_is_one_rater(survey: Survey) -> None:
    assert all_at_once([partial(survey.people.enter, "same")] * CROWD) == ["person-001"] * CROWD
    assert len(survey.store.raters()) == 1


def test_one_rater_in_two_windows_gets_one_task(survey: Survey) -> None:
    rater = survey.people.enter("a")
    tasks = all_at_once([partial(survey.people.next_task, rater)] * CROWD)
    assert len({task.target.id for task in tasks if task is not None}) == 1
    assert survey.people.people()[0].reserved == 1


def test_answers_that_come_at_once_are_all_in_the_log_and_numbered_one_by_one(survey: Survey) -> None:
    rater = survey.people.enter("a")
    task = survey.people.next_task(rater)
    assert task is not None
    values = [1.0 + i % 5 for i in range(CROWD)]
    people = open_people(read_study(survey.root), survey.store)  # by the clock of the machine
    given = all_at_once([partial(people.answer, rater, task.target.id, "ease", value) for value in values])
    log = [answer for _, answer in survey.people.revisions(rater, task.target.id)]
    assert [answer.revision for answer in log] == list(range(1, len(log) + 1))
    assert {*given} == {*log}
    assert [answer.at for answer in log] == sorted(answer.at for answer in log)
    assert survey.people.task(rater, task.target.id).answers["ease"] == log[-1]


def test_a_crowd_finishes_a_study_with_exactly_k_raters_for_each_target(tmp_path: Path, location: str) -> None:
    with open_survey(tmp_path, location, n_targets=6, per_target=3) as survey:
        names = [survey.people.enter(f"code {i}") for i in range(CROWD)]

        def work(rater: str) -> list[str]:
            return list(takewhile(bool, iter(lambda: survey.rate(rater) or "", None)))

        done = all_at_once([partial(work, name) for name in names])
        assert survey.counts() == {f"d{i}": (3, 0) for i in range(6)}
        assert all(len({*targets}) == len(targets) for targets in done)
        assert survey.store.ratings().frame.height == 6 * 3 * 2


@pytest.mark.parametrize("acknowledged", [1, 7])
def test_answers_that_were_acknowledged_before_a_kill_are_there_and_the_rater_goes_on(
    tmp_path: Path, location: str, acknowledged: int
) -> None:
    with open_survey(tmp_path, location, n_targets=1) as survey:
        command = [sys.executable, "-m", "tests.collect.people.worker", str(tmp_path), "a code"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(acknowledged)]
            process.kill()
            said += process.stdout.readlines()
        told = [line.split() for line in said if line.endswith("\n")]
        rater, target = survey.people.enter("a code"), "d0"
        log = [
            (rater, target, f"{one.revision}", f"{one.value:g}") for _, one in survey.people.revisions(rater, target)
        ]
        assert log[: len(told)] == [tuple(line) for line in told]
        assert len(told) >= acknowledged
        assert len(log) <= len(told) + 1
        task = open_people(read_study(tmp_path), survey.store).next_task(rater)
        assert task is not None
        assert (task.target.id, task.answers["ease"].revision) == (target, len(log))
