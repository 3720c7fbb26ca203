"""The personas: twelve emotions by four ages, in words of our own."""

from collections import Counter

import pytest

from dialgauge.errors import InputError
from dialgauge.simulate.personas import ages, emotions, make_personas

EMOTIONS = (
    *("anticipation", "boredom", "confusion", "curiosity", "delight", "disappointment"),
    *("excitement", "frustration", "indifference", "satisfaction", "surprise", "trust"),
)


def test_twelve_emotions_and_four_ages_make_forty_eight_personas() -> None:
    every = make_personas()
    assert tuple(emotions()) == EMOTIONS
    assert sorted(ages()) == ["adults", "children", "seniors", "teens"]
    assert len({persona.id for persona in every}) == len(every) == 48
    assert Counter(persona.emotion for persona in every) == dict.fromkeys(EMOTIONS, 4)


def test_every_persona_says_its_emotion_and_its_age_in_its_words() -> None:
    for persona in make_personas():
        assert emotions()[persona.emotion].words in persona.words
        assert ages()[persona.age].words in persona.words
        assert persona.words.startswith("You are ")


def test_shares_lie_between_zero_and_one_and_no_two_personas_share_their_words() -> None:
    for emotion in emotions().values():
        assert all(0.0 <= getattr(emotion, name) <= 1.0 for name in ("takes", "slips", "asks", "chats", "colours"))
        assert emotion.slips <= emotion.takes
        assert emotion.patience is None or 3 <= emotion.patience <= 10
    assert len({persona.words for persona in make_personas()}) == 48


def test_some_personas_accept_too_easily_and_some_never() -> None:
    slips = {name: emotion.slips for name, emotion in emotions().items()}
    assert max(slips, key=lambda name: slips[name]) == "trust"
    assert emotions()["indifference"].takes == 0.0


def test_patience_can_be_switched_off() -> None:
    assert any(persona.patience is not None for persona in make_personas())
    assert all(persona.patience is None for persona in make_personas(gives_up=False))


def test_a_number_is_spread_over_emotions_and_ages() -> None:
    twelve = make_personas(12)
    assert Counter(persona.emotion for persona in twelve) == dict.fromkeys(EMOTIONS, 1)
    assert Counter(persona.age for persona in twelve) == dict.fromkeys(ages(), 3)


def test_fewer_personas_are_among_more_of_them() -> None:
    most = make_personas(48)
    assert {persona.id for persona in most} == {persona.id for persona in make_personas()}
    for n in range(1, 49):
        assert make_personas(n) == most[:n]


def test_a_name_is_a_persona_an_emotion_or_an_age() -> None:
    assert [persona.id for persona in make_personas(["boredom-teens"])] == ["boredom-teens"]
    assert len(make_personas(["boredom"])) == 4
    assert len(make_personas(["teens"])) == 12
    assert len(make_personas(["teens", "boredom"])) == 15


@pytest.mark.parametrize("wanted", [0, 49, -1])
def test_a_number_that_is_none_is_refused(wanted: int) -> None:
    with pytest.raises(InputError, match=rf"there are 48 personas, got a wish for {wanted}; take from 1 to 48"):
        make_personas(wanted)


def test_an_unknown_name_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InputError, match=r"no persona 'angry-teens'; .*boredom.*as in boredom-teens"):
        make_personas(["angry-teens"])


def test_an_empty_list_of_names_is_refused() -> None:
    with pytest.raises(InputError, match="no persona is named; give a number from 1 to 48"):
        make_personas([])
