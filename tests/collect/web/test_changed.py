"""Pages that are older than what is saved: another tab or device answered, or the study has changed since."""

from pathlib import Path

import pytest

from .conftest import INSTRUMENT, REVISION, Place, Visitor, serve_study, write_study


def now(place: Place) -> dict[str, float | None]:
    """Return what the first person answered on what they hold or completed."""
    had = (*place.people.completed("person-001"), *place.people.held("person-001"))
    return {name: one.value for name, one in place.people.task("person-001", had[0]).answers.items()}


@pytest.fixture
def two(place: Place) -> tuple[Visitor, Visitor]:
    """Return the laptop and the phone of one person, who answered everything on the laptop."""
    laptop = place.visit("anna")
    laptop.answer("trust", 4)
    laptop.answer("ease", 4)
    return laptop, place.visit("anna")


def test_a_form_that_is_older_than_an_answer_on_another_device_keeps_that_one_and_says_so(
    place: Place, two: tuple[Visitor, Visitor]
) -> None:
    laptop, phone = two
    assert phone.answer("trust", 1).json() == {"saved": True, "revision": 2}
    page = laptop.send(trust=4, ease=4)
    assert page.status_code == 422
    assert "You changed this on another device" in page.text
    assert 'value="1" data-key="1" checked' in page.text
    assert now(place) == {"trust": 1.0, "ease": 4.0}
    assert place.people.completed("person-001") == ()
    laptop.send(trust=2, ease=4)
    assert now(place) == {"trust": 2.0, "ease": 4.0}
    assert len(place.people.completed("person-001")) == 1


def test_what_a_form_says_and_was_saved_before_is_not_logged_again_while_the_rest_is(
    place: Place, two: tuple[Visitor, Visitor]
) -> None:
    laptop, phone = two
    phone.answer("trust", 1)
    laptop.send("save", trust=4, ease=2)
    assert now(place) == {"trust": 1.0, "ease": 2.0}
    (target,) = place.people.held("person-001")
    log = [(name, one.value) for name, one in place.people.revisions("person-001", target)]
    assert log == [("trust", 4.0), ("ease", 4.0), ("trust", 1.0), ("ease", 2.0)]


def test_an_answer_of_the_script_that_is_older_than_one_elsewhere_is_not_logged_and_told_what_is_current(
    place: Place, two: tuple[Visitor, Visitor]
) -> None:
    laptop, phone = two
    phone.answer("trust", "cannot-say")
    told = laptop.answer("trust", 5)
    assert told.status_code == 409
    assert {**told.json(), "problem": ""} == {"problem": "", "changed": True, "answer": "cannot-say", "revision": 2}
    assert now(place) == {"trust": None, "ease": 4.0}
    assert laptop.answer("trust", "cannot-say").json() == {"saved": True, "revision": 2}
    assert laptop.answer("trust", 5).json() == {"saved": True, "revision": 3}


@pytest.mark.parametrize("said", ["", "x", "-1", "1e9", "\u0661x", "9" * 5000])
def test_a_form_that_does_not_say_what_it_shows_overwrites_nothing(
    place: Place, two: tuple[Visitor, Visitor], said: str
) -> None:
    laptop, _ = two
    form = {"token": laptop.token, "task": laptop.task, "action": "save", "answer:trust": "1"}
    assert laptop.browser.post("/rate", data=form | {"revision:trust": said}).status_code == 422
    assert now(place) == {"trust": 4.0, "ease": 4.0}


def test_a_question_that_was_taken_out_while_a_page_was_open_is_said_to_be_and_the_rest_of_its_form_counts(
    root: Path,
) -> None:
    with serve_study(root) as place:
        visitor = place.visit("anna")
    study = root / "study.toml"
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("[people]", 'dimensions = ["ease"]\n[people]'), encoding="utf-8")
    with serve_study(root) as place:
        visitor.browser.base_url = place.address
        gone = visitor.answer("trust", 4)
        assert (gone.status_code, gone.json()) == (410, {"problem": "This question is no longer asked."})
        assert visitor.send(trust=4, ease=2).status_code == 200
        assert now(place) == {"ease": 2.0}
        assert len(place.people.completed("person-001")) == 1


