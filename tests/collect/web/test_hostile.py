"""What nobody should be able to do to the page, and what it says to those who try."""

import json
from pathlib import Path

import httpx
import pytest

from dialgauge.collect.web.bodies import LARGEST_BODY
from dialgauge.collect.web.headers import HEADERS
from dialgauge.io.dialogues import write_dialogues
from dialgauge.model import Dialogue, Turn

from .conftest import INSTRUMENT, SYSTEM, Place, Visitor, serve_study, write_study

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7 * 7 }}"


def logged(place: Place) -> int:
    """Count the answers of everybody."""
    return sum(
        len(place.people.revisions(person.rater, target.target))
        for person in place.people.people()
        for target in place.people.progress()
    )


def test_texts_of_dialogues_and_instruments_are_shown_as_text(tmp_path: Path) -> None:
    evil = json.dumps(EVIL)
    instrument = INSTRUMENT.replace('"Would you rely on it?"', evil).replace('"How far one would rely on it."', evil)
    instrument = instrument.replace('"wholly"', evil)
    root = write_study(tmp_path / "study", instrument=instrument, people={"title": EVIL})
    turns = (Turn(speaker=EVIL, text=EVIL), Turn(speaker="user", text="\u202e</p></main>\x00"))
    write_dialogues([Dialogue(id=EVIL, turns=turns)], root / "targets.jsonl")
    with serve_study(root) as place:
        visitor = place.visit("anna")
        for page in (visitor.text, visitor.send(trust=1).text, visitor.send(ease=1).text, visitor.get("/earlier").text):
            assert "<script>alert" not in page
            assert "<img" not in page
            assert "49" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_every_answer_forbids_foreign_content_frames_and_copies(place: Place) -> None:
    visitor = place.visit("anna")
    asked = ["/", "/rate", "/earlier", "/instructions", "/nope", "/files/page.css", f"/status?token={place.status}"]
    answers = [visitor.browser.get(path) for path in asked]
    answers += [visitor.browser.post("/answer"), visitor.browser.put("/rate"), visitor.answer("trust", 1)]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
        assert answer.headers["cache-control"] in {"no-store", "no-cache"}
        assert "server" not in answer.headers
        assert "http://" not in answer.text
        assert "https://" not in answer.text
        assert " style=" not in answer.text
        assert "<script>" not in answer.text
    policy = answers[0].headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_files_with_the_version_of_the_page_may_be_kept(place: Place) -> None:
    visitor = place.visit()
    address = visitor.text.split('href="/files/page.css')[1].split('"')[0]
    assert "immutable" in visitor.browser.get(f"/files/page.css{address}").headers["cache-control"]
    assert visitor.browser.get("/files/../app.py").status_code == 404
    assert visitor.browser.get("/files/%2e%2e%2fapp.py").status_code == 404


def test_cookies_are_not_for_scripts_or_other_sites_and_only_encrypted_where_the_page_is(place: Place) -> None:
    for scheme, secure in (("http", False), ("https", True)):
        answer = httpx.get(place.address, headers={"X-Forwarded-Proto": scheme}, trust_env=False)
        parts = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
        assert {"httponly", "samesite=lax", "path=/"} <= parts
        assert ("secure" in parts) is secure


@pytest.mark.parametrize("token", ["", "x" * 22, "ü" * 22])
def test_a_form_or_an_answer_without_the_token_of_its_page_is_refused_and_nothing_is_logged(
    place: Place, token: str
) -> None:
    visitor = place.visit("anna")
    task = visitor.task
    form = {"task": task, "token": token, "answer:trust": "1", "answer:ease": "1"}
    assert visitor.browser.post("/rate", data=form).status_code == 403
    assert visitor.browser.post("/leave", data={"token": token}).status_code == 403
    body = {"task": task, "dimension": "trust", "answer": "1"}
    headers = [(b"X-Form-Token", token.encode())]
    assert visitor.browser.post("/answer", json=body, headers=headers).status_code == 403
    other = place.visit("ben")
    headers = [(b"X-Form-Token", other.token.encode())]
    assert visitor.browser.post("/answer", json=body, headers=headers).status_code == 403
    assert logged(place) == 0


def test_nobody_enters_without_the_cookie_and_the_token_of_the_first_page(place: Place) -> None:
    visitor = place.visit()
    stranger = httpx.post(f"{place.address}/enter", data={"token": visitor.token, "code": "x"}, trust_env=False)
    assert stranger.status_code == 403
    assert "allow cookies" in stranger.text
    assert visitor.browser.post("/enter", data={"token": "", "code": "x"}).status_code == 403
    assert place.people.people() == ()


@pytest.mark.parametrize("how", ["changed", "unsigned", "empty", "rubbish"])
def test_a_forged_cookie_opens_nothing(place: Place, how: str) -> None:
    visitor = place.visit("anna")
    (cookie,) = visitor.browser.cookies.jar
    body, _, signature = str(cookie.value).partition(".")
    forged = {"changed": f"{body[:-2]}AA.{signature}", "unsigned": body, "empty": ".", "rubbish": "%00.é"}[how]
    header = [(b"Cookie", f"{cookie.name}={forged}".encode())]
    assert httpx.get(f"{place.address}/rate", headers=header, trust_env=False).status_code == 401
    assert httpx.get(f"{place.address}/earlier", headers=header, trust_env=False).status_code == 401
    answer = httpx.post(f"{place.address}/answer", json={}, headers=header, trust_env=False)
    assert answer.status_code == 401
    assert "Please enter your code first" in answer.json()["problem"]


