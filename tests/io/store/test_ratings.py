"""Ratings out of the store: on their scales, in one order, the missing ones with their reason."""

import random
from pathlib import Path

import pytest

from dialgauge.io import read_ratings, write_long
from dialgauge.io.store import RaterEntry, Store
from dialgauge.model import MISSING_REASONS, Dimension, Instrument, Scale

from .examples import INSTRUMENT, TEMPLATE, attempt, dialogue, failed, fill, item, study


def keys(store: Store, **options: str | int | bool | None) -> list[tuple[str, str, str, int]]:
    frame = store.ratings(**options).frame  # type: ignore[arg-type]
    return frame.select("target", "rater", "dimension", "replicate").rows()


def test_ratings_come_on_the_declared_scales_with_counts(store: Store) -> None:
    run = fill(store)
    store.write(run, [item("a", value=4.0), item("b", "pace", missing="refused")])
    ratings = store.ratings()
    assert dict(ratings.scales) == {"tone": INSTRUMENT.scale, "pace": INSTRUMENT.scale}
    assert ratings.instrument == INSTRUMENT
    assert ratings.source == store.location
    assert ratings.notes == (
        "Read 2 ratings: 2 targets × 1 rater × 2 dimensions.",
        "Missing values, left as they are: 1 refused.",
    )


def test_the_order_is_that_of_targets_raters_and_dimensions_however_answers_came(store: Store) -> None:
    run = fill(store, ("b", "a"), ("n", "m"))
    parts = [(t, r, d, k) for t in "ba" for r in "mn" for d in ("tone", "pace") for k in (1, 2)]
    items = [item(t, d, rater=r, replicate=k) for t, r, d, k in parts]
    random.Random(1).shuffle(items)  # noqa: S311 (an order, no secret)
    store.write(run, items)
    assert keys(store) == parts
    assert store.ratings().frame["row"].to_list() == list(range(2, 2 + len(parts)))


def test_what_only_failed_is_missing_with_the_last_reason(store: Store) -> None:
    run = fill(store)
    store.write(run, [failed("a", "tone", "pace"), failed("a", "tone", "pace", number=2, state="timeout")])
    store.write(run, [item("a", "tone", number=3), failed("b", "tone")])
    frame = store.ratings().frame
    assert frame.select("target", "dimension", "value", "missing").rows() == [
        ("a", "tone", 3.0, None),
        ("a", "pace", None, "timeout"),
        ("b", "tone", None, "error"),
    ]


def test_a_later_answer_takes_the_place_of_a_failure(store: Store) -> None:
    run = fill(store)
    store.write(run, [failed("a")])
    assert store.ratings().n_missing == 1
    store.write(run, [item("a", number=2)])
    assert store.ratings().n_missing == 0


def test_purposes_are_kept_apart(store: Store) -> None:
    run = fill(store, ("a",))
    store.add_targets([dialogue("anchor")], purpose="anchor")
    store.write(run, [item("a"), item("anchor"), failed("anchor", "pace")])
    assert keys(store) == [("a", "m", "tone", 1)]
    assert keys(store, purpose="anchor") == [("anchor", "m", "tone", 1), ("anchor", "m", "pace", 1)]
    assert len(keys(store, purpose=None)) == 3
    assert store.rating_details(purpose="anchor")["target"].to_list() == ["anchor"]


def test_occasions_are_kept_apart_failures_too(store: Store) -> None:
    first = fill(store, ("a",))
    second = store.begin_run({}, seed=1, occasion=1)
    store.write(first, [item("a"), failed("a", "pace")])
    store.write(second, [item("a", replicate=2, occasion=1), failed("a", "pace", replicate=2)])
    assert [key[3] for key in keys(store)] == [1, 2, 1, 2]
    assert [key[3] for key in keys(store, occasion=0)] == [1, 1]
    assert [key[3] for key in keys(store, occasion=1)] == [2, 2]


def test_variants_that_check_a_rater_are_left_out_unless_asked_for(store: Store) -> None:
    run = fill(store, ("a",))
    variant = RaterEntry(name="m/turned", kind="llm", base="m", variant="turned")
    store.register(study("m"), INSTRUMENT, variant, template=TEMPLATE)
    store.write(run, [item("a"), item("a", rater="m/turned"), failed("a", "pace", rater="m/turned")])
    assert keys(store) == [("a", "m", "tone", 1)]
    assert len(keys(store, variants=True)) == 3
    details = store.rating_details()
    assert details.select("rater", "base", "variant").rows() == [("m", None, None), ("m/turned", "m", "turned")]


def test_dimensions_of_the_measures_come_after_those_of_the_study_on_their_own_scales(store: Store) -> None:
    counts = Scale(level="ratio", low=0.0)
    measures = Instrument(
        name="measures", version="1", title="M", dimensions=(Dimension(name="n", title="N", scale=counts),)
    )
    store.register(study("m"), INSTRUMENT, measures=measures)
    store.add_targets([dialogue("a")])
    store.write(store.begin_run({}, seed=1), [item("a", "n", value=250.0), item("a", "tone")])
    assert [*store.ratings().scales.items()] == [("tone", INSTRUMENT.scale), ("n", counts)]


def test_a_store_without_ratings_gives_none(store: Store) -> None:
    fill(store)
    assert store.ratings().frame.height == 0


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_what_is_written_as_a_table_is_read_back_as_the_same_ratings(store: Store, tmp_path: Path, suffix: str) -> None:
    run = fill(store)
    reasons = [reason for reason in MISSING_REASONS if reason not in {"error", "timeout"}]
    items = [item("a", "pace", replicate=k, missing=reason) for k, reason in enumerate(reasons, start=1)]
    store.write(run, [*items, item("a", value=5.0), failed("b"), failed("b", "pace", state="timeout")])
    written = store.ratings()
    path = tmp_path / f"ratings.{suffix}"
    write_long(written, path)
    read = read_ratings(path, instrument=INSTRUMENT)
    assert read.same_ratings(written)
    assert read.notes[-2:] == written.notes
    assert {*read.frame["missing"].drop_nulls()} == {*MISSING_REASONS}


def test_the_exchange_is_read_only_where_it_is_asked_for(store: Store) -> None:
    store.write(fill(store), [(attempt(answer="3"), [])])
    assert {"request", "answer"} & {*store.attempts().columns, *store.rating_details().columns} == set()
    assert {"request", "answer"} <= {*store.attempts(texts=True).columns}
