"""What a person goes through on the page, without scripts: entering, answering, completing, coming back."""

import sqlite3
from pathlib import Path

import pytest

from .conftest import SYSTEM, Clock, Place, Visitor, serve_study, write_study


def current(place: Place, rater: str, target: str) -> dict[str, float | None]:
    return {name: answer.value for name, answer in place.people.task(rater, target).answers.items()}


def test_the_first_page_shows_title_and_instructions_escaped_and_takes_a_code_from_the_address(tmp_path: Path) -> None:
    people = {"title": "Films & <more>", "instructions": "how.txt", "most_per_rater": 2}
    root = write_study(tmp_path / "study", people=people)
    (root / "how.txt").write_text("Read <all> of\nit.\n\n- one\n- two\n", encoding="utf-8")
    with serve_study(root, code_parameter="PROLIFIC_PID") as place:
        visitor = place.visit()
        page = visitor.get('/?PROLIFIC_PID=5f"1&code=ignored').text
    assert "Films &amp; &lt;more&gt;" in page
    assert '<p class="text">Read &lt;all&gt; of it.</p>' in page
    assert "- one\n- two" in page
    assert 'value="5f&#34;1"' in page
    assert "ignored" not in page
    assert "2 dialogues at most" in page


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("", "please enter your code"),
        ("   ", "please enter your code"),
        ("x" * 65, "at most 64 characters, and this one has 65"),
        ("two words", "only letters a to z"),
        ("<script>", "only letters a to z"),
        ("\u202eabc", "only letters a to z"),
    ],
)
def test_a_code_that_cannot_be_one_is_refused_in_words_and_nobody_enters(place: Place, code: str, told: str) -> None:
    visitor = place.visit(code)
    assert visitor.page.status_code == 422
    assert told in visitor.text.lower()
    assert "<script>" not in visitor.text
    assert place.people.people() == ()


def test_the_same_code_in_another_browser_goes_on_with_the_same_dialogue_and_its_answers(place: Place) -> None:
    first = place.visit("anna")
    first.answer("trust", 4)
    second = place.visit(" anna ")
    assert second.request == first.request
    assert second.text.count("checked") == 1
    assert len(place.people.people()) == 1


def test_a_restart_keeps_people_logged_in_and_their_form_good(root: Path) -> None:
    with serve_study(root) as place:
        visitor = place.visit("anna")
    with serve_study(root) as place:
        visitor.browser.base_url = place.address
        assert visitor.answer("trust", 4).json() == {"saved": True, "revision": 1}
        assert "Dialogue 1" in visitor.get("/rate").text


def test_another_answer_replaces_the_first_and_both_stay_in_the_log(place: Place) -> None:
    visitor = place.visit("anna")
    assert [visitor.answer("trust", value).json()["revision"] for value in (4, 4, 2)] == [1, 1, 2]
    visitor.send(trust=2, ease=5)
    ((target, *_),) = (place.people.completed("person-001"),)
    assert current(place, "person-001", target) == {"trust": 2.0, "ease": 5.0}
    log = [(name, answer.value) for name, answer in place.people.revisions("person-001", target)]
    assert log == [("trust", 4.0), ("trust", 2.0), ("ease", 5.0)]
    ratings = place.store.ratings(purpose="study").frame
    assert sorted(ratings["value"].to_list()) == [2.0, 5.0]


def test_a_form_with_a_gap_is_not_completed_but_its_answers_are_saved_and_shown_again(place: Place) -> None:
    visitor = place.visit("anna")
    page = visitor.send(trust=4)
    assert page.status_code == 422
    assert page.text.count("This question has no answer yet.") == 1
    assert "Error: Dialogue 1" in page.text
    assert 'value="4" data-key="4" checked' in page.text
    assert place.people.completed("person-001") == ()
    assert visitor.send(ease="cannot-say").status_code == 200
    (target,) = place.people.completed("person-001")
    assert place.people.task("person-001", target).answers["ease"].missing == "not-applicable"


def test_the_save_button_of_a_page_without_scripts_saves_and_stays(place: Place) -> None:
    visitor = place.visit("anna")
    before = visitor.request
    page = visitor.send("save", trust=4)
    assert page.status_code == 200
    assert visitor.request == before
    assert "1 of 2 answered" in page.text


def test_a_form_that_is_sent_twice_completes_one_dialogue_and_logs_each_answer_once(place: Place) -> None:
    visitor = place.visit("anna")
    form = {"token": visitor.token, "task": visitor.task, "action": "complete", "answer:trust": "4", "answer:ease": "1"}
    pages = [visitor.browser.post("/rate", data=form) for _ in range(2)]
    assert [page.status_code for page in pages] == [200, 200]
    assert pages[0].text == pages[1].text
    (target,) = place.people.completed("person-001")
    assert len(place.people.revisions("person-001", target)) == 2


def test_what_is_given_back_goes_to_others_and_does_not_come_again(place: Place) -> None:
    visitor = place.visit("anna")
    given, task, token = visitor.request, visitor.task, visitor.token
    visitor.send("give-back")
    assert visitor.request not in {"", given}
    again = visitor.browser.post("/rate", data={"token": token, "task": task, "action": "give-back"})
    assert again.status_code == 200
    assert visitor.rate_all() == 2
    old = visitor.get(f"/rate?task={task}")
    assert old.status_code == 409
    assert "You gave this dialogue back" in old.text


