"""Simulated dialogues to write into stores and files."""

from datetime import UTC, datetime, timedelta
from typing import Any

from dialgauge.io.store import Store
from dialgauge.model.simulated import Persona, Preference, SimulatedDialogue, SystemTurn, UserTurn
from dialgauge.model.simulation import Notice, ParaphrasePair, Simulation, UserCall

WHEN = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)

TURNS = (
    UserTurn(text="Something scary?"),
    SystemTurn(text="Try Psycho (1960).", ranking=("f1", "f2"), recommends=True, seconds=0.25),
    UserTurn(text="Psycho, yes.", feeling="Good.", accepting=True, accepts="f1", accepts_title="Psycho"),
)
FAILED = SystemTurn(text="<html>", failure="no reply: a page", seconds=1.5)
CALL = UserCall(
    user_turn=1,
    step="opening",
    started=WHEN,
    seconds=0.5,
    state="ok",
    request="{}",
    answer="{}",
    model="m",
    input_tokens=10,
    output_tokens=5,
    cost=0.5,
)


def simulation(
    system: str = "s",
    replicate: int = 1,
    *,
    turns: tuple[UserTurn | SystemTurn, ...] = TURNS,
    **fields: Any,  # noqa: ANN401 (fields of the simulation)
) -> Simulation:
    failed = isinstance(turns[-1], SystemTurn)
    dialogue = SimulatedDialogue(
        id=f"{system}/boredom-teens/horror/{replicate}",
        system=system,
        persona=Persona(id="boredom-teens", emotion="boredom", age="teens", words="You are bored.", patience=4),
        preference=Preference(id="horror", attributes=("horror",), words="something scary"),
        targets=("f1", "f9"),
        turns=turns,
        ended="failed" if failed else "accepted",
        failure="system: no reply" if failed else None,
    )
    rest: dict[str, Any] = {
        "notices": (Notice(mark="accepted unfit", turn=3, detail="Psycho"),),
        "pairs": (ParaphrasePair(turn=1, wording="a", paraphrase="b", first=SystemTurn(text="c"), second=FAILED),),
        "calls": (CALL,),
    }
    return Simulation(
        dialogue=dialogue,
        users="agenda",
        replicate=replicate,
        seed=7,
        started=WHEN + timedelta(seconds=replicate),
        seconds=2.5,
        **{**rest, **fields},
    )


def begin(store: Store) -> tuple[int, str]:
    """Return the number of a new run, and the hash of a simulator."""
    return store.begin_run({"simulate": {}}, seed=1), store.simulated.register("agenda", {"seed": 1}, "the prompts")
