"""A person at a real browser: keys, clicks, answers kept where the connection fails, colours that can be read."""

import re
import sqlite3
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from .browser import Page, open_browser
from .conftest import Place, serve_study, write_study

CSS = (resources.files("dialgauge.collect.web") / "static" / "page.css").read_text(encoding="utf-8")

LOADED = "document.readyState === 'complete' && document.getElementById('state')"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with open_browser() as opened:
        yield opened


def said(page: Page) -> str:
    """Return what stands beside the button."""
    return str(page.see("document.getElementById('state').textContent"))


def enter(page: Page, place: Place, code: str) -> None:
    page.errors.clear()
    page.go(f"{place.address}/?code={code}")
    page.click("form.enter button")
    page.wait_for(f"location.pathname === '/rate' && {LOADED}")


def test_a_person_goes_from_the_first_page_to_the_end_with_the_keyboard_alone(page: Page, tmp_path: Path) -> None:
    root = write_study(tmp_path / "study", n_targets=2, people={"per_target": 1})
    with serve_study(root, completion_code="C0DE") as place:
        page.errors.clear()
        page.go(place.address)
        page.see("document.getElementById('code').focus()")
        page.write("anna")
        page.press("Enter")
        page.wait_for(f"location.pathname === '/rate' && {LOADED}")
        page.press("Tab")
        assert page.see("document.activeElement.textContent") == "Skip to the questions"
        page.press("Enter", "Tab", "4")
        page.wait_for("document.activeElement.closest('#q2')")
        page.press("2")
        page.wait_for("document.activeElement.id === 'complete'")
        page.wait_for("document.getElementById('state').textContent === '2 of 2 answered. All saved.'")
        page.see("window.before = true")
        page.press("Enter")
        page.wait_for(f"!window.before && {LOADED}")
        assert page.see("document.querySelector('h1').textContent") == "Dialogue 2"
        page.click("#q1 .point:nth-child(4) input")
        page.press("ArrowRight")
        page.click("#q2 .opt-out input")
        page.wait_for("document.getElementById('state').textContent === '2 of 2 answered. All saved.'")
        page.click("#complete")
        page.wait_for("document.body.textContent.includes('C0DE')")
        assert page.errors == []
        first, second = reversed(place.people.completed("person-001"))
        answers = [place.people.task("person-001", target).answers for target in (first, second)]
    assert {name: answer.value for name, answer in answers[0].items()} == {"trust": 4.0, "ease": 2.0}
    assert answers[1]["trust"].value == 5.0
    assert answers[1]["ease"].missing == "not-applicable"


def test_a_gap_is_shown_with_its_question_in_focus_and_nothing_is_sent(page: Page, place: Place) -> None:
    enter(page, place, "ben")
    page.click("#q1 .point:nth-child(2) input")
    page.click("#complete")
    page.wait_for("!document.getElementById('p2').hidden")
    assert page.see("document.getElementById('problems').textContent") == "One question has no answer yet."
    assert page.see("document.activeElement.closest('.question').id") == "q2"
    page.press("3")
    page.wait_for("document.getElementById('problems').hidden")
    assert place.people.completed("person-001") == ()


