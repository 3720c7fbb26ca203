"""People get tasks, answer, come back and leave: nothing is lost, doubled or shown to others."""

from datetime import timedelta
from pathlib import Path

import pytest

from dialgauge.collect.people import open_people
from dialgauge.errors import InputError, OffScaleError, StudyError
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.study import read_study
from dialgauge.model import Dialogue, Missing, Turn

from .conftest import Survey, open_survey

# ------------------------------------------------------------------------------------------------ cases from the field


def test_changing_an_answer_leaves_one_current_value_and_a_log_with_both_in_order(survey: Survey) -> None:
    """davidjurgens/potato#167: changing an answer stored both values, and one was guessed afterwards."""
    people, rater = survey.people, survey.people.enter("ada")
    target = survey.rate(rater, 2.0)
    assert target is not None
    survey.clock.pass_minutes(1)
    people.answer(rater, target, "trust", 5.0, text="on second thoughts")
    assert {name: one.value for name, one in people.task(rater, target).answers.items()} == {"trust": 5.0, "ease": 2.0}
    log = people.revisions(rater, target)
    assert [(name, one.value, one.revision) for name, one in log] == [("trust", 2, 1), ("ease", 2, 1), ("trust", 5, 2)]
    assert log[2][1].at - log[0][1].at == timedelta(minutes=1)
    assert log[2][1].text == "on second thoughts"
    frame = survey.store.ratings().frame
    assert frame.select("target", "rater", "dimension", "value").rows() == [
        (target, rater, "trust", 5.0),
        (target, rater, "ease", 2.0),
    ]
    details = survey.store.rating_details().sort("dimension")
    assert details.select("kind", "dimension", "value", "text", "revisions", "at").rows() == [
        ("human", "ease", 2.0, None, 0, log[1][1].at),
        ("human", "trust", 5.0, "on second thoughts", 1, log[2][1].at),
    ]


def test_people_who_leave_free_their_places_until_k_have_completed_each_target(survey: Survey) -> None:
    """davidjurgens/potato#100: who left kept their quota, items ended short, late comers were told to go."""
    people = survey.people
    leavers = [people.enter(f"leaver {i}") for i in range(4)]
    for rater in leavers:
        task = people.next_task(rater)
        assert task is not None
        people.answer(rater, task.target.id, "trust", 1.0)
    late = people.enter("late")
    assert survey.counts() == {"d0": (0, 2), "d1": (0, 2)}
    assert people.next_task(late) is None
    survey.clock.pass_minutes(30)
    assert survey.counts() == {"d0": (0, 0), "d1": (0, 0)}
    for code in ("late", "later"):
        rater = people.enter(code)
        assert {survey.rate(rater), survey.rate(rater)} == {"d0", "d1"}
    assert survey.counts() == {"d0": (2, 0), "d1": (2, 0)}
    assert people.next_task(people.enter("too late")) is None
    (_, note) = survey.store.ratings().notes
    assert note == "4 answers by people are left out, in 4 tasks not completed."
    assert survey.store.ratings().frame.height == 8


def test_a_second_rater_gets_the_same_target_by_default_and_sees_nothing_of_the_first(survey: Survey) -> None:
    """HumanSignal/label-studio#6233: a second annotator could get no tasks from the queue."""
    people = survey.people
    first, second = people.enter("first"), people.enter("second")
    done = {survey.rate(first, 1.0), survey.rate(first, 1.0)}
    task = people.next_task(second)
    assert task is not None
    assert (task.target.id in done, task.answers) == (True, {})
    survey.fill_in(task, 5.0)
    assert {one.value for one in people.task(second, task.target.id).answers.values()} == {5.0}
    assert {one.value for one in people.task(first, task.target.id).answers.values()} == {1.0}
    assert {one.value for _, one in people.revisions(second, task.target.id)} == {5.0}


def test_three_raters_for_each_target_are_the_default(tmp_path: Path) -> None:
    with open_survey(tmp_path, n_targets=1) as survey:
        for code in "abc":
            assert survey.rate(survey.people.enter(code)) == "d0"
        assert survey.people.next_task(survey.people.enter("d")) is None
        (progress,) = survey.people.progress()
        assert (progress.completed, progress.reserved, progress.wanted) == (3, 0, 3)


# ------------------------------------------------------------------------------------------------------------ entering


