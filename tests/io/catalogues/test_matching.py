"""Any of some titles in a text: as whole titles, and as the published work does."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.io.catalogues import TitleMatch, mentions_any, read_catalogue


@pytest.mark.parametrize(
    ("text", "title", "whole", "substring"),
    [
        ("a cup of tea", "Up (2009)", False, True),
        ("we saw UP (2009)", "Up (2009)", True, True),
        ("the superhero", "Hero", False, True),
        ("hero_", "Hero", False, True),
        ("Ender’s  Game", "Ender's Game (2013)", True, True),
        ("Hidden", "Hidden Figures", False, False),
        ("upup up", "Up", True, True),
        ("in (2007)", "(2007)", False, False),
    ],
)
def test_a_title_counts_by_the_rule_that_is_asked_for(text: str, title: str, *, whole: bool, substring: bool) -> None:
    assert mentions_any(text, [title]) is whole
    assert mentions_any(text, [title], match="substring") is substring


def test_no_title_is_found_among_none() -> None:
    assert not mentions_any("Up", [])


WORDS = st.lists(st.sampled_from(["up", "It", "a", "é", "_", "-", "'", " ", "(1990)", "1"]), max_size=10).map("".join)


@given(WORDS, WORDS.filter(str.strip))
def test_the_whole_title_is_found_as_a_regular_expression_finds_it(text: str, title: str) -> None:
    name = re.sub(r"\s*\(\d{4}\)\s*$", "", title.strip()).strip().lower()
    if not name or re.fullmatch(r"\(\d{4}\)", name) or re.fullmatch(r"\(\d{4}\)", title.strip()):
        assert not mentions_any(text, [title])
        return
    said = " ".join(text.split()).lower()
    expected = re.search(rf"(?<!\w){re.escape(' '.join(name.split()))}(?!\w)", said) is not None
    assert mentions_any(text, [title]) == expected


@given(WORDS, WORDS.filter(str.strip))
def test_a_whole_title_is_a_substring_too(text: str, title: str) -> None:
    assert mentions_any(text, [title], match="substring") or not mentions_any(text, [title])


def first_successes(folder: Path, data: str, system: str, match: TitleMatch) -> Iterator[int | None]:
    """Yield, for each logged dialogue, the first system turn that names a target."""
    catalogue = read_catalogue(folder / data)
    for line in (folder / f"concept_logs/{data}_{system}.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)["simulator_dialog"]
        wanted = [name.lower() for name in record["attributes"]]
        titles = [item.title for item in catalogue.fitting(wanted, "equal" if data == "redial" else "containing")]
        replies = [turn["content"] for turn in record["context"] if turn["role"] == "assistant"]
        yield next((n for n, reply in enumerate(replies, 1) if mentions_any(reply, titles, match=match)), None)


@pytest.mark.parametrize("match", ["whole", "substring"])
@pytest.mark.parametrize("system", ["kbrd", "barcor", "unicrs", "chatgpt"])
@pytest.mark.parametrize("data", ["redial", "opendialkg"])
def test_success_in_conversation_is_that_of_the_reference(
    data: str, system: str, match: TitleMatch, shared: Path
) -> None:
    reference = json.loads((shared / "reference/concept_logs.json").read_text(encoding="utf-8"))[f"{data}/{system}"]
    name = "whole_title" if match == "whole" else "substring"
    firsts = list(first_successes(shared / "data", data, system, match))
    for k in (3, 5, 10):
        share = fmean(first is not None and first <= k for first in firsts)
        assert share == pytest.approx(reference[f"conversation_sr_{name}@{k}"], abs=1e-9)
    assert fmean(n for n in firsts if n) == pytest.approx(reference[f"conversation_at_{name}"], abs=1e-6)
