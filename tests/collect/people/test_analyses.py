"""Every analysis of a study sees what people rated, as ratings by people and by nobody else."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.collect.conftest import RATER, write_study

from dialgauge.cli import run
from dialgauge.collect.people import open_people
from dialgauge.decide import gather_study
from dialgauge.errors import StudyError
from dialgauge.io import read_ratings
from dialgauge.io.dialogues import iter_dialogues
from dialgauge.io.store import Store, open_store
from dialgauge.io.study import read_study, read_study_ratings
from dialgauge.model import Attempt, Rating

from .conftest import Survey, open_survey

N_TARGETS = 24


def write_ratings_by_model(root: Path, store: Store) -> None:
    """Write what the model of the study answered, twice for each dialogue, without calling anybody."""
    folder = read_study(root)
    store.register(folder.study, folder.instrument)
    store.add_targets(iter_dialogues(folder.targets_path))
    rng = np.random.default_rng(3)
    items = []
    for target, dimension, replicate in product(range(N_TARGETS), ("trust", "ease"), (1, 2)):
        key: Any = {"rater": "m", "target": f"d{target}", "replicate": replicate}
        at = datetime(2026, 1, 1, tzinfo=UTC)
        sent = Attempt(
            **key, dimensions=(dimension,), number=1, started=at, seconds=0.1, state="ok", request="", answer="4"
        )
        items.append((sent, [Rating(**key, dimension=dimension, value=float(rng.integers(2, 6)))]))
    store.write(store.begin_run({}, seed=1), items)


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a study of 24 dialogues, each rated by three of four people and twice by a model."""
    root = write_study(
        tmp_path_factory.mktemp("rated") / "study", n_targets=N_TARGETS, raters=(RATER,), people={"per_target": 3}
    )
    open_store(root / "study.db", create=True).close()
    rng = np.random.default_rng(7)
    true = {f"d{i}": rng.normal(3.0, 1.0) for i in range(N_TARGETS)}
    with open_store(root / "study.db") as store:
        write_ratings_by_model(root, store)
        survey = Survey(root, store)
        names = [survey.people.enter(code) for code in "abcd"]
        while any(one.completed < 3 for one in survey.people.progress()):
            for name in names:
                task = survey.people.next_task(name)
                if task is not None:
                    for dimension in ("trust", "ease"):
                        value = float(np.clip(round(true[task.target.id] + rng.normal(0.0, 0.7)), 1, 5))
                        survey.people.answer(name, task.target.id, dimension, value)
                    survey.people.complete(name, task.target.id)
    return root


