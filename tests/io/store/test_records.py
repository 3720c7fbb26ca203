"""What is written to a store is read back, on each kind of database."""

from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialgauge.errors import StoreError
from dialgauge.io.store import Store, open_store
from dialgauge.model import MISSING_REASONS, Attempt, Dialogue, Rating

from .examples import INSTRUMENT, TEMPLATE, WHEN, attempt, dialogue, failed, fill, item, study

PERMANENT = [reason for reason in MISSING_REASONS if reason not in {"error", "timeout"}]
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
COUNTS = st.none() | st.integers(0, 2**40)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
MOMENTS = st.integers(-(10**15), 10**15).map(lambda n: WHEN + timedelta(microseconds=n))


def test_every_field_of_an_attempt_and_its_ratings_is_kept(store: Store) -> None:
    run = fill(store)
    call = attempt(
        "a", "tone", "pace", number=3, state="partial", request='{"q": 1}', answer="4", status=200, cost=0.25
    )
    rated = Rating(target="a", dimension="tone", rater="m", replicate=1, value=4.0, text="4", rationale="r", mass=0.9)
    gone = Rating(target="a", dimension="pace", rater="m", replicate=1, missing="refused", expected=True, occasion=2)
    assert store.write(run, [(call, [rated, gone])]) == 2
    (kept,) = store.attempts(texts=True).iter_rows(named=True)
    assert {f.name: kept[f.name] for f in fields(Attempt)} == asdict(call) | {"dimensions": ["tone", "pace"]}
    assert kept["run"] == run
    details = store.rating_details().to_dicts()
    assert [{f.name: row[f.name] for f in fields(Rating)} for row in details] == [asdict(rated), asdict(gone)]
    assert {row["attempt"] for row in details} == {kept["id"]}


@st.composite
def items(draw: st.DrawFn) -> list[tuple[Attempt, list[Rating]]]:
    """Return attempts whose ratings have keys of their own."""
    written = []
    for replicate in range(1, draw(st.integers(1, 4)) + 1):
        call = attempt(
            draw(st.sampled_from("ab")),
            "tone",
            "pace",
            replicate=replicate,
            number=draw(st.integers(1, 9)),
            started=draw(MOMENTS),
            request=draw(TEXT),
            answer=draw(st.none() | TEXT),
            error=draw(st.none() | TEXT),
            input_tokens=draw(COUNTS),
            output_tokens=draw(COUNTS),
            cost=draw(st.none() | st.floats(0, 1e6)),
        )
        ratings = [
            Rating(
                target=call.target,
                dimension=name,
                rater="m",
                replicate=replicate,
                value=draw(FINITE) if reason is None else None,
                missing=reason,
                text=draw(st.none() | TEXT),
                mass=draw(st.none() | st.floats(0, 1)),
                expected=draw(st.booleans()),
            )
            for name in draw(st.sets(st.sampled_from(["tone", "pace"])))
            for reason in [draw(st.none() | st.sampled_from(PERMANENT))]
        ]
        written.append((call, ratings))
    return written


@given(items())
@settings(max_examples=15)
def test_any_attempts_and_ratings_are_read_back_equal(written: list[tuple[Attempt, list[Rating]]]) -> None:
    with TemporaryDirectory() as folder, open_store(Path(folder) / "study.db", create=True) as store:
        store.write(fill(store), written)
        calls = store.attempts(texts=True).to_dicts()
        ratings = store.rating_details().to_dicts()
    due = [asdict(call) | {"dimensions": [*call.dimensions]} for call, _ in written]
    assert [{f.name: row[f.name] for f in fields(Attempt)} for row in calls] == due
    due = [asdict(rating) for _, given in written for rating in given]
    assert [{f.name: row[f.name] for f in fields(Rating)} for row in ratings] == due


def test_text_that_no_database_takes_is_kept_as_far_as_it_can_be(store: Store) -> None:
    store.write(fill(store), [(attempt(answer="a\0b\ud83d!\ud83d\ude00"), [])])
    assert store.attempts(texts=True)["answer"].to_list() == ["a\u2400b\ufffd!\U0001f600"]


