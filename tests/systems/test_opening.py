"""Recommenders by name."""

from pathlib import Path

import pytest

from dialgauge.errors import ModelError, RecommenderError
from dialgauge.model.item import Catalogue
from dialgauge.systems import FORMS, open_system
from dialgauge.systems.arena import ArenaSystem
from dialgauge.systems.callable import CallableSystem
from dialgauge.systems.chat import ChatSystem
from dialgauge.systems.http import HttpSystem
from dialgauge.systems.items import ItemFinder


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("http://127.0.0.1:9/", HttpSystem),
        ("json+http://127.0.0.1:9", HttpSystem),
        ("https://example.org/reply", HttpSystem),
        ("arena+http://127.0.0.1:5005", ArenaSystem),
        ("chat+http://127.0.0.1:9/v1#small", ChatSystem),
        ("chat+fake", ChatSystem),
        ("retrieval-chat:fake", ChatSystem),
        ("retrieval-chat:http://127.0.0.1:9/v1#small", ChatSystem),
        ("tests.systems.examples:plain", CallableSystem),
    ],
)
def test_each_form_of_a_name_opens_its_kind_of_system(films: Catalogue, spec: str, kind: type) -> None:
    system = open_system(spec, films)
    assert isinstance(system, kind)
    assert system.name == spec


def test_a_name_of_ones_own_is_kept(films: Catalogue) -> None:
    assert open_system("popularity", films, name="mine").name == "mine"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("popularty", "did you mean popularity"),
        ("arena+htp://127.0.0.1:5005", r"did you mean arena\+http://"),
        ("127.0.0.1:5005", "give one of"),
        ("", "give one of"),
        ("http://", "give one such as"),
        ("arena+http://name:secret@127.0.0.1", "holds a password"),
        ("http://127.0.0.1:99999", "no address|no http"),
        ("tests.systems.examples:absent", "has no 'absent'"),
        ("tests.systems.examples:number", "is no function but int"),
        ("tests.systems.examples:Silent", "has no method reply"),
        ("tests.systems.examples:Needy", "cannot be called without arguments"),
        ("tests.systems.examples:two", "alone: it takes .*more: int"),
        ("no_such_module_here:reply", "there is no module 'no_such_module_here'"),
        ("my-module:reply", "give one of"),
        ("a.:reply", "written module:function"),
    ],
)
def test_what_is_no_recommender_is_refused_with_what_to_do(films: Catalogue, spec: str, said: str) -> None:
    with pytest.raises(RecommenderError, match=said) as caught:
        open_system(spec, films)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "spec", ["chat+small", "retrieval-chat:", "chat+http://127.0.0.1:9/v1", "retrieval-chat:local:no"]
)
def test_what_is_no_language_model_is_refused(films: Catalogue, spec: str) -> None:
    with pytest.raises(ModelError):
        open_system(spec, films)


def test_an_empty_catalogue_is_refused() -> None:
    with pytest.raises(RecommenderError, match="no item to recommend"):
        open_system("popularity", Catalogue("empty", ()))


def test_a_module_beside_the_study_is_found(films: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "beside_the_study.py").write_text("def reply(dialogue):\n    return 'hello'\n")
    assert open_system("beside_the_study:reply", films, folder=tmp_path).name == "beside_the_study:reply"


def test_a_module_that_breaks_is_named_with_its_error(films: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "breaks_on_import.py").write_text("raise SystemExit('out\\nof here')\n")
    with pytest.raises(RecommenderError, match="fails with SystemExit: out of here; correct the module"):
        open_system("breaks_on_import:reply", films, folder=tmp_path)


def test_every_form_is_on_the_page_of_systems() -> None:
    page = (Path(__file__).parents[2] / "docs" / "systems.md").read_text(encoding="utf-8")
    assert [form for form in FORMS if f"`{form}`" not in page] == []


def test_systems_share_a_finder_so_that_its_titles_are_read_once(
    films: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder = ItemFinder(films)
    monkeypatch.setattr("dialgauge.systems.items.TitleIndex", None)
    for name in ("popularity", "attributes", "retrieval", "retrieval-chat:fake", "http://127.0.0.1:1"):
        assert open_system(name, finder).name == name
