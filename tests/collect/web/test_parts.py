"""Keys, signatures, and how scales are shown."""

import os
import stat
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.people import Answer, Task
from dialgauge.collect.web import extras
from dialgauge.collect.web.extras import check_extra
from dialgauge.collect.web.keys import FILE, read_key
from dialgauge.collect.web.saving import read_answer
from dialgauge.collect.web.shown import ShownQuestion, excerpt, show_questions, show_turns
from dialgauge.collect.web.signing import LIFETIME, Signer, Visit
from dialgauge.errors import InputError, StudyError
from dialgauge.instruments import load_instrument
from dialgauge.model import Dialogue, Dimension, Instrument, Scale, Turn

from .conftest import serve_study, write_study

DIALOGUE = Dialogue(id="d", turns=(Turn(speaker="user", text="word " * 50), Turn(speaker="wizard", text="Yes.")))

needs_posix = pytest.mark.skipif(os.name != "posix", reason="modes of files are of POSIX")


def show(scale: Scale, rubric: str = "", labels: tuple[str, ...] = ("Is it?",)) -> ShownQuestion:
    dimension = Dimension.model_validate(
        {"name": "x", "title": "X", "rubric": rubric, "scale": scale, "questions": [{"text": text} for text in labels]}
    )
    instrument = Instrument(name="i", version="1", title="I", dimensions=(dimension,))
    task = Task(rater="r", target=DIALOGUE, dimensions=(dimension,), answers={}, state="reserved", expires=None)
    (question,) = show_questions(task, instrument)
    return question


@needs_posix
def test_the_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    key = read_key(tmp_path)
    assert len(key) == 32
    assert read_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


def test_many_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    keys: list[bytes] = []
    threads = [threading.Thread(target=lambda: keys.append(read_key(tmp_path))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 16
    assert len(set(keys)) == 1


@needs_posix
def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    read_key(tmp_path)
    (tmp_path / FILE).chmod(0o644)
    with pytest.raises(StudyError, match="may be read by others"):
        read_key(tmp_path)


@pytest.mark.parametrize("content", ["", "12", "zz" * 32, "é"])
def test_a_file_that_is_no_key_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content, encoding="utf-8")
    (tmp_path / FILE).chmod(0o600)
    with pytest.raises(StudyError, match="is no key of 64 hexadecimal digits; remove it"):
        read_key(tmp_path)


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="cannot be read or made"):
        read_key(tmp_path / "none")


def test_a_visit_is_read_back_until_its_time_is_over_and_by_its_key_alone() -> None:
    signer, other = Signer(b"a" * 32), Signer(b"b" * 32)
    visit = Visit.begin("person-001 é")
    cookie = signer.write(visit, now=0.0)
    assert signer.read(cookie, now=LIFETIME) == visit
    assert signer.read(cookie, now=LIFETIME + 1.0) is None
    assert other.read(cookie, now=0.0) is None
    assert all(signer.read(cookie[:i] + "A" + cookie[i + 1 :], now=0.0) in {None, visit} for i in range(len(cookie)))


def test_tokens_of_one_purpose_are_none_of_another() -> None:
    signer = Signer(b"a" * 32)
    visit, other = Visit("n", "r"), Visit("n", "s")
    assert signer.is_form_token(signer.form_token(visit), visit)
    assert not signer.is_form_token(signer.form_token(other), visit)
    assert not signer.is_form_token(signer.status, visit)
    assert not signer.is_status_token(signer.form_token(visit))
    assert len({signer.handle("a"), signer.handle("b"), signer.status, signer.form_token(visit)}) == 4


def test_labelled_points_stand_beside_each_other_and_a_digit_chooses_each() -> None:
    instrument = load_instrument("crs_que")
    question = show(instrument.scale_for("accuracy"))
    assert question.beside
    assert question.short
    assert [(point.value, point.key, point.label) for point in question.points][::4] == [
        ("1", "1", "strongly disagree"),
        ("5", "5", "strongly agree"),
    ]


def test_a_rubric_stands_at_its_points_and_what_is_left_of_it_above() -> None:
    scale = Scale.model_validate({"level": "binary", "points": [0, 1], "labels": ["going on", "finished"]})
    question = show(scale, "Look at the last turn.\nGoing on: It breaks off.\n1: It is whole.")
    assert [(point.meaning, point.key, point.value) for point in question.points] == [
        ("It breaks off.", "1", "0"),
        ("It is whole.", "2", "1"),
    ]
    assert question.rubric == ("Look at the last turn.",)
    assert not question.beside


