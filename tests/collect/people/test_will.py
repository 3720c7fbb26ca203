"""People withdraw, agree, stop and come back; how fast they were; in which order they are asked."""

import hashlib
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.people import open_people, order_questions
from dialgauge.errors import InputError
from dialgauge.io.store.people_will import ConsentError, WithdrawnError
from dialgauge.io.study import read_study

from .conftest import Survey, open_survey

TOLD = "5f1c0ffee5f1c0ffee5f1c0f"


def test_who_withdraws_is_in_no_table_and_no_count_and_their_place_is_refilled(survey: Survey) -> None:
    people = survey.people
    gone, stays = people.enter("gone"), people.enter("stays")
    assert {survey.rate(gone, 1.0), survey.rate(gone, 1.0)} == {"d0", "d1"}
    assert {survey.rate(stays, 5.0), survey.rate(stays, 5.0)} == {"d0", "d1"}
    assert people.next_task(people.enter("late")) is None
    assert [people.withdraw(gone), people.withdraw(gone)] == [True, False]
    assert survey.counts() == {"d0": (1, 0), "d1": (1, 0)}
    ratings = survey.store.ratings()
    assert set(ratings.frame["rater"]) == {stays}
    assert ratings.notes[-1] == "Left out: all answers by 1 person who withdrew."
    assert set(survey.store.rating_details()["rater"]) == {stays}
    assert {one.rater: one.with_value for one in survey.store.counts()}.get(gone, 0) == 0
    assert {survey.rate(people.enter("late")), survey.rate(people.enter("late"))} == {"d0", "d1"}
    (record, *_) = people.people()
    assert (record.rater, record.completed, record.withdrew) == (gone, 2, survey.clock.moment)
    assert len(people.revisions(gone, "d0")) == 2  # what was collected stays in the database


