"""What changes while people rate: answers elsewhere, questions and dialogues of the study, and the clock."""

import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dialgauge.collect.people import open_people
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.study import StudyFolder, read_study

from .conftest import Survey, open_survey


def with_dimensions(survey: Survey, *names: str) -> StudyFolder:
    """Return the folder of a study that asks for these dimensions alone."""
    folder = read_study(survey.root)
    return replace(folder, study=folder.study.model_copy(update={"dimensions": names}))


def test_an_answer_to_what_was_changed_since_it_was_seen_leaves_the_newer_one(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    task = people.next_task(rater)
    assert task is not None
    target = task.target.id
    assert people.answer(rater, target, "ease", 4.0, seen=0).revision == 1
    newer = people.answer(rater, target, "ease", 1.0, seen=1)
    assert people.answer(rater, target, "ease", 4.0, seen=1) == newer
    assert people.answer(rater, target, "ease", 5.0, seen=0) == newer
    assert people.answer(rater, target, "ease", 5.0, seen=2).revision == 3
    assert people.answer(rater, target, "ease", 4.0).revision == 4


def test_completed_tasks_that_lack_a_new_question_come_back_to_their_raters_before_anything_new(
    tmp_path: Path, location: str
) -> None:
    with open_survey(tmp_path, location, n_targets=3, per_target=2, most_per_rater=2) as survey:
        few = open_people(with_dimensions(survey, "ease"), survey.store, now=survey.clock)
        rater, other = few.enter("a"), few.enter("b")
        done = []
        for name in (rater, rater, other):
            task = few.next_task(name)
            assert task is not None
            few.answer(name, task.target.id, "ease", 3.0)
            few.complete(name, task.target.id)
            done.append(task.target.id)
        assert few.next_task(rater) is None
        assert sum(one.unanswered for one in few.progress()) == 0
        people = survey.people
        assert sum(one.unanswered for one in people.progress()) == 3
        for target in done[:2]:
            task = people.next_task(rater)
            assert task is not None
            assert (task.target.id, task.state, task.expires, list(task.answers)) == (
                target,
                "completed",
                None,
                ["ease"],
            )
            people.answer(rater, target, "trust", 3.0)
        assert people.next_task(rater) is None
        assert sum(one.unanswered for one in people.progress()) == 1
        people.withdraw(other)
        assert sum(one.unanswered for one in people.progress()) == 0


def test_what_was_taken_out_of_the_study_does_not_count_towards_the_most_that_one_may_rate(tmp_path: Path) -> None:
    with open_survey(tmp_path, n_targets=3, per_target=2, most_per_rater=1) as survey:
        rater = survey.people.enter("a")
        done = survey.rate(rater)
        assert survey.people.next_task(rater) is None
        write_dialogues([one for one in survey.store.targets() if one.id != done], survey.root / "targets.jsonl")
        people = open_people(read_study(survey.root), survey.store, now=survey.clock)
        assert people.completions(rater) == ()
        assert people.next_task(rater) is not None


def test_no_reservation_lasts_longer_than_one_from_now_also_after_the_clock_was_ahead(survey: Survey) -> None:
    people, first, second = survey.people, survey.people.enter("a"), survey.people.enter("b")
    survey.clock.pass_minutes(60 * 24 * 365)
    task = people.next_task(first)
    assert task is not None
    survey.clock.pass_minutes(-60 * 24 * 365)
    other = people.next_task(second)
    assert other is not None
    hold = timedelta(minutes=30)
    assert people.task(first, task.target.id).expires == survey.clock.moment + hold
    people.answer(first, task.target.id, "ease", 3.0)
    assert people.task(first, task.target.id).expires == survey.clock.moment + hold
    survey.clock.pass_minutes(31)
    assert people.held(first) == ()


def test_what_is_to_be_brought_in_waits_no_longer_than_it_is_told_to(small: Survey) -> None:
    rater = small.people.enter("a")
    kept = [one for one in small.store.targets() if one.id == "d0"]
    write_dialogues([*kept, kept[0].model_copy(update={"id": "d9"})], small.root / "targets.jsonl")
    with sqlite3.connect(small.root / "study.db", isolation_level=None) as connection:
        connection.execute("BEGIN IMMEDIATE")
        people = open_people(read_study(small.root), small.store, now=small.clock, patience=0.3)
        assert [one.target for one in people.progress()] == ["d0"]
        assert [one.rater for one in people.people()] == [rater]
        connection.execute("ROLLBACK")
    connection.close()
    people = open_people(read_study(small.root), small.store, now=small.clock, patience=0.3)
    assert [one.target for one in people.progress()] == ["d0", "d9"]
