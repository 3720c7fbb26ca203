"""The whole way with a real language model over real HTTP: rate, retest, decide. The verdicts are the numbers' own."""

import json
from pathlib import Path

import polars as pl
import pytest

from dialgauge.cli import run
from dialgauge.io.store import open_store
from dialgauge.llm.serve import serve

INSTRUMENT = """
name = "short"
version = "1"
title = "Short"
[[dimensions]]
name = "help"
title = "Help"
questions = [{ text = "Did the system help the user?" }]
scale = { level = "ordinal", points = [1, 2, 3, 4, 5] }
[[dimensions]]
name = "polite"
title = "Politeness"
questions = [{ text = "Is the user polite?" }]
scale = { level = "binary", labels = ["no", "yes"] }
"""

TURNS = [
    ("A film for tonight, please.", "Try a comedy of last year."),
    ("This is useless. I asked for a thriller!", "OK."),
    ("Thank you, that was just right.", "Enjoy the evening!"),
    ("Where is it shown?", "I do not know."),
]

STUDY = """
name = "small"
instrument = "short.toml"
replicates = 3
[[raters]]
name = "smollm2"
kind = "llm"
model = "smollm2"
endpoint = "{url}"
max_tokens = 24
concurrency = 1
price = {{ input = 0.0, output = 0.0 }}
[[raters]]
name = "smollm2, expected"
kind = "llm"
model = "smollm2"
endpoint = "{url}"
scoring = "expected"
concurrency = 1
replicates = 1
price = {{ input = 0.0, output = 0.0 }}
"""


def test_a_small_model_is_rated_retested_and_decided_on_over_http(
    smollm2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dialogues = [
        {"id": f"d{i}", "turns": [{"speaker": "user", "text": user}, {"speaker": "system", "text": system}]}
        for i, (user, system) in enumerate(TURNS)
    ]
    (tmp_path / "targets.jsonl").write_text("\n".join(map(json.dumps, dialogues)), encoding="utf-8")
    (tmp_path / "short.toml").write_text(INSTRUMENT, encoding="utf-8")
    open_store(tmp_path / "study.db", create=True).close()
    with serve(smollm2) as url:
        (tmp_path / "study.toml").write_text(STUDY.format(url=url), encoding="utf-8")
        ended = run(["rate", str(tmp_path)])
    with open_store(tmp_path / "study.db") as store:
        details, attempts = store.rating_details(), store.attempts()
    assert details.height == 4 * 2 * 3 + 4 * 2
    sampled, expected = details.filter(~pl.col("expected")), details.filter("expected")
    assert sampled["value"].null_count() == 0, "the schema holds the answers to the scale"
    assert set(expected.filter(pl.col("value").is_null())["missing"]) <= {"unparsed"}, "a sentence is no code"
    assert ended == (1 if expected["value"].null_count() > 0.05 * expected.height else 0), capsys.readouterr().err
    assert attempts["output_tokens"].min() > 0  # type: ignore[operator]
    assert attempts["fingerprint"].null_count() == 0
    masses = expected["mass"]
    assert masses.null_count() == 0
    assert 0.0 < masses.min() <= masses.max() <= 1.0  # type: ignore[operator]
    capsys.readouterr()

    assert run(["retest", str(tmp_path), "--json", "--html", str(tmp_path / "retest.html")]) in {0, 2}
    retest = json.loads(capsys.readouterr().out)
    assert "smollm2" in json.dumps(retest)
    assert (tmp_path / "retest.html").stat().st_size > 10_000

    assert run(["decide", str(tmp_path), "--json"]) in {0, 2}
    decisions = json.loads(capsys.readouterr().out)["decisions"]
    verdicts = {decision["verdict"] for decision in decisions}
    assert verdicts <= {"trust", "average k raters", "collect n more", "do not use"}
    assert {decision["dimension"] for decision in decisions} == {"help", "polite"}
    assert "trust" not in verdicts, "four targets are too few to trust anything"
