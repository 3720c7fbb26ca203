"""Recordings: within the study, bounded, and the same as when they were first rated."""

import base64
import wave
from pathlib import Path

import pytest
from tests.llm.server import ChatServer

from dialgauge.cli import run
from dialgauge.collect.recordings import LARGEST_WAV, read_recording, with_recording
from dialgauge.errors import StudyError
from dialgauge.io.dialogues import write_dialogues
from dialgauge.model import Dialogue, Turn

from .conftest import RATER, Desk, write_study


def record(path: Path, sample: int = 0) -> Path:
    with wave.open(str(path), "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(2)
        stream.setframerate(8000)
        stream.writeframes(sample.to_bytes(2, "little") * 80)
    return path


def heard(audio: str | None) -> Dialogue:
    return Dialogue(id="d", turns=(Turn(speaker="user", text="hi"),), audio=audio)


def test_a_recording_is_sent_with_the_words(tmp_path: Path) -> None:
    wav = record(tmp_path / "a.wav")
    with ChatServer() as server:
        write_study(tmp_path, raters=[{**RATER, "endpoint": server.url, "audio": True}], replicates=1)
        write_dialogues([heard("a.wav")], tmp_path / "targets.jsonl")
        Desk(tmp_path).open().close()
        assert run(["rate", str(tmp_path)]) == 0
        parts = server.bodies[0]["messages"][1]["content"]
    assert base64.b64decode(parts[1]["input_audio"]["data"]) == wav.read_bytes()
    assert "The recording of the conversation is attached." in parts[0]["text"]


def test_a_recording_that_was_replaced_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tmp_path / "a.wav")
    known = with_recording(heard("a.wav"), tmp_path)
    assert read_recording(known, tmp_path).wav
    record(tmp_path / "a.wav", sample=9)
    with pytest.raises(StudyError, match="another recording than the one that was rated"):
        read_recording(known, tmp_path)


def test_what_is_no_recording_of_the_study_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "study"
    root.mkdir()
    record(tmp_path / "outside.wav")
    (root / "link.wav").symlink_to(tmp_path / "outside.wav")
    (root / "text.wav").write_text("not a recording", encoding="utf-8")
    with (root / "large.wav").open("wb") as stream:
        stream.truncate(LARGEST_WAV + 1)
    for audio, said in (
        ("../outside.wav", "lies outside the study"),
        (str(tmp_path / "outside.wav"), "lies outside the study"),
        ("link.wav", "lies outside the study"),
        ("/dev/zero", "lies outside the study"),
        (".", "is no file"),
        ("gone.wav", "cannot be read"),
        ("text.wav", "is not a .wav file"),
        ("large.wav", "more than 25,000,000 bytes"),
        (None, "has no audio"),
    ):
        with pytest.raises(StudyError, match=said):
            read_recording(heard(audio), root)
