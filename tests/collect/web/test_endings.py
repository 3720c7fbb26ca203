"""Somebody finds nothing to rate, stops early, or comes when all is done: they are told what there is, and what not."""

from pathlib import Path

import pytest

from .conftest import Clock, Place, serve_study, write_study

PANEL = "https://panel.example.org/done?cc=1&x=2"
WAITS = "looks again by itself every 20 seconds"


def words(text: str) -> str:
    return " ".join(text.split())


def test_who_finds_all_dialogues_with_others_is_told_so_with_a_code_and_a_page_that_looks_again(tmp_path: Path) -> None:
    people = {"per_target": 1, "no_task_code": "N0NE", "completion_code": "D0NE", "reservation_minutes": 1}
    clock = Clock()
    with serve_study(write_study(tmp_path / "study", n_targets=1, people=people), now=clock) as place:
        place.visit("anna")
        waiting = place.visit("ben")
        text = words(waiting.text)
        assert "All dialogues are with other people at the moment" in text
        assert WAITS in text
        assert "free again after 1 minute at most" in text
        assert 'href="/rate">Look again' in text
        assert "/files/wait.js" in text
        assert "<code>N0NE</code>" in text
        assert "D0NE" not in text
        clock.forward(minutes=2)
        waiting.get("/rate")
        assert "wait.js" not in waiting.text
        waiting.send(trust=1, ease=1)
        assert "<code>D0NE</code>" in waiting.text
        assert "N0NE" not in waiting.text