def test_answers_that_could_not_be_saved_are_tried_again_and_survive_a_reload(page: Page, root: Path) -> None:
    with serve_study(root, patience=0.3) as place:
        enter(page, place, "carl")
        with sqlite3.connect(root / "study.db", isolation_level=None) as connection:
            connection.execute("BEGIN IMMEDIATE")
            page.click("#q1 .point:nth-child(4) input")
            page.wait_for("document.querySelector('#q1 .state').textContent === 'not saved yet'")
            assert "1 not saved yet" in said(page)
            assert page.see("localStorage.length") == 1
            connection.execute("ROLLBACK")
        connection.close()
        page.wait_for("document.querySelector('#q1 .state').textContent === 'saved'")
        assert page.see("localStorage.length") == 0
        page.do("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        page.click("#q2 .point:nth-child(5) input")
        page.click("#complete")
        page.wait_for("document.querySelector('#q2 .state').textContent === 'not saved yet'")
        page.do(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        page.wait_for("document.querySelector('h1').textContent === 'Dialogue 2'")
        (target,) = place.people.completed("person-001")
        answers = place.people.task("person-001", target).answers
    assert {name: answer.value for name, answer in answers.items()} == {"trust": 4.0, "ease": 5.0}


def test_what_a_browser_kept_is_sent_when_the_page_is_opened_again(page: Page, place: Place) -> None:
    enter(page, place, "dora")
    page.see("""localStorage.setItem(
        `dialgauge:${document.getElementById('questions').dataset.who}:${document.forms.questions.elements.task.value}`,
        JSON.stringify([["answer:ease", "3"]]))""")
    page.go(f"{place.address}/rate")
    page.wait_for("document.querySelector('#q2 .state').textContent === 'saved'")
    assert page.see("document.querySelector('#q2 input:checked').value") == "3"
    assert page.see("localStorage.length") == 0


def test_somebody_logged_out_elsewhere_is_told_so_and_keeps_what_is_not_saved(page: Page, place: Place) -> None:
    enter(page, place, "emil")
    page.do("Network.clearBrowserCookies")
    page.click("#q1 .point:nth-child(1) input")
    page.wait_for("document.getElementById('state').textContent.includes('Please enter your code first')")
    enter(page, place, "emil")
    page.wait_for("document.querySelector('#q1 .state').textContent === 'saved'")
    (target,) = (one.target for one in place.people.progress() if one.reserved)
    assert place.people.task("person-001", target).answers["trust"].value == 1.0


SAVED = "document.getElementById('state').textContent.includes('All saved')"


def test_a_tab_that_is_older_than_another_device_overwrites_nothing_and_says_what_is_kept(
    page: Page, place: Place
) -> None:
    enter(page, place, "fred")
    for number in (1, 2):
        page.click(f"#q{number} .point:nth-child(4) input")
    page.wait_for(f"document.getElementById('state').textContent.startsWith('2 of 2') && {SAVED}")
    phone = place.visit("fred")
    assert phone.answer("trust", 1).json()["saved"]
    page.click("#complete")
    page.wait_for(f"!document.getElementById('p1').hidden && {LOADED}")
    assert page.see("document.querySelector('#q1 input:checked').value") == "1"
    assert place.people.completed("person-001") == ()
    phone.get("/rate")
    assert phone.answer("trust", 2).json()["saved"]
    page.click("#q1 .point:nth-child(5) input")
    page.wait_for("document.querySelector('#q1 input:checked').value === '2'")
    assert "You changed this on another device" in str(page.see("document.getElementById('p1').textContent"))
    page.click("#q1 .point:nth-child(5) input")
    page.wait_for(f"document.getElementById('p1').hidden && {SAVED}")
    page.click("#complete")
    page.wait_for("document.querySelector('h1').textContent === 'Dialogue 2'")
    (target,) = place.people.completed("person-001")
    log = [one.value for name, one in place.people.revisions("person-001", target) if name == "trust"]
    assert log == [4.0, 1.0, 2.0, 5.0]


def test_what_a_browser_kept_is_dropped_where_another_device_answered_since(page: Page, place: Place) -> None:
    enter(page, place, "gina")
    keep = """localStorage.setItem(
        `dialgauge:${document.getElementById('questions').dataset.who}:${document.forms.questions.elements.task.value}`,
        JSON.stringify([["answer:ease", "3", 0, %s]]))"""
    page.see(keep % "[]")
    assert place.visit("gina").answer("ease", 5).json()["saved"]
    page.go(f"{place.address}/rate")
    page.wait_for("!document.getElementById('p2').hidden")
    assert page.see("document.querySelector('#q2 input:checked').value") == "5"
    assert page.see("localStorage.length") == 0
    (target,) = (one.target for one in place.people.progress() if one.reserved)
    assert len(place.people.revisions("person-001", target)) == 1
    page.see(keep % '["5"]')  # this browser sent it itself, and the reply was lost
    page.go(f"{place.address}/rate")
    page.wait_for(SAVED)
    assert place.people.task("person-001", target).answers["ease"].value == 3.0


def test_an_answer_whose_reply_was_lost_is_no_answer_from_elsewhere(page: Page, place: Place) -> None:
    enter(page, place, "hans")
    page.see("""window.real = fetch; window.fetch = async (...all) => {
        await real(...all); window.fetch = real; throw new TypeError("lost"); }""")
    page.click("#q1 .point:nth-child(4) input")
    page.wait_for("document.querySelector('#q1 .state').textContent === 'not saved yet'")
    page.click("#q1 .point:nth-child(2) input")
    page.wait_for(SAVED)
    assert page.see("document.getElementById('p1').hidden")
    (target,) = (one.target for one in place.people.progress() if one.reserved)
    assert [one.value for _, one in place.people.revisions("person-001", target)] == [4.0, 2.0]


def test_what_was_chosen_before_the_script_was_there_is_sent_when_it_comes(page: Page, place: Place) -> None:
    enter(page, place, "ines")
    script = "document.querySelector('script[src*=page]').src"
    page.do("Page.addScriptToEvaluateOnNewDocument", source="window.early = true")
    text = page.see(f"fetch({script}).then((reply) => reply.text())")
    page.do("Network.setBlockedURLs", urls=["*page.js*"])
    page.do("Network.setCacheDisabled", cacheDisabled=True)
    try:
        page.go(f"{place.address}/rate")
        page.click("#q1 .point:nth-child(4) input")
        page.see(text)
        page.wait_for("document.querySelector('#q1 .state').textContent === 'saved'")
    finally:
        page.do("Network.setBlockedURLs", urls=[])
        page.do("Network.setCacheDisabled", cacheDisabled=False)
    (target,) = (one.target for one in place.people.progress() if one.reserved)
    assert place.people.task("person-001", target).answers["trust"].value == 4.0


def test_a_question_that_is_no_longer_asked_is_put_aside_and_the_rest_is_completed(page: Page, place: Place) -> None:
    enter(page, place, "jana")
    page.see(
        "document.querySelector('#q1').dataset.dimension = 'gone'; "
        "document.querySelector('[name=\"revision:trust\"]').name = 'revision:gone'"
    )
    page.click("#q1 .point:nth-child(4) input")
    page.wait_for("document.getElementById('q1').disabled")
    assert page.see("document.getElementById('p1').textContent") == "This question is no longer asked."
    page.click("#q2 .point:nth-child(4) input")
    page.wait_for("document.getElementById('state').textContent === '1 of 1 answered. All saved.'")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_page_is_wider_than_its_window_and_the_dialogue_scrolls_by_itself(
    page: Page, place: Place, width: int
) -> None:
    page.look(width=width, height=800)
    try:
        enter(page, place, "wide")
        for path in ("/rate", "/", "/earlier", "/instructions", f"/status?token={place.status}"):
            page.go(f"{place.address}{path}")
            assert page.see("document.documentElement.scrollWidth") <= width, path
        page.go(f"{place.address}/rate")
        style = "getComputedStyle(document.querySelector('.dialogue'))"
        assert page.see(f"{style}.overflowY") == "auto"
        assert page.errors == []
    finally:
        page.look()


def test_every_choice_has_a_name_and_every_question_its_legend(page: Page, place: Place) -> None:
    enter(page, place, "names")
    tree = page.do("Accessibility.getFullAXTree")["nodes"]

    def names(role: str) -> list[str]:
        found = [node for node in tree if node.get("role", {}).get("value") == role and not node["ignored"]]
        return [str(node.get("name", {}).get("value", "")) for node in found]

    assert names("radio")[:2] == ["1 not at all", "2 a little"]
    assert len(names("radio")) == 12
    assert "I cannot say from this dialogue" in names("radio")
    assert "1 of 2 Would you rely on it?" in names("group")
    assert names("button")[-1:] == ["Complete and go on"]
    assert len(names("status")) == 1


def test_after_a_digit_the_next_question_is_outlined_as_a_whole_and_none_of_its_points(
    page: Page, place: Place
) -> None:
    enter(page, place, "ring")
    page.see("document.querySelector('#q1 input').focus()")
    page.press("4")
    page.wait_for("document.activeElement.closest('#q2')")
    assert page.see("getComputedStyle(document.getElementById('q2')).outlineStyle") == "solid"
    assert page.see("getComputedStyle(document.activeElement.closest('.point')).outlineStyle") == "none"
    assert page.see("document.querySelectorAll('#q2 input:checked').length") == 0


def test_the_button_that_completes_is_in_one_line_on_a_phone(page: Page, place: Place) -> None:
    page.look(width=320, height=640)
    try:
        enter(page, place, "phone")
        assert page.see("getComputedStyle(document.getElementById('complete')).whiteSpace") == "nowrap"
        height = page.see("document.getElementById('complete').getBoundingClientRect().height")
        line = page.see("parseFloat(getComputedStyle(document.getElementById('complete')).lineHeight)")
        assert isinstance(height, float | int)
        assert isinstance(line, float | int)
        assert height < 2 * line + 20
        assert page.see("document.documentElement.scrollWidth") <= 320
    finally:
        page.look()


def test_a_page_that_waits_goes_on_by_itself_once_a_dialogue_is_free(page: Page, tmp_path: Path) -> None:
    with serve_study(write_study(tmp_path / "study", n_targets=1, people={"per_target": 1})) as place:
        holder = place.visit("anna")
        page.errors.clear()
        page.go(f"{place.address}/?code=ben")
        page.click("form.enter button")
        page.wait_for("document.querySelector('.looks') && !document.querySelector('.looks').hidden")
        page.see("window.before = true")
        page.see("document.dispatchEvent(new Event('visibilitychange'))")
        holder.send("give-back")
        page.wait_for("window.before === true")
        page.see("document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for(f"!window.before && {LOADED}")
        assert page.errors == []


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("front", "back", "least"),
    [
        *((front, back, 4.5) for front in ("ink", "soft", "link") for back in ("page", "card", "mark")),
        ("ink", "own", 4.5),
        ("alarm", "card", 4.5),
        ("good", "card", 4.5),
        ("on", "link", 4.5),
        ("edge", "card", 3.0),
        ("link", "own", 3.0),
    ],
)
def test_colours_have_the_contrast_of_wcag_aa(scheme: str, front: str, back: str, least: float) -> None:
    blocks = re.findall(r":root \{(.*?)\}", CSS, flags=re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#\w{6})", blocks[scheme == "dark"]))
    lighter, darker = sorted((luminance(colours[front]), luminance(colours[back])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= least
