"""The pages speak of what the program prints, and in its words."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest

from dialgauge.model import Dimension, Instrument, Scale
from dialgauge.model.scale import Direction, Level
from dialgauge.report.reliability import reliability
from dialgauge.report.words import KINDS
from dialgauge.stats.estimate import Flag

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

HEADINGS = ("Rel(1)", "Rel(k)", "ICC(1)", "band", "severity", "residual", "t×r", "REML", "complete forms", "harmonic k")
UNKNOWN_DESIGN = "no target with two raters"


@pytest.mark.parametrize("word", [*HEADINGS, *(kind for kind in KINDS.values() if kind != UNKNOWN_DESIGN)])
def test_every_word_of_the_table_and_of_a_design_is_in_the_glossary(word: str) -> None:
    terms = "\n".join(re.findall(r"^\| ([^|]+) \|", GLOSSARY, flags=re.MULTILINE))
    assert word in terms


@pytest.mark.parametrize("flag", get_args(Flag))
def test_every_flag_is_in_the_glossary(flag: str) -> None:
    assert f"`{flag}`" in GLOSSARY or f" {flag}" in GLOSSARY


def test_words_that_the_glossary_bars_are_not_used_elsewhere() -> None:
    barred = {"questionnaire": {"glossary.md"}, "Rel_single": set(), "surely": set()}
    used = {
        (word, page.name)
        for word, allowed in barred.items()
        for page in PAGES
        if page.name not in allowed and word in page.read_text(encoding="utf-8")
    }
    assert used == set()


def first_column(text: str) -> set[str]:
    """Return the keys in the first column of the tables of ``text``."""
    rows = [row for row in text.splitlines() if row.startswith("|")]
    return {key for row in rows for key in re.findall(r"`(\w+)`", row.split(" | ")[0])}


@pytest.fixture(scope="module")
def record() -> Mapping[str, object]:
    """Return the JSON of a complete table, with all that can be asked for."""
    ratings = [(4, 5, 4), (2, 1, 3), (4, 4, 4), (3, 2, 3), (1, 1, 2), (4, 3, 5)]
    rows = [
        {"dialogue": f"d{i}", "rater": rater, "accuracy": value, "same": 4}
        for i, values in enumerate(ratings)
        for rater, value in zip("abc", values, strict=True)
    ]
    report = reliability(pl.DataFrame(rows), target="dialogue", rater="rater", scale="1:5", ordinal=True)
    return report.to_dict()


def test_the_keys_of_the_json_are_those_of_the_page(record: Mapping[str, object]) -> None:
    section = (DOCS / "cli.md").read_text(encoding="utf-8").split("### The JSON", 1)[1]
    assert first_column(section.split("A dimension has", 1)[0]) == set(record)


def test_the_keys_of_a_dimension_are_those_of_the_page(record: Mapping[str, Any]) -> None:
    section = (DOCS / "cli.md").read_text(encoding="utf-8").split("A dimension has", 1)[1]
    section = section.split("A coefficient has", 1)[0]
    (dimension,) = record["dimensions"]
    assert first_column(section) == set(dimension)
    parts = [dimension["checks"][0], dimension["complete_forms"][0], dimension["fit"], dimension["variance"]]
    coefficient = set(dimension["rel_k"])
    assert {key for part in parts for key in part} - coefficient <= set(re.findall(r"`(\w+)`", section))


@pytest.mark.parametrize(
    ("heading", "record_type"),
    [("key of the instrument", Instrument), ("key of a dimension", Dimension), ("key of a scale", Scale)],
)
def test_the_keys_of_an_instrument_file_are_those_of_the_page(
    heading: str, record_type: type[Instrument | Dimension | Scale]
) -> None:
    page = (DOCS / "instruments.md").read_text(encoding="utf-8")
    table = page.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    assert first_column(table) == set(record_type.model_fields)


@pytest.mark.parametrize("word", [*get_args(Level), *get_args(Direction)])
def test_every_level_and_direction_is_on_the_page_of_instruments(word: str) -> None:
    assert f"`{word}`" in (DOCS / "instruments.md").read_text(encoding="utf-8")
