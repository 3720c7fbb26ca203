"""Collecting over real HTTP, through the command, from an endpoint that does everything an endpoint may do."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.llm.server import ChatServer, Received, Reply, error

from dialgauge.cli import run

from .conftest import RATER, Desk, write_study

ANSWERS = {
    "ok": '{"value": 3}',
    "unparsed": "It depends.",
    "off-scale": '{"value": 11}',
    "refused": "I'm sorry, I can't rate this.",
}

FAULTS = {
    "429": error(429, "slow down", retry_after="0.02"),
    "500": error(500, "oops"),
    "503": error(503, "overloaded"),
    "reset": Reply(reset=True),
    "hang up": Reply(hang_up=True),
    "slow body": Reply(byte_seconds=0.5),
    "late": Reply(seconds=5.0),
    "truncated": Reply(cut=25),
    "no JSON": Reply(body=b"<html>busy</html>", content_type="text/html"),
    "no choices": Reply(body=b'{"choices": []}'),
    "garbage bytes": Reply(body=b"\xff\xfe\x00garbage"),
}


class Storm:
    """Half of the requests meet a fault; the others are answered, one in two with a value."""

    def __init__(self, seed: int) -> None:
        self.rng, self.answered, self.faults = np.random.default_rng(seed), Counter[str](), Counter[str]()

    def __call__(self, request: Received) -> Reply:
        assert request.path.endswith("/chat/completions")
        if self.rng.random() < 0.5:
            fault = str(self.rng.choice(list(FAULTS)))
            self.faults[fault] += 1
            return FAULTS[fault]
        kind = str(self.rng.choice(list(ANSWERS), p=[0.55, 0.15, 0.15, 0.15]))
        self.answered[kind] += 1
        return Reply(text=ANSWERS[kind])


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialgauge.collect.line.delay_before", lambda *_: 0.01)


@pytest.mark.usefixtures("no_waiting")
def test_a_storm_ends_complete_with_the_right_missing_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    storm = Storm(5)
    with ChatServer(storm) as server:
        limits = {"attempts": 20, "timeout": 1.0, "concurrency": 32, "allowed_missing": 0.9}
        rater = {**RATER, "endpoint": server.url}
        desk = Desk(write_study(tmp_path, n_targets=40, raters=[rater], limits=limits))
        desk.open().close()
        assert run(["rate", str(tmp_path)]) == 0
    with desk.open() as store:
        frame, attempts = store.ratings().frame, store.attempts()
    assert len(frame) == 160
    assert frame.select("target", "dimension", "replicate").n_unique() == 160
    reasons = Counter(reason or "ok" for reason in frame["missing"])
    assert reasons == storm.answered
    assert set(frame.drop_nulls("value")["value"]) == {3.0}
    assert len(attempts) == storm.answered.total() + storm.faults.total()
    states = Counter(attempts["state"])
    assert states["timeout"] == storm.faults["slow body"] + storm.faults["late"]
    assert states["error"] == storm.faults.total() - states["timeout"]
    assert set(storm.faults) == set(FAULTS), "every kind of fault was met"
    out = capsys.readouterr().out
    assert "Done" in out
    assert f"{reasons['refused']:,}" in out


def test_each_attempt_is_kept_as_sent_and_as_received_and_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_MODEL_KEY", "sk-very-secret-key")
    with ChatServer(Reply(text='{"rationale": "curt", "value": 2}')) as server:
        rater = {**RATER, "endpoint": server.url, "key_env": "TEST_MODEL_KEY", "rationale": True, "top_p": 0.9}
        desk = Desk(write_study(tmp_path, n_targets=1, replicates=1, raters=[rater]))
        desk.open().close()
        assert run(["rate", str(tmp_path)]) == 0
        sent = server.bodies
        assert {each.headers["authorization"] for each in server.received} == {"Bearer sk-very-secret-key"}
    with desk.open() as store:
        attempts, details = store.attempts(texts=True), store.rating_details()
    assert sorted(attempts["request"]) == sorted(json.dumps(body, ensure_ascii=False) for body in sent)
    assert all(json.loads(answer)["choices"] for answer in attempts["answer"])
    assert attempts["fingerprint"].unique().to_list() == ["fp-test"]
    assert attempts["input_tokens"].null_count() == 0
    assert details["rationale"].to_list() == ["curt", "curt"]
    assert {body["top_p"] for body in sent} == {0.9}
    assert "sk-very-secret-key" not in (tmp_path / "study.db").read_bytes().decode("latin-1")


def test_a_missing_key_is_said_before_anything_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer() as server:
        rater = {**RATER, "endpoint": server.url, "key_env": "NO_SUCH_KEY_IS_SET"}
        Desk(write_study(tmp_path, raters=[rater])).open().close()
        assert run(["rate", str(tmp_path)]) == 2
        assert server.received == []
    assert "NO_SUCH_KEY_IS_SET is not set" in capsys.readouterr().err


def test_the_estimate_calls_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer() as server:
        rater = {**RATER, "endpoint": server.url, "price": {"input": 2.0, "output": 8.0}, "max_tokens": 100}
        Desk(write_study(tmp_path, raters=[rater], budget={"cost": 3.0})).open().close()
        assert run(["rate", str(tmp_path), "--estimate"]) == 0
        assert server.received == []
    out = capsys.readouterr().out
    assert "20 of 20 ratings to collect" in out
    assert "The budget stops at 3 USD" in out


def test_too_many_missing_ratings_end_with_code_1_and_a_wrong_name_with_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(Reply(text="hm")) as server:
        Desk(write_study(tmp_path, raters=[{**RATER, "endpoint": server.url}])).open().close()
        assert run(["rate", str(tmp_path), "--rater", "nobody"]) == 2
        assert "no rater 'nobody'; it has m" in capsys.readouterr().err
        assert run(["rate", str(tmp_path)]) == 1
    assert "more than 5% of the ratings are missing for m" in capsys.readouterr().err


def test_log_probabilities_over_http_become_expected_scores(tmp_path: Path) -> None:
    half, quarter = float(np.log(0.5)), float(np.log(0.25))
    tokens = [("4", half, [("4", half), ("2", quarter), ("x", quarter)])]
    with ChatServer(Reply(text="4", tokens=tokens)) as server:
        rater = {**RATER, "endpoint": server.url, "scoring": "expected"}
        desk = Desk(write_study(tmp_path, n_targets=2, replicates=1, raters=[rater]))
        desk.open().close()
        assert run(["rate", str(tmp_path)]) == 0
    with desk.open() as store:
        details = store.rating_details()
    assert details["value"].to_list() == pytest.approx([10 / 3] * 4)
    assert details["mass"].to_list() == pytest.approx([0.75] * 4)


def test_answers_with_the_very_same_bytes_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cached = Reply(body=json.dumps({"id": "same", "choices": [{"message": {"content": '{"value": 4}'}}]}).encode())
    with ChatServer(cached) as server:
        desk = Desk(write_study(tmp_path, raters=[{**RATER, "endpoint": server.url}]))
        desk.open().close()
        assert run(["rate", str(tmp_path)]) == 0
    assert "the same bytes" in capsys.readouterr().out
    with desk.open() as store:
        assert store.ratings().frame.filter(pl.col("value") == 4.0).height == 20


def test_ratings_of_dimensions_that_are_no_longer_asked_for_do_not_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer() as server:
        rater = {**RATER, "endpoint": server.url}
        Desk(write_study(tmp_path, raters=[rater])).open().close()
        assert run(["rate", str(tmp_path)]) == 0
        write_study(tmp_path, raters=[rater], dimensions=["trust"], replicates=3)
        capsys.readouterr()
        assert run(["rate", str(tmp_path)]) == 0
    row = next(line for line in capsys.readouterr().out.split("Done")[1].splitlines() if line.startswith("m "))
    assert row.split() == ["m", "15", "15", "0", "0"]
