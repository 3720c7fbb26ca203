"""Measures and abilities of dialogues that can be counted by hand."""

import math
from dataclasses import replace

import pytest
from tests.analyse.abilities.examples import (
    CATALOGUE,
    COMEDY,
    DRAMA,
    PERSONAS,
    RATED,
    make_dialogue,
    make_dialogues,
    make_pairs,
    make_ratings,
)

from dialgauge.analyse.abilities import SystemAbilities, analyse_abilities
from dialgauge.errors import InputError, OffScaleError
from dialgauge.model.item import Catalogue, Item
from dialgauge.model.simulated import Preference, SimulatedDialogue, SystemTurn, UserTurn
from dialgauge.stats.abilities.persona import PersonaVariance
from dialgauge.stats.estimate import Estimate, Refusal


@pytest.fixture(scope="module")
def computed() -> SystemAbilities:
    (system,) = analyse_abilities(make_dialogues(), CATALOGUE).systems
    return system


@pytest.fixture(scope="module")
def whole() -> SystemAbilities:
    """Return a system with ratings and pairs of replies."""
    dialogues = make_dialogues()
    (system,) = analyse_abilities(
        dialogues, CATALOGUE, pairs=make_pairs(dialogues), ratings=make_ratings(RATED, dialogues)
    ).systems
    return system


def value_of(system: SystemAbilities, name: str) -> float:
    measure = system.measure(name)
    assert measure is not None
    assert isinstance(measure.result, Estimate), name
    return measure.result.value


def reason_of(result: object) -> str:
    assert isinstance(result, Refusal)
    return result.reason


@pytest.mark.parametrize(
    ("name", "expected", "denominator"),
    [
        ("recall@1", (0.5 + 0.5 + 0.0 + 0.5 + 0.0 + 0.0) / 6, 6),
        ("recall@10", (0.5 + 1.0 + 0.0 + 1.0 + 0.0 + 0.5) / 6, 6),
        ("recommender_sr@3", 3 / 6, 6),
        ("recommender_at", (2 + 2 + 1) / 3, 3),
        ("conversation_sr@3", 3 / 6, 6),
        ("conversation_at", (2 + 2 + 1) / 3, 3),
        ("acceptance", 3 / 6, 6),
        ("user_at", 3.0, 3),
        ("deceptive_item", 1 / 3, 3),
        ("deceptive_as_published", 1.0, 3),
        ("non_existent", 1 / 4, 4),
    ],
)
def test_a_measure_is_what_counting_gives(
    name: str, expected: float, denominator: int, computed: SystemAbilities
) -> None:
    measure = computed.measure(name)
    assert measure is not None
    assert value_of(computed, name) == pytest.approx(expected, abs=1e-12)
    assert measure.denominator == denominator


def test_a_substring_finds_a_title_inside_another_word() -> None:
    (system,) = analyse_abilities(make_dialogues(), CATALOGUE, title_match="substring").systems
    assert value_of(system, "conversation_sr@3") == pytest.approx(4 / 6)


def test_the_ceiling_of_recall_at_one_is_one_over_the_number_of_targets(computed: SystemAbilities) -> None:
    measure = computed.measure("recall@1")
    assert measure is not None
    assert measure.ceiling == 0.5


def test_quality_is_made_of_its_measures(computed: SystemAbilities) -> None:
    result = computed.ability("quality").result
    assert isinstance(result, Estimate)
    assert result.value == pytest.approx(5 * (0.5 + 0.5 + 0.5) / 3)


@pytest.mark.parametrize(
    ("ability", "word"),
    [
        ("reliability", "pair"),
        ("cooperation", "manner"),
        ("social_awareness", "social awareness"),
        ("identity", "persuasiveness"),
    ],
)
def test_an_ability_whose_measures_lack_is_a_refusal_that_names_them(
    ability: str, word: str, computed: SystemAbilities
) -> None:
    assert word in reason_of(computed.ability(ability).result)