def test_moments_come_back_in_utc_whatever_zone_they_came_in(store: Store) -> None:
    east = datetime(2026, 6, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    store.write(fill(store), [(attempt(started=east), [])])
    assert store.attempts()["started"].to_list() == [datetime(2026, 6, 1, 10, tzinfo=UTC)]


def test_targets_come_back_lazily_in_their_order_and_by_purpose(store: Store) -> None:
    many = [dialogue(f"d{i}") for i in range(450)]
    assert store.add_targets(many) == 450
    assert store.add_targets([dialogue("planted")], purpose="planted") == 1
    stream = store.targets()
    assert isinstance(stream, Iterator)
    assert next(stream) == many[0]
    assert [*stream] == many[1:]
    assert [d.id for d in store.targets(purpose="planted")] == ["planted"]
    assert len([*store.targets(purpose=None)]) == store.count_targets(purpose=None) == 451
    assert store.count_targets() == 450


def test_targets_added_while_they_are_read_come_too(store: Store) -> None:
    store.add_targets(dialogue(f"d{i}") for i in range(3))
    stream = store.targets()
    next(stream)
    store.add_targets([dialogue("late")])
    assert [d.id for d in stream][-1] == "late"


def test_what_is_done_and_attempted_is_told_by_rater_and_target(store: Store) -> None:
    run = fill(store, raters=("m", "n"))
    both = failed("a", "tone", "pace")
    again = failed("a", "tone", "pace", number=2)
    store.write(run, [item("a"), item("b", replicate=2, missing="refused"), item("a", rater="n"), both, again])
    assert store.done("m") == {("a", "tone", 1), ("b", "tone", 2)}
    assert store.done("m", ["b"]) == {("b", "tone", 2)}
    assert store.done("m", []) == set()
    assert store.done("nobody") == set()
    assert store.attempted("m", ["a"]) == {("a", 1, ("tone",)): 1, ("a", 1, ("tone", "pace")): 2}
    assert store.attempted("n") == {("a", 1, ("tone",)): 1}


def test_many_targets_can_be_asked_for_at_once(store: Store) -> None:
    names = [f"d{i}" for i in range(2000)]
    run = fill(store, names)
    store.write(run, [item(name) for name in names[:1200]])
    assert len(store.done("m", names)) == 1200
    assert len(store.attempted("m", iter(names))) == 1200


def test_a_call_that_failed_is_not_done(store: Store) -> None:
    store.write(fill(store), [failed("a"), failed("b", state="timeout")])
    assert store.done("m") == set()


def test_a_batch_is_written_whole_or_not_at_all(store: Store) -> None:
    run = fill(store)
    store.write(run, [item("a")])
    with pytest.raises(StoreError, match=r"target 'a' on 'tone' by rater 'm', replicate 1, is in the store"):
        store.write(run, [item("b"), item("a", number=2, value=5.0)])
    assert store.done("m") == {("a", "tone", 1)}
    assert store.attempts().height == 1


def test_with_skip_existing_the_first_rating_stays_and_both_attempts_are_kept(store: Store) -> None:
    run = fill(store)
    store.write(run, [item("a", value=2.0)])
    assert store.write(run, [item("a", value=5.0), item("b")], skip_existing=True) == 1
    assert store.ratings().frame["value"].to_list() == [2.0, 3.0]
    assert store.attempts().height == 3
    assert store.rating_details()["attempt"].to_list() == [1, 3]


def test_a_rating_that_comes_twice_in_one_batch_is_refused_or_skipped(store: Store) -> None:
    run = fill(store)
    twice = [item("a", value=1.0), item("a", value=2.0, number=2)]
    with pytest.raises(StoreError, match="is in the store"):
        store.write(run, twice)
    assert store.write(run, twice, skip_existing=True) == 1
    assert store.ratings().frame["value"].to_list() == [1.0]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (item("nobody"), "the target 'nobody' is not in the store"),
        (item("a", rater="x"), "the rater 'x' is not in the store"),
        ((attempt("a"), item("b")[1]), "is not of its attempt"),
        ((attempt("a", "pace"), item("a")[1]), "is not of its attempt"),
        (item("a", missing="timeout"), "because the call failed"),
        (item("a", value=float("nan")), "is nan, no number"),
        (item("a", value=float("inf")), "is inf, no number"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(store: Store, wrong: tuple[Attempt, list[Rating]], why: str) -> None:
    run = fill(store)
    with pytest.raises(StoreError, match=why):
        store.write(run, [item("b"), wrong])
    assert store.attempts().height == 0


def test_a_run_that_was_not_begun_is_refused(store: Store) -> None:
    fill(store)
    with pytest.raises(StoreError, match="there is no run 99"):
        store.write(99, [item("a")])


def test_nothing_can_be_written_too(store: Store) -> None:
    assert store.write(fill(store), []) == 0


def test_what_was_spent_tells_known_from_unknown(store: Store) -> None:
    run = fill(store)
    known: dict[str, Any] = {"cost": 0.5, "input_tokens": 100, "output_tokens": 10}
    store.write(run, [item("a", **known), item("b", cost=0.25, input_tokens=7), failed("a", replicate=2)])
    spent = store.spent()
    assert (spent.calls, spent.cost, spent.calls_of_unknown_cost) == (3, 0.75, 1)
    assert (spent.input_tokens, spent.output_tokens, spent.calls_of_unknown_tokens) == (107, 10, 2)


def test_a_run_ends_with_its_cost_or_with_none_where_one_is_unknown(store: Store) -> None:
    first = fill(store)
    second = store.begin_run({}, seed=2, occasion=1)
    store.write(first, [item("a", cost=0.5)])
    store.write(second, [item("b", cost=None)])
    for run in (first, second):
        store.end_run(run, "done")
    runs = store.runs()
    assert runs["cost"].to_list() == [0.5, None]
    assert runs["state"].to_list() == ["done", "done"]
    assert runs["occasion"].to_list() == [0, 1]
    assert (runs["ended"] >= runs["started"]).all()
    assert runs["config"].to_list() == ['{"replicates":2}', "{}"]


def test_counts_name_each_missing_reason_once(store: Store) -> None:
    run = fill(store, raters=("m", "n"))
    later = [failed("b", replicate=2), failed("b", replicate=2, number=2, state="timeout")]
    recovered = [failed("a", "pace"), item("a", "pace", number=2)]
    store.write(run, [item("a"), item("b", missing="unparsed"), *later, *recovered])
    first, second = store.counts()
    assert (first.rater, first.with_value) == ("m", 2)
    assert first.missing == {"timeout": 1, "unparsed": 1}
    assert (second.rater, second.with_value, second.missing) == ("n", 0, {})


def test_fingerprints_tell_when_each_version_of_a_model_answered(store: Store) -> None:
    day = timedelta(days=1)
    base = datetime(2026, 1, 1, tzinfo=UTC)
    versions = [("v1", 0), ("v1", 1), ("v2", 2)]
    items_ = [
        item("a", replicate=i + 1, answer="3", model="m-1", fingerprint=mark, started=base + i * day)
        for mark, i in versions
    ]
    store.write(fill(store), [*items_, failed("b", model="m-1")])
    rows = store.fingerprints().rows()
    assert rows == [("m", "m-1", "v1", 2, base, base + day), ("m", "m-1", "v2", 1, base + 2 * day, base + 2 * day)]


def test_prompts_are_kept_once_and_attempts_point_to_them(store: Store) -> None:
    store.write(fill(store), [item("a")])
    (rater,) = store.raters()
    assert rater.template == TEMPLATE
    assert store.attempts()["prompt_hash"].n_unique() == 1
    assert store.attempts()["prompt_hash"].null_count() == 0


def test_empty_tables_have_the_columns_and_types_of_full_ones(store: Store) -> None:
    run = fill(store)
    empty = [store.attempts(texts=True), store.rating_details(texts=True), store.fingerprints(), store.ratings().frame]
    store.write(run, [item("a", answer="3")])
    full = [store.attempts(texts=True), store.rating_details(texts=True), store.fingerprints(), store.ratings().frame]
    assert [frame.schema for frame in empty] == [frame.schema for frame in full]
    assert all(dtype != pl.Null for frame in full for dtype in frame.dtypes)


def test_what_was_registered_is_there_after_closing(location: str) -> None:
    with open_store(location, create=True) as store:
        fill(store)
    with open_store(location) as store:
        assert store.instrument() == INSTRUMENT
        assert store.scales() == {"tone": INSTRUMENT.scale, "pace": INSTRUMENT.scale}
        assert [rater.name for rater in store.raters()] == ["m"]
        assert [*store.targets()] == [dialogue("a"), dialogue("b")]


@given(
    st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.floats(0, 1e4)), max_size=4)
)
@settings(max_examples=15)
def test_any_dialogue_comes_back_as_it_was(turns: list[tuple[str, float]]) -> None:
    content = [{"speaker": "user", "text": text, "start": start} for text, start in [("", 0.0), *turns]]
    kept = Dialogue.model_validate({"id": "ä \u2028 id", "turns": content, "audio": "a.wav"})
    with TemporaryDirectory() as folder, open_store(Path(folder) / "study.db", create=True) as store:
        store.add_targets([kept])
        assert [*store.targets()] == [kept]
        assert store.add_targets([kept]) == 0


def test_a_study_without_templates_can_be_registered(store: Store) -> None:
    store.register(study("m"), INSTRUMENT)
    store.add_targets([dialogue("a")])
    store.write(store.begin_run({}, seed=1), [item("a")])
    assert store.attempts()["prompt_hash"].to_list() == [None]
