"""The hash of a function's source: what it rests on counts, nothing else does, and nothing is run."""

from pathlib import Path

import pytest

from dialgauge.io.source import hash_source

MODULE = """
import os
from words import GOOD

BEST = 5.0

def helper(text):
    return BEST if GOOD in text else 1.0

def rate(dialogue, dimension):
    return helper(dialogue.turns[0].text)

def other(dialogue, dimension):
    return 2.0

raise RuntimeError("nobody may run this")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "words.py").write_text('GOOD = "because"\n')
    (tmp_path / "own.py").write_text(MODULE)
    return tmp_path


def change(folder: Path, old: str, new: str, name: str = "own.py") -> str | None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))
    return hash_source("own:rate", folder=folder)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("turns[0]", "turns[1]", "own.py"),
        ("else 1.0", "else 2.0", "own.py"),
        ("BEST = 5.0", "BEST = 4.0", "own.py"),
        ("def rate", "@str\ndef rate", "own.py"),
        ("because", "since", "words.py"),
    ],
)
def test_a_change_in_what_a_function_rests_on_changes_its_hash(folder: Path, old: str, new: str, name: str) -> None:
    before = hash_source("own:rate", folder=folder)
    assert before is not None
    assert change(folder, old, new, name) != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return 2.0", "return 3.0"),
        ("import os", "import sys"),
        ("def rate", "# a word\n\ndef rate"),
        ("raise", "assert"),
    ],
)
def test_a_change_elsewhere_does_not(folder: Path, old: str, new: str) -> None:
    before = hash_source("own:rate", folder=folder)
    assert change(folder, old, new) == before


@pytest.mark.parametrize("spec", ["none:rate", "own:none", "own.sub:rate", "no entry point", "math:sin"])
def test_what_cannot_be_told_is_none(folder: Path, spec: str) -> None:
    assert hash_source(spec, folder=folder) is None


def test_a_module_that_cannot_be_read_has_no_hash(folder: Path) -> None:
    (folder / "own.py").write_text("def rate(:\n")
    assert hash_source("own:rate", folder=folder) is None
