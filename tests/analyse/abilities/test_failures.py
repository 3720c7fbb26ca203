"""A system that breaks down is not better for it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.analyse.abilities.examples import CATALOGUE, COMEDY, DRAMA, PERSONAS, make_dialogue, make_dialogues

from dialgauge.analyse.abilities import SystemAbilities, analyse_abilities
from dialgauge.analyse.compare import Terms, compare_dialogues
from dialgauge.errors import InputError
from dialgauge.model.simulated import Persona, SimulatedDialogue, SystemTurn, UserTurn
from dialgauge.stats.estimate import Estimate

PEOPLE = tuple(Persona(id=str(n), emotion="trust", age="adults") for n in range(8))


def break_down(dialogue: SimulatedDialogue, *, after: int, by: str = "system: out of memory") -> SimulatedDialogue:
    """Return a dialogue that fails once the system has replied ``after`` times."""
    turns = (*dialogue.turns[: 2 * after + 1], SystemTurn(text="", failure="out of memory"))
    return replace(dialogue, turns=turns, ended="failed", failure=by)


def serve(system: str, *, breaks: Sequence[int] = (), after: int = 0) -> list[SimulatedDialogue]:
    """Return 16 dialogues, all accepted but those that break down."""
    found = []
    for number, (persona, preference) in enumerate((p, w) for p in PEOPLE for w in (DRAMA, COMEDY)):
        title, item = ('"Quiet Harbour"', "1") if preference is DRAMA else ('"Zebra Parade"', "3")
        whole = make_dialogue(
            number, persona, preference, replies=[(f"{title}?", item), ("Well?", item)], accepts=item, system=system
        )
        found.append(break_down(whole, after=after) if number in breaks else whole)
    return found


def value_of(system: SystemAbilities, name: str) -> float:
    measure = system.measure(name)
    assert measure is not None
    assert isinstance(measure.result, Estimate), measure.result
    return measure.result.value


def test_a_dialogue_that_failed_by_the_system_counts_as_not_accepted_and_not_successful() -> None:
    (system,) = analyse_abilities(serve("one", breaks=range(12)), CATALOGUE).systems
    assert (system.n_dialogues, system.n_failed, system.n_left_out) == (16, 12, 0)
    for name in ("acceptance", "recommender_sr@10", "conversation_sr@10"):
        assert value_of(system, name) == 4 / 16
    quality = system.ability("quality").result
    assert isinstance(quality, Estimate)
    assert quality.value == pytest.approx(5 * (1 / 4 + value_of(system, "recall@50") + 1 / 4) / 3)


def test_success_before_the_failure_counts_and_acceptance_does_not() -> None:
    (system,) = analyse_abilities(serve("one", breaks=range(12), after=1), CATALOGUE).systems
    assert value_of(system, "acceptance") == 4 / 16
    assert value_of(system, "conversation_sr@3") == value_of(system, "recommender_sr@3") == 1.0


def test_measures_over_rankings_and_titles_take_what_there_is() -> None:
    (system,) = analyse_abilities(serve("one", breaks=range(12), after=1), CATALOGUE).systems
    recall, titles = system.measure("recall@1"), system.measure("non_existent")
    assert recall is not None
    assert titles is not None
    assert (recall.denominator, titles.denominator) == (16, 16)
    (silent,) = analyse_abilities(serve("one", breaks=range(12)), CATALOGUE).systems
    assert (recall := silent.measure("recall@1")) is not None
    assert recall.denominator == 4


def test_a_system_that_failed_is_named_and_one_that_always_failed_stays_with_acceptance_0() -> None:
    found = analyse_abilities(
        [*serve("always", breaks=range(16)), *serve("never"), *serve("thrice", breaks=(1, 5, 9))], CATALOGUE
    )
    assert [system.system for system in found.systems] == ["always", "never", "thrice"]
    always = found.systems[0]
    assert value_of(always, "acceptance") == 0.0
    assert (always.n_dialogues, always.n_failed) == (16, 16)
    assert any(said.startswith("always: all dialogues failed by the system") for said in found.findings)
    assert any("thrice in 3 of 16" in said and "never" not in said for said in found.findings)


def test_a_system_none_of_whose_dialogues_counts_is_named() -> None:
    gone = [replace(d, ended="failed", failure="user: no answer") for d in make_dialogues("gone")]
    found = analyse_abilities([*gone, *make_dialogues("one")], CATALOGUE)
    assert [system.system for system in found.systems] == ["one"]
    assert any(said.startswith("gone: all dialogues failed, and not by the system") for said in found.findings)
    with pytest.raises(InputError, match="none is whole"):
        analyse_abilities(gone, CATALOGUE)


def test_a_failure_without_any_reply_is_measured_and_a_whole_dialogue_without_one_is_refused() -> None:
    whole = make_dialogue(0, PERSONAS[0], DRAMA, replies=[])
    (system,) = analyse_abilities([replace(whole, ended="failed", failure="system: gone")], CATALOGUE).systems
    assert value_of(system, "acceptance") == 0.0
    with pytest.raises(InputError, match="no turn of the system"):
        analyse_abilities([whole], CATALOGUE)


def test_a_comparison_shows_that_a_system_that_breaks_down_is_accepted_less() -> None:
    dialogues = [*serve("sound", breaks=(3,)), *serve("weak", breaks=range(14))]
    found = compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=("acceptance", "conversation_sr@10")))
    assert [(s.n_dialogues, s.n_failed, s.n_left_out) for s in found.systems] == [(16, 1, 0), (16, 14, 0)]
    for measure in found.measures:
        (difference,) = measure.differences
        assert difference.difference.value == pytest.approx(13 / 16)
        assert difference.verdict == "first"
    assert "sound 1 of 16 and weak 14 of 16" in found.findings[0]
    assert "count as not accepted" in found.findings[0]


def test_the_words_of_a_failed_turn_are_none_of_the_systems() -> None:
    dialogue = make_dialogue(0, PERSONAS[0], DRAMA, replies=[])
    broken = replace(
        dialogue,
        turns=(UserTurn(text="Hi"), SystemTurn(text='"Golden Turnip"', ranking=("1",), failure="not in time")),
        ended="failed",
        failure="system: not in time",
    )
    (system,) = analyse_abilities([broken, *make_dialogues()], CATALOGUE).systems
    (alone,) = analyse_abilities(make_dialogues(), CATALOGUE).systems
    assert value_of(system, "non_existent") == value_of(alone, "non_existent")
    assert value_of(system, "recall@1") == value_of(alone, "recall@1")
