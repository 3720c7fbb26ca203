"""Catalogues out of files of every form, and what is said about files that are none."""

import json
import time
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from dialgauge.errors import CatalogueError
from dialgauge.io.catalogues import SHIPPED, read_catalogue

ITEM = {"name": "Pari  (1995)", "genre": ["Drama"], "plot": "P", "director": ["D"], "writer": ["D", "W"], "star": ["S"]}


def put(folder: Path, name: str, content: object) -> Path:
    """Write a file of that name."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def put_entities(folder: Path, info: object, entities: object) -> Path:
    put(folder, "id2info.json", info)
    put(folder, "entity2id.json", entities)
    return folder


def test_redial_items_have_entity_ids_and_all_their_facts(shared: Path) -> None:
    found = read_catalogue(shared / "data/redial")
    item = found.by_id["8"]
    assert (found.name, found.form, len(found)) == ("redial", "ReDial with entity ids", 6_583 - 7)
    assert (item.title, item.year, item.attributes) == ("Friends with Benefits", 2011, ("comedy", "romance"))
    assert item.people[:2] == ("Will Gluck", "Keith Merryman")
    assert item.description.startswith("A young man and woman")
    assert found.notes[0].startswith("Merged: 7 items")


def test_opendialkg_items_without_an_entity_id_are_left_out_and_counted(shared: Path) -> None:
    found = read_catalogue(shared / "data/opendialkg/id2info.json")
    assert (found.form, len(found)) == ("OpenDialKG with entity ids", 3_662)
    assert found.by_id["0"].title == "Slumdog Millionaire"
    assert found.by_id["0"].year == 2008
    assert "crime fiction" in found.by_id["0"].attributes
    assert found.notes[0].startswith("Left out: 10 items without an entity id")


def test_every_item_of_a_logged_ranking_is_in_the_catalogue(shared: Path) -> None:
    for data in ("redial", "opendialkg"):
        found = read_catalogue(shared / "data" / data)
        line = (shared / f"data/concept_logs/{data}_unicrs.jsonl").read_text(encoding="utf-8").splitlines()[0]
        turns = json.loads(line)["simulator_dialog"]["context"]
        ranked = {str(item) for turn in turns for item in turn.get("rec_items", ())}
        assert ranked
        assert ranked <= set(found.by_id)


def test_a_small_entity_folder_is_read(tmp_path: Path) -> None:
    found = read_catalogue(put_entities(tmp_path, {"7": ITEM}, {"Pari  (1995)": 3}))
    (item,) = found
    assert (item.id, item.title, item.year, item.people) == ("3", "Pari", 1995, ("D", "W", "S"))


def test_movielens_titles_are_put_in_the_order_of_speech(tmp_path: Path) -> None:
    rows = 'movieId,title,genres\n1,"Matrix, The (1999)",Action|Sci-Fi\n2,Nothing (2000),(no genres listed)\n'
    found = read_catalogue(put(tmp_path, "movies.csv", rows))
    first, second = found
    assert found.form == "MovieLens"
    assert (first.id, first.title, first.year, first.attributes) == ("1", "The Matrix", 1999, ("action", "sci-fi"))
    assert second.attributes == ()
    assert "1 item of 2 without attributes." in found.notes


def test_published_redial_titles_are_read_and_nameless_ones_counted(tmp_path: Path) -> None:
    put(tmp_path, "movies_with_mentions.csv", "movieId,movieName,nbMentions\n7,Up  (2009),3\n8,,1\n")
    found = read_catalogue(tmp_path)
    assert [(item.id, item.title, item.year) for item in found] == [("7", "Up", 2009)]
    assert found.form == "ReDial as published"
    assert found.notes[0] == "Left out: 1 item without a title, on line '3'."


def test_published_opendialkg_facts_become_items(tmp_path: Path) -> None:
    lines = [
        "Up\thas_genre\tComedy",
        "Up\trelease_year\t2009",
        "Up\tdirected_by\tPete Docter",
        "Pete Docter\t~directed_by\tUp",
        "Pete Docter\tGender\tmale",
        "Nowhere\thas_genre\tDrama",
    ]
    found = read_catalogue(put(tmp_path, "opendialkg_triples.txt", "\n".join(lines) + "\n"))
    (item,) = found
    assert item.model_dump() == {
        "id": "Up",
        "title": "Up",
        "year": 2009,
        "attributes": ("comedy",),
        "people": ("Pete Docter",),
        "description": "",
    }
    assert found.notes[:2] == (
        "2 facts of other relations passed over.",
        "Left out: 1 subject with too few facts for an item.",
    )


def test_own_columns_are_read_with_any_delimiter(tmp_path: Path) -> None:
    header = "id;title;year;attributes;people;description\n"
    rows = f"{header}a;Up;2009;Family| comedy |family;Pete Docter;A house.\nb;Two (1980);;;;\n"
    first, second = read_catalogue(put(tmp_path, "own.csv", rows))
    assert (first.attributes, first.people, first.description) == (("family", "comedy"), ("Pete Docter",), "A house.")
    assert (second.title, second.year) == ("Two", 1980)


def test_items_of_one_title_and_year_are_counted(tmp_path: Path) -> None:
    found = read_catalogue(put(tmp_path, "own.csv", "id,title,year\na,Up,2009\nb,UP,2009\nc,Up,2010\n"))
    assert found.notes[0].startswith("2 items share title and year with another: 'Up', 'UP'")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("own.csv", "id,title\na,Up\na,Two\n", "line 3 of .* has the id 'a' of line 2 of .* again; give"),
        ("own.csv", "id,title\n,Up\n", "line 2 of .*: id"),
        ("own.csv", "id,title\na,\n", "line 2 of .*: title"),
        ("own.csv", "id,title,year\na,Up,soon\n", "line 2 of .* has the year 'soon'; write"),
        ("own.csv", "id,title,stars\na,Up,x\n", "has a column 'stars'; the columns of a catalogue are id, title"),
        ("own.csv", "x,y\n1,2\n", "has the columns 'x', 'y'; a catalogue has id, title"),
        ("own.csv", "id,title\n", "a catalogue has at least one"),
        ("own.xlsx", "", "suffix '.xlsx'"),
        ("entities.txt", "Up\nDown\n", "has no tab: a list of entities"),
        ("triples.txt", "Up\thas_genre\n", "line 1 of .* is no fact"),
        ("triples.txt", "Up\tlikes\tDown\n", "no entity of .* has a genre or a year and a person"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(name: str, content: str, message: str, tmp_path: Path) -> None:
    path = put(tmp_path, name, content)
    with pytest.raises(CatalogueError, match=message) as error:
        read_catalogue(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("info", "entities", "message"),
    [
        ({"7": ITEM | {"genre": "drama"}}, {"Pari  (1995)": 3}, "item '7' of .* has no list of names under 'genre'"),
        ({"7": ITEM | {"year": "x"}}, {"Pari  (1995)": 3}, "item '7' of .* has the year 'x'"),
        ({"7": ITEM | {"plot": "\ud800"}}, {"Pari  (1995)": 3}, "item '7' of .* has half of a surrogate pair"),
        *(
            (
                {"7": ITEM},
                {"Pari  (1995)": wrong},
                "entity2id.json gives .* the id .*; write it as a whole number or text",
            )
            for wrong in (None, 3.0, [3], True, {"id": 3})
        ),
        ({"7": {}}, {}, "item '7' of .* has no text under 'name'"),
        ({"7": ITEM}, {}, "has no item"),
        ([], {}, "holds no JSON object"),
        ("{", {}, "is not JSON"),
        ('{"7": {}, "7": {}}', {}, "has the key '7' twice"),
    ],
)
def test_what_is_wrong_in_an_entity_folder_is_said(
    info: object, entities: object, message: str, tmp_path: Path
) -> None:
    with pytest.raises(CatalogueError, match=message):
        read_catalogue(put_entities(tmp_path, info, entities))


def test_a_folder_or_name_without_a_catalogue_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"has no catalogue; it holds id2info\.json"):
        read_catalogue(tmp_path)
    with pytest.raises(CatalogueError, match=r"there is no catalogue 'musicals'; give .* films"):
        read_catalogue("musicals")
    put(tmp_path, "movies.csv", "movieId,title,genres\n1,Up (2009),Comedy\n")
    put(tmp_path, "opendialkg_triples.txt", "Up\thas_genre\tComedy\n")
    with pytest.raises(CatalogueError, match=r"has movies\.csv and opendialkg_triples\.txt; give the file"):
        read_catalogue(tmp_path)
    put(tmp_path, "id2info.json", {})
    with pytest.raises(CatalogueError, match=r"there is no file .*entity2id\.json; check"):
        read_catalogue(tmp_path)


def test_a_file_that_is_not_utf8_names_the_line(tmp_path: Path) -> None:
    put(tmp_path, "entity2id.json", {})
    (tmp_path / "id2info.json").write_bytes(b'{"7":\n"\xff"}')
    with pytest.raises(CatalogueError, match=r"is not UTF-8 text .byte 0xff on line 2"):
        read_catalogue(tmp_path)


def test_the_shipped_films_span_decades_and_genres() -> None:
    assert SHIPPED == ("films",)
    films = read_catalogue("films")
    assert 120 <= len(films) <= 200
    assert not films.notes
    assert {(item.year or 0) // 10 * 10 for item in films} == set(range(1920, 2030, 10))
    genres = Counter(name for item in films for name in item.attributes)
    assert len(genres) >= 12
    assert min(genres.values()) >= 5


def test_most_pairs_of_genres_and_many_sets_have_several_shipped_films() -> None:
    films = read_catalogue("films")
    common = [name for name, _ in Counter(name for item in films for name in item.attributes).most_common(13)]
    pairs = list(combinations(common, 2))
    assert sum(len(films.fitting(pair, "containing")) >= 3 for pair in pairs) > 0.8 * len(pairs)
    sets = Counter(frozenset(item.attributes) for item in films)
    assert sum(n >= 2 for n in sets.values()) >= 50


def test_a_year_of_thousands_of_figures_is_refused_in_one_line(tmp_path: Path) -> None:
    figures = "9" * 5000
    with pytest.raises(CatalogueError, match=r"line 2 of .* has the year '999"):
        read_catalogue(put(tmp_path, "own.csv", f"id,title,year\n1,A,{figures}\n"))
    for year in (figures, True):
        folder = put_entities(tmp_path, {"7": {"name": "A", "genre": [], "year": year}}, {"A": 3})
        with pytest.raises(CatalogueError, match=r"item '7' of .* has the year"):
            read_catalogue(folder)


def test_a_key_that_occurs_twice_in_a_large_file_is_found_in_time_that_grows_with_its_length(tmp_path: Path) -> None:
    pairs = ",".join(f'"{n}":{{"name":"A{n}","genre":[]}}' for n in range(60_000))
    folder = put_entities(tmp_path, f'{{{pairs},"59999":{{}}}}', {"A": 1})
    start = time.process_time()
    with pytest.raises(CatalogueError, match="has the key '59999' twice; keep one"):
        read_catalogue(folder)
    assert time.process_time() - start < 5.0
