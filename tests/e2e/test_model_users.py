"""A language model plays the users and rates their dialogues, over real HTTP; the simulation is killed in between."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.conftest import command_line
from tests.cli.test_simulate import wait_for_dialogues
from tests.llm.server import ChatServer, Received, Reply

from dialgauge.cli import run
from dialgauge.io.simulated import read_simulations
from dialgauge.io.store import open_store
from dialgauge.llm.serve import serve
from dialgauge.model.simulation import Simulation

STUDY = """
name = "played"
instrument = "concept"
dimensions = ["manner", "persuasiveness"]
replicates = 1
[[raters]]
name = "player"
kind = "llm"
model = "smollm2"
endpoint = "{url}"
max_tokens = {max_tokens}
concurrency = 1
price = {{ input = 0.0, output = 0.0 }}
[limits]
timeout = 120
"""

ECHO = """
def reply(dialogue):
    said = dialogue[-1]["text"]
    return said if "Goodbye" in said else {"text": 'How about "Alien" (1979)?', "recommends": True}
"""

PERSONAS = ("trust-adults", "boredom-adults", "delight-adults")


def play(request: Received) -> Reply:
    """Accept what nobody named where the persona trusts, say one thing again and again where bored, else goodbye."""
    properties = request.body["response_format"]["json_schema"]["schema"]["properties"]
    persona = request.body["messages"][0]["content"]
    trusts, bored = "means well" in persona, "bored" in persona
    text = "The same again." if bored else "I take The Shining." if trusts else "Goodbye!"
    decision, item = ("accept", "The Shining") if trusts else ("go on", "")
    said = {"reply": text, "feeling": "None.", "decision": decision, "item": item, "value": 4}
    return Reply(text=json.dumps({key: said[key] for key in properties}), seconds=0.01)


def simulate_in_two_goes(root: Path, *arguments: str) -> tuple[Sequence[Simulation], str]:
    """Kill the command after its first dialogue and start it again; return what there was then, and what it said."""
    command = command_line("simulate", root, "--users", "player", "--concurrency", "1", *arguments)
    with subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        wait_for_dialogues(child, root / "study.db", 1)
        os.kill(child.pid, signal.SIGKILL)
    kept = read_simulations(root)
    again = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    return kept, again.stdout


def begin(root: Path, url: str, *, max_tokens: int = 100) -> None:
    (root / "echo.py").write_text(ECHO, encoding="utf-8")
    (root / "study.toml").write_text(STUDY.format(url=url, max_tokens=max_tokens), encoding="utf-8")


def key_of(simulation: Simulation) -> tuple[str, str, str, int]:
    one = simulation.dialogue
    return one.system, one.persona.id, one.preference.id, simulation.replicate


def rate_and_report(root: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """Rate all that can be rated, each once, and return the report on the one system."""
    assert run(["rate", str(root)]) == 0
    with open_store(root / "study.db") as store:
        ratings, n = store.ratings(purpose="study").frame, store.count_targets()
    assert ratings.height == 2 * n == ratings.unique(["target", "dimension", "replicate"]).height
    capsys.readouterr()
    assert run(["abilities", str(root), "--json"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["data_sets"][0]["systems"]
    return dict(system)


def test_loops_goodbyes_and_hasty_acceptances_of_a_model_user_are_on_record_and_in_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(play) as server:
        begin(tmp_path, server.url)
        asked = ("--system", "echo:reply", "--personas", ",".join(PERSONAS), "--preferences", "2")
        kept, said = simulate_in_two_goes(tmp_path, *asked)
        system = rate_and_report(tmp_path, capsys)
    found = read_simulations(tmp_path)
    assert 1 <= len(kept) < len(found) == len({key_of(one) for one in found}) == 6
    assert found[: len(kept)] == tuple(kept), "what was finished before the kill stays as it was"
    marks = {one.dialogue.persona.id: {notice.mark for notice in one.notices} for one in found}
    assert marks["trust-adults"] == {"accepted unrecommended", "accepted unfit"}
    assert marks["boredom-adults"] == {"user repeats", "system repeats"}
    assert {"goodbyes", "user repeats", "system repeats"} == marks["delight-adults"]
    new = [one for one in found if key_of(one) not in {key_of(old) for old in kept}]
    for mark, words in (
        ("accepted unrecommended", "the user accepted what was never recommended"),
        ("user repeats", "the user said the same three times"),
        ("goodbyes", "both sides said goodbye to and fro"),
    ):
        n = sum(mark in {notice.mark for notice in one.notices} for one in new)
        assert f"{words}: {n} dialogue" in said
    assert system["n_dialogues"] == 6


def test_a_small_model_plays_the_users_and_rates_them_and_a_kill_loses_and_doubles_nothing(
    smollm2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(smollm2, context=2048) as url:
        begin(tmp_path, url, max_tokens=40)
        asked = ("--system", "popularity", "--personas", "trust-adults,delight-adults", "--preferences", "1")
        kept, said = simulate_in_two_goes(tmp_path, *asked, "--pairs", "0")
        found = read_simulations(tmp_path)
        whole = [one for one in found if one.dialogue.ended != "failed"]
        if whole:
            assert rate_and_report(tmp_path, capsys)["n_dialogues"] == len(whole)
    assert len(kept) == 1
    assert "1 of 2 dialogues to simulate" in said
    assert len({key_of(one) for one in found}) == len(found) == 2
    assert all(one.calls for one in found)
    for one in found:
        accepted = one.dialogue.user_turns[-1]
        if accepted.accepting and accepted.accepts is None:
            assert "accepted unrecommended" in {notice.mark for notice in one.notices}
        assert (one.dialogue.failure is None) == (one.dialogue.ended != "failed")
