"""A study with people, models and a fake model: whose ratings an analysis takes, and what it says of the others."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.cli import run
from dialgauge.io.store import RaterEntry, open_store
from dialgauge.io.study import read_study
from dialgauge.model import Attempt, Dialogue, Rating, Turn

N_TARGETS = 24
PEOPLE = ("ann", "bob", "cid")

SMALL = """
name = "small"
version = "1"
title = "Small"
scale = { level = "ordinal", points = [1, 2, 3, 4, 5] }

[[dimensions]]
name = "trust"
title = "Trust"
"""

STUDY = """
name = "mixed"
instrument = "small.toml"
replicates = 2
raters = [
    { name = "gpt", kind = "llm", model = "x", endpoint = "http://127.0.0.1:9/v1" },
    { name = "llama", kind = "llm", model = "y", endpoint = "http://127.0.0.1:9/v1" },
    { name = "made-up", kind = "llm", model = "z", endpoint = "fake" },
]
"""


def make_study(folder: Path, *raters: str, systems: tuple[str, ...] = ()) -> str:
    """Make a study that ``raters`` have rated: people once, models twice; targets are of ``systems`` in turn."""
    folder.mkdir()
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    found, rng = read_study(folder), np.random.default_rng(5)
    true = rng.normal(3.0, 1.2, N_TARGETS) + (np.arange(N_TARGETS) % 2 if systems else 0.0)
    items = []
    for rater in raters:
        for i in range(N_TARGETS):
            for replicate in (1,) if rater in PEOPLE else (1, 2):
                key: Any = {"rater": rater, "target": f"d{i}", "replicate": replicate}
                at = datetime(2026, 1, 1, tzinfo=UTC)
                sent = Attempt(
                    **key, dimensions=("trust",), number=1, started=at, seconds=0.1, state="ok", request="", answer="4"
                )
                value = float(np.clip(round(true[i] + rng.normal(0.0, 0.6)), 1, 5))
                items.append((sent, [Rating(**key, dimension="trust", value=value)]))
    with open_store(folder / "study.db", create=True) as store:
        store.register(found.study, found.instrument, *(RaterEntry(name=name, kind="human") for name in PEOPLE))
        store.add_targets(
            Dialogue(
                id=f"d{i}",
                turns=(Turn(speaker="user", text=f"Request {i}"),),
                system=systems[i % len(systems)] if systems else None,
            )
            for i in range(N_TARGETS)
        )
        store.write(store.begin_run({}, seed=1), items)
    return str(folder)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a study rated by three people, two models and the fake model, of two systems."""
    folder = tmp_path_factory.mktemp("mixed") / "s"
    return make_study(folder, *PEOPLE, "gpt", "llama", "made-up", systems=("alpha", "beta"))


@pytest.fixture(scope="module")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a study that only the fake model has rated."""
    return make_study(tmp_path_factory.mktemp("fakes") / "s", "made-up")


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a study rated by people and the fake model."""
    return make_study(tmp_path_factory.mktemp("tried") / "s", *PEOPLE, "made-up")