@pytest.mark.parametrize(
    ("name", "expected", "denominator"),
    [
        ("consistent_action", 4 / 5, 5),
        ("consistent_recommendation", 1 / 3, 3),
        ("diversity", 1 / 2, 2),
        ("sensitivity", 1 / 2, 2),
    ],
)
def test_a_reliability_measure_has_its_own_denominator(
    name: str, expected: float, denominator: int, whole: SystemAbilities
) -> None:
    measure = whole.measure(name)
    assert measure is not None
    assert value_of(whole, name) == pytest.approx(expected)
    assert measure.denominator == denominator


def test_abilities_follow_their_formulas(whole: SystemAbilities) -> None:
    def of(name: str) -> float:
        result = whole.ability(name).result
        assert isinstance(result, Estimate)
        return result.value

    inconsistent, sensitive = 1 - value_of(whole, "consistent_recommendation"), value_of(whole, "sensitivity")
    sincerity = 5 * (1 - (1 / 3 + 1 / 4) / 2)
    assert of("reliability") == pytest.approx(5 * (1 - inconsistent * sensitive))
    assert of("sincerity") == pytest.approx(sincerity)
    assert of("cooperation") == pytest.approx((21 / 6 + sincerity + 19 / 6 + 16 / 6) / 4)
    assert of("social_awareness") == pytest.approx(19 / 6)
    assert of("identity") == pytest.approx(19 / 6 * (1 - 1 / 3))


def test_coordination_is_the_mean_spread_over_personas(whole: SystemAbilities) -> None:
    spreads = {spread.ability: spread for spread in whole.coordination.spreads}
    assert spreads["social_awareness"].spread == pytest.approx((4.5 - 1.5) / ((4.5 + 3.5 + 1.5) / 3))
    assert "sincerity" not in spreads
    result = whole.coordination.spread
    assert isinstance(result, Estimate)
    assert result.value == pytest.approx(sum(s.spread for s in spreads.values()) / len(spreads))
    assert result.flags == ("no_interval",)


def test_the_variance_of_personas_stands_beside_an_ability(whole: SystemAbilities) -> None:
    found = whole.ability("social_awareness").persona
    assert not isinstance(found, Refusal)
    assert found.share.low is not None
    assert 0.0 <= found.share.low <= found.share.value
    assert found.preference is not None


def test_without_a_recorded_item_the_published_test_of_the_words_counts() -> None:
    dialogues = [
        make_dialogue(0, PERSONAS[0], DRAMA, replies=[("Hi", "1")], ended="accepted", words="Quiet Harbour it is."),
        make_dialogue(1, PERSONAS[1], DRAMA, replies=[("Hi", "1")], ended="accepted", words="Fine."),
    ]
    found = analyse_abilities(dialogues, CATALOGUE)
    (system,) = found.systems
    assert system.deceptive_basis == "as published"
    assert value_of(system, "deceptive_as_published") == 0.5
    item = system.measure("deceptive_item")
    assert item is not None
    assert "no accepted item is recorded" in reason_of(item.result)
    assert any("no accepted item is recorded" in sentence for sentence in found.findings)


def test_an_accepted_title_of_no_catalogue_is_deceptive() -> None:
    dialogue = make_dialogue(0, PERSONAS[0], DRAMA, replies=[("Hi", "1")], ended="accepted")
    *before, last = dialogue.turns
    assert isinstance(last, UserTurn)
    titled = replace(dialogue, turns=(*before, replace(last, accepts_title="Golden Turnip")))
    (system,) = analyse_abilities([titled], CATALOGUE).systems
    assert value_of(system, "deceptive_item") == 1.0


def test_no_acceptance_is_a_refusal_of_the_deceptive_share_and_no_zero() -> None:
    found = analyse_abilities([d for d in make_dialogues() if d.ended != "accepted"], CATALOGUE)
    (system,) = found.systems
    assert value_of(system, "acceptance") == 0.0
    for name in ("deceptive_as_published", "deceptive_item", "user_at"):
        measure = system.measure(name)
        assert measure is not None
        assert "no recommendation was accepted" in reason_of(measure.result)


def test_dialogues_that_failed_at_the_users_side_and_failed_pairs_are_left_out_and_counted() -> None:
    dialogues = make_dialogues()
    failed = replace(dialogues[0], id="broken", ended="failed", failure="user: no answer")
    found = analyse_abilities([*dialogues, failed], CATALOGUE, pairs=make_pairs(dialogues))
    assert found.systems[0].n_dialogues == 6
    assert (found.systems[0].n_failed, found.systems[0].n_left_out) == (0, 1)
    assert found.systems[0].n_pairs == 5
    assert any("1 of 7 dialogues" in note for note in found.notes)
    assert any("1 of 6 pairs" in note for note in found.notes)


