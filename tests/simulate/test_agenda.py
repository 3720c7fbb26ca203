"""The built-in user: it does what its persona would, by chance that a seed repeats."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from dialgauge.model import Turn
from dialgauge.model.item import Fit
from dialgauge.model.simulated import UserTurn
from dialgauge.model.simulation import Simulation
from dialgauge.simulate.agenda import AgendaUsers, fits
from dialgauge.simulate.personas import ages, emotions, make_personas
from dialgauge.simulate.talk import Act, Voice
from dialgauge.systems import Reply

from .conftest import FILMS, WANT, Toy, persona, recommend, simulate, stage

FITTING, UNFIT = "Psycho", "Casablanca"
EVERY = make_personas()
REPLIES = ("What genre do you like?", 'Try "Psycho" (1960).', 'Then "Casablanca" (1942)?', "Hm.", 'See "Xyz" (1901).')


def ask_only(turns: Sequence[Turn]) -> Reply:
    return Reply(text="What genre do you like?", recommends=False)


def accepted_at_first(title: str, name: str, n: int = 300) -> int:
    """Return how many of ``n`` users of a persona accept the one film that they are recommended first."""
    system = Toy(lambda _: recommend(title))
    found = (simulate(system, persona(name), replicate=r) for r in range(1, n + 1))
    return sum(len(simulation.dialogue.turns) == 3 and simulation.dialogue.ended == "accepted" for simulation in found)


def texts(simulation: Simulation) -> list[str]:
    return [turn.text for turn in simulation.dialogue.user_turns]


@given(
    seed=st.integers(0, 2**31 - 1),
    who=st.sampled_from(EVERY),
    order=st.lists(st.integers(0, len(REPLIES) - 1), min_size=11, max_size=11),
)
def test_the_same_seed_repeats_every_word_and_whatever_is_said_the_dialogue_ends_well(
    seed: int, who: object, order: list[int]
) -> None:
    def answer(turns: Sequence[Turn]) -> Reply:
        return Reply(text=REPLIES[order[len(turns) // 2]])

    first, second = (simulate(Toy(answer), who, on=stage(seed=seed)).dialogue for _ in range(2))  # type: ignore[arg-type]
    assert [t.text for t in first.turns] == [t.text for t in second.turns]
    assert [t.feeling for t in first.user_turns] == [t.feeling for t in second.user_turns]
    assert first.ended in {"accepted", "gave up", "turn limit"}
    assert isinstance(first.turns[-1], UserTurn)
    assert len(first.system_turns) <= 10
    assert all(turn.text.strip() for turn in first.turns)
    assert all("{" not in turn.text for turn in first.user_turns)
    assert first.user_turns[0].feeling is None
    assert all(turn.feeling for turn in first.user_turns[1:])
    accepting = [turn for turn in first.user_turns if turn.accepting]
    assert len(accepting) == (first.ended == "accepted")
    assert all(turn is first.turns[-1] and turn.accepts in FILMS.by_id for turn in accepting)


def test_another_seed_says_it_otherwise() -> None:
    said = {tuple(texts(simulate(Toy(ask_only), on=stage(seed=seed)))) for seed in range(20)}
    assert len(said) > 15


@pytest.mark.parametrize("name", ["excitement-teens", "satisfaction-adults", "boredom-children"])
def test_a_fitting_item_is_accepted_as_often_as_the_persona_says(name: str) -> None:
    emotion = emotions()[persona(name).emotion]
    n_accepted = accepted_at_first(FITTING, name)
    assert binomtest(n_accepted, 300, emotion.takes * (1.0 - emotion.asks)).pvalue > 0.001


@pytest.mark.parametrize("name", ["trust-seniors", "delight-adults", "frustration-adults"])
def test_an_item_that_does_not_fit_is_accepted_as_often_as_the_persona_slips(name: str) -> None:
    emotion = emotions()[persona(name).emotion]
    n_accepted = accepted_at_first(UNFIT, name)
    assert binomtest(n_accepted, 300, emotion.slips * (1.0 - emotion.asks)).pvalue > 0.001


def test_the_indifferent_never_accept() -> None:
    assert accepted_at_first(FITTING, "indifference-adults", 100) == 0
    assert accepted_at_first(UNFIT, "indifference-adults", 100) == 0


def test_a_wrong_acceptance_is_felt_as_good_so_that_feeling_and_words_agree() -> None:
    for replicate in range(1, 60):
        dialogue = simulate(Toy(lambda _: recommend(UNFIT)), persona("trust-adults"), replicate=replicate).dialogue
        last = dialogue.user_turns[-1]
        if last.accepting:
            assert last.feeling in emotions()["trust"].good
            return
    pytest.fail("nobody slipped")


@pytest.mark.parametrize(
    ("name", "patience"), [(name, emotion.patience) for name, emotion in emotions().items() if emotion.patience]
)
def test_a_user_leaves_when_its_patience_is_over(name: str, patience: int) -> None:
    dialogue = simulate(Toy(ask_only), persona(f"{name}-adults")).dialogue
    assert dialogue.ended == "gave up"
    assert len(dialogue.system_turns) == patience


@pytest.mark.parametrize("name", [name for name, emotion in emotions().items() if not emotion.patience])
def test_a_user_without_an_end_to_its_patience_stays_to_the_last_turn(name: str) -> None:
    dialogue = simulate(Toy(ask_only), persona(f"{name}-adults")).dialogue
    assert (dialogue.ended, len(dialogue.system_turns), len(dialogue.user_turns)) == ("turn limit", 10, 11)


def test_without_giving_up_the_bored_stay_too() -> None:
    assert simulate(Toy(ask_only), persona("boredom-adults", gives_up=False)).dialogue.ended == "turn limit"


def test_a_user_does_not_leave_on_a_recommendation_that_fits() -> None:
    def late(turns: Sequence[Turn]) -> Reply:
        return recommend(FITTING) if len(turns) >= 2 * 4 - 1 else ask_only(turns)

    ends = Counter(simulate(Toy(late), persona("boredom-adults"), replicate=r).dialogue.ended for r in range(1, 41))
    assert ends["accepted"] > 10


def test_it_is_turned_down_with_a_reason_that_is_true() -> None:
    want = WANT.model_copy(update={"attributes": ("comedy", "horror")})
    film = next(item for item in FILMS if "comedy" in item.attributes and "horror" not in item.attributes)
    system = Toy(lambda _: recommend(film.title))
    for replicate in range(1, 20):
        second = texts(simulate(system, persona("frustration-adults"), wants=want, replicate=replicate))[1]
        assert film.title in second
        if "about" not in second and "more" not in second and "happens" not in second:
            assert "horror" in second


def test_with_equal_fit_too_much_is_a_reason_too() -> None:
    system = Toy(lambda _: recommend("Psycho"))
    want = WANT.model_copy(update={"attributes": ("horror", "thriller")})
    seen = "".join(
        texts(simulate(system, persona("frustration-adults"), wants=want, on=stage(fit="equal"), replicate=r))[1]
        for r in range(1, 10)
    )
    assert "mystery" in seen


def test_what_was_turned_down_is_not_taken_later() -> None:
    for replicate in range(1, 60):
        dialogue = simulate(Toy(lambda _: recommend(UNFIT)), persona("trust-adults"), replicate=replicate).dialogue
        if dialogue.ended == "accepted":
            assert all("?" in turn.text for turn in dialogue.user_turns[1:-1])  # it had asked, and not turned it down


def test_the_old_say_more_than_the_young_and_are_more_polite() -> None:
    def length(age: str) -> float:
        said = [
            t for r in range(1, 30) for t in texts(simulate(Toy(ask_only), persona(f"curiosity-{age}"), replicate=r))
        ]
        return float(np.mean([len(text) for text in said]))

    assert length("seniors") > 1.3 * length("adults") > 1.3 * length("teens")
    thanks = sum(
        "thank" in " ".join(texts(simulate(Toy(ask_only), persona("curiosity-seniors"), replicate=r))).lower()
        for r in range(1, 11)
    )
    assert thanks >= 8


def test_the_emotion_shows_in_the_words() -> None:
    for name in emotions():
        said = " ".join(
            text for r in range(1, 8) for text in texts(simulate(Toy(ask_only), persona(f"{name}-adults"), replicate=r))
        )
        assert any(word in said for word in emotions()[name].says), name


@given(who=st.sampled_from(EVERY), seed=st.integers(0, 10_000), act=st.sampled_from(["open", "year", "lacks", "leave"]))
def test_a_paraphrase_has_the_same_content_in_other_words(who: object, seed: int, act: str) -> None:
    voice = Voice(who, ("horror",))  # type: ignore[arg-type]
    meant = Act(act, {"title": "Casablanca", "kind": "horror"} if act == "lacks" else {})
    said = voice.say(meant, np.random.default_rng(seed))
    otherwise = voice.say_otherwise(meant, said, np.random.default_rng(seed + 1))
    assert otherwise is not None
    assert otherwise != said
    if act == "lacks":
        assert "Casablanca" in said
        assert "Casablanca" in otherwise
        assert "horror" in otherwise


@given(
    has=st.frozensets(st.sampled_from("abcd")),
    wants=st.frozensets(st.sampled_from("abcd"), min_size=1),
    fit=st.sampled_from(["equal", "containing"]),
)
def test_an_item_fits_by_the_rule_of_the_catalogue(has: frozenset[str], wants: frozenset[str], fit: Fit) -> None:
    from dialgauge.model.item import Catalogue, Item

    catalogue = Catalogue("one", (Item(id="i", title="I", attributes=tuple(has)),))
    assert fits(has, wants, fit) == bool(catalogue.fitting(wants, fit))


def test_the_user_is_not_told_the_targets() -> None:
    user = AgendaUsers().begin(persona(), WANT, seed=1)
    targets = {item.id for item in FILMS.fitting(WANT.attributes, "containing")}
    assert not any(target in repr(vars(user)) for target in targets)
    assert asyncio.run(user.open()).text


def test_ages_differ_in_their_openings() -> None:
    assert len({age.openers for age in ages().values()}) == 4