def test_the_file_that_looks_again_is_served(place: Place) -> None:
    script = place.visit().get("/files/wait.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert "20000" in script.text


def test_a_code_that_is_an_address_is_a_button_and_never_text_to_be_typed(tmp_path: Path) -> None:
    people = {"per_target": 1, "completion_code": PANEL, "no_task_code": "https://panel.example.org/none"}
    with serve_study(write_study(tmp_path / "study", n_targets=1, people=people)) as place:
        done = place.visit("anna")
        none = place.visit("ben")
        done.send(trust=1, ease=1)
    href = 'href="https://panel.example.org/done?cc=1&amp;x=2"'
    assert f'<a class="button" {href} rel="noopener noreferrer">Finish: back to the panel</a>' in done.text
    assert done.text.count("panel.example.org") == 1
    assert 'href="https://panel.example.org/none"' in none.text
    assert "<code>" not in done.text + none.text


def test_who_stops_frees_the_dialogue_is_thanked_and_may_come_back_to_it_with_its_answers(tmp_path: Path) -> None:
    with serve_study(write_study(tmp_path / "study", n_targets=1, people={"per_target": 1})) as place:
        visitor = place.visit("anna")
        assert "I want to stop here" in visitor.text
        asked = visitor.request
        visitor.answer("trust", 4)
        assert [one.reserved for one in place.people.progress()] == [1]
        visitor.send("stop")
        assert visitor.page.url.path == "/stopped"
        assert "Thank you" in visitor.text
        assert "You completed no dialogue." in visitor.text
        assert [one.reserved for one in place.people.progress()] == [0]
        visitor.get("/rate")
        assert visitor.request == asked
        assert visitor.text.count("checked") == 1
        visitor.send("stop")
        assert place.visit("ben").request == asked


@pytest.mark.parametrize("least", [None, 2])
def test_who_stops_is_shown_the_completion_code_from_the_least_number_on_and_never_by_default(
    tmp_path: Path, least: int | None
) -> None:
    people = {"per_target": 1, "completion_code": "D0NE"} | ({} if least is None else {"least_per_rater": least})
    with serve_study(write_study(tmp_path / "study", n_targets=4, people=people)) as place:
        visitor = place.visit("anna")
        for done in range(4):
            shown = "D0NE" in visitor.get("/stopped").text
            assert shown == (least is not None and done >= least), done
            expected = "from 2 completed dialogues on" if least else "completed all the dialogues there are for you"
            assert shown or expected in words(visitor.text)
            visitor.get("/rate")
            visitor.send(trust=1, ease=1)
        assert "D0NE" in visitor.text


def test_who_gave_others_back_needs_the_least_number_and_who_has_done_all_there_is_does_not(tmp_path: Path) -> None:
    people = {"per_target": 2, "completion_code": "D0NE", "no_task_code": "N0NE", "least_per_rater": 3}
    with serve_study(write_study(tmp_path / "study", n_targets=2, people=people)) as place:
        fair = place.visit("anna")
        assert fair.rate_all() == 2
        assert "D0NE" in fair.text
        picky = place.visit("ben")
        picky.send("give-back")
        picky.send(trust=1, ease=1)
        assert "D0NE" not in picky.text
        assert "from 3 completed dialogues on" in words(picky.text)
        nothing = place.visit("carl")
        nothing.send("give-back")
        assert "N0NE" not in nothing.text
        assert "than those that you gave back" in nothing.text


def test_codes_of_study_toml_survive_a_restart_and_options_go_before_them(tmp_path: Path) -> None:
    people = {"per_target": 1, "completion_code": "T0ML", "code_parameter": "PROLIFIC_PID"}
    root = write_study(tmp_path / "study", n_targets=1, people=people)
    with serve_study(root) as place:
        visitor = place.visit("anna")
        assert 'value="5f1"' in place.visit().get("/?PROLIFIC_PID=5f1").text
        visitor.rate_all()
        assert "T0ML" in visitor.text
    with serve_study(root, completion_code="0PTI0N", code_parameter="pid") as place:
        assert 'value="5f1"' in place.visit().get("/?pid=5f1").text
        assert "0PTI0N" in place.visit("anna").text


def test_on_a_finished_study_late_comers_see_its_end_and_nothing_is_stored_of_them(tmp_path: Path) -> None:
    people = {"per_target": 1, "no_task_code": "N0NE", "completion_code": "D0NE", "consent": "consent.txt"}
    root = write_study(tmp_path / "study", n_targets=1, people=people)
    (root / "consent.txt").write_text("Yes?", encoding="utf-8")
    with serve_study(root) as place:
        anna = place.people.enter("anna")
        place.people.agree(anna)
        visitor = place.visit()
        visitor.page = visitor.browser.post("/enter", data={"token": visitor.token, "code": "anna", "agree": "yes"})
        visitor.rate_all()
        late = place.visit()
        assert "This study is complete" in late.text
        assert "I have read this" not in late.text
        late.enter("late")
        assert "N0NE" in late.text
        assert "D0NE" not in late.text
        assert [one.code for one in place.people.people()] == ["anna"]
        assert "D0NE" in place.visit("ANNA").text


def test_earlier_dialogues_on_one_request_are_told_apart_by_number_and_moment(tmp_path: Path) -> None:
    clock = Clock()
    with serve_study(write_study(tmp_path / "study", n_targets=2), now=clock) as place:
        visitor = place.visit("anna")
        visitor.send(trust=1, ease=1)
        clock.forward(seconds=65)
        visitor.send(trust=1, ease=1)
        text = words(visitor.get("/earlier").text)
    assert "Dialogue 1, completed on <time" in text
    assert "2026-03-01 at 12:00:00</time> UTC" in text
    assert "Dialogue 2, completed on" in text
    assert "2026-03-01 at 12:01:05</time> UTC" in text


def test_a_gap_is_told_without_a_word_of_others_where_nothing_was_answered(place: Place) -> None:
    visitor = place.visit("anna")
    assert "is saved" not in words(visitor.send().text).split('class="problems"')[1].split("</div>")[0]
    assert "What you answered is saved." in visitor.send(trust=4).text


def test_names_of_dimensions_are_hidden_from_raters_unless_they_are_to_be_shown(tmp_path: Path) -> None:
    with serve_study(write_study(tmp_path / "hidden")) as place:
        text = place.visit("anna").text
        assert "Would you rely on it?" in text
        assert "Trust</span>" not in text
        assert "· Trust" not in text
    with serve_study(write_study(tmp_path / "shown", people={"show_names": True})) as place:
        assert "· Trust" in place.visit("anna").text


def test_the_default_instructions_ask_to_take_the_place_of_the_person_who_looks_for_something(place: Place) -> None:
    assert "in the place of the person who looks for something" in place.visit().text


def test_the_page_of_progress_loads_itself_again_and_has_times_counts_and_seconds(tmp_path: Path) -> None:
    clock = Clock()
    with serve_study(write_study(tmp_path / "study"), now=clock) as place:
        visitor = place.visit("anna")
        clock.forward(seconds=90)
        visitor.send(trust=1, ease=1)
        visitor.send("give-back")
        page = words(visitor.get(f"/status?token={place.status}").text)
    assert '<meta http-equiv="refresh" content="30">' in page
    cells = ["1", "1", "1", "0", "90"]
    row = "".join(f'<td class="num">{cell}</td>' for cell in cells)
    assert f"{row}<td>2026-03-01 12:00</td><td>2026-03-01 12:01</td>" in page
