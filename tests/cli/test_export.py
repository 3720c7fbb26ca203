"""`dialgauge export` writes what a study has collected; what it writes is read back as it is."""

import json
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

from dialgauge.cli import run
from dialgauge.io import read_ratings
from dialgauge.io.store import Store, open_store
from dialgauge.io.study import init_study, read_study
from dialgauge.model import MISSING_REASONS, Attempt, Dialogue, Missing, Rating, Ratings, Turn


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(
    store: Store, run: int, target: str, dimension: str, result: float | Missing, *, expected: bool = False
) -> None:
    """Write one attempt with what came of it: a value, a missing reason, or a failure."""
    failed = result in {"error", "timeout"}
    key = {"target": target, "rater": "made-up", "replicate": 1}
    attempt = Attempt(
        **key,  # type: ignore[arg-type]
        dimensions=(dimension,),
        number=1,
        started=datetime(2026, 1, 1, tzinfo=UTC),
        seconds=0.25,
        state=str(result) if isinstance(result, str) else "ok",
        request='{"say": "a, \\"b\\""}',
        answer=None if failed else "line one\nline two",
    )
    value = None if isinstance(result, str) else result
    missing = result if isinstance(result, str) else None
    rating = Rating(**key, dimension=dimension, value=value, missing=missing, expected=expected)  # type: ignore[arg-type]
    store.write(run, [(attempt, [] if failed else [rating])])


@pytest.fixture
def ratings() -> Ratings:
    """Make a study in the folder ``s`` with values and every missing reason, and return its ratings."""
    init_study("s")
    folder = read_study("s")
    targets = [Dialogue(id=f"d{i}", turns=(Turn(speaker="user", text="Hi"),)) for i in range(8)]
    with open_store(folder.store_url) as store:
        store.register(folder.study, folder.instrument)
        store.add_targets(targets)
        store.add_targets([Dialogue(id="anchor", turns=targets[0].turns)], purpose="anchor")
        run = store.begin_run({}, seed=1)
        for number, target in enumerate(targets):
            write(store, run, target.id, "accuracy", float(number % 5 + 1))
        for target, reason in zip(targets, MISSING_REASONS, strict=False):
            write(store, run, target.id, "novelty", reason)
        write(store, run, "anchor", "accuracy", 5.0)
        return store.ratings()


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.jsonl", "out.parquet"])
def test_a_file_is_read_back_as_the_same_ratings(
    ratings: Ratings, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "s", "--out", name]) == 0
    said = capsys.readouterr()
    assert said.err == f"wrote {name}\n"
    assert said.out == f"Next: dialgauge reliability {name} --instrument crs_que\n"
    read = read_ratings(name, instrument="crs_que")
    assert read.same_ratings(ratings)
    assert {*read.frame["missing"].drop_nulls()} == {*MISSING_REASONS}
    assert [path.name for path in Path().iterdir() if path.is_file()] == [name]


def test_the_printed_table_is_that_of_the_file(ratings: Ratings, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "s"]) == 0
    printed = capsys.readouterr().out
    assert run(["export", "s", "--out", "out.csv"]) == 0
    assert Path("out.csv").read_text() == printed
    assert printed.startswith("target,rater,dimension,replicate,value,missing,kind\nd0,made-up,accuracy,1,1,,llm\n")


def test_the_command_that_is_named_next_reads_the_file(ratings: Ratings, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "s", "--out", "out.csv"]) == 0
    command = capsys.readouterr().out.removeprefix("Next: dialgauge ").split()
    run([*command, "--json"])
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert ratings.notes[0] in notes


def test_one_rater_with_replicates_is_compared_with_itself(capsys: pytest.CaptureFixture[str]) -> None:
    init_study("s")
    assert run(["rate", "s"]) == 0
    capsys.readouterr()
    assert run(["export", "s", "--out", "out.csv"]) == 0
    command = capsys.readouterr().out.removeprefix("Next: dialgauge ").split()
    assert command == ["retest", "out.csv", "--replicate", "replicate", "--instrument", "crs_que"]
    assert run([*command, "--json"]) == 0


