"""Simulated dialogues in the store: whole, once, for good."""

from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from dialgauge.errors import StoreError
from dialgauge.io.store import Store, open_store
from dialgauge.io.store.engine import make_engine
from dialgauge.io.store.schema import prepare
from dialgauge.model import Dialogue, Turn
from dialgauge.model.simulated import SystemTurn, UserTurn

from .examples import fill, item
from .simulated import CALL, FAILED, TURNS, begin, simulation
from .test_schema import execute

TABLES = ("simulators", "simulations", "simulated_turns", "simulated_calls", "paraphrase_pairs")


def test_what_is_written_comes_back_the_same_and_in_order(store: Store) -> None:
    given = [simulation(replicate=r) for r in range(1, 4)]
    given.append(simulation("broken", turns=(TURNS[0], FAILED), notices=(), pairs=(), calls=()))
    run, simulator = begin(store)
    store.simulated.write(run, simulator, given[:2])
    store.simulated.write(run, simulator, given[2:])
    assert list(store.simulated) == given
    assert store.simulated.done() == {
        *(("s", "boredom-teens", "horror", r) for r in (1, 2, 3)),
        ("broken", "boredom-teens", "horror", 1),
    }
    assert store.simulated.counts() == {"broken": {"failed": 1}, "s": {"accepted": 3}}


def test_more_dialogues_than_a_page_come_back_all(store: Store) -> None:
    run, simulator = begin(store)
    given = [simulation(replicate=r) for r in range(1, 251)]
    store.simulated.write(run, simulator, given)
    assert list(store.simulated) == given


def test_dialogues_are_targets_for_raters_unless_the_system_never_replied(store: Store) -> None:
    run, simulator = begin(store)
    silent = simulation("silent", turns=(TURNS[0], FAILED))
    store.simulated.write(run, simulator, [simulation(), silent])
    (target,) = store.targets(purpose="study")
    assert target == Dialogue(
        id="s/boredom-teens/horror/1",
        system="s",
        turns=tuple(Turn(speaker="user" if isinstance(turn, UserTurn) else "system", text=turn.text) for turn in TURNS),
    )


def test_a_key_that_is_there_is_refused_and_nothing_of_the_batch_is_written(store: Store) -> None:
    run, simulator = begin(store)
    store.simulated.write(run, simulator, [simulation()])
    with pytest.raises(StoreError, match=r"'s' with 'boredom-teens' who wants 'horror', replicate 1, is in the store"):
        store.simulated.write(run, simulator, [simulation(replicate=2), simulation()])
    with pytest.raises(StoreError, match="replicate 5, is in the store"):
        store.simulated.write(run, simulator, [simulation(replicate=5), simulation(replicate=5)])
    assert list(store.simulated) == [simulation()]
    assert store.count_targets() == 1


def test_a_dialogue_under_the_id_of_a_target_that_was_rated_is_refused(store: Store) -> None:
    given = simulation()
    store.write(fill(store, targets=[given.dialogue.id]), [item(given.dialogue.id)])
    run, simulator = begin(store)
    with pytest.raises(StoreError, match="has changed since it was put before raters"):
        store.simulated.write(run, simulator, [given])
    assert list(store.simulated) == []


def test_text_that_no_database_takes_is_mended(store: Store) -> None:
    run, simulator = begin(store)
    turns = (*TURNS[:1], SystemTurn(text="ok", failure="a\ud800b\x00"), UserTurn(text="c", feeling="\ud800"))
    store.simulated.write(run, simulator, [simulation(turns=(*turns, *TURNS[1:]))])
    (found,) = store.simulated
    assert found.dialogue.system_turns[0].failure == "a�b␀"
    assert found.dialogue.user_turns[1].feeling == "�"


def test_users_of_other_settings_or_prompts_are_refused_with_what_has_changed(store: Store) -> None:
    tables = store.simulated
    first = tables.register("agenda", {"seed": 1, "fit": "equal"})
    assert tables.register("agenda", {"fit": "equal", "seed": 1}) == first
    with pytest.raises(StoreError, match=r"simulated in another way \('seed'\)"):
        tables.register("agenda", {"fit": "equal", "seed": 2})
    with pytest.raises(StoreError, match=r"\('users', 'prompts'\).*in a study of its own"):
        tables.register("gpt", {"fit": "equal", "seed": 1}, "prompts")


def test_what_users_cost_counts_with_what_raters_cost(store: Store) -> None:
    number = fill(store)
    store.write(number, [item(cost=1.0, input_tokens=100, output_tokens=1)])
    run, simulator = begin(store)
    store.simulated.write(run, simulator, [simulation()])
    store.simulated.write_calls(run, [CALL])
    store.end_run(run, "done")
    spent = store.spent()
    assert (spent.calls, spent.cost, spent.input_tokens, spent.output_tokens) == (3, 2.0, 120, 11)
    assert store.simulated.spent().cost == 1.0
    unknown = replace(CALL, cost=None, input_tokens=None, reckoned_tokens=90, reckoned_cost=0.25)
    store.simulated.write_calls(run, [unknown])
    assert (store.spent().charged_cost, store.spent().reckoned_tokens) == (2.25, 90)
    assert store.runs()["cost"].to_list()[-1] == 1.0


@pytest.mark.parametrize("table", TABLES)
def test_no_row_of_a_simulation_can_be_changed_or_deleted(location: str, table: str) -> None:
    with open_store(location, create=True) as store:
        run, simulator = begin(store)
        store.simulated.write(run, simulator, [simulation()])
    column = {"simulators": "users", "paraphrase_pairs": "wording", "simulated_turns": "text"}.get(table, "seconds")
    for statement in (f"UPDATE {table} SET {column} = NULL", f"DELETE FROM {table}"):  # noqa: S608 (names of this file)
        with pytest.raises(sa.exc.DBAPIError, match=f"{table} is append-only"):
            execute(location, statement)
    assert execute(location, f"SELECT count(*) FROM {table}")[0][0] > 0  # type: ignore[operator] # noqa: S608


@pytest.mark.parametrize("table", TABLES)
def test_replacing_in_sqlite_is_a_change_too(tmp_path: Path, table: str) -> None:
    location = str(tmp_path / "study.db")
    with open_store(location, create=True) as store:
        run, simulator = begin(store)
        store.simulated.write(run, simulator, [simulation()])
    with pytest.raises(sa.exc.DBAPIError, match=f"{table} is append-only"):
        execute(location, f"REPLACE INTO {table} SELECT * FROM {table}")  # noqa: S608 (names of this file)


def test_a_store_of_the_second_version_gains_the_tables_and_keeps_what_it_holds(location: str) -> None:
    engine = make_engine(location, create=True)
    prepare(engine, create=True, revision="0002")
    engine.dispose()
    execute(location, "INSERT INTO prompts (hash, template) VALUES ('h', 'the template')")
    with open_store(location) as store:
        run, simulator = begin(store)
        store.simulated.write(run, simulator, [simulation()])
        assert list(store.simulated) == [simulation()]
    assert execute(location, "SELECT template FROM prompts WHERE hash = 'h'") == [("the template",)]