def test_a_question_that_is_new_is_asked_of_those_who_completed_dialogues_before(root: Path) -> None:
    write_study(root, n_targets=2, people={"per_target": 1, "most_per_rater": 2})
    study = root / "study.toml"
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("[people]", 'dimensions = ["ease"]\n[people]'), encoding="utf-8")
    with serve_study(root) as place:
        visitor = place.visit("anna")
        visitor.send(ease=2)
        visitor.send(ease=2)
        assert "Thank you" in visitor.text
        assert [one.unanswered for one in place.people.progress()] == [0, 0]
    study.write_text(text, encoding="utf-8")
    with serve_study(root) as place:
        progress = Visitor(place.address).get(f"/status?token={place.status}").text
        assert "2 completed tasks lack an answer to a question that is asked now" in progress
        assert "4 of" not in progress
        assert "This study is complete" not in place.visit().text
        visitor.browser.base_url = place.address
        for number in (1, 2):
            visitor.get("/rate")
            assert f"Dialogue {number}, completed" in visitor.text
            assert "There is more to answer now" in visitor.text
            assert dict(REVISION.findall(visitor.text)) == {"revision:trust": "0", "revision:ease": "1"}
            visitor.send(trust=5, ease=2)
        assert "Thank you" in visitor.text
        assert "This study is complete" in place.visit().text
        assert [one.unanswered for one in place.people.progress()] == [0, 0]
        assert place.store.ratings().frame.height == 4


def test_a_dialogue_that_was_taken_out_is_not_among_the_earlier_ones_and_makes_room_for_another(root: Path) -> None:
    write_study(root, n_targets=3, people={"per_target": 1, "most_per_rater": 1})
    with serve_study(root) as place:
        visitor = place.visit("anna")
        visitor.send(trust=1, ease=1)
        (done,) = place.people.completed("person-001")
    lines = (root / "targets.jsonl").read_text(encoding="utf-8").splitlines()
    kept = "".join(f"{line}\n" for line in lines if f'"{done}"' not in line)
    (root / "targets.jsonl").write_text(kept, encoding="utf-8")
    with serve_study(root) as place:
        visitor.browser.base_url = place.address
        assert "/rate?task=" not in visitor.get("/earlier").text
        assert visitor.rate_all() == 1
        assert visitor.get("/earlier").text.count("/rate?task=") == 1


def test_who_gave_the_last_dialogue_back_is_not_told_that_it_may_come_to_them(root: Path) -> None:
    write_study(root, n_targets=1, people={"per_target": 1})
    with serve_study(root) as place:
        first = place.visit("anna")
        first.send("give-back")
        place.visit("ben")
        first.get("/rate")
        assert "a dialogue is free again" not in first.text
        assert "than those that you gave back" in first.text
        assert "Every dialogue has been rated" not in first.text


def test_numbers_of_a_scale_are_on_the_page_with_all_their_digits(tmp_path: Path) -> None:
    thirds = INSTRUMENT.replace("points = [1, 2, 3, 4, 5]", "points = [0, 0.3333333333333333, 0.6666666666666666, 1]")
    thirds = thirds.replace(', "wholly"', "") + 'scale = { level = "interval", low = 0.1234567, high = 1234567.8 }\n'
    root = write_study(tmp_path / "study", instrument=thirds)
    with serve_study(root) as place:
        visitor = place.visit("anna")
        assert 'min="0.1234567" max="1234567.8"' in visitor.text
        assert visitor.answer("trust", "0.6666666666666666").status_code == 200
        assert visitor.answer("ease", "0.1234567891234567").status_code == 200
        visitor.get("/rate")
        assert 'value="0.6666666666666666" data-key="" checked' in visitor.text
        assert 'value="0.1234567891234567"' in visitor.text
        assert now(place) == {"trust": 2 / 3, "ease": 0.1234567891234567}