def test_ratings_of_all_purposes_have_their_occasion(ratings: Ratings, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(read_study("s").store_url) as store:
        number = store.begin_run({}, seed=1, occasion=2)
        write(store, number, "anchor", "novelty", "error")
    assert run(["export", "s", "--purpose", "all", "--out", "out.csv"]) == 0
    said = capsys.readouterr().out
    assert said == "Next: dialgauge monitor out.csv --occasion occasion --where 'occasion > 0' --instrument crs_que\n"
    table = pl.read_csv("out.csv")
    assert table.height == 16
    assert table.filter(pl.col("occasion") == 2)["missing"].to_list() == ["error"]
    assert run(["export", "s"]) == 0
    assert "occasion" not in capsys.readouterr().out.splitlines()[0]


def test_means_of_points_are_read_back_on_the_range_of_their_scale(capsys: pytest.CaptureFixture[str]) -> None:
    init_study("s")
    folder = read_study("s")
    with open_store(folder.store_url) as store:
        store.register(folder.study, folder.instrument)
        store.add_targets([Dialogue(id="d", turns=(Turn(speaker="user", text="Hi"),))])
        run_number = store.begin_run({}, seed=1)
        write(store, run_number, "d", "accuracy", 3.42, expected=True)
        kept = store.ratings()
    assert run(["export", "s", "--out", "out.csv"]) == 0
    command = capsys.readouterr().out.removeprefix("Next: dialgauge ").split()
    assert command == ["reliability", "out.csv", "--instrument", "crs_que", "--scale", "1.0:5.0"]
    assert read_ratings("out.csv", scale="1.0:5.0").frame["value"].to_list() == kept.frame["value"].to_list() == [3.42]


def test_one_purpose_or_all_are_exported(ratings: Ratings, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {}
    for purpose in ("study", "anchor", "all"):
        assert run(["export", "s", "--purpose", purpose]) == 0
        sizes[purpose] = pl.read_csv(StringIO(capsys.readouterr().out)).height
    assert sizes == {"study": 14, "anchor": 1, "all": 15}


@pytest.mark.parametrize("options", [[], ["--out", "r.csv"], ["--out", "r.jsonl"]])
def test_texts_that_a_spreadsheet_would_run_are_told_and_written_as_they_are(
    ratings: Ratings, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    folder = read_study("s")
    names = ["=1+1", "-d", "+d", "@d", "d=1"]
    with open_store(folder.store_url) as store:
        store.add_targets([Dialogue(id=name, turns=(Turn(speaker="user", text="Hi"),)) for name in names])
        for name in names:
            write(store, 1, name, "accuracy", 3.0)
    assert run(["export", "s", *options]) == 0
    said = capsys.readouterr()
    assert ("4 texts begin with a sign by which spreadsheets know formulas" in said.err) == ("r.jsonl" not in options)
    source = Path(options[1]) if options else Path("out.csv")
    if not options:
        source.write_text(said.out, encoding="utf-8", newline="")
    again = read_ratings(source, instrument="crs_que")
    assert {*names} <= {*again.frame["target"]} == {*names, *ratings.frame["target"]}


@pytest.mark.parametrize("name", ["calls.csv", "calls.jsonl", "calls.parquet"])
def test_every_call_is_exported_with_what_was_sent_and_received(ratings: Ratings, name: str) -> None:
    assert run(["export", "s", "--attempts", "--purpose", "all", "--out", name]) == 0
    if name.endswith(".csv"):
        calls = pl.read_csv(name)
    else:
        calls = pl.read_ndjson(name) if name.endswith(".jsonl") else pl.read_parquet(name)
    assert calls.height == 15
    assert calls["request"].unique().to_list() == ['{"say": "a, \\"b\\""}']
    assert {*calls["answer"]} == {"line one\nline two", None}
    first = calls["dimensions"][0]
    assert (json.loads(first) if isinstance(first, str) else first.to_list()) == ["accuracy"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["s", "--purpose", "fun"], "--purpose is one of study, planted, probe, anchor, all, got 'fun'"),
        (["s", "--purpose", "planted"], "s has no ratings of purpose planted yet; collect some first"),
        (["s", "--purpose", "probe", "--attempts"], "s has no calls of purpose probe yet; collect some first"),
        (["s", "--out", "a.xlsx"], "dialgauge: a.xlsx has the suffix '.xlsx'; "),
        (["s", "--out", "s/study.db"], "s/study.db has the suffix '.db'; "),
        (["s", "--out", "s/targets.jsonl"], "would replace the dialogues of the study"),
        (["s", "--out", "none/a.csv"], "there is no folder none"),
        (["none"], "there is no study none"),
    ],
)
def test_what_cannot_be_exported_is_an_error_of_one_line(
    ratings: Ratings, arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [Path("s", name).read_bytes() for name in ("study.db", "targets.jsonl")]
    assert run(["export", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert why in said.err
    assert said.err.count("\n") == 1
    assert [Path("s", name).read_bytes() for name in ("study.db", "targets.jsonl")] == before
    assert [path.name for path in Path().iterdir()] == ["s"]