def test_missing_ratings_are_left_out_and_never_filled_in() -> None:
    dialogues = make_dialogues()
    ratings = make_ratings({"social_awareness": [4, 2]}, dialogues[:2])
    (system,) = analyse_abilities(dialogues, CATALOGUE, ratings=ratings).systems
    measure = system.measure("social_awareness")
    assert measure is not None
    assert measure.denominator == 2
    assert value_of(system, "social_awareness") == 3.0


def test_ratings_of_other_targets_are_counted() -> None:
    dialogues = make_dialogues()
    found = analyse_abilities(dialogues[:4], CATALOGUE, ratings=make_ratings(RATED, dialogues))
    assert any("ratings of 2 targets" in note for note in found.notes)


def test_a_scale_other_than_one_to_five_is_refused() -> None:
    dialogues = make_dialogues()
    with pytest.raises(InputError, match=r"manner is rated from 1\.0 to 7\.0"):
        analyse_abilities(dialogues, CATALOGUE, ratings=make_ratings({"manner": [3] * 6}, dialogues, top=7))


def test_systems_do_not_change_each_other() -> None:
    both = analyse_abilities([*make_dialogues("two"), *make_dialogues("one")], CATALOGUE)
    (alone,) = analyse_abilities(make_dialogues("one"), CATALOGUE).systems
    assert [system.system for system in both.systems] == ["one", "two"]
    assert both.systems[0].measures == alone.measures
    assert both.systems[0].groups == alone.groups


def test_a_dialogue_counts_for_each_attribute_of_its_preference(computed: SystemAbilities) -> None:
    groups = {group.level: group.n_dialogues for group in computed.groups if group.facet == "attribute"}
    assert groups == {"comedy": 3, "drama": 3}


@pytest.mark.parametrize(
    ("dialogue", "word"),
    [
        (replace(make_dialogues()[0], targets=()), "no target"),
        (replace(make_dialogues()[0], targets=("1", "99")), "'99' of the dialogue 'one-0' is not in the catalogue"),
        (replace(make_dialogues()[0], turns=()), "no turn of the system"),
        (replace(make_dialogues()[0], ended="failed"), "none is whole"),
    ],
)
def test_dialogues_that_cannot_be_measured_are_refused(dialogue: SimulatedDialogue, word: str) -> None:
    with pytest.raises(InputError, match=word):
        analyse_abilities([dialogue], CATALOGUE)


def test_success_that_hangs_on_the_persona_alone_is_wholly_due_to_personas() -> None:
    served = {persona.id: persona.age == "adults" for persona in PERSONAS}
    dialogues = [
        make_dialogue(
            number,
            persona,
            DRAMA.model_copy(update={"id": f"drama-{n}"}) if n else DRAMA,
            replies=[('Try "Quiet Harbour".', "1") if served[persona.id] else ("I cannot help you.", "5")],
        )
        for number, (persona, n) in enumerate((persona, n) for persona in PERSONAS for n in (0, 0, 0))
    ]
    (system,) = analyse_abilities(dialogues, CATALOGUE).systems
    success = system.coordination.success
    assert isinstance(success, PersonaVariance)
    assert (success.share.value, success.share.low, success.residual) == (1.0, None, 0.0)
    assert success.persona == pytest.approx(1.0 / 3.0)


def test_success_that_is_the_same_for_all_has_no_variance_to_be_due_to_personas() -> None:
    dialogues = [
        make_dialogue(number, persona, DRAMA, replies=[('Try "Quiet Harbour".', "1")])
        for number, persona in enumerate(PERSONAS * 2)
    ]
    (system,) = analyse_abilities(dialogues, CATALOGUE).systems
    assert isinstance(system.coordination.success, Refusal)


