"""``dialgauge anchor`` and ``dialgauge monitor`` as a user starts them."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.cli import run
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study
from dialgauge.model import Attempt, Rating

READING = ("--occasion", "week", "--scale", "-9.0:9.0", "--replicate", "replicate")


def write_table(path: Path, *, shift: float) -> str:
    rng = np.random.default_rng(1)
    t, i, r = (x.ravel() for x in np.indices((11, 30, 3)))
    values = np.linspace(-2, 2, 30)[i] + 0.3 * rng.standard_normal(len(i)) + shift * (t >= 10)
    frame = pl.DataFrame({"target": [f"a{k}" for k in i], "week": t, "replicate": r + 1, "calm": values.round(3)})
    frame.with_columns(rater=pl.lit("gpt")).sample(fraction=1.0, shuffle=True, seed=1).write_csv(path)
    return str(path)


def test_no_change_ends_with_0_and_a_change_with_3_and_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["monitor", write_table(tmp_path / "still.csv", shift=0.0), *READING]) == 0
    assert "= steady" in capsys.readouterr().out
    moved = write_table(tmp_path / "moved.csv", shift=1.0)
    assert run(["monitor", moved, *READING, "--warn", "w.json", "--html", "m.html", "--json"]) == 3
    said = capsys.readouterr()
    assert "1 of 1 have changed" in said.err
    assert json.loads(said.out)["occasions"] == [str(t) for t in range(11)]  # by number, whatever the order of the rows
    assert json.loads(Path("w.json").read_text(encoding="utf-8"))["warnings"][0]["shifted_since"] == "10"
    assert Path("m.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--scale", "-9.0:9.0"], "name it with --occasion"),
        ([*READING, "--rerate"], "--rerate asks the raters of a study again"),
        ([*READING, "--alpha", "0"], "alpha must lie between 0 and 1"),
        ([*READING, "--minimum", "40"], "too little is known of every dimension"),
    ],
)
def test_what_cannot_be_used_ends_with_2(
    tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["monitor", write_table(tmp_path / "a.csv", shift=0.0), *options]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return a study of three targets."""
    folder = tmp_path / "study"
    assert run(["init", str(folder)]) == 0
    return folder


