"""What is written as a title is known or not, whatever stands around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.io.catalogues import TitleIndex, count_titles, find_written, read_catalogue
from dialgauge.model.item import Item
from dialgauge.systems.items import write_title

ITEMS = (
    Item(id="1", title="When We Met...", year=1989),
    Item(id="2", title="Copper Moon", year=2004),
    Item(id="3", title='"Grand Evening" Cats', year=1998),
    Item(id="4", title="Velvet! (Director's Cut)", year=2001),
    Item(id="5", title='The "Best" of Turnips', year=2011),
    Item(id="6", title="Alone", year=1979),
)
INDEX = TitleIndex(ITEMS)
FILMS = tuple(read_catalogue("films"))
FILM_INDEX = TitleIndex(FILMS)
MARKS = (
    "{}",
    "**{}**",
    "*{}*",
    "***{}***",
    "_{}_",
    "__{}__",
    "'{}'",
    "‘{}’",
    "`{}`",
    '**"{}"**',
    '"**{}**"',
    "“{}”",
    "«{}»",
)
GAPS = (" ", "  ", ", ", "", "\n")
PLACES = ("How about {}?", "1. {}\n2. Nothing else.", "- {}: a good one.", "**{}**", "{}", "I recommend {}.", "[{}]")


def count(*texts: str, index: TitleIndex = INDEX) -> tuple[int, int]:
    return count_titles(title for text in texts for title in find_written(text, index))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mark", MARKS)
def test_no_item_that_ships_is_non_existent_in_any_common_mark_before_its_year(mark: str, place: str) -> None:
    for item in FILMS:
        for gap in GAPS:
            text = place.format(f"{mark.format(item.title)}{gap}({item.year})")
            assert count(text, index=FILM_INDEX) == (1, 0), text


@pytest.mark.parametrize(
    "form", ["{written}", '"{title} ({year})"', '"{title}"', "“{title}.”", '"{title},"', "[{title}](there) ({year})"]
)
def test_no_item_that_ships_is_non_existent_as_systems_and_quotation_marks_write_it(form: str) -> None:
    for item in FILMS:
        said = form.format(written=write_title(item), title=item.title, year=item.year)
        assert count(f"How about {said}?", index=FILM_INDEX) == (1, 0), said


@given(st.lists(st.sampled_from(FILMS), min_size=1, max_size=6, unique=True), st.sampled_from(MARKS))
def test_titles_of_the_catalogue_are_known_beside_each_other(items: list[Item], mark: str) -> None:
    said = " and ".join(f"{mark.format(item.title)} ({item.year})" for item in items)
    assert count(f"Try {said}.", index=FILM_INDEX) == (len(items), 0)


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("mark", ['"{}"', '**"{}"**', "“{}”", "**{}**", "{}"])
def test_inner_quotation_marks_brackets_and_stops_make_a_title_no_other(item: Item, mark: str) -> None:
    assert count(f"Try {mark.format(item.title)} ({item.year}).") == (1, 0)


@pytest.mark.parametrize(
    "text", ['Try "When We Met..." (1989).', 'Try "When We Met".', 'Try "Copper Moon!"', "Try “Copper Moon…”"]
)
def test_stops_at_the_end_of_a_title_make_it_no_other_title(text: str) -> None:
    assert count(text) == (1, 0)


@pytest.mark.parametrize("mark", MARKS)
def test_a_title_of_no_item_is_unknown_once_in_every_mark(mark: str) -> None:
    said = f"{mark.format('Golden Turnip')} (1999)"
    assert count(f"Try {said}.", f"Yes, {said}!", "I like Golden Turnip (1999).") == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "Try Golden Turnip (1999), Silver Turnip (1999) and Wood Turnip (1999).",
        "Try **Golden Turnip** (1999), **Silver Turnip** (1999) and **Wood Turnip** (1999).",
        'Try "Golden Turnip" (1999), "Silver Turnip" (1999) and "Wood Turnip" (1999).',
        "try golden turnip (1999), silver turnip (1999) and wood turnip (1999).",
        "Try Golden Turnip (1999), Golden Turnip (2001) and Golden Turnip (2011).",
    ],
)
def test_each_unknown_title_and_year_counts(text: str) -> None:
    assert count(text, text) == (3, 3)


@pytest.mark.parametrize("years", [(1979, 1999), (1999, 1979)])
def test_a_title_with_the_year_of_no_item_is_unknown_beside_the_one_with_its_own(years: tuple[int, int]) -> None:
    assert count(f'How about "Alone" ({years[0]})?', f'It is better than "Alone" ({years[1]}).') == (2, 1)


def test_a_title_that_is_said_again_without_its_year_counts_once() -> None:
    assert count('Try "Alone" (1979).', '"Alone" is good.', '"Golden Turnip" (1999)?', '"Golden Turnip"!') == (2, 1)


@pytest.mark.parametrize("text", ["It came out (1999).", "It is from (2017)", "(1999)", '"???" (1999)', 'the "end"'])
def test_a_year_behind_plain_speech_and_small_words_in_quotation_marks_are_no_title(text: str) -> None:
    assert count(text) == (0, 0)


PIECES = (*"Aa \"“”'*_.,!?()[]«»19|\n-:", "(1999)", "Copper Moon", "Up ")


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    n, unknown = count(text)
    assert 0 <= unknown <= n