def rank_for(targets: tuple[str, ...], preference: Preference, *, ranked: bool, number: int) -> SimulatedDialogue:
    dialogue = make_dialogue(number, PERSONAS[number % 3], DRAMA, replies=[("Hm.", "")])
    turns = (dialogue.turns[0], SystemTurn(text="Hm.", ranking=targets if ranked else ()), dialogue.turns[-1])
    return replace(dialogue, preference=preference, targets=targets, turns=turns)


def test_recall_is_bounded_by_the_ceiling_of_the_dialogues_it_rests_on_and_never_cut() -> None:
    items = tuple(
        Item(id=f"{kind}{n}", title=f"{kind} {n}", attributes=(kind,))
        for kind, size in (("many", 500), ("some", 60), ("few", 10))
        for n in range(size)
    )
    wishes = [Preference(id=kind, attributes=(kind,)) for kind in ("many", "some", "few")]
    dialogues = [
        rank_for(tuple(i.id for i in items if wish.id in i.attributes), wish, ranked=wish.id != "many", number=number)
        for number, wish in enumerate(wishes * 6)
    ]
    (system,) = analyse_abilities(dialogues, Catalogue("kinds", items)).systems
    measure = system.measure("recall@50")
    assert measure is not None
    assert isinstance(measure.result, Estimate)
    top = (50 / 60 + 1.0) / 2
    assert measure.result.value == pytest.approx(top)
    assert measure.ceiling == pytest.approx(top)
    assert measure.result.high == pytest.approx(top)
    of_few = next(group for group in system.groups if group.level == "few").results["recall@50"]
    assert isinstance(of_few, Estimate)
    assert of_few.value == 1.0


def test_an_ability_has_no_interval_where_one_dialogue_is_rated() -> None:
    dialogues = make_dialogues()
    one = {name: column[:1] for name, column in RATED.items()}
    found = analyse_abilities(dialogues, CATALOGUE, ratings=make_ratings(one, dialogues[:1]))
    for name in ("cooperation", "identity"):
        result = found.systems[0].ability(name).result
        assert isinstance(result, Estimate)
        assert (result.low, result.n) == (None, 1)
    assert any("identity: persuasiveness has none" in said for said in found.findings)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 9.0, 0.5])
def test_a_rating_that_is_none_or_off_its_scale_is_refused_with_its_target(value: float) -> None:
    dialogues = make_dialogues()
    ratings = make_ratings({"persuasiveness": [3, 3, value, 3, 3, 3]}, dialogues)
    with pytest.raises(OffScaleError, match=f"persuasiveness of the target 'one-2' by 'r' is {value}, .* 1 to 5"):
        analyse_abilities(dialogues, CATALOGUE, ratings=ratings)


def test_ranked_ids_that_the_catalogue_does_not_have_are_counted_per_system() -> None:
    strange = [make_dialogue(n, PERSONAS[n], DRAMA, replies=[("Hm.", "98")], system="lost") for n in range(3)]
    found = analyse_abilities([*make_dialogues(), *strange], CATALOGUE)
    (note,) = [note for note in found.notes if "ids in rankings" in note]
    assert note.startswith("lost: 6 of 6 ids in rankings (100.0%) are not in the catalogue")


@pytest.mark.parametrize(
    ("text", "surely"),
    [
        ("I was brought up here.", False),
        ("Shall I look it up?", False),
        ('"Up" is nice.', True),
        ("Up (2009) is nice.", True),
        ("It is up to you: Zebra Parade.", True),
    ],
)
def test_success_by_an_everyday_word_alone_is_a_finding(text: str, surely: bool) -> None:
    dialogues = [make_dialogue(n, PERSONAS[n % 3], COMEDY, replies=[(text, "5")]) for n in range(6)]
    found = analyse_abilities(dialogues, CATALOGUE)
    assert value_of(found.systems[0], "conversation_sr@10") == 1.0
    assert any("everyday word alone" in said and "one 6 of 6" in said for said in found.findings) is not surely


def test_a_few_successes_by_an_everyday_word_are_no_finding() -> None:
    sure = [make_dialogue(n, PERSONAS[n % 3], COMEDY, replies=[("Zebra Parade?", "5")]) for n in range(20)]
    bare = make_dialogue(20, PERSONAS[0], COMEDY, replies=[("Cheer up!", "5")])
    assert not any("everyday" in said for said in analyse_abilities([*sure, bare], CATALOGUE).findings)
