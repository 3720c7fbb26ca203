"""Who wants what: preferences are dealt round the personas, so that few dialogues meet many preferences."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import InputError
from dialgauge.model.simulated import Preference
from dialgauge.simulate.personas import N_PERSONAS, make_personas
from dialgauge.simulate.plan import deal_preferences

PERSONAS = make_personas(N_PERSONAS)
POOL = [Preference(id=str(i), attributes=(str(i),), words=str(i)) for i in range(16)]


def test_all_personas_get_as_many_and_all_preferences_go_to_as_many() -> None:
    dealt = deal_preferences(PERSONAS, POOL, each=4)
    assert set(Counter(persona.id for persona, _ in dealt).values()) == {4}
    assert Counter(preference.id for _, preference in dealt) == {preference.id: 12 for preference in POOL}
    assert len({(persona.id, preference.id) for persona, preference in dealt}) == 192


def test_the_ages_of_each_emotion_meet_all_preferences_once() -> None:
    dealt = deal_preferences(PERSONAS, POOL, each=4)
    assert set(Counter((persona.emotion, preference.id) for persona, preference in dealt).values()) == {1}


def test_all_personas_are_linked_by_preferences_that_they_share() -> None:
    groups = [{persona.id} for persona in PERSONAS]
    wants: dict[str, set[str]] = {}
    for persona, preference in deal_preferences(PERSONAS, POOL, each=4):
        wants.setdefault(persona.id, set()).add(preference.id)
    for one, other in combinations(wants, 2):
        if wants[one] & wants[other]:
            first, second = (next(group for group in groups if name in group) for name in (one, other))
            if first is not second:
                groups.remove(second)
                first |= second
    assert len(groups) == 1


def test_with_as_many_preferences_as_each_has_all_meet_all() -> None:
    dealt = deal_preferences(PERSONAS[:5], POOL[:3], each=3)
    assert len({(persona.id, preference.id) for persona, preference in dealt}) == 15


@given(few=st.integers(1, 16), more=st.integers(0, 15), n=st.integers(1, 48))
def test_more_of_each_and_more_personas_leave_what_was_dealt(few: int, more: int, n: int) -> None:
    personas = make_personas(n)
    more = min(16, few + more)
    assert set(deal_preferences(personas, POOL, each=few)) <= set(deal_preferences(PERSONAS, POOL, each=more))


def test_fewer_preferences_than_each_is_to_have_are_refused() -> None:
    with pytest.raises(InputError, match="each persona is to have 4 of 3 preferences; give at least 4"):
        deal_preferences(PERSONAS, POOL[:3], each=4)