def test_an_anchor_set_is_drawn_from_the_study_once(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["monitor", str(study)]) == 2
    assert "has no anchor set; declare one with dialgauge anchor" in capsys.readouterr().err
    assert run(["anchor", str(study)]) == 2
    assert run(["anchor", str(study), "--sample", "99"]) == 2
    assert "and --sample asks for 99" in capsys.readouterr().err
    assert run(["anchor", str(study), "--sample", "2"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("2 targets are the anchor set")
    assert said.endswith(f"\nNext: dialgauge monitor {study} --rerate\n")
    with open_store(read_study(study).store_url) as store:
        names = [dialogue.id for dialogue in store.targets(purpose="anchor")]
        assert len(names) == 2
        assert all(name.startswith("anchor-") for name in names)
    assert run(["anchor", str(study), "--sample", "2"]) == 2
    assert "has an anchor set of 2 targets" in capsys.readouterr().err


def test_the_name_of_a_study_cannot_steer_the_terminal(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toml = study / "study.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace('name = "study"', 'name = "a\\u001b[2Jb"', 1), encoding="utf-8")
    assert run(["anchor", str(study), "--sample", "2"]) == 0
    assert "anchor set of a\\x1b[2Jb." in capsys.readouterr().out


def test_an_anchor_set_comes_from_a_file_and_its_occasions_from_the_store(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps({"id": f"a{i}", "turns": [{"speaker": "user", "text": "hi"}]}) for i in range(30)]
    (tmp_path / "anchors.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert run(["anchor", str(study), "--targets", str(tmp_path / "anchors.jsonl")]) == 0
    fill(study)
    capsys.readouterr()
    assert run(["monitor", str(study), "--json"]) == 3
    read = json.loads(capsys.readouterr().out)
    assert {w["dimension"]: (w["state"], w["shifted_since"]) for w in read["watches"]}[DIMENSION] == ("shifted", "2")
    assert [(e["occasion"], e["what"]) for e in read["events"]] == [("2", "answers came from m v2, before from m v1")]
    assert run(["monitor", str(study), "--scale", "1:5"]) == 2


def test_each_rerating_is_an_occasion_of_its_own_with_replicates_that_go_on_counting(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["monitor", str(study), "--rerate"]) == 2
    assert "has no anchor set" in capsys.readouterr().err
    assert run(["anchor", str(study), "--sample", "2"]) == 0
    capsys.readouterr()
    assert run(["monitor", str(study), "--rerate"]) == 0
    assert capsys.readouterr().out == f"Occasion 1 is the baseline. Next: dialgauge monitor {study} --rerate\n"
    assert run(["monitor", str(study), "--rerate"]) == 2  # two targets are too few for any statement
    with open_store(read_study(study).store_url) as store:
        details = store.rating_details(purpose="anchor")
    assert details.group_by("occasion").agg(pl.col("replicate").unique().sort()).sort("occasion").rows() == [
        (1, [1, 2, 3, 4]),
        (2, [5, 6, 7, 8]),
    ]


def test_a_baseline_that_is_not_complete_is_said_to_be_so(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (study / "study.toml").read_text().replace("attempts = 4", "attempts = 1")
    text = text.replace('endpoint = "fake"', 'endpoint = "fake"\nfake = { failures = 0.5 }', 1)
    (study / "study.toml").write_text(text)
    assert run(["anchor", str(study), "--sample", "2"]) == 0
    capsys.readouterr()
    assert run(["monitor", str(study), "--rerate"]) == 1
    said = capsys.readouterr()
    assert "occasion 1, the baseline, is not complete" in said.err
    assert re.search(r"calls failed: made-up: [0-9]+ × the fake model fails on purpose\n", said.err)


def test_a_drift_that_was_planted_in_the_fake_model_shows_on_its_occasion_and_in_the_exported_table(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (study / "study.toml").read_text().replace("# dimensions = ", "dimensions = ")
    text = text.replace('endpoint = "fake"', 'endpoint = "fake"\nfake = { shift_by_occasion = [0, 0, 0.3] }', 1)
    (study / "study.toml").write_text(text)
    turns = [[{"speaker": "user", "text": f"Number {i}?"}, {"speaker": "system", "text": "Yes."}] for i in range(40)]
    lines = [json.dumps({"id": f"a{i}", "turns": turns[i]}) for i in range(40)]
    (study / "anchors.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert run(["anchor", str(study), "--targets", str(study / "anchors.jsonl")]) == 0
    assert [run(["monitor", str(study), "--rerate", "--json"]) for _ in range(3)] == [0, 0, 3]
    table = str(study / "anchors.csv")
    capsys.readouterr()
    assert run(["export", str(study), "--purpose", "anchor", "--out", table]) == 0
    command = capsys.readouterr().out.removeprefix("Next: dialgauge ").split()
    assert command == ["monitor", table, "--occasion", "occasion", "--instrument", "crs_que"]
    assert run([*command, "--json"]) == 3
    read = json.loads(capsys.readouterr().out)
    assert {w["shifted_since"] for w in read["watches"]} == {"3"}


DIMENSION = "accuracy"


def fill(study: Path) -> None:
    """Write three occasions of the anchor set, the last by another version of the model and one point higher."""
    folder = read_study(study)
    rater = folder.study.raters[0].name
    rng = np.random.default_rng(1)
    with open_store(folder.store_url) as store:
        store.register(folder.study, folder.instrument)
        for occasion in range(3):
            number = store.begin_run({}, seed=1, occasion=occasion)
            items = []
            for i in range(30):
                for r in range(1, 3):
                    value = float(np.clip(np.round(1.5 + i / 15 + 0.3 * rng.normal()) + (occasion == 2), 1, 5))
                    key: Any = {"rater": rater, "target": f"a{i}", "replicate": 2 * occasion + r}
                    attempt = Attempt(
                        **key, dimensions=(DIMENSION,), number=1, started=datetime.now(UTC), seconds=0.1, state="ok",
                        request="", answer="x", model="m", fingerprint="v2" if occasion == 2 else "v1",
                    )  # fmt: skip
                    items.append((attempt, [Rating(**key, dimension=DIMENSION, value=value, occasion=occasion)]))
            store.write(number, items)
