"""Nobody gets a dialogue without having agreed; links are links and nothing else; codes; and who withdrew."""

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialgauge.collect.people import open_people
from dialgauge.collect.web.links import link
from dialgauge.collect.web.settings import make_settings
from dialgauge.errors import StudyError
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study

from .conftest import Place, Visitor, serve_study, write_study

TEXT = "We keep <what> you answer.\n\nAsk mailto:data@example.org or see https://example.org/a?b=1&c=2."


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    """Return a study whose people agree to a text first."""
    root = write_study(tmp_path / "study", people={"consent": "consent.txt"})
    (root / "consent.txt").write_text(f"{TEXT}\n", encoding="utf-8")
    return root


@pytest.fixture
def consenting(asking: Path) -> Iterator[Place]:
    with serve_study(asking) as place:
        yield place


def enter(place: Place, code: str, **fields: str) -> Visitor:
    visitor = place.visit()
    visitor.page = visitor.browser.post("/enter", data={"token": visitor.token, "code": code, **fields})
    return visitor


def test_without_the_box_nobody_enters_and_nothing_is_stored(consenting: Place) -> None:
    page = consenting.visit().text
    assert "We keep &lt;what&gt; you answer." in page
    assert "I have read this and agree" in page
    visitor = enter(consenting, "anna")
    assert visitor.page.status_code == 422
    assert "Please tick the box if you agree" in visitor.text
    assert 'value="anna"' in visitor.text
    assert consenting.people.people() == ()


def test_who_agrees_gets_a_dialogue_and_the_hash_of_the_text_is_kept_with_its_first_moment(
    consenting: Place, asking: Path
) -> None:
    for _ in range(2):
        assert enter(consenting, "anna", agree="yes").request
    with sqlite3.connect(asking / "study.db") as connection:
        rows = connection.execute("SELECT rater, text_hash FROM consents").fetchall()
    connection.close()
    assert rows == [("person-001", hashlib.sha256(TEXT.encode()).hexdigest())]


def test_a_text_that_has_changed_is_put_to_those_who_agreed_to_another_before_they_go_on(asking: Path) -> None:
    with serve_study(asking) as place:
        visitor = enter(place, "anna", agree="yes")
        visitor.send(trust=1, ease=1)
        visitor.send("stop")
    (asking / "consent.txt").write_text("Something else.", encoding="utf-8")
    with serve_study(asking) as place:
        visitor.browser.base_url = place.address
        visitor.get("/rate")
        assert visitor.page.url.path == "/consent"
        assert "Something else." in visitor.text
        visitor.page = visitor.browser.post("/agree", data={"token": visitor.token})
        assert visitor.page.status_code == 422
        assert visitor.browser.post("/agree", data={"agree": "yes"}).status_code == 403
        visitor.page = visitor.browser.post("/agree", data={"token": visitor.token, "agree": "yes"})
        assert visitor.request


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://a.org/b.", 'see <a href="https://a.org/b" rel="{rel}" target="_blank">https://a.org/b</a>.'),
        ("(HTTP://a.org/x_(y))", '(<a href="HTTP://a.org/x_(y)" rel="{rel}" target="_blank">HTTP://a.org/x_(y)</a>)'),
        ("mailto:a@b.org, or", '<a href="mailto:a@b.org" rel="{rel}" target="_blank">a@b.org</a>, or'),
        ("https://a.org/?a=1&b", '<a href="https://a.org/?a=1&amp;b" rel="{rel}" target="_blank">https://a.org/?a=1&amp;b</a>'),
        ("javascript:alert(1) <b> data:x", "javascript:alert(1) &lt;b&gt; data:x"),
        ('https://a.org"onclick=x', '<a href="https://a.org" rel="{rel}" target="_blank">https://a.org</a>&#34;onclick=x'),
        ("mailto:", "mailto:"),
    ],
)  # fmt: skip
def test_only_addresses_of_the_web_and_of_mail_become_links_and_all_else_is_escaped(text: str, shown: str) -> None:
    assert str(link(text)) == shown.replace("{rel}", "noopener noreferrer")


def test_links_stand_in_instructions_and_consent(asking: Path) -> None:
    text = (asking / "study.toml").read_text(encoding="utf-8")
    (asking / "study.toml").write_text(f'{text}instructions = "how.txt"\n', encoding="utf-8")
    (asking / "how.txt").write_text("More: https://example.org/how", encoding="utf-8")
    with serve_study(asking) as place:
        page = place.visit().text
    assert 'href="https://example.org/how"' in page
    assert 'href="mailto:data@example.org"' in page
    assert 'href="https://example.org/a?b=1&amp;c=2"' in page


def test_large_and_small_letters_of_a_code_are_the_same_and_it_stays_as_first_written(place: Place) -> None:
    first = place.visit("BEN-7x")
    second = place.visit("ben-7X")
    assert second.request == first.request
    second.get("/rate")
    assert second.page.status_code == 200
    assert [one.code for one in place.people.people()] == ["BEN-7x"]


def test_a_code_that_is_not_on_the_list_is_refused_kindly_and_not_stored(tmp_path: Path) -> None:
    root = write_study(tmp_path / "study", people={"codes": "codes.txt"})
    (root / "codes.txt").write_text("anna-1\n\n BEN-2 \n", encoding="utf-8")
    with serve_study(root) as place:
        visitor = place.visit("carl-3")
        assert visitor.page.status_code == 422
        assert "is none of those for this study; please check how it is written" in visitor.text
        assert place.people.people() == ()
        assert place.visit("ben-2").request


@pytest.mark.parametrize(
    ("content", "why"), [("", "has no codes"), ("a\nA\n", "'A' twice"), ("a b\n", "'a b' of .* could never enter")]
)
def test_a_list_of_codes_that_would_not_do_is_refused(tmp_path: Path, content: str, why: str) -> None:
    root = write_study(tmp_path / "study", people={"codes": "codes.txt"})
    (root / "codes.txt").write_text(content, encoding="utf-8")
    folder = read_study(root)
    with open_store(folder.store_url, create=True) as store, pytest.raises(StudyError, match=why):
        make_settings(folder, open_people(folder, store))


def test_a_consent_without_words_is_refused(asking: Path) -> None:
    (asking / "consent.txt").write_text(" \n", encoding="utf-8")
    folder = read_study(asking)
    with open_store(folder.store_url, create=True) as store, pytest.raises(StudyError, match="nothing to agree to"):
        open_people(folder, store)


def test_who_withdrew_while_the_page_is_open_is_told_so_and_nothing_more_is_taken(place: Place) -> None:
    visitor = place.visit("anna")
    visitor.send(trust=1, ease=1)
    place.people.withdraw("person-001")
    assert visitor.answer("trust", 4).status_code == 403
    for page in (visitor.send(trust=4, ease=4), visitor.get("/rate"), visitor.get("/earlier")):
        assert page.status_code == 403
        assert "You withdrew from this study" in page.text
    assert place.visit("anna").page.status_code == 403
