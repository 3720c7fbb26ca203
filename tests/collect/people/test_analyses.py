"""Every analysis of a study sees what people rated, as ratings by people and by nobody else."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.collect.conftest import RATER, write_study

from dialgauge.cli import run
from dialgauge.collect.people import open_people
from dialgauge.decide import gather_study
from dialgauge.errors import StudyError
from dialgauge.io import read_ratings
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study, read_study_ratings

from .conftest import Survey, open_survey

MODEL = {**RATER, "endpoint": "fake"}
N_TARGETS = 24


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a study of 24 dialogues, each rated by three of four people and twice by a model."""
    root = write_study(
        tmp_path_factory.mktemp("rated") / "study", n_targets=N_TARGETS, raters=(MODEL,), people={"per_target": 3}
    )
    open_store(root / "study.db", create=True).close()
    assert run(["rate", str(root)]) == 0
    rng = np.random.default_rng(7)
    true = {f"d{i}": rng.normal(3.0, 1.0) for i in range(N_TARGETS)}
    with open_store(root / "study.db") as store:
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
def test_people_are_among_the_raters_of_an_analysis(rated: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, content = show(capsys, verb, str(rated))
    assert code == 0
    assert "Read 240 ratings: 24 targets × 5 raters × 2 dimensions." in content["notes"]  # type: ignore[operator]


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
        evidence, _ = gather_study(store)
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
    assert set(people["revisions"]) == {1}
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
        evidence, _ = gather_study(store)
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
