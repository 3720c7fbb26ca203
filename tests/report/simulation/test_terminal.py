"""What is printed before, during and after a simulation."""

import io
from datetime import UTC, datetime
from typing import Any

import pytest

from dialgauge.model.simulated import Persona, Preference, SimulatedDialogue, UserTurn
from dialgauge.model.simulation import MARKS, Notice, Simulation, UserCall
from dialgauge.report.simulation.progress import SimulationView
from dialgauge.report.simulation.terminal import render_forecast, render_outcome, say_speed, say_state
from dialgauge.simulate.course import SimulationOutcome
from dialgauge.simulate.plan import Plan, SystemForecast
from dialgauge.simulate.tally import SimulationTally

PERSONA = Persona(id="trust-teens", emotion="trust", age="teens")
WANT = Preference(id="horror", attributes=("horror",))
WHEN = datetime(2026, 1, 1, tzinfo=UTC)
CALL = UserCall(user_turn=1, step="opening", started=WHEN, seconds=0.0, state="ok", request="{}", cost=0.5)


def simulation(ended: Any = "accepted", failure: str | None = None, **fields: Any) -> Simulation:  # noqa: ANN401 (any field)
    dialogue = SimulatedDialogue(
        id="a",
        system="s",
        persona=PERSONA,
        preference=WANT,
        targets=(),
        turns=(UserTurn(text="Hi."),),
        ended=ended,
        failure=failure,
    )
    return Simulation(dialogue=dialogue, users="agenda", replicate=1, seed=1, started=WHEN, seconds=1.0, **fields)


def outcome(*simulations: Simulation, planned: int = 4) -> SimulationOutcome:
    tally = SimulationTally(planned=planned)
    tally.add(simulations)
    return SimulationOutcome(tally)


def test_the_tally_counts_ends_failures_notices_and_costs() -> None:
    noticed = (Notice(mark="unknown items", turn=2), Notice(mark="unknown items", turn=4))
    tally = outcome(
        simulation(notices=noticed, calls=(CALL, CALL)),
        simulation("failed", "system: timeout: no reply: really"),
        simulation("failed", "user: no answer"),
    ).tally
    tally.postpone((CALL,))
    assert tally.ended == {"accepted": 1, "failed": 2}
    assert tally.failures == {"system: timeout": 1, "user": 1}
    assert tally.noticed == {"unknown items": 1}
    assert (tally.done, tally.postponed, tally.calls, tally.cost, tally.unpriced) == (3, 1, 3, 1.5, 0)


def test_a_forecast_shows_calls_only_where_a_model_plays_the_users() -> None:
    plan = Plan(systems=("a",), users=((PERSONA, WANT),), replicates=2)
    none = render_forecast([SystemForecast(system="a", planned=2, there=0, replies=40, calls=0)], plan, users="agenda")
    some = render_forecast([SystemForecast(system="a", planned=2, there=1, replies=20, calls=22)], plan, users="gpt")
    assert "2 of 2 dialogues to simulate" in none
    assert "1 system × 1 persona × 1 of 1 preference × 2 replicates; users: agenda" in none
    assert "user calls" not in none
    assert "1 of 2 dialogues to simulate" in some
    assert "user calls" in some


@pytest.mark.parametrize("mark", MARKS)
def test_every_notice_is_said_in_words(mark: Any) -> None:  # noqa: ANN401 (one of the marks)
    text = render_outcome(outcome(simulation(notices=(Notice(mark=mark, turn=1),))), {}, currency="USD")
    assert "Noticed this time\n- the " in text.replace("- both", "- the ")
    assert ": 1 dialogue" in text


def test_an_outcome_shows_each_system_of_the_study_and_what_went_wrong() -> None:
    ended = outcome(simulation(), simulation("failed", "system: crashed: broken"))
    ended.stopped["bad\x1b[31m"] = "10 dialogues in a row"
    text = render_outcome(
        ended, {"bad\x1b[31m": {"failed": 10}, "good": {"accepted": 3, "gave up": 1}}, currency="USD", ascii_only=True
    )
    assert "\x1b" not in text
    assert text.isascii()
    assert "75" in text
    assert "- system: crashed: 1" in text
    assert "10 dialogues in a row" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_the_state_says_how_to_go_on() -> None:
    ended = outcome(simulation(), planned=1)
    assert say_state(ended).startswith("Done: 1 new dialogue,")
    ended.budget_spent = True
    assert "With a larger budget the same command goes on" in say_state(ended)
    ended.interrupted = True
    assert "The same command goes on from here" in say_state(ended)


def test_unknown_costs_are_not_zero() -> None:
    unpriced = UserCall(user_turn=1, step="opening", started=WHEN, seconds=0.0, state="ok", request="{}")
    assert "cost unknown" in render_outcome(outcome(simulation(calls=(unpriced,))), {}, currency="USD")
    both = render_outcome(outcome(simulation(calls=(unpriced, CALL))), {}, currency="USD")
    assert "0.5000 USD and the unknown cost of 1" in " ".join(both.split())


def test_progress_is_a_line_of_what_is_there() -> None:
    tally = outcome(simulation(calls=(CALL,)), simulation("failed", "system: timeout: x")).tally
    said = SimulationView(tally, "USD", io.StringIO()).describe()
    assert said.startswith("2 of 4 | ")
    assert "0.5000 USD" in said
    assert said.endswith("1 failed: system: timeout")
    assert "– left" in SimulationView(SimulationTally(planned=3), "USD", io.StringIO()).describe()


def test_slow_speeds_have_a_decimal() -> None:
    assert [say_speed(speed) for speed in (0.58, 9.96, 5435.2)] == ["0.6", "10.0", "5,435"]


def test_what_ends_with_less_than_was_planned_is_never_called_done() -> None:
    said = say_state(outcome(simulation(), planned=3))
    assert said.startswith("Not finished, 2 dialogues still lacking: 1 new dialogue,")


def test_dialogues_that_are_not_kept_are_counted_with_their_reason() -> None:
    ended = outcome(simulation(), planned=4)
    ended.tally.postpone((CALL,))
    ended.tally.postpone((), away=True)
    ended.tally.postpone((), away=True)
    text = " ".join(render_outcome(ended, {}, currency="USD").split())
    assert "1 dialogue postponed and not kept, because the user could not be asked" in text
    assert "2 dialogues postponed and not kept, because the system could not be reached before its first reply" in text