def test_a_dialogue_that_somebody_left_is_refilled_and_still_taken_from_them_when_they_come_back(root: Path) -> None:
    clock = Clock()
    write_study(root, n_targets=1, people={"per_target": 1, "reservation_minutes": 30})
    with serve_study(root, now=clock) as place:
        left = place.visit("anna")
        left.answer("trust", 5)
        waiting = place.visit("ben")
        assert "Nothing to rate just now" in waiting.text
        assert "after 30 minutes at most" in waiting.text
        clock.forward(minutes=31)
        assert waiting.get("/rate").status_code == 200
        assert waiting.request == left.request
        assert left.answer("ease", 5).status_code == 200
        left.send(trust=5, ease=5)
        assert "Thank you" in left.text
        waiting.send(trust=1, ease=1)
        assert [one.completed for one in place.people.progress()] == [2]


def test_each_dialogue_gets_all_its_raters_and_no_page_shows_what_others_answered_or_which_system_it_is(
    place: Place,
) -> None:
    first, second = place.visit("anna"), place.visit("ben")
    assert first.rate_all(5) == 3
    pages = []
    while second.request:
        pages.append(second.text)
        second.send(trust=1, ease=1)
    pages += [second.text, second.get("/earlier").text, second.get("/instructions").text]
    assert len(pages) == 6
    assert not any("checked" in page for page in pages)
    other = first.get("/earlier").text.split("/rate?task=")[1].split('"')[0]
    assert second.get(f"/rate?task={other}").text.count('value="1" data-key="1" checked') == 2
    assert not any(SYSTEM in page or "anna" in page or "person-001" in page for page in [*pages, second.text])
    assert [(one.completed, one.wanted) for one in place.people.progress()] == [(2, 2)] * 3
    third = place.visit("carl")
    assert "Every dialogue has been rated" in third.text


def test_the_end_shows_progress_and_the_completion_code_to_those_who_did_their_part(tmp_path: Path) -> None:
    root = write_study(tmp_path / "study", people={"per_target": 2, "most_per_rater": 2})
    with serve_study(root, completion_code="https://example.org/done?cc=1&x=2") as place:
        visitor = place.visit("anna")
        assert "0 of 2 done" in visitor.text
        visitor.send(trust=1, ease=1)
        assert "1 of 2 done" in visitor.text
        visitor.send(trust=1, ease=1)
        assert "That is all one person can do." in " ".join(visitor.text.split())
        assert 'href="https://example.org/done?cc=1&amp;x=2"' in visitor.text
    with serve_study(root, completion_code="C<0>DE") as place:
        assert "<code>C&lt;0&gt;DE</code>" in place.visit("anna").text


def test_nobody_who_rated_nothing_is_shown_the_completion_code(tmp_path: Path) -> None:
    root = write_study(tmp_path / "study", n_targets=1, people={"per_target": 1})
    with serve_study(root, completion_code="C0DE") as place:
        place.visit("anna").rate_all()
        assert "C0DE" not in place.visit("ben").text


def test_earlier_dialogues_are_listed_and_can_be_revised(place: Place) -> None:
    visitor = place.visit("anna")
    asked = visitor.request
    visitor.send(trust=4, ease=4)
    assert asked in visitor.get("/earlier").text
    visitor.get("/rate?task=" + visitor.text.split("/rate?task=")[1].split('"')[0])
    assert "Dialogue 1, completed" in visitor.text
    assert visitor.answer("trust", 1).json() == {"saved": True, "revision": 2}
    visitor.send(trust=1, ease=4)
    (target,) = place.people.completed("person-001")
    assert current(place, "person-001", target) == {"trust": 1.0, "ease": 4.0}


def test_progress_is_shown_to_whoever_has_the_token_without_codes_or_answers(place: Place) -> None:
    visitor = place.visit("secret-code")
    visitor.send(trust=4, ease=4)
    assert visitor.get("/status").status_code == 404
    assert visitor.get("/status?token=" + "x" * 22).status_code == 404
    page = Visitor(place.address).get(f"/status?token={place.status}")
    assert page.status_code == 200
    assert "1 of 6 tasks" in page.text
    assert "person-001" in page.text
    assert "secret-code" not in page.text


def test_who_leaves_is_forgotten_by_the_browser(place: Place) -> None:
    visitor = place.visit("anna")
    visitor.page = visitor.browser.post("/leave", data={"token": visitor.token})
    assert "Your code" in visitor.text
    assert visitor.get("/rate").status_code == 401


def test_in_another_database_of_the_study_nobody_goes_on_as_the_person_who_has_their_old_name(root: Path) -> None:
    with serve_study(root) as place:
        visitor = place.visit("anna")
    for file in root.glob("study.db*"):
        file.unlink()
    with serve_study(root) as place:
        other = place.visit("ben")
        other.answer("trust", 4)
        assert [one.rater for one in place.people.people()] == ["person-001"]
        visitor.browser.base_url = place.address
        assert visitor.answer("trust", 1).status_code == 401
        visitor.enter("anna")  # the token of the page that is open still fits to its cookie, which is gone
        assert visitor.page.status_code == 403
        visitor.get("/")
        visitor.enter("anna")
        assert [one.code for one in place.people.people()] == ["ben", "anna"]
        assert "checked" not in visitor.text


def test_a_study_is_rated_to_its_end_and_its_table_holds_what_was_answered(root: Path) -> None:
    with serve_study(root) as place:
        for code, value in (("anna", 2), ("ben", 4)):
            place.visit(code).rate_all(value)
        ratings = place.store.ratings(purpose="study").frame
    assert ratings.height == 12
    assert sorted(ratings["value"].to_list()) == [2.0] * 6 + [4.0] * 6
    with sqlite3.connect(root / "study.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
