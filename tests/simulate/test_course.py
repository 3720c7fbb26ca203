"""A whole simulation: all is written down once, goes on where it stopped, and no system can end it."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from dialgauge.errors import StoreError
from dialgauge.io.store import Store
from dialgauge.model import Turn
from dialgauge.model.simulation import Simulation, UserCall
from dialgauge.simulate import course as module
from dialgauge.simulate.course import IN_A_ROW, USER_FAILURES, SimulationCourse, SimulationOutcome
from dialgauge.simulate.personas import make_personas
from dialgauge.simulate.plan import Plan, deal_preferences, forecast
from dialgauge.simulate.preferences import make_preferences
from dialgauge.simulate.session import Case, Stage
from dialgauge.simulate.users import UserFailedError
from dialgauge.systems import Reply, System, SystemFailedError

from .conftest import FILMS, Hanging, Toy, recommend, stage


def ask(turns: Sequence[Turn]) -> Reply:
    return Reply(text=f"What genre, {len(turns)}?", recommends=False)


def breaks(turns: Sequence[Turn]) -> Reply:
    raise ZeroDivisionError


def plan_of(*systems: System, personas: int = 6, preferences: int = 2, replicates: int = 1) -> Plan:
    return Plan(
        systems=tuple(system.name for system in systems),
        users=deal_preferences(make_personas(personas), make_preferences(FILMS, preferences), each=preferences),
        replicates=replicates,
    )


def course_of(store: Store, *systems: System, plan: Plan | None = None, on: Stage | None = None) -> SimulationCourse:
    scene = on or stage(pairs=1)
    simulator = store.simulated.register(scene.users.name, scene.settings)
    return SimulationCourse(store, plan or plan_of(*systems), systems, scene, simulator=simulator, concurrency=3)


def run(course: SimulationCourse) -> SimulationOutcome:
    return asyncio.run(course.run())


def bare(simulation: Simulation) -> object:
    """Return what of a simulation does not depend on the clock."""
    dialogue = simulation.dialogue
    pairs = [(pair.turn, pair.paraphrase, pair.second.text) for pair in simulation.pairs]
    return dialogue.id, [turn.text for turn in dialogue.turns], dialogue.ended, simulation.seed, pairs


def test_every_system_meets_every_persona_with_every_preference_in_each_replicate_once(store: Store) -> None:
    systems = [Toy(ask, name="a"), Toy(lambda _: recommend("Psycho"), name="b")]
    plan = plan_of(*systems, replicates=2)
    outcome = run(course_of(store, *systems, plan=plan))
    keys = Counter(
        (s.dialogue.system, s.dialogue.persona.id, s.dialogue.preference.id, s.replicate) for s in store.simulated
    )
    assert set(keys.values()) == {1}
    assert len(keys) == outcome.tally.done == outcome.tally.planned == 2 * 6 * 2 * 2
    assert store.simulated.done() == set(keys)
    assert outcome.state == "done"
    assert store.runs()["state"].to_list() == ["done"]


def test_dialogues_become_targets_with_their_system_as_raters_see_them(store: Store) -> None:
    run(course_of(store, Toy(ask)))
    targets = {target.id: target for target in store.targets(purpose="study")}
    for simulation in store.simulated:
        target = targets.pop(simulation.dialogue.id)
        assert target.system == "toy"
        assert target.turns == simulation.dialogue.dialogue.turns
    assert targets == {}


def test_a_second_execution_does_nothing_and_more_replicates_add_only_themselves(store: Store) -> None:
    system = Toy(ask)
    run(course_of(store, system))
    before = [bare(simulation) for simulation in store.simulated]
    n_asked = len(system.given)
    again = run(course_of(store, system))
    assert (again.tally.ended.total(), len(system.given)) == (0, n_asked)
    run(course_of(store, system, plan=plan_of(system, replicates=2)))
    assert [bare(simulation) for simulation in store.simulated][: len(before)] == before
    assert len(store.simulated.done()) == 24


def test_seeds_repeat_a_whole_simulation_whatever_the_order(
    store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from dialgauge.io.store import open_store

    def collect(to: Store, concurrency: int) -> list[object]:
        course = course_of(to, Toy(ask))
        course._concurrency = concurrency
        run(course)
        return sorted(map(bare, to.simulated), key=str)

    with open_store(tmp_path_factory.mktemp("other") / "study.db", create=True) as other:
        assert collect(store, 1) == collect(other, 8)


def test_stopping_lets_dialogues_under_way_end_and_the_same_command_goes_on(store: Store) -> None:
    system = Toy(ask)
    course = course_of(store, system)

    def stop_soon(turns: Sequence[Turn]) -> Reply:
        if len(system.given) == 5:
            course.stop()
        return ask(turns)

    system.answer = stop_soon
    outcome = run(course)
    assert outcome.state == "interrupted"
    assert 0 < outcome.tally.done < 12
    assert all(simulation.dialogue.ended != "failed" for simulation in store.simulated)
    system.answer = ask
    assert run(course_of(store, system)).tally.done == 12
    assert store.runs()["state"].to_list() == ["interrupted", "done"]


def test_a_system_that_fails_now_and_then_does_not_end_it(store: Store) -> None:
    def sometimes(turns: Sequence[Turn]) -> Reply:
        return breaks(turns) if sum(len(turn.text) for turn in turns) % 3 == 0 else ask(turns)

    outcome = run(course_of(store, Toy(sometimes), Toy(ask, name="fine")))
    assert outcome.state == "done"
    counts = store.simulated.counts()
    assert 0 < counts["toy"]["failed"] < 12
    assert "failed" not in counts["fine"]
    assert outcome.tally.failures == {"system: crashed": counts["toy"]["failed"]}


def test_a_system_that_never_replies_is_left_with_its_failures_written_down_and_the_others_go_on(store: Store) -> None:
    plan = plan_of(Toy(breaks, name="mute"), Toy(ask), personas=12)
    outcome = run(course_of(store, Toy(breaks, name="mute"), Toy(ask), plan=plan))
    assert outcome.state == "stopped"
    assert "10 dialogues in a row without a reply, the last one: crashed" in outcome.stopped["mute"]
    counts = store.simulated.counts()
    assert IN_A_ROW <= counts["mute"]["failed"] < 24
    assert sum(counts["toy"].values()) == 24
    assert store.count_targets() == 24


def test_a_system_that_hangs_holds_up_nobody(store: Store) -> None:
    outcome = run(course_of(store, Hanging(), Toy(ask), on=stage(timeout=0.05)))
    assert outcome.tally.failures["system: timeout"] >= IN_A_ROW
    assert outcome.tally.seconds < 10
    assert sum(store.simulated.counts()["toy"].values()) == 12


def test_systems_and_users_are_closed(store: Store) -> None:
    system = Toy(ask)
    run(course_of(store, system, on=stage(pairs=0)))
    assert system.closed == 12 + 1


def test_what_a_store_refuses_ends_it_with_its_own_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    course = course_of(store, Toy(ask))

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr("dialgauge.io.store.simulations.SimulationTables.write", full)
    with pytest.raises(StoreError, match="the disk is full"):
        run(course)
    assert store.runs()["state"].to_list() == ["failed"]


def test_dialogues_of_other_settings_do_not_mix(store: Store) -> None:
    run(course_of(store, Toy(ask)))
    with pytest.raises(StoreError, match=r"simulated in another way \('fit'\); take the change back"):
        course_of(store, Toy(ask), on=stage(pairs=1, fit="equal"))


def broken(call: UserCall, *, budget_spent: bool = False) -> object:
    async def fail(case: Case, scene: Stage) -> Simulation:
        error = UserFailedError("the endpoint is down", final=False, budget_spent=budget_spent)
        error.calls = (call,)
        raise error

    return fail


CALL = UserCall(
    user_turn=1,
    step="opening",
    started=datetime.now(UTC),
    seconds=0.1,
    state="ok",
    request="{}",
    cost=0.25,
    input_tokens=7,
    output_tokens=3,
)


def test_where_users_cannot_be_asked_nothing_is_kept_but_what_it_cost(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "simulate_dialogue", broken(CALL))
    outcome = run(course_of(store, Toy(ask)))
    assert outcome.state == "stopped"
    assert "the user could not be asked: the endpoint is down" in outcome.stopped["toy"]
    assert outcome.tally.postponed >= USER_FAILURES
    assert store.simulated.done() == set()
    n = outcome.tally.postponed
    spent = store.spent()
    assert (spent.calls, spent.cost, spent.input_tokens, spent.output_tokens) == (n, 0.25 * n, 7 * n, 3 * n)
    assert store.runs()["cost"].to_list() == [0.25 * n]
    monkeypatch.undo()
    assert run(course_of(store, Toy(ask))).tally.done == 12


def test_a_spent_budget_ends_it_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "simulate_dialogue", broken(CALL, budget_spent=True))
    outcome = run(course_of(store, Toy(ask)))
    assert outcome.state == "budget spent"
    assert outcome.tally.postponed <= 3


def test_the_forecast_is_an_upper_limit(store: Store) -> None:
    system = Toy(ask)
    plan = plan_of(system)
    (before,) = forecast(plan, store.simulated.done(), system_turns=10, pairs=1, calls_per_turn=0)
    assert (before.planned, before.there, before.replies, before.calls) == (12, 0, 12 * 20, 0)
    run(course_of(store, system, plan=plan))
    assert sum(map(len, system.given)) <= before.replies
    (after,) = forecast(plan, store.simulated.done(), system_turns=10, pairs=1, calls_per_turn=2)
    assert (after.there, after.replies, after.calls) == (12, 0, 0)


def test_all_personas_are_simulated_and_written(store: Store) -> None:
    outcome = run(course_of(store, Toy(ask), plan=plan_of(Toy(ask), personas=48)))
    assert outcome.tally.done == len(list(store.simulated)) == 96


def test_dialogues_of_a_system_that_is_not_up_are_not_kept_and_come_back_the_next_time(store: Store) -> None:
    def nobody(turns: Sequence[Turn]) -> Reply:
        raise SystemFailedError(f"nobody listens, {len(turns)}", kind="unreachable")

    system = Toy(nobody)
    outcome = run(course_of(store, system))
    assert outcome.state == "stopped"
    assert "10 dialogues in a row without a reply, the last one: unreachable: nobody" in outcome.stopped["toy"]
    assert store.simulated.done() == set()
    assert IN_A_ROW <= outcome.tally.postponed == outcome.tally.away <= 12
    assert outcome.tally.lacking == 12
    system.answer = ask
    again = run(course_of(store, system))
    assert (again.state, again.tally.done, again.tally.lacking) == ("done", 12, 0)


def test_a_server_that_is_away_now_and_then_leaves_dialogues_for_the_next_time(store: Store) -> None:
    def busy(turns: Sequence[Turn]) -> Reply:
        if len(turns) == 1 and len(system.given) % 3 == 0:
            raise SystemFailedError("wait", kind="unreachable")
        return ask(turns)

    system = Toy(busy)
    outcome = run(course_of(store, system, on=stage(pairs=0)))
    assert 0 < outcome.tally.lacking < 12
    assert outcome.tally.lacking == outcome.tally.away
    assert store.runs()["state"].to_list() == ["stopped"]
    assert "failed" not in store.simulated.counts()["toy"]


def test_a_run_that_ends_with_less_than_was_planned_is_not_done(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cancel(case: Case, scene: Stage) -> Simulation:
        raise asyncio.CancelledError

    monkeypatch.setattr(module, "simulate_dialogue", cancel)
    assert run(course_of(store, Toy(ask))).tally.lacking == 12
    assert store.runs()["state"].to_list() == ["stopped"]
