"""The tables: migrations bring old ones up to date, and what is recorded cannot be changed."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from dialgauge.errors import StoreError, StudyError
from dialgauge.io.store import Store, open_store
from dialgauge.io.store.engine import begin, make_engine
from dialgauge.io.store.schema import VERSION_TABLE, prepare
from dialgauge.io.store.tables import attempts, metadata, ratings
from dialgauge.io.study import complete_study, read_study

from .examples import WHEN, fill, item

GUARDED = ("study", "targets", "prompts", "raters", "attempts", "ratings")
LATEST = "0008"


def execute(location: str, *statements: str) -> list[sa.Row[tuple[object, ...]]]:
    """Run statements as any other program would, and return the rows of the last one."""
    engine = make_engine(location, create=False)
    try:
        with engine.begin() as connection:
            for statement in statements[:-1]:
                connection.exec_driver_sql(statement)
            result = connection.exec_driver_sql(statements[-1])
            return [*result] if result.returns_rows else []
    finally:
        engine.dispose()


def test_the_migrations_make_the_tables_that_the_program_knows(location: str) -> None:
    open_store(location, create=True).close()
    engine = make_engine(location, create=False)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": False})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_a_store_of_the_first_version_is_brought_up_to_date_with_all_it_holds(location: str) -> None:
    engine = make_engine(location, create=True)
    prepare(engine, create=True, revision="0001")
    store = Store(engine)
    key = {"run": fill(store), "rater": "m", "target": "a", "replicate": 1}
    call = {**key, "id": 1, "dimensions": '["tone"]', "number": 1, "started": WHEN, "seconds": 0.5, "request": "{}"}
    rating = {"attempt": 1, "dimension": "tone", "value": 2.0, "expected": False, "occasion": 0, **key}
    with begin(engine, write=True) as connection:
        connection.execute(sa.insert(attempts).values(**call, state="ok"))
        connection.execute(sa.insert(ratings).values({k: v for k, v in rating.items() if k != "run"}))
    columns = "id, run, rater, target, dimensions, number, state, request, cost, prompt_hash"
    queries = ("SELECT * FROM ratings", f"SELECT {columns} FROM attempts")  # noqa: S608 (names of this file)
    before, runs = [execute(location, query) for query in queries], store.runs()
    store.close()
    execute(location, "UPDATE ratings SET value = 2.0")
    assert execute(location, f"SELECT version_num FROM {VERSION_TABLE}") == [("0001",)]  # noqa: S608 (a constant)
    with open_store(location) as store:
        after = [execute(location, query) for query in queries]
        assert (after == before, store.runs().equals(runs)) == (True, True)
        assert len(after[0]) == len(after[1]) == store.ratings().frame.height == 1
        assert store.attempts()["reckoned_tokens"].to_list() == [None]
        store.write(1, [item("b")])
    assert execute(location, f"SELECT version_num FROM {VERSION_TABLE}") == [(LATEST,)]  # noqa: S608 (a constant)
    with pytest.raises(sa.exc.DBAPIError, match="append-only"):
        execute(location, "UPDATE ratings SET value = 5")


def test_a_store_of_a_newer_version_is_refused(location: str) -> None:
    open_store(location, create=True).close()
    execute(location, f"UPDATE {VERSION_TABLE} SET version_num = '0999'")  # noqa: S608 (a constant)
    with pytest.raises(
        StoreError, match=rf"newer Dialgauge \(schema 0999, this one knows {LATEST}\); update Dialgauge"
    ):
        open_store(location)


def test_the_database_of_something_else_is_refused_and_left_alone(location: str) -> None:
    engine = make_engine(location, create=True)
    with begin(engine, write=True) as connection:
        connection.exec_driver_sql("CREATE TABLE customers (id INTEGER)")
    engine.dispose()
    for create in (False, True):
        with pytest.raises(StoreError, match=r"is the database of something else .*'customers'"):
            open_store(location, create=create)
    engine = make_engine(location, create=False)
    assert sa.inspect(engine).get_table_names() == ["customers"]
    engine.dispose()


@pytest.mark.parametrize("table", GUARDED)
def test_no_row_can_be_changed_or_deleted(location: str, table: str) -> None:
    with open_store(location, create=True) as store:
        store.write(fill(store), [item("a")])
        column = metadata.tables[table].columns.keys()[-1]
    for statement in (f"UPDATE {table} SET {column} = NULL", f"DELETE FROM {table}"):  # noqa: S608 (names of this file)
        with pytest.raises(sa.exc.DBAPIError, match=f"{table} is append-only"):
            execute(location, statement)
    assert execute(location, f"SELECT count(*) FROM {table}")[0][0] > 0  # type: ignore[operator] # noqa: S608


def test_what_has_no_rating_may_be_changed_but_not_renamed_or_deleted(location: str) -> None:
    with open_store(location, create=True) as store:
        store.write(fill(store, raters=("m", "n")), [item("a")])
    for table, key, rated, other in (("raters", "name", "m", "n"), ("targets", "id", "a", "b")):
        for statement in (
            f"UPDATE {table} SET hash = 'x' WHERE {key} = '{rated}'",  # noqa: S608 (names of this file)
            f"UPDATE {table} SET {key} = 'x' WHERE {key} = '{other}'",  # noqa: S608
            f"DELETE FROM {table} WHERE {key} = '{other}'",  # noqa: S608
        ):
            with pytest.raises(sa.exc.DBAPIError, match=f"{table} is append-only"):
                execute(location, statement)
        execute(location, f"UPDATE {table} SET hash = 'x' WHERE {key} = '{other}'")  # noqa: S608
        assert execute(location, f"SELECT count(*) FROM {table} WHERE hash = 'x'") == [(1,)]  # noqa: S608


@pytest.mark.parametrize("where", ["id = 1", "rater = 'm'"])
def test_replacing_a_rating_in_sqlite_is_a_change_too(tmp_path: Path, where: str) -> None:
    location = str(tmp_path / "study.db")
    with open_store(location, create=True) as store:
        store.write(fill(store), [item("a")])
    new_id = "id" if where == "id = 1" else "NULL"
    columns = "attempt, target, dimension, rater, replicate, 5.0, missing, text, rationale, mass, expected, occasion"
    for verb in ("INSERT OR REPLACE INTO", "REPLACE INTO"):
        with pytest.raises(sa.exc.DBAPIError, match="ratings is append-only"):
            execute(location, f"{verb} ratings SELECT {new_id}, {columns} FROM ratings WHERE {where}")  # noqa: S608
    with pytest.raises(sa.exc.DBAPIError, match="attempts is append-only"):
        execute(location, "REPLACE INTO attempts SELECT * FROM attempts")
    assert execute(location, "SELECT value FROM ratings") == [(3.0,)]


def test_truncating_in_postgresql_is_refused_too(postgres_url: str) -> None:
    with open_store(postgres_url, create=True) as store:
        store.write(fill(store), [item("a")])
    with pytest.raises(sa.exc.DBAPIError, match="append-only"):
        execute(postgres_url, "TRUNCATE ratings")


def test_the_database_itself_refuses_a_value_beside_a_reason(location: str) -> None:
    with open_store(location, create=True) as store:
        store.write(fill(store), [item("a")])
    columns = "attempt, target, dimension, rater, replicate, value, missing, expected, occasion"
    select = "SELECT attempt, target, dimension, rater, 9, value, 'refused', expected, occasion FROM ratings"
    with pytest.raises(sa.exc.DBAPIError, match="ratings_value_or_reason"):
        execute(location, f"INSERT INTO ratings ({columns}) {select}")


def test_a_study_behind_a_url_gets_its_tables_once(postgres_url: str, tmp_path: Path) -> None:
    raters = '[{ name = "m", kind = "llm", model = "m", endpoint = "fake" }]'
    text = f'name = "s"\ninstrument = "crs_que"\nstore = "{postgres_url}"\nraters = {raters}\n'
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(StoreError, match=rf"the study 's' has no database .* yet; .* dialgauge init {tmp_path}"):
        read_study(tmp_path).open_store()
    (made,) = complete_study(tmp_path)
    assert made.startswith("postgresql")
    read_study(tmp_path).open_store().close()
    with pytest.raises(StudyError, match="the study lacks nothing"):
        complete_study(tmp_path)