def show(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    capsys.readouterr()
    code = run([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_ratings_of_a_study_are_those_of_models_and_people(rated: Path) -> None:
    frame = read_study_ratings(rated).frame
    counted = dict(frame.group_by(pl.col("rater") == "m").len().iter_rows())
    assert counted == {True: N_TARGETS * 2 * 2, False: N_TARGETS * 3 * 2}
    assert set(frame.filter(pl.col("rater") != "m")["replicate"]) == {1}


@pytest.mark.parametrize("verb", ["reliability", "agreement"])
def test_people_are_taken_alone_and_the_model_is_named_as_left_out(
    rated: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, content = show(capsys, verb, str(rated))
    assert code == 0
    notes, findings = (content[key] for key in ("notes", "findings"))
    assert isinstance(notes, list)
    assert isinstance(findings, list)
    said = "Only the ratings by people are taken: 144 ratings by 4 raters. Left out: 96 ratings by models ('m')."
    assert notes[:2] == ["Read 240 ratings: 24 targets × 5 raters × 2 dimensions.", said]
    assert findings[0].startswith(said)


def test_people_are_one_kind_and_the_model_another(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, content = show(capsys, "kinds", str(rated))
    text = json.dumps(content)
    for name in ("person-001", "person-004"):
        assert name in text
    dimensions = content["dimensions"]
    assert isinstance(dimensions, list)
    kinds = {kind["kind"]: len(kind["raters"]) for kind in dimensions[0]["kinds"]}
    assert kinds == {"human": 4, "llm": 1}


def test_people_are_judged_together_and_never_by_repetition(rated: Path) -> None:
    with open_store(rated / "study.db") as store:
        evidence = gather_study(store).evidence
    assert {(one.rater, one.unit) for one in evidence} == {("", "raters"), ("m", "replicates")}


def test_repeated_measurement_leaves_people_out_by_name(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, content = show(capsys, "retest", str(rated))
    assert code == 0
    assert content["raters"] == ["m"]
    assert "person-001, person-002, person-003, person-004" in json.dumps(content)


def test_the_export_says_how_often_an_answer_was_changed_and_is_read_as_the_same_ratings(
    rated: Path, tmp_path: Path
) -> None:
    out = tmp_path / "table.csv"
    assert run(["export", str(rated), "--out", str(out)]) == 0
    table = pl.read_csv(out)
    people = table.filter(pl.col("rater") != "m")
    assert set(people["revisions"]) == {0}
    assert people["at"].null_count() == 0
    assert table.filter(pl.col("rater") == "m")["revisions"].null_count() == N_TARGETS * 4
    again = read_ratings(out, instrument=rated / "small.toml")
    assert again.same_ratings(read_study_ratings(rated))


@pytest.fixture
def only_people(tmp_path: Path) -> Iterator[Survey]:
    with open_survey(tmp_path / "study", n_targets=2) as survey:
        yield survey


def test_a_study_of_people_alone_has_nothing_to_rate_by_itself(
    only_people: Survey, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rate", str(only_people.root)]) == 2
    assert "has no models and no code to rate; people rate it with dialgauge serve" in capsys.readouterr().err


def test_people_alone_are_no_repeated_raters(only_people: Survey, capsys: pytest.CaptureFixture[str]) -> None:
    for code in "abc":
        rater = only_people.people.enter(code)
        only_people.rate(rater)
        only_people.rate(rater)
    with only_people.store as store:
        evidence = gather_study(store).evidence
    assert {(one.rater, one.unit) for one in evidence} == {("", "raters")}
    assert run(["retest", str(only_people.root)]) == 2
    assert "rated a target twice" in capsys.readouterr().err


def test_a_study_with_unfinished_tasks_only_says_so(only_people: Survey) -> None:
    rater = only_people.people.enter("a")
    task = only_people.people.next_task(rater)
    assert task is not None
    only_people.people.answer(rater, task.target.id, "ease", 3.0)
    with pytest.raises(StudyError, match=r"no ratings of any dimension yet; .*dialgauge serve .*\(1 answer by people"):
        read_study_ratings(only_people.root)


def test_models_that_rate_at_the_same_time_do_not_disturb_people(rated: Path) -> None:
    with open_store(rated / "study.db") as store, store.lock():
        people = open_people(read_study(rated), store)
        rater = people.enter("a")
        target = people.completed(rater)[0]
        before = people.task(rater, target).answers["ease"]
        value = 1.0 if before.value == 5.0 else 5.0
        assert people.answer(rater, target, "ease", value).revision == before.revision + 1
        people.answer(rater, target, "ease", before.value)


def test_the_log_holds_every_answer_of_people_from_0_on_and_says_which_is_current(
    only_people: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rater = only_people.people.enter("a")
    task = only_people.people.next_task(rater)
    assert task is not None
    for value in (2.0, 5.0):
        only_people.people.answer(rater, task.target.id, "trust", value)
    only_people.people.answer(rater, task.target.id, "ease", 3.0)
    only_people.people.complete(rater, task.target.id)
    out = tmp_path / "log.parquet"
    assert run(["export", str(only_people.root), "--log", "--out", str(out)]) == 0
    log = pl.read_parquet(out)
    columns = ["rater", "target", "dimension", "revision", "value", "missing", "text", "at", "current", "completed"]
    assert log.columns == columns
    rows = log.select("dimension", "revision", "value", "current", "completed").rows()
    assert rows == [("trust", 0, 2.0, False, True), ("trust", 1, 5.0, True, True), ("ease", 0, 3.0, True, True)]
    capsys.readouterr()
    assert run(["export", str(only_people.root)]) == 0
    table = pl.read_csv(StringIO(capsys.readouterr().out))
    assert sorted(table.select("dimension", "revisions", "kind").rows()) == [
        ("ease", 0, "human"),
        ("trust", 1, "human"),
    ]


def test_a_study_of_people_has_no_calls_and_is_told_what_to_export_instead(
    only_people: Survey, capsys: pytest.CaptureFixture[str]
) -> None:
    rater = only_people.people.enter("a")
    only_people.rate(rater)
    assert run(["export", str(only_people.root), "--attempts"]) == 2
    said = capsys.readouterr().err
    assert "its raters are people, and only models are called; leave --attempts out for the ratings" in said
    assert "--log for every answer of people" in said
    assert run(["export", str(only_people.root), "--attempts", "--log"]) == 2
    assert "give one of them" in capsys.readouterr().err
