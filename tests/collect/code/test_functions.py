"""A function of the user's own is found by name, or the reason why not is told in one line."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from dialgauge.collect.code import callable_rater, functions
from dialgauge.errors import StudyError
from dialgauge.model import Dimension

from .conftest import say

TONE = Dimension(name="tone", title="Tone")

MODULE = """
import math

number = 3

def count(dialogue, dimension):
    return float(len(dialogue.turns))

def alone(dialogue):
    return 1.0

async def later(dialogue, dimension):
    return 1.0

class Family:
    @staticmethod
    def length(dialogue, dimension):
        return float(len(dimension.name))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with modules of a user, and forget them afterwards."""
    (tmp_path / "own_raters.py").write_text(MODULE)
    (tmp_path / "own_broken.py").write_text("1 / 0\n")
    (tmp_path / "own_hungry.py").write_text("import no_such_library_anywhere\n")
    path = list(sys.path)
    yield tmp_path
    assert sys.path[: len(path)] == path
    sys.path[:] = path
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]


def test_a_function_is_named_by_module_and_name(folder: Path) -> None:
    assert callable_rater("own_raters:count", folder=folder)(say(("user", "a"), ("system", "b")), TONE) == 2.0
    assert callable_rater("own_raters:Family.length", folder=folder)(say(("user", "a")), TONE) == 4.0


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("own_missing:count", "there is no module 'own_missing'; put it beside study.toml"),
        ("own_missing.sub:count", "there is no module 'own_missing'"),
        ("own_raters:cuont", "own_raters has no 'cuont'; check the name"),
        ("own_raters:number", "is no function but int"),
        ("own_raters:alone", r"it takes \(dialogue\); give it these two"),
        ("own_raters:later", "is asynchronous"),
        ("own_broken:count", "importing own_broken fails with ZeroDivisionError: division by zero; correct"),
        ("own_hungry:count", "importing own_hungry fails with ModuleNotFoundError: No module named 'no_such_library"),
        (":count", "is written module:function"),
        ("own raters:count", "is written module:function"),
        ("own_raters:", "is written module:function"),
        ("a:b:c", "is written module:function"),
    ],
)
def test_what_cannot_rate_is_an_error_in_one_line(folder: Path, spec: str, problem: str) -> None:
    with pytest.raises(StudyError, match=problem) as error:
        callable_rater(spec, folder=folder)
    assert "\n" not in str(error.value)


def announce(monkeypatch: pytest.MonkeyPatch, *points: tuple[str, str]) -> None:
    """Let installed packages announce these raters."""
    made = [EntryPoint(name=name, value=value, group=functions.GROUP) for name, value in points]
    monkeypatch.setattr(functions, "entry_points", lambda *, group: [point for point in made if point.group == group])


def test_an_installed_package_announces_raters_by_entry_point(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, ("counter", "own_raters:count"), ("counter", "own_raters:count"))
    assert callable_rater("counter", folder=folder)(say(("user", "a")), TONE) == 1.0


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("tone", r"no installed package has a rater 'tone' \(known: broken, counter\); give module:name"),
        ("broken", r"the rater 'broken' \(own_broken:count\) cannot be loaded: ZeroDivisionError"),
        ("counter", "more than one package has a rater 'counter'; write which is meant: a:f or b:f"),
    ],
)
def test_an_entry_point_that_cannot_be_used_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, problem: str
) -> None:
    announce(monkeypatch, ("broken", "own_broken:count"), ("counter", "b:f"), ("counter", "a:f"))
    with pytest.raises(StudyError, match=problem):
        callable_rater(name, folder=folder)


def test_without_any_announced_rater_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch)
    with pytest.raises(StudyError, match=r"\(known: none\)"):
        callable_rater("tone")
