"""People in the store: what they did stays, and an older store gets their tables without losing anything."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from dialgauge.errors import StoreError
from dialgauge.io.store import Store, open_store
from dialgauge.io.store.engine import begin, make_engine
from dialgauge.io.store.people_queue import QueueRules
from dialgauge.io.store.schema import VERSION_TABLE, prepare
from dialgauge.io.store.tables import attempts, ratings

from .examples import INSTRUMENT, WHEN, dialogue, fill, item, study
from .test_schema import LATEST, execute

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RULES = QueueRules(per_target=2, hold=timedelta(minutes=30))


def answer_as(store: Store, code: str, value: float = 4.0, *, complete: bool = True) -> tuple[str, str]:
    """Let somebody answer one target, and return rater and target."""
    rater = store.people.enter(code, now=lambda: NOW)
    task = store.people.reserve(rater, RULES, choose=min, now=lambda: NOW)
    assert task is not None
    store.people.answer(rater, task.target, "tone", (value, None, None), rules=RULES, now=lambda: NOW)
    if complete:
        store.people.complete(rater, task.target, dimensions=["tone"], now=lambda: NOW)
    return rater, task.target


@pytest.mark.parametrize("table", ["people", "assignments", "answers"])
def test_no_row_of_people_can_be_deleted_nor_changed_but_in_what_becomes_of_a_task(location: str, table: str) -> None:
    with open_store(location, create=True) as store:
        fill(store)
        answer_as(store, "a")
        answer_as(store, "b", complete=False)
    fixed = {
        "people": ["code = 'x'", "entered = '2020-01-01'"],
        "assignments": ["reserved = '2020-01-01'", "id = 9", "target = 'b'", "rater = 'person-002'"],
        "answers": ["value = 1", "at = '2020-01-01'", "revision = 9"],
    }
    for change in fixed[table]:
        with pytest.raises(sa.exc.DBAPIError, match=f"{table} is append-only"):
            execute(location, f"UPDATE {table} SET {change}")  # noqa: S608 (names of this file)
    with pytest.raises(sa.exc.DBAPIError, match=f"{table} is append-only"):
        execute(location, f"DELETE FROM {table}")  # noqa: S608
    with pytest.raises(sa.exc.DBAPIError, match="assignments is append-only"):
        execute(location, "UPDATE assignments SET state = 'reserved', ended = NULL WHERE state = 'completed'")
    execute(location, "UPDATE assignments SET expires = '2030-01-01' WHERE state = 'reserved'")


@pytest.mark.parametrize("table", ["consents", "withdrawals"])
def test_what_people_agreed_to_and_that_they_withdrew_stays(location: str, table: str) -> None:
    with open_store(location, create=True) as store:
        fill(store)
        rater, _ = answer_as(store, "a")
        store.people.agree(rater, "0" * 64, now=lambda: NOW)
        store.people.withdraw(rater, now=lambda: NOW)
    for statement in (f"UPDATE {table} SET at = '2020-01-01'", f"DELETE FROM {table}"):  # noqa: S608
        with pytest.raises(sa.exc.DBAPIError, match=f"{table} is append-only"):
            execute(location, statement)


def test_a_code_may_be_blanked_and_in_no_other_way_changed(location: str) -> None:
    with open_store(location, create=True) as store:
        fill(store)
        rater, _ = answer_as(store, "a")
        other, _ = answer_as(store, "b")
        assert store.people.erase_codes(rater) == 1
        assert store.people.codes() == {rater: "", other: "b"}
    for code in ("''", "'a'", f"'{other}'"):
        with pytest.raises(sa.exc.DBAPIError, match="people is append-only"):
            execute(location, f"UPDATE people SET code = {code}")  # noqa: S608
    with pytest.raises(sa.exc.DBAPIError, match="people is append-only"):
        execute(location, "DELETE FROM people")


def test_replacing_what_people_did_in_sqlite_is_a_change_too(tmp_path: Path) -> None:
    location = str(tmp_path / "study.db")
    with open_store(location, create=True) as store:
        fill(store)
        rater, _ = answer_as(store, "a")
        store.people.agree(rater, "0" * 64, now=lambda: NOW)
        store.people.withdraw(rater, now=lambda: NOW)
    for table, columns in (
        ("people", "9, rater, 'other', entered"),
        ("people", "9, 'm', code, entered"),
        ("consents", "9, rater, text_hash, at"),
        ("withdrawals", "9, rater, at"),
        ("assignments", "9, target, rater, reserved, expires, 'expired', ended"),
        ("answers", "9, rater, target, dimension, revision, 1.0, missing, text, at"),
    ):
        with pytest.raises(sa.exc.DBAPIError, match=f"{table} is append-only"):
            execute(location, f"REPLACE INTO {table} SELECT {columns} FROM {table}")  # noqa: S608


def test_truncating_people_in_postgresql_is_refused_too(postgres_url: str) -> None:
    open_store(postgres_url, create=True).close()
    for table in ("answers", "assignments", "people", "consents", "withdrawals"):
        with pytest.raises(sa.exc.DBAPIError, match="append-only"):
            execute(postgres_url, f"TRUNCATE {table} CASCADE")


def test_a_store_of_the_version_before_people_gets_their_tables_and_keeps_its_ratings(location: str) -> None:
    engine = make_engine(location, create=True)
    prepare(engine, create=True, revision="0005")
    store = Store(engine)
    key = {"run": fill(store), "rater": "m", "target": "a", "replicate": 1}
    call = {**key, "id": 1, "dimensions": '["tone"]', "number": 1, "started": WHEN, "seconds": 0.5, "request": "{}"}
    rating = {"attempt": 1, "dimension": "tone", "value": 2.0, "expected": False, "occasion": 0, **key}
    with begin(engine, write=True) as connection:
        connection.execute(sa.insert(attempts).values(**call, state="ok"))
        connection.execute(sa.insert(ratings).values({k: v for k, v in rating.items() if k != "run"}))
    store.close()
    execute(location, "UPDATE targets SET hash = 'x' WHERE id = 'b'")
    with open_store(location) as store:
        assert execute(location, f"SELECT version_num FROM {VERSION_TABLE}") == [(LATEST,)]  # noqa: S608 (a constant)
        assert store.ratings().frame["value"].to_list() == [2.0]
        assert answer_as(store, "a") == ("person-001", "a")
        assert store.ratings().frame.select("rater", "value").rows() == [("m", 2.0), ("person-001", 4.0)]
        assert answer_as(store, "a") == ("person-001", "b")
    for statement in ("UPDATE targets SET hash = 'y' WHERE id = 'b'", "UPDATE raters SET hash = 'y' WHERE name <> 'm'"):
        with pytest.raises(sa.exc.DBAPIError, match="is append-only"):
            execute(location, statement)


def test_a_rater_of_study_toml_may_not_take_the_name_of_a_person(store: Store) -> None:
    fill(store, raters=("m", "person-001"))
    assert store.people.enter("a", now=lambda: NOW) == "person-002"
    with pytest.raises(StoreError, match=r"the rater 'person-002' has changed since it rated \(kind was"):
        store.register(study("m", "person-002"), INSTRUMENT)


def test_people_rate_the_study_and_nothing_else_and_on_no_other_occasion(store: Store) -> None:
    fill(store, targets=("a",))
    store.add_targets([dialogue("planted")], purpose="planted")
    store.add_targets([dialogue("anchor")], purpose="anchor")
    rater, target = answer_as(store, "x")
    assert (target, store.people.reserve(rater, RULES, choose=min, now=lambda: NOW)) == ("a", None)
    sizes = {purpose: store.ratings(purpose=purpose).frame.height for purpose in ("study", "planted", "anchor")}
    assert sizes == {"study": 1, "planted": 0, "anchor": 0}
    assert [store.ratings(purpose=None, occasion=n).frame.height for n in (0, 1)] == [1, 0]
    assert store.rating_details(purpose="anchor").height == 0


def test_details_hold_the_ratings_of_models_and_people_side_by_side(store: Store) -> None:
    store.write(fill(store), [item("a", value=2.0)])
    rater, target = answer_as(store, "x")
    store.people.answer(
        rater, target, "tone", (5.0, None, "better"), rules=RULES, now=lambda: NOW + timedelta(minutes=5)
    )
    columns = ["rater", "kind", "value", "text", "attempt", "replicate", "occasion", "purpose", "revisions"]
    assert store.rating_details().select(columns).rows() == [
        ("m", "llm", 2.0, None, 1, 1, 0, "study", None),
        (rater, "human", 5.0, "better", None, 1, 0, "study", 1),
    ]
    assert store.rating_details()["at"].to_list() == [None, NOW + timedelta(minutes=5)]
    assert "request" in store.rating_details(texts=True).columns
    assert [(one.rater, one.with_value) for one in store.counts()] == [("m", 1), (rater, 1)]
    assert store.spent().calls == 1


def test_answers_of_tasks_that_are_not_completed_are_counted_and_no_ratings(store: Store) -> None:
    fill(store)
    answer_as(store, "a", complete=False)
    assert store.ratings().frame.height == 0
    assert store.ratings().notes[1:] == ("1 answer by people is left out, in 1 task not completed.",)
    assert store.rating_details().height == 0
    assert [(one.rater, one.with_value, one.missing) for one in store.counts()] == [("m", 0, {}), ("person-001", 0, {})]