def test_ten_points_have_a_digit_each_and_more_than_eleven_are_typed() -> None:
    ten = show(Scale.parse("1:10"))
    assert "".join(point.key for point in ten.points) == "1234567890"
    many = show(Scale.parse("0:100"), "0: none\n100: all")
    assert many.points == ()
    assert (many.low, many.high) == ("0", "100")
    assert many.rubric == ("0: none", "100: all")


def test_several_questions_of_a_dimension_are_listed_without_its_name() -> None:
    question = show(Scale.parse("1:5"), labels=("Is it?", "Is it really?"))
    assert question.asked == "Please judge these together:"
    assert question.title == ""
    assert question.more == ("Is it?", "Is it really?")


def test_the_user_is_on_the_right_and_no_other_speaker_is_shown_by_the_name_that_may_tell_the_system() -> None:
    assert [(turn.speaker, turn.own) for turn in show_turns(DIALOGUE)] == [("User", True), ("System", False)]
    turns = [Turn(speaker=name, text="x") for name in ("BARCOR-v2", "USER", "barcor-v2", "UniCRS")]
    shown = show_turns(Dialogue(id="d", turns=tuple(turns)))
    assert [turn.speaker for turn in shown] == ["System 1", "User", "System 1", "System 2"]


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=9, unique=True))
def test_every_point_of_a_scale_can_be_chosen_and_what_is_shown_is_that_very_number(points: list[float]) -> None:
    scale = Scale(level="ordinal", points=tuple(sorted(points)))
    dimension = Dimension(name="x", title="X", scale=scale)
    instrument = Instrument(name="i", version="1", title="I", dimensions=(dimension,))
    for point in scale.points or ():
        answer = Answer(value=point, missing=None, text=None, revision=1, at=datetime(2026, 1, 1, tzinfo=UTC))
        task = Task(
            rater="r", target=DIALOGUE, dimensions=(dimension,), answers={"x": answer}, state="reserved", expires=None
        )
        (question,) = show_questions(task, instrument)
        (chosen,) = (one.value for one in question.points if one.chosen)
        assert read_answer("x", chosen, instrument).value == point
        assert read_answer("x", question.number, instrument).value == point
    assert len(excerpt(DIALOGUE)) <= 91


@pytest.mark.parametrize(
    ("text", "value"), [("0.25", 0.25), (" .5 ", 0.5), ("1e-1", 0.1), ("1", 1.0), ("cannot-say", None)]
)
def test_an_answer_on_a_continuous_scale_is_read(text: str, value: float | None) -> None:
    dimension = Dimension(name="x", title="X", scale=Scale.parse("0.0:1.0"))
    instrument = Instrument(name="i", version="1", title="I", dimensions=(dimension,))
    assert read_answer("x", text, instrument).value == value


@pytest.mark.parametrize("text", ["1.5", "-0.1", "inf", "nan", "0,5", "0x1", "1_0", "", "١"])
def test_what_is_no_value_of_the_scale_is_refused_in_words(text: str) -> None:
    dimension = Dimension(name="x", title="X", scale=Scale.parse("0.0:1.0"))
    instrument = Instrument(name="i", version="1", title="I", dimensions=(dimension,))
    with pytest.raises(InputError, match="Please give a"):
        read_answer("x", text, instrument)


def test_a_number_off_the_scale_is_told_at_its_question_and_kept_out_of_the_log(tmp_path: Path) -> None:
    instrument = 'name = "c"\nversion = "1"\ntitle = "C"\nscale = { level = "interval", low = 0.0, high = 1.0 }\n'
    instrument += '[[dimensions]]\nname = "calm"\ntitle = "Calm"\n'
    root = write_study(tmp_path / "study", instrument=instrument)
    with serve_study(root) as place:
        visitor = place.visit("anna")
        assert 'min="0" max="1"' in visitor.text
        page = visitor.send(calm="1.5")
        assert page.status_code == 422
        assert "from 0 to 1." in page.text
        visitor.send(calm="0.125")
        (target,) = place.people.completed("person-001")
        assert [answer.value for _, answer in place.people.revisions("person-001", target)] == [0.125]


def test_a_missing_extra_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "LIBRARIES", ("starlette", "no_such_library"))
    with pytest.raises(StudyError, match=r"needs no_such_library, .*: pip install 'dialgauge\[web\]', or in a clone"):
        check_extra()
