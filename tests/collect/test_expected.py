"""Expected scores from the probabilities of the answers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.collect.expected import expected_score
from dialgauge.collect.forms import Form, make_form
from dialgauge.errors import StudyError
from dialgauge.llm import Token
from dialgauge.model import Dimension, Instrument, Scale


def form_of(scale: Scale) -> Form:
    dimension = Dimension(name="trust", title="Trust", scale=scale)
    return make_form(Instrument(name="i", version="1", title="i", dimensions=(dimension,)), dimension, coded=True)


LIKERT = form_of(Scale.parse("1:5"))


def token(**probabilities: float) -> Token:
    top = tuple((text.replace("_", " "), math.log(p)) for text, p in probabilities.items())
    return Token(top[0][0], top[0][1], top)


def test_the_score_is_the_mean_of_the_scale_under_the_renormalised_probabilities() -> None:
    # Liu et al. (2023): sum of p(s) s. Here (.2 x 2 + .5 x 3 + .1 x 5) / .8 = 3 by hand.
    reading, mass = expected_score("3", [token(**{"3": 0.5, "2": 0.2, "5": 0.1, "The": 0.2})], LIKERT)
    assert reading.value == pytest.approx(3.0, abs=1e-12)
    assert mass == pytest.approx(0.8, abs=1e-12)


def test_a_code_with_and_without_a_blank_before_it_is_one_answer() -> None:
    reading, mass = expected_score("4", [token(**{"4": 0.5, "_4": 0.3, "2": 0.2})], LIKERT)
    assert reading.value == pytest.approx(0.8 * 4 + 0.2 * 2)
    assert mass == pytest.approx(1.0)


def test_blank_tokens_before_the_answer_are_passed_over() -> None:
    blank = Token("\n", -0.1, (("\n", -0.1), ("1", -3.0)))
    assert expected_score("\n5", [blank, token(**{"5": 1.0})], LIKERT)[0].value == 5.0


def test_where_nearly_nothing_was_said_about_the_scale_there_is_no_score() -> None:
    reading, mass = expected_score("4", [token(**{"Sure": 0.995, "4": 0.005})], LIKERT)
    assert reading.missing == "unparsed"
    assert mass == pytest.approx(0.005)


def test_without_probabilities_there_is_no_score_and_no_mass() -> None:
    assert expected_score("4", None, LIKERT)[0].missing == "unparsed"
    assert expected_score("4", (), LIKERT) == (expected_score("4", None, LIKERT)[0], None)


def test_scales_of_more_than_one_digit_are_answered_in_letters() -> None:
    form = form_of(Scale.parse("1:10"))
    assert form.codes == tuple("BCDEFGHJKL")
    assert "L = 10" in form.words
    assert expected_score("L", [token(L=0.5, B=0.5)], form)[0].value == pytest.approx(5.5)


@pytest.mark.parametrize(
    "scale", [Scale.parse("0.0:1.0"), Scale.parse("1:50"), Scale(level="nominal", labels=("red", "blue"))]
)
def test_scales_without_a_short_list_of_ordered_points_are_refused_by_name(scale: Scale) -> None:
    with pytest.raises(StudyError, match=r"'trust' has .*scoring = 'sampled'"):
        form_of(scale)


@given(st.lists(st.floats(0.001, 1.0), min_size=5, max_size=5))
def test_an_expected_score_lies_within_the_scale_and_its_mass_within_one(weights: list[float]) -> None:
    total = sum(weights)
    reading, mass = expected_score("1", [token(**{str(i + 1): w / total for i, w in enumerate(weights)})], LIKERT)
    assert reading.value is not None
    assert 1.0 <= reading.value <= 5.0
    assert mass == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["I would rate this", "A difficult one to", "4.5", "3 turns were", "4 or 5", ""])
def test_a_sentence_that_begins_like_an_answer_is_none(text: str) -> None:
    reading, mass = expected_score(text, [token(**{"4": 0.9, "3": 0.1})], LIKERT)
    assert reading.missing == "unparsed"
    assert mass == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["4", " 4", "4.", "**4**", "4\n", "\n4\n\nBecause"])
def test_the_answer_is_the_first_line_that_is_not_blank(text: str) -> None:
    assert expected_score(text, [token(**{"4": 1.0})], LIKERT)[0].value == 4.0


def test_numbers_that_are_no_probabilities_give_no_score() -> None:
    all_sure = Token("4", 0.0, tuple((code, 0.0) for code in "12345"))
    positive = Token("4", 800.0, (("4", 800.0),))
    for place in (all_sure, positive):
        assert expected_score("4", [place], LIKERT) == (expected_score("4", None, LIKERT)[0], None)


def test_a_token_that_is_listed_twice_counts_once() -> None:
    half = math.log(0.5)
    place = Token("4", half, (("4", half), ("4", half), ("2", half)))
    assert expected_score("4", [place], LIKERT)[0].value == pytest.approx(3.0)
