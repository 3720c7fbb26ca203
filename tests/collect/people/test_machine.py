"""Whatever people do in whatever order: the queue and the log are those of a plain model of them."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dialgauge.collect.people import Task
from dialgauge.errors import InputError
from dialgauge.io.store import open_store

from .conftest import DIMENSIONS, Survey, open_survey

K = 2
TARGETS = 2
HOLD = 30

Pair = tuple[str, str]


@pytest.fixture(scope="module")
def fresh() -> Iterator[Path]:
    """Return the folder of a study in which nobody has entered, to be copied."""
    with tempfile.TemporaryDirectory() as folder:
        with open_survey(Path(folder) / "study", n_targets=TARGETS, per_target=K):
            pass
        yield Path(folder) / "study"


class Queue(RuleBasedStateMachine):
    """People of a study beside a model: what each pair of rater and target is, and what was said when."""

    fresh: Path

    @initialize()
    def open(self) -> None:
        self.stack = ExitStack()
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory())) / "study"
        shutil.copytree(self.fresh, folder)
        store = self.stack.enter_context(open_store(folder / "study.db"))
        self.survey = Survey(folder, store)
        self.people, self.clock = self.survey.people, self.survey.clock
        self.raters = [self.people.enter(f"code {i}") for i in range(4)]
        self.done: dict[Pair, str] = {}
        """Completed and given back."""
        self.until: dict[Pair, float] = {}
        """When the reservations end, in minutes from the start."""
        self.said: dict[Pair, list[tuple[str, float]]] = {}
        self.late: dict[str, int] = {}
        """How often each target was completed by somebody who did not hold it any more."""
        self.minute = 0.0

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            try:
                self.finish()
            finally:
                self.stack.close()

    # ------------------------------------------------------------------------------------------------------ the model

    def holds(self, pair: Pair) -> bool:
        return pair not in self.done and self.until[pair] > self.minute

    def open_of(self, target: str) -> int:
        """How many have completed or hold a target."""
        return sum(self.done.get(pair) == "completed" or self.holds(pair) for pair in self.until if pair[1] == target)

    def may_get(self, rater: str) -> set[str]:
        names = [f"d{i}" for i in range(TARGETS)]
        return {name for name in names if (rater, name) not in self.done and self.open_of(name) < K}

    def current(self, pair: Pair) -> dict[str, float]:
        return dict(self.said.get(pair, []))

    def pairs(self) -> list[Pair]:
        return sorted(self.until)

    # ----------------------------------------------------------------------------------------------------- what is done

    @precondition(lambda self: len(self.raters) < 6)
    @rule()
    def enter(self) -> None:
        code = f"code {len(self.raters)}"
        name = self.people.enter(code)
        assert name not in self.raters
        self.raters.append(name)
        assert [self.people.enter(f"code {i}") for i in range(len(self.raters))] == self.raters

    @precondition(lambda self: self.raters)
    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        rater = data.draw(st.sampled_from(self.raters))
        held = [target for who, target in self.pairs() if who == rater and self.holds((who, target))]
        may = self.may_get(rater)
        task = self.people.next_task(rater)
        if task is None:
            assert (held, may) == ([], set())
            return
        self.check_task(task, rater)
        if held:
            assert task.target.id in held
        else:
            begun = {target for target in may if (rater, target) in self.until}
            fewest = min(self.open_of(target) for target in begun or may)
            assert task.target.id in (begun or {target for target in may if self.open_of(target) == fewest})
        self.until[rater, task.target.id] = self.minute + HOLD

    def check_task(self, task: Task, rater: str) -> None:
        """Nobody sees another's answers."""
        assert task.rater == rater
        assert {name: one.value for name, one in task.answers.items()} == self.current((rater, task.target.id))

    @precondition(lambda self: self.until)
    @rule(data=st.data(), dimension=st.sampled_from(DIMENSIONS), value=st.sampled_from([1.0, 3.0, 5.0]))
    def answer(self, data: st.DataObject, dimension: str, value: float) -> None:
        self.say(data.draw(st.sampled_from(self.pairs())), dimension, value)

    def say(self, pair: Pair, dimension: str, value: float) -> None:
        answer = self.people.answer(*pair, dimension, value)
        log = self.said.setdefault(pair, [])
        if self.current(pair).get(dimension) != value:
            log.append((dimension, value))
        assert (answer.value, answer.revision) == (value, sum(name == dimension for name, _ in log))
        if self.holds(pair) or (pair not in self.done and self.open_of(pair[1]) < K):
            self.until[pair] = self.minute + HOLD

    @precondition(lambda self: self.until)
    @rule(data=st.data())
    def complete(self, data: st.DataObject) -> None:
        pair = data.draw(st.sampled_from(self.pairs()))
        lacking = [name for name in DIMENSIONS if name not in self.current(pair)]
        if lacking:
            with pytest.raises(InputError, match=repr(lacking[0])):
                self.people.complete(*pair)
        else:
            self.end(pair)

    def end(self, pair: Pair) -> None:
        self.people.complete(*pair)
        if self.done.get(pair) != "completed" and not self.holds(pair):
            self.late[pair[1]] = self.late.get(pair[1], 0) + 1
        self.done[pair] = "completed"

    @precondition(lambda self: self.until)
    @rule(data=st.data())
    def rate(self, data: st.DataObject) -> None:
        """Answer everything and complete, as most do."""
        pair = data.draw(st.sampled_from(self.pairs()))
        for name in DIMENSIONS:
            self.say(pair, name, 3.0)
        self.end(pair)

    @precondition(lambda self: self.until)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        pair = data.draw(st.sampled_from(self.pairs()))
        if self.done.get(pair) == "completed":
            with pytest.raises(InputError, match="cannot be given back"):
                self.people.give_back(*pair)
        else:
            self.people.give_back(*pair)
            self.done[pair] = "given-back"

    @rule(minutes=st.sampled_from([1.0, 29.0, 30.0, 31.0]))
    def wait(self, minutes: float) -> None:
        self.clock.pass_minutes(minutes)
        self.minute += minutes

    # ------------------------------------------------------------------------------------------------------- what holds

    @invariant()
    def the_queue_is_that_of_the_model(self) -> None:
        if not hasattr(self, "until"):
            return
        for one in self.people.progress():
            pairs = [pair for pair in self.until if pair[1] == one.target]
            completed = sum(self.done.get(pair) == "completed" for pair in pairs)
            assert (one.completed, one.reserved) == (completed, sum(map(self.holds, pairs)))
            assert one.completed + one.reserved <= K + self.late.get(one.target, 0)

    def finish(self) -> None:
        """Check that each change is in the log, the last ones are the ratings, and enough people finish the study."""
        for pair in self.until:
            assert [(name, one.value) for name, one in self.people.revisions(*pair)] == self.said.get(pair, [])
        done = [pair for pair, state in self.done.items() if state == "completed"]
        expected = {(*pair, name, value) for pair in done for name, value in self.current(pair).items()}
        frame = self.survey.store.ratings().frame
        assert sorted(frame.select("rater", "target", "dimension", "value").rows()) == sorted(expected)
        self.clock.pass_minutes(HOLD)
        self.minute += HOLD
        before = {one.target: one.completed for one in self.people.progress()}
        for i in range(K):
            rater = self.people.enter(f"new {i}")
            given = [self.survey.rate(rater) for _ in range(TARGETS + 1)]
            assert len({*given} - {None}) == len([name for name in given if name is not None])
        assert {one.target: one.completed for one in self.people.progress()} == {
            target: max(K, n) for target, n in before.items()
        }


def test_queue_and_log_are_those_of_a_plain_model_whatever_people_do(fresh: Path) -> None:
    """Never more than k hold or have completed a target unless somebody came back late; each change is logged once."""
    machine = type("Machine", (Queue,), {"fresh": fresh})
    run_state_machine_as_test(machine, settings=settings(max_examples=20, stateful_step_count=40, deadline=None))