def test_the_same_code_is_always_the_same_rater_whose_name_does_not_reveal_it(survey: Survey) -> None:
    names = [survey.people.enter(code) for code in ("SECRET-1", "secret-2", "  SECRET-1 ", "secret-1")]
    assert names == ["person-001", "person-002", "person-001", "person-001"]
    kinds = {rater.name: (rater.kind, dict(rater.settings)) for rater in survey.store.raters()}
    assert kinds == {"person-001": ("human", {}), "person-002": ("human", {})}
    assert [one.code for one in survey.people.people()] == ["SECRET-1", "secret-2"]


@pytest.mark.parametrize(
    ("code", "why"),
    [("", "is blank"), (" \t", "is blank"), ("x" * 201, "at most 200"), ("a\x00b", "no line"), ("a\nb", "no line")],
)
def test_a_code_that_is_none_is_refused(small: Survey, code: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        small.people.enter(code)
    assert small.people.people() == ()


def test_nobody_gets_a_task_without_having_entered(small: Survey) -> None:
    with pytest.raises(InputError, match="nobody has entered as 'person-007'; enter with a code first"):
        small.people.next_task("person-007")


# ------------------------------------------------------------------------------------------------------------ the queue


def test_who_holds_a_task_gets_it_again_with_its_answers_and_for_longer(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    first = people.next_task(rater)
    assert first is not None
    assert first.expires == survey.clock.moment + timedelta(minutes=30)
    survey.clock.pass_minutes(20)
    people.answer(rater, first.target.id, "ease", 4.0)
    survey.clock.pass_minutes(20)
    again = people.next_task(rater)
    assert again is not None
    assert (again.target, again.state, again.answers["ease"].value) == (first.target, "reserved", 4.0)
    assert again.expires == survey.clock.moment + timedelta(minutes=30)


def test_targets_with_the_fewest_raters_come_first_in_an_order_of_each_raters_own(tmp_path: Path) -> None:
    with open_survey(tmp_path, n_targets=12, per_target=4) as survey:
        orders = []
        for code in "abcd":
            rater = survey.people.enter(code)
            orders.append([survey.rate(rater) for _ in range(6)])
        assert set(survey.counts().values()) == {(2, 0)}
        assert len({tuple(sorted(map(str, order))) for order in orders}) > 2
        assert len({str(order[0]) for order in orders}) > 1


def test_who_comes_back_late_gets_the_own_task_again_while_it_lacks_raters(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    first = people.next_task(rater)
    assert first is not None
    people.answer(rater, first.target.id, "ease", 4.0)
    survey.clock.pass_minutes(31)
    assert (people.task(rater, first.target.id).state, people.task(rater, first.target.id).expires) == ("expired", None)
    again = people.next_task(rater)
    assert again is not None
    assert (again.target, again.state, list(again.answers)) == (first.target, "reserved", ["ease"])


def test_who_comes_back_when_others_have_completed_may_still_complete_and_counts_beyond_k(survey: Survey) -> None:
    people, late = survey.people, survey.people.enter("late")
    task = people.next_task(late)
    assert task is not None
    survey.clock.pass_minutes(31)
    for code in ("b", "c"):
        rater = people.enter(code)
        assert {survey.rate(rater), survey.rate(rater)} == {"d0", "d1"}
    survey.fill_in(task)
    assert people.task(late, task.target.id).state == "expired"
    assert people.next_task(late) is None
    people.complete(late, task.target.id)
    assert survey.counts()[task.target.id] == (3, 0)
    assert survey.store.ratings().of("trust").filter(target=task.target.id).height == 3


def test_an_answer_takes_an_expired_task_up_again_only_while_there_is_a_place(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    task = people.next_task(rater)
    assert task is not None
    survey.clock.pass_minutes(31)
    assert people.held(rater) == ()
    people.answer(rater, task.target.id, "ease", 4.0)
    assert people.held(rater) == (task.target.id,)
    assert people.task(rater, task.target.id).expires == survey.clock.moment + timedelta(minutes=30)
    assert survey.counts()[task.target.id] == (0, 1)


def test_what_is_given_back_goes_to_others_and_not_to_the_same_again(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    task = people.next_task(rater)
    assert task is not None
    people.answer(rater, task.target.id, "ease", 4.0)
    people.give_back(rater, task.target.id)
    people.give_back(rater, task.target.id)
    assert survey.counts()[task.target.id] == (0, 0)
    other = people.next_task(rater)
    assert other is not None
    assert other.target.id != task.target.id
    people.give_back(rater, other.target.id)
    assert people.next_task(rater) is None
    assert {survey.rate(people.enter("b")), survey.rate(people.enter("b"))} == {"d0", "d1"}
    people.answer(rater, task.target.id, "trust", 1.0)
    assert people.task(rater, task.target.id).state == "given-back"
    assert len(people.revisions(rater, task.target.id)) == 2
    people.complete(rater, task.target.id)  # a page that was still open
    assert survey.counts()[task.target.id] == (2, 0)


def test_nobody_gets_more_tasks_than_the_study_allows(tmp_path: Path) -> None:
    with open_survey(tmp_path, n_targets=5, most_per_rater=2) as survey:
        rater = survey.people.enter("a")
        assert [survey.rate(rater) is None for _ in range(3)] == [False, False, True]


def test_a_target_that_is_taken_out_of_the_file_is_not_given_out_and_keeps_its_ratings(small: Survey) -> None:
    rater = small.people.enter("a")
    done = small.rate(rater)
    kept = "d1" if done == "d0" else "d0"
    write_dialogues([one for one in small.store.targets() if one.id == kept], small.root / "targets.jsonl")
    people = open_people(read_study(small.root), small.store, now=small.clock)
    assert [one.target for one in people.progress()] == [kept]
    other = people.enter("b")
    task = people.next_task(other)
    assert task is not None
    assert task.target.id == kept
    people.give_back(other, kept)
    assert people.next_task(other) is None
    assert small.store.ratings().n_targets == 1


# -------------------------------------------------------------------------------------------------------------- answers


def test_an_answer_that_is_as_before_is_not_logged_again_and_renews_the_reservation(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    task = people.next_task(rater)
    assert task is not None
    first = people.answer(rater, task.target.id, "ease", 4.0, text="so \x00 so")
    survey.clock.pass_minutes(29)
    assert people.answer(rater, task.target.id, "ease", 4, text=" so \x00 so ") == first
    survey.clock.pass_minutes(29)
    assert people.task(rater, task.target.id).state == "reserved"
    assert people.answer(rater, task.target.id, "ease", 4.0).revision == 2
    assert [one.text for _, one in people.revisions(rater, task.target.id)] == ["so ␀ so", None]


def test_who_does_not_want_to_answer_says_so_and_it_is_a_missing_rating_with_that_reason(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    task = people.next_task(rater)
    assert task is not None
    people.answer(rater, task.target.id, "ease", None, missing="refused")
    people.answer(rater, task.target.id, "trust", None, missing="not-applicable", text="there is none")
    people.complete(rater, task.target.id)
    assert survey.store.ratings().frame.select("value", "missing").rows() == [
        (None, "not-applicable"),
        (None, "refused"),
    ]
    (counts,) = survey.store.counts()
    assert (counts.with_value, counts.missing) == (0, {"not-applicable": 1, "refused": 1})


@pytest.mark.parametrize(
    ("value", "missing", "why"),
    [
        (6.0, None, r"'ease' of 'd\d' by 'person-001' is 6, which is not on the scale 1..5 \(ordinal\)"),
        (2.5, None, "is 2.5, which is not on the scale"),
        (float("nan"), None, "is nan, which is not on the scale"),
        (None, None, "has no value; give one, or say refused or not-applicable"),
        (None, "error", "has no value; give one, or say refused or not-applicable"),
        (3.0, "refused", "has a value and is refused; give one of the two"),
    ],
)
def test_what_is_no_answer_is_refused_and_not_logged(
    small: Survey, value: float | None, missing: Missing | None, why: str
) -> None:
    rater = small.people.enter("a")
    task = small.people.next_task(rater)
    assert task is not None
    with pytest.raises(InputError, match=why) as refused:
        small.people.answer(rater, task.target.id, "ease", value, missing=missing)
    assert isinstance(refused.value, OffScaleError) == (missing is None and value is not None)
    assert small.people.revisions(rater, task.target.id) == ()


def test_questions_and_targets_that_were_not_put_are_refused(small: Survey) -> None:
    people, rater, other = small.people, small.people.enter("a"), small.people.enter("b")
    task = people.next_task(rater)
    assert task is not None
    target = task.target.id
    with pytest.raises(InputError, match="does not ask for the dimension 'wit'; it asks for trust, ease"):
        people.answer(rater, target, "wit", 3.0)
    with pytest.raises(InputError, match="the remark has 10,001 characters"):
        people.answer(rater, target, "ease", 3.0, text="x" * 10_001)
    for name in (other, "nobody"):
        why = f"the target '{target}' is no task of '{name}'; ask for the next task"
        for use in (
            lambda who: people.task(who, target),
            lambda who: people.answer(who, target, "ease", 3.0),
            lambda who: people.complete(who, target),
            lambda who: people.give_back(who, target),
        ):
            with pytest.raises(InputError, match=why):
                use(name)
    assert people.revisions(other, target) == ()


def test_only_what_is_answered_as_a_whole_can_be_completed_and_then_it_stays_so(survey: Survey) -> None:
    people, rater = survey.people, survey.people.enter("a")
    task = people.next_task(rater)
    assert task is not None
    target = task.target.id
    with pytest.raises(InputError, match=f"the task on '{target}' lacks an answer to 'trust', 'ease'; answer it"):
        people.complete(rater, target)
    people.answer(rater, target, "ease", 3.0)
    with pytest.raises(InputError, match="lacks an answer to 'trust'; answer it"):
        people.complete(rater, target)
    assert survey.store.ratings().frame.height == 0
    people.answer(rater, target, "trust", 3.0)
    people.complete(rater, target)
    ended = survey.clock.moment
    survey.clock.pass_minutes(90)
    people.complete(rater, target)
    assert people.completed(rater) == (target,)
    assert people.people()[0].last_seen == ended
    with pytest.raises(InputError, match="is completed and cannot be given back; revise its answers"):
        people.give_back(rater, target)


def test_completed_tasks_come_the_newest_first(survey: Survey) -> None:
    rater = survey.people.enter("a")
    done = []
    for _ in range(2):
        done.append(survey.rate(rater))
        survey.clock.pass_minutes(1)
    assert survey.people.completed(rater) == tuple(reversed(done))
    assert survey.people.completed("nobody") == ()


# ----------------------------------------------------------------------------------------------------- beside the rest


def test_the_system_that_speaks_is_not_told_to_people(small: Survey) -> None:
    turns = (Turn(speaker="user", text="A film?"),)
    write_dialogues([Dialogue(id="s", turns=turns, system="alpha")], small.root / "targets.jsonl")
    people = open_people(read_study(small.root), small.store, now=small.clock)
    task = people.next_task(people.enter("a"))
    assert task is not None
    assert (task.target.id, task.target.system) == ("s", None)


def test_people_answer_while_another_holds_the_lock_of_the_study(survey: Survey) -> None:
    with survey.store.lock():
        people = open_people(read_study(survey.root), survey.store, now=survey.clock)
        assert survey.rate(people.enter("a")) is not None
    assert survey.store.ratings().n_raters == 1


def test_a_study_without_people_and_one_without_its_instructions_are_refused(small: Survey) -> None:
    folder = read_study(small.root)
    text = (small.root / "study.toml").read_text(encoding="utf-8")
    with pytest.raises(StudyError, match=r"the study 's' has no people; add a table \[people\]"):
        open_people(
            type(folder)(
                root=folder.root,
                study=folder.study.model_copy(update={"people": None}),
                instrument=folder.instrument,
                measures=None,
                store_url=folder.store_url,
            ),
            small.store,
        )
    named = text.replace("per_target = 2", 'per_target = 2, title = "Films", instructions = "how.txt"')
    (small.root / "study.toml").write_text(named, encoding="utf-8")
    with pytest.raises(StudyError, match=r"the instructions .*how.txt cannot be read \(No such file"):
        open_people(read_study(small.root), small.store)
    (small.root / "how.txt").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(StudyError, match="are not UTF-8 text"):
        open_people(read_study(small.root), small.store)
    (small.root / "how.txt").write_text(" Read, then rate.\n", encoding="utf-8")
    people = open_people(read_study(small.root), small.store)
    assert (people.title, people.instructions) == ("Films", "Read, then rate.")
    assert (small.people.title, small.people.instructions) == ("s", "")


def test_what_people_were_asked_may_not_change_under_its_name(survey: Survey) -> None:
    rater = survey.people.enter("a")
    task = survey.people.next_task(rater)
    assert task is not None
    survey.people.answer(rater, task.target.id, "ease", 3.0)
    file = survey.root / "small.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('title = "Ease"', 'title = "Comfort"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"the title of the dimension 'ease' .* has changed since ratings of it"):
        open_people(read_study(survey.root), survey.store)
    file.write_text(text, encoding="utf-8")
    changed = task.target.model_copy(update={"turns": (Turn(speaker="user", text="Another"),)})
    write_dialogues([changed], survey.root / "targets.jsonl")
    with pytest.raises(InputError, match=f"the target '{changed.id}' has changed since it was put before raters"):
        open_people(read_study(survey.root), survey.store)
