"""What a user asked for, read out of words."""

import pytest

from dialgauge.model.item import Catalogue
from dialgauge.systems.wants import LAST, Wants, WantsReader, read_cues, read_years


@pytest.fixture(scope="module")
def reader(films: Catalogue) -> WantsReader:
    return WantsReader(films)


@pytest.mark.parametrize(
    ("text", "liked", "disliked"),
    [
        ("I want horror", {"horror"}, set()),
        ("Westerns and comedies, please", {"western", "comedy"}, set()),
        ("something scary but funny", {"horror", "comedy"}, set()),
        ("no horror please", set(), {"horror"}),
        ("not horror, western or war", set(), {"horror", "western", "war"}),
        ("no horror. Comedy please", {"comedy"}, {"horror"}),
        ("I don't like war but I like science fiction", {"sci-fi"}, {"war"}),
        ("I don't mind horror", {"horror"}, set()),
        ("§ isn't comedy", {"comedy"}, set()),
        ("no, § has no comedy", {"comedy"}, set()),
        ("§ is horror as well, and I do not want that", set(), {"horror"}),
        ("There is too much crime in § for me", set(), {"crime"}),
        ("Hello, what do you have?", set(), set()),
    ],
)
def test_kinds_are_liked_or_not_as_a_person_would_understand(
    reader: WantsReader, text: str, liked: set[str], disliked: set[str]
) -> None:
    wants = reader.read([text])
    assert (set(wants.liked), set(wants.disliked)) == (liked, disliked)


def test_of_what_contradicts_itself_the_last_counts(reader: WantsReader) -> None:
    assert reader.read(["I want horror", "rather no horror"]).liked == ()
    assert reader.read(["no horror", "well, horror is fine"]).liked == ("horror",)


def test_a_person_counts_with_first_and_last_name(reader: WantsReader) -> None:
    assert reader.read(["anything by alfred hitchcock"]).people == ("Alfred Hitchcock",)
    assert reader.read(["anything by Alfred"]).people == ()


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("from the 90s", (1990, 1999)),
        ("the 2010s", (2010, 2019)),
        ("the '20s", (2020, 2029)),
        ("after 2010", (2010, LAST)),
        ("before 1980", (1800, 1979)),
        ("between 1999 and 1990", (1990, 1999)),
        ("something from 1994", (1994, 1994)),
        ("a recent one", (2000, LAST)),
        ("no matter whether old or new", None),
        ("I am 30 and have 2 kids", None),
    ],
)
def test_years_are_read_as_a_person_would(text: str, years: tuple[int, int] | None) -> None:
    assert read_years(text) == years


def test_an_unknown_year_is_not_allowed_where_years_are_asked_for(films: Catalogue) -> None:
    film = films.items[0].model_copy(update={"year": None})
    assert Wants().allow(film)
    assert not Wants(years=(1900, 2000)).allow(film)


def test_every_cue_stands_for_one_kind_only() -> None:
    cues = [cue for each in read_cues().values() for cue in each]
    assert len(set(cues)) == len(cues)


def test_without_cues_a_kind_is_known_by_its_own_name_alone(films: Catalogue) -> None:
    bare = WantsReader(films, cues=False)
    assert bare.read(["something scary but funny"]).liked == ()
    assert bare.read(["a horror comedy, no western"]) == Wants(liked=("horror", "comedy"), disliked=("western",))