def test_who_withdrew_can_neither_get_answer_nor_complete_anything(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    task = people.next_task(rater)
    assert task is not None
    survey.fill_in(task)
    people.withdraw(rater)
    target = task.target.id
    for use in (
        lambda: people.next_task(rater),
        lambda: people.task(rater, target),
        lambda: people.answer(rater, target, "ease", 1.0),
        lambda: people.complete(rater, target),
    ):
        with pytest.raises(WithdrawnError, match="'person-001' withdrew from the study"):
            use()
    with pytest.raises(InputError, match="nobody has entered as 'person-009'"):
        people.withdraw("person-009")


def test_nobody_is_given_anything_before_they_agree_to_the_text_as_it_is(survey: Survey) -> None:
    file = survey.root / "study.toml"
    named = file.read_text(encoding="utf-8").replace("per_target = 2", 'per_target = 2, consent = "consent.txt"')
    file.write_text(named, encoding="utf-8")
    for text in ("One.", "Two."):
        (survey.root / "consent.txt").write_text(f"{text}\n", encoding="utf-8")
        people = open_people(read_study(survey.root), survey.store, now=survey.clock)
        rater = people.enter("a")
        before = survey.counts()
        with pytest.raises(ConsentError, match="'person-001' has not agreed to the text of the study"):
            people.next_task(rater)
        assert survey.counts() == before
        people.agree(rater)
        people.agree(rater)
        assert people.next_task(rater) is not None
        people.stop(rater)


def test_a_code_that_was_blanked_leads_to_nobody_and_the_name_stays(survey: Survey) -> None:
    people = survey.people
    first, second = people.enter(TOLD), people.enter("ben")
    survey.rate(first)
    assert people.erase_codes(first) == 1
    assert people.known_codes() == {first: "", second: "ben"}
    assert people.find(TOLD) is None
    assert people.enter(TOLD) == "person-003"
    assert people.erase_codes() == 2
    assert people.erase_codes() == 0
    assert [(one.rater, one.code) for one in people.people()] == [(f"person-00{i}", "") for i in (1, 2, 3)]
    assert set(survey.store.ratings().frame["rater"]) == {first}


def test_a_code_that_was_blanked_is_in_no_byte_of_the_files_of_sqlite(small: Survey) -> None:
    for i in range(40):
        small.people.enter(f"{TOLD}-{i}")
    small.people.enter("zz")
    files = sorted(small.root.glob("study.db*"))
    assert any(TOLD.encode() in file.read_bytes() for file in files)
    assert small.people.erase_codes() == 41
    assert not any(TOLD.encode() in file.read_bytes() for file in small.root.glob("study.db*"))


def test_letters_of_a_code_may_be_large_or_small_where_two_differ_the_exact_one_counts(survey: Survey) -> None:
    assert survey.people.enter("Straße-7X") == "person-001"
    assert survey.people.enter("STRASSE-7x") == "person-001"
    assert survey.people.known_codes() == {"person-001": "Straße-7X"}
    assert survey.people.find("strasse-7x") == "person-001"


def test_who_stops_frees_what_they_hold_and_goes_on_with_it_when_they_come_back(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    task = people.next_task(rater)
    assert task is not None
    people.answer(rater, task.target.id, "ease", 4.0)
    people.stop(rater)
    people.stop(rater)
    assert people.held(rater) == ()
    assert survey.counts()[task.target.id] == (0, 0)
    again = people.next_task(rater)
    assert again is not None
    assert (again.target, list(again.answers)) == (task.target, ["ease"])


def test_seconds_are_the_median_of_dialogues_without_a_pause_and_what_was_changed_and_given_back_is_counted(
    tmp_path: Path,
) -> None:
    with open_survey(tmp_path, n_targets=5, per_target=1) as survey:
        people, rater = survey.people, survey.people.enter("a")
        entered = survey.clock.moment
        for minutes in (1, 3, 29):
            task = people.next_task(rater)
            assert task is not None
            survey.clock.pass_minutes(minutes)
            survey.fill_in(task)
            survey.clock.pass_minutes(minutes)
            people.complete(rater, task.target.id)
        task = people.next_task(rater)
        assert task is not None
        survey.clock.pass_minutes(31)  # interrupted: not among the seconds
        survey.fill_in(task, 1.0)
        people.complete(rater, task.target.id)
        survey.fill_in(task, 2.0)  # after it was completed
        last = people.next_task(rater)
        assert last is not None
        people.give_back(rater, last.target.id)
        (one,) = people.people()
    assert (one.completed, one.given_back, one.revised, one.seconds) == (4, 1, 2, 6 * 60.0)
    assert (one.first_seen, one.withdrew) == (entered, None)


def test_who_has_completed_nothing_has_no_seconds(survey: Survey) -> None:
    survey.people.enter("a")
    assert survey.people.people()[0].seconds is None


def test_the_order_of_questions_is_made_by_seed_and_rater_as_the_docs_say() -> None:
    names = [f"q{i}" for i in range(18)]

    def place(name: str) -> bytes:
        return hashlib.sha256(f"7\x1fquestions\x1fperson-001\x1f{name}".encode()).digest()

    assert order_questions(7, "person-001", names) == tuple(sorted(names, key=place))


@given(st.integers(), st.text(min_size=1), st.sets(st.text(), max_size=12), st.randoms())
def test_the_order_of_questions_has_each_once_and_does_not_depend_on_how_they_were_given(
    seed: int, rater: str, names: set[str], randoms: Random
) -> None:
    given_first, given_second = sorted(names), sorted(names)
    randoms.shuffle(given_second)
    order = order_questions(seed, rater, given_first)
    assert sorted(order) == given_first
    assert order == order_questions(seed, rater, given_second)


def test_each_rater_has_one_order_of_questions_over_the_study_and_raters_differ(tmp_path: Path) -> None:
    with open_survey(tmp_path / "a", n_targets=3, per_target=9, shuffle=True) as survey:
        orders = {}
        for i in range(8):
            rater = survey.people.enter(f"r{i}")
            seen = set()
            while task := survey.people.next_task(rater):
                seen.add(tuple(one.name for one in task.dimensions))
                survey.fill_in(task)
                survey.people.complete(rater, task.target.id)
            assert len(seen) == 1
            (orders[rater],) = seen
            assert orders[rater] == survey.people.questions(rater)
        assert set(orders.values()) == {("trust", "ease"), ("ease", "trust")}
    with open_survey(tmp_path / "b", n_targets=1, shuffle=False) as survey:
        assert {survey.people.questions(f"person-{i:03d}") for i in range(20)} == {("trust", "ease")}
