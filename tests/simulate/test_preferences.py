"""What users want: sets that enough items fit, the same for the same seed, in words of their own."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dialgauge.errors import InputError
from dialgauge.model.item import Catalogue, Fit, Item
from dialgauge.seeding import child_rng
from dialgauge.simulate.preferences import ENOUGH, LARGEST, make_preferences, phrases_of, word_want, wordings

from .conftest import FILMS

genres = st.lists(st.sampled_from(["comedy", "drama", "horror", "cooking"]), min_size=0, max_size=4, unique=True)


def catalogue_of(attributes: list[list[str]]) -> Catalogue:
    return Catalogue(
        "own", tuple(Item(id=f"i{n}", title=f"T{n}", attributes=tuple(a)) for n, a in enumerate(attributes))
    )


@pytest.mark.parametrize("fit", ["containing", "equal"])
def test_every_preference_has_enough_items_that_fit(fit: Fit) -> None:
    found = make_preferences(FILMS, 30, fit)
    assert len({preference.id for preference in found}) == 30
    for preference in found:
        assert 1 <= len(preference.attributes) <= LARGEST
        assert len(FILMS.fitting(preference.attributes, fit)) >= ENOUGH[fit]


def test_sizes_take_turns() -> None:
    assert [len(preference.attributes) for preference in make_preferences(FILMS, 9)] == [2, 1, 3] * 3


@given(seed=st.integers(0, 10_000), n=st.integers(1, 20), more=st.integers(0, 20))
def test_the_same_seed_gives_the_same_and_fewer_come_first_among_more(seed: int, n: int, more: int) -> None:
    assert make_preferences(FILMS, n, seed=seed) == make_preferences(FILMS, n + more, seed=seed)[:n]


def test_another_seed_gives_others() -> None:
    assert make_preferences(FILMS, 8, seed=1) != make_preferences(FILMS, 8, seed=2)


@given(attributes=st.lists(genres, min_size=1, max_size=30), fit=st.sampled_from(["containing", "equal"]))
def test_sets_are_those_that_a_count_by_hand_finds(attributes: list[list[str]], fit: Fit) -> None:
    catalogue = catalogue_of(attributes)
    subsets = {
        tuple(sorted({*combined}))
        for own in attributes
        for mask in range(1, 2 ** len(own))
        if 1 <= len(combined := [a for bit, a in enumerate(own) if mask >> bit & 1]) <= LARGEST
    }
    expected = {subset for subset in subsets if len(catalogue.fitting(subset, fit)) >= 2}
    if not expected:
        with pytest.raises(InputError, match="has 0 sets"):
            make_preferences(catalogue, 1, fit, enough=2)
        return
    found = make_preferences(catalogue, len(expected), fit, enough=2)
    assert {preference.attributes for preference in found} == expected


def test_more_than_a_catalogue_has_are_refused_with_their_number() -> None:
    catalogue = catalogue_of([["comedy"], ["comedy"], ["drama"]])
    with pytest.raises(
        InputError, match=r"'own' has 1 sets of 1 to 3 attributes that at least 2 items fit .*wish for 2"
    ):
        make_preferences(catalogue, 2, enough=2)


def test_each_common_genre_has_several_wordings_and_all_genres_of_the_films_are_known() -> None:
    for genre in {name for item in FILMS for name in item.attributes}:
        assert len(set(phrases_of(genre))) >= 3, genre
        assert all(
            re.match(r"(with|that|about|set|where|full|from|for|to|made) ", phrase) for phrase in phrases_of(genre)
        )


def test_an_unknown_attribute_is_named_in_its_wordings() -> None:
    assert all("cooking {0}" in phrase for phrase in phrases_of("cooking {0}"))


@given(attributes=st.lists(st.sampled_from(["comedy", "horror", "cooking"]), min_size=1, max_size=3, unique=True))
def test_a_wording_is_among_all_wordings(attributes: list[str]) -> None:
    every = wordings(attributes)
    rng = child_rng(1, *attributes)
    drawn = {word_want(attributes, rng) for _ in range(20)}
    assert len(drawn) > 1
    if len(attributes) < 3:
        assert drawn <= {*every}


@example(sets=[{"a", "b"}, {"a+b"}])
@given(
    sets=st.lists(
        st.sets(st.text(alphabet="ab+\\", min_size=1, max_size=3), min_size=1, max_size=3), min_size=1, max_size=8
    )
)
def test_no_two_sets_of_attributes_have_one_id_whatever_signs_are_in_them(sets: list[set[str]]) -> None:
    different = {tuple(sorted(one)) for one in sets}
    catalogue = catalogue_of([list(one) for one in different])
    found = make_preferences(catalogue, len(different), "equal", enough=1)
    assert len({preference.id for preference in found}) == len(different)


def test_names_without_a_plus_make_ids_as_they_are() -> None:
    (found,) = make_preferences(catalogue_of([["sci-fi", "a/b"], ["sci-fi", "a/b"]]), 1, "equal")
    assert found.id == "a/b+sci-fi"