def show(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    code = run([*arguments, "--json"])
    captured = capsys.readouterr()
    assert code in {0, 2}, captured.err
    content: dict[str, Any] = json.loads(captured.out)
    return content


@pytest.mark.parametrize("verb", ["reliability", "agreement"])
def test_people_alone_are_taken_and_note_and_first_finding_say_what_is_left_out(
    mixed: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = show(capsys, verb, mixed)
    said = (
        "Only the ratings by people are taken: 72 ratings by 3 raters. Left out: 96 ratings by models ('gpt', 'llama')."
    )
    assert said in found["notes"]
    assert found["findings"][0].startswith(said)
    assert f"--kind llm takes the others, and dialgauge kinds {mixed} compares kinds" in found["findings"][0]
    assert found["findings"][1] == "Left out: 48 ratings by 'made-up', made up by a fake model. They mean nothing."
    assert found["design"]["n_raters"] == 3
    assert run([verb, mixed]) in {0, 2}
    assert "- Only the ratings by people are taken" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["reliability", "agreement", "raters"])
def test_models_of_several_names_are_one_kind_that_may_be_asked_for(
    mixed: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = show(capsys, verb, mixed, "--kind", "llm")
    assert found["design"]["n_raters"] == 2
    assert found["findings"][0].startswith("Only the ratings by models are taken: 96 ratings by 2 raters. Left out: 72")


def test_reliability_of_a_study_is_that_by_which_it_is_decided(mixed: str, capsys: pytest.CaptureFixture[str]) -> None:
    (trust,) = show(capsys, "reliability", mixed)["dimensions"]
    decisions = show(capsys, "decide", mixed)["decisions"]
    (per_target,) = [d for d in decisions if d["use"] == "descriptive" and d["rater_kind"] == "human"]
    assert per_target["estimate"]["value"] == pytest.approx(trust["rel_k"]["value"], abs=1e-12)


def test_raters_compares_all_kinds_but_says_so(mixed: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = show(capsys, "raters", mixed)
    assert {rater["name"] for rater in found["raters"]} == {*PEOPLE, "gpt", "llama"}
    said = "Raters of several kinds stand beside each other: people (3), models (2)."
    assert said in found["notes"]
    assert found["findings"][0].startswith(said)


@pytest.mark.parametrize("verb", ["retest", "kinds", "decide", "reliability"])
def test_made_up_ratings_are_left_out_beside_real_ones(
    mixed: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = show(capsys, verb, mixed)
    said = "Left out: 48 ratings by 'made-up', made up by a fake model."
    assert said in found["notes"]
    assert any(one.startswith(said) for one in found["findings"])
    del found["notes"], found["findings"]
    assert "made-up" not in json.dumps(found)


@pytest.mark.parametrize("verb", ["retest", "decide", "reliability", "agreement", "raters"])
def test_where_all_ratings_are_made_up_the_first_finding_says_so_on_terminal_and_page(
    fakes: str, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = show(capsys, verb, fakes)
    said = "The ratings by 'made-up' are made up: a fake model gave them"
    assert found["findings"][0].startswith(said)
    page = tmp_path / "page.html"
    assert run([verb, fakes, "--html", str(page)]) in {0, 2}
    assert said in " ".join(capsys.readouterr().out.split()).replace("‘", "'").replace("’", "'")
    assert "are made up: a fake model gave them" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", ["retest", "kinds"])
def test_where_leaving_out_is_the_cause_of_an_error_the_error_says_so(
    tried: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    code = run([verb, tried])
    captured = capsys.readouterr()
    assert code in {0, 2}
    assert "Left out: 48 ratings by 'made-up', made up by a fake model" in captured.out + captured.err


def test_a_kind_that_is_none_or_has_not_rated_is_refused(
    tried: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reliability", tried, "--kind", "robot"]) == 2
    assert "--kind is one of human, llm, code for a study, got 'robot'" in capsys.readouterr().err
    assert run(["reliability", tried, "--kind", "code"]) == 2
    assert "has no ratings by code; there are some by people and models" in capsys.readouterr().err
    table = tmp_path / "t.csv"
    assert run(["export", tried, "--out", str(table)]) == 0
    assert run(["agreement", str(table), "--instrument", f"{tried}/small.toml", "--kind", "human"]) == 2
    assert "--kind is about a study" in capsys.readouterr().err


def test_the_fake_model_may_be_looked_at_by_its_kind_and_is_called_made_up(
    tried: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = show(capsys, "reliability", tried, "--kind", "llm")
    assert found["findings"][0].startswith("The ratings by 'made-up' are made up")


def test_systems_of_a_study_are_compared_by_people_and_by_models(
    mixed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = show(capsys, "decide", mixed)["decisions"]
    compared = {(d["rater_kind"], d["rater"]): d for d in decisions if d["use"] == "compare-systems"}
    assert set(compared) == {("human", None), ("llm", "gpt"), ("llm", "llama")}
    assert not any("which system" in " ".join(d["reasons"]) for d in compared.values())
    assert run(["decide", mixed]) in {0, 2}
    assert "all people" in capsys.readouterr().out


def test_the_exported_table_knows_kind_and_system_and_answers_as_the_study_does(
    mixed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    assert run(["export", mixed, "--out", str(table)]) == 0
    frame = pl.read_csv(table)
    assert frame.columns == ["target", "rater", "dimension", "replicate", "value", "missing", "kind", "system"]
    assert dict(frame.select("rater", "kind").unique().iter_rows()) == {
        **dict.fromkeys(PEOPLE, "human"),
        **dict.fromkeys(("gpt", "llama", "made-up"), "llm"),
    }
    read = [str(table), "--instrument", f"{mixed}/small.toml", "--where", "kind == 'human'"]
    (own,) = show(capsys, "reliability", mixed)["dimensions"]
    (again,) = show(capsys, "reliability", *read)["dimensions"]
    assert again["rel_k"] == own["rel_k"]
    by_study = [d for d in show(capsys, "decide", mixed)["decisions"] if d["rater_kind"] == "human"]
    by_table = show(capsys, "decide", *read, "--system", "system")["decisions"]
    assert [d["verdict"] for d in by_table] == [d["verdict"] for d in by_study]
    assert [d["estimate"] for d in by_table] == [d["estimate"] for d in by_study]


def test_a_study_whose_targets_name_no_system_exports_no_such_column(
    fakes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["export", fakes]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "target,rater,dimension,replicate,value,missing,kind"


@pytest.mark.parametrize("verb", ["retest", "kinds", "decide", "reliability", "agreement", "raters"])
def test_the_first_findings_on_the_terminal_are_about_whose_ratings_these_are(
    mixed: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run([verb, mixed]) in {0, 2}
    out = capsys.readouterr().out
    first = out.partition("\nFindings\n")[2].splitlines()[0]
    assert "made-up  constant answers" not in out
    expected = {"reliability": "- Only the ratings", "agreement": "- Only the ratings", "raters": "- Raters of several"}
    assert first.startswith(expected.get(verb, "- Left out: 48 ratings by"))