def test_bodies_are_bounded_and_of_one_kind(place: Place) -> None:
    visitor = place.visit("anna")
    headers = {"X-Form-Token": visitor.token}
    large = b"a" * (LARGEST_BODY + 1)
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    def post(path: str, content: object, kind: dict[str, str]) -> int:
        return visitor.browser.post(path, content=content, headers=headers | kind).status_code  # type: ignore[arg-type]

    assert post("/rate", large, form) == 413
    assert post("/answer", large, {"Content-Type": "application/json"}) == 413
    assert post("/rate", iter([b"a" * 100_000] * 4), form) == 413
    assert post("/rate", b"{}", {"Content-Type": "application/json"}) == 415
    assert post("/answer", b"a=1", form) == 415
    assert post("/rate", b"a=%ff", form) == 400
    assert post("/rate", "ä=1".encode(), form) == 400
    assert post("/rate", b"&".join(b"a=1" for _ in range(3000)), form) == 400
    for text in (b"", b"[]", b"[" * 100_000, b"\xff", b"{", b"NaN"):
        assert post("/answer", text, {"Content-Type": "application/json"}) == 400
    assert logged(place) == 0


@pytest.mark.parametrize(
    ("changed", "status", "told"),
    [
        ({"answer": "6"}, 422, "from 1 to 5"),
        ({"answer": "2.5"}, 422, "from 1 to 5"),
        ({"answer": "nan"}, 422, "a number"),
        ({"answer": "1e999"}, 422, "from 1 to 5"),
        ({"answer": ""}, 422, "a number"),
        ({"dimension": "none"}, 410, "no longer asked"),
        ({"task": "x" * 22}, 404, "no such dialogue"),
    ],
)
def test_an_answer_that_is_none_is_told_so_and_not_logged(
    place: Place, changed: dict[str, str], status: int, told: str
) -> None:
    visitor = place.visit("anna")
    answer = visitor.answer("trust", 1, **changed)
    assert answer.status_code == status
    assert told in answer.json()["problem"]
    assert logged(place) == 0


@pytest.mark.parametrize("body", [{}, {"task": 1, "dimension": "trust", "answer": "1"}, {"task": None}])
def test_an_answer_in_another_form_is_refused(place: Place, body: dict[str, object]) -> None:
    visitor = place.visit("anna")
    answer = visitor.browser.post("/answer", json=body, headers={"X-Form-Token": visitor.token})
    assert answer.status_code == 400


def test_the_dialogue_of_another_person_is_neither_shown_nor_taken_nor_named(place: Place) -> None:
    first, second = place.visit("anna"), place.visit("ben")
    pages = [
        second.browser.get(f"/rate?task={first.task}"),
        second.browser.post("/rate", data={"token": second.token, "task": first.task, "answer:trust": "1"}),
        second.answer("trust", 1, task=first.task),
    ]
    if first.task == second.task:
        pytest.fail("two people were given the same first dialogue, so nothing was tried")
    assert [page.status_code for page in pages] == [409, 409, 409]
    assert not any(SYSTEM in page.text or "Request" in page.text for page in pages)
    assert logged(place) == 0


def test_unknown_addresses_methods_and_actions_are_answered_calmly(place: Place) -> None:
    visitor = place.visit("anna")
    assert visitor.browser.get("/wp-admin").status_code == 404
    assert "There is no such page." in visitor.browser.get("/wp-admin").text
    wrong = visitor.browser.request("DELETE", "/rate")
    assert wrong.status_code == 405
    assert visitor.browser.get("/enter").headers["allow"] == "POST"
    form = {"token": visitor.token, "task": visitor.task, "action": "drop"}
    assert visitor.browser.post("/rate", data=form).status_code == 400
    assert visitor.browser.get("/rate?task=").status_code == 404
    assert visitor.browser.get("/%00%ff").status_code == 404


def test_pages_for_those_who_did_not_enter_lead_to_the_first_page(place: Place) -> None:
    visitor = Visitor(place.address)
    for path in ("/rate", "/earlier"):
        page = visitor.get(path)
        assert page.status_code == 401
        assert 'href="/"' in page.text


def test_a_defect_is_answered_calmly_with_all_headers_and_without_its_words(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = place.visit("anna")

    def fail(_: str) -> tuple[str, ...]:
        msg = "inner words"
        raise RuntimeError(msg)

    monkeypatch.setattr(place.people, "completions", fail)
    page = visitor.browser.get("/rate")
    assert page.status_code == 500
    assert "What was shown as saved is kept" in page.text
    assert "inner words" not in page.text
    assert {name: page.headers.get(name) for name in HEADERS} == HEADERS
    assert visitor.answer("trust", 1).status_code == 200
