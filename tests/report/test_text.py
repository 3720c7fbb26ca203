"""Numbers and names as they are printed."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dialgauge.report.numerals import decimal, fixed, plural
from dialgauge.report.text import clean, distinguish, join, shorten, shorten_all, to_ascii


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.327, ".327"), (-0.0124, "−.012"), (1.0, "1.000"), (0.9996, "1.000"), (0.0, ".000"), (-0.0001, ".000")],
)
def test_a_coefficient_has_three_decimals_and_no_leading_zero(value: float, text: str) -> None:
    assert decimal(value) == text


def test_a_quantity_in_scale_units_keeps_its_leading_zero() -> None:
    assert [fixed(0.5), fixed(-1.25, 1), fixed(62.0)] == ["0.50", "−1.2", "62.00"]


def test_an_escape_sequence_becomes_visible() -> None:
    assert clean("\x1b[31mred\x1b[0m") == r"\x1b[31mred\x1b[0m"


@given(st.text())
def test_a_clean_text_holds_nothing_that_could_steer_a_terminal(text: str) -> None:
    categories = {unicodedata.category(c) for c in clean(text) if c not in "\u200c\u200d"}
    assert categories & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_a_harmless_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


@given(st.text())
def test_ascii_is_ascii(text: str) -> None:
    assert to_ascii(text).isascii()


@given(st.text(st.characters(categories=["L", "N", "P"])), st.integers(4, 40))
def test_a_shortened_name_fits_its_cells(text: str, width: int) -> None:
    assert cell_len(shorten(text, width)) <= width


def test_names_that_differ_only_at_their_end_stay_apart_when_cut() -> None:
    first, second = shorten_all(["a_long_name_of_one", "a_long_name_of_two"], 12)
    assert (first, second) == ("a_long…f_one", "a_long…f_two")


def test_words_are_joined_as_in_a_sentence() -> None:
    assert [join([]), join(["a"]), join(["a", "b"]), join(["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert [plural(1, "target"), plural(1053, "rating")] == ["1 target", "1,053 ratings"]


def test_names_that_look_the_same_when_cut_are_numbered() -> None:
    assert distinguish(["a", "b", "a", "a"], 10) == ["a", "b", "a #2", "a #3"]
    assert len(set(distinguish(["x" * 50] * 3 + ["x" * 50 + "y"], 12))) == 4
