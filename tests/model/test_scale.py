"""A scale says which values are answers, and what the words for them are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dialgauge.errors import InputError
from dialgauge.model import Scale


def test_whole_bounds_make_an_ordinal_scale_of_all_whole_points_between_them() -> None:
    scale = Scale.parse("1:5")
    assert (scale.level, scale.points, scale.bounds) == ("ordinal", (1.0, 2.0, 3.0, 4.0, 5.0), (1.0, 5.0))
    assert not scale.continuous


def test_a_decimal_point_in_either_bound_makes_a_continuous_interval_scale() -> None:
    for text in ("0.0:1.0", "0:1.0", "0.0:1"):
        scale = Scale.parse(text)
        assert (scale.level, scale.points, scale.bounds) == ("interval", None, (0.0, 1.0))
        assert scale.continuous


def test_bounds_may_be_negative_and_have_blanks_around_them() -> None:
    assert Scale.parse(" -2 : 2 ").points == (-2.0, -1.0, 0.0, 1.0, 2.0)


@pytest.mark.parametrize("text", ["", "5", "1:5:7", "a:b", "5:1", "3:3", "nan:5", "1:inf", "0:100000", "1-5"])
def test_a_scale_that_cannot_be_read_is_an_input_error_that_repeats_the_text(text: str) -> None:
    with pytest.raises(InputError) as error:
        Scale.parse(text)
    assert repr(text) in str(error.value)
    assert "\n" not in str(error.value)


@given(st.text(max_size=12))
def test_no_text_makes_parsing_fail_in_any_other_way(text: str) -> None:
    try:
        scale = Scale.parse(text)
    except InputError:
        return
    low, high = scale.bounds
    assert low < high


def test_membership_is_told_for_a_whole_array_and_nan_or_infinity_never_belongs() -> None:
    values = np.array([[1.0, 5.0, 3.5], [0.0, math.nan, math.inf]])
    assert Scale.parse("1:5").contains(values).tolist() == [[True, True, False], [False, False, False]]
    assert Scale.parse("0.0:5.0").contains(values).tolist() == [[True, True, True], [True, False, False]]


@given(st.integers(-50, 50), st.integers(1, 20), st.floats(-100, 100))
def test_a_value_is_on_a_scale_of_whole_points_exactly_if_it_is_whole_and_between_the_bounds(
    low: int, width: int, value: float
) -> None:
    scale = Scale.parse(f"{low}:{low + width}")
    assert scale.contains(np.array([value]))[0] == (value.is_integer() and low <= value <= low + width)


def test_an_open_ratio_scale_starts_at_zero_and_has_no_upper_end() -> None:
    scale = Scale(level="ratio")
    assert scale.contains(np.array([-0.1, 0.0, 1e300, math.inf])).tolist() == [False, True, True, False]


def test_labels_without_points_are_numbered_from_one_and_on_a_binary_scale_from_zero() -> None:
    assert Scale(level="nominal", labels=("red", "green", "blue")).points == (1.0, 2.0, 3.0)
    assert Scale(level="binary", labels=("no", "yes")).points == (0.0, 1.0)
    assert Scale.from_labels(["bad", "fair", "good"]).label_points() == {"bad": 1.0, "fair": 2.0, "good": 3.0}


def test_labels_go_to_the_points_in_their_declared_order_whatever_the_alphabet_says() -> None:
    scale = Scale.parse("1:3").with_labels(["Zero ", "middle", "All"])
    assert scale.label_points() == {"zero": 1.0, "middle": 2.0, "all": 3.0}


def test_scales_are_equal_when_their_contents_are_and_can_be_keys() -> None:
    assert Scale.parse("1:5") == Scale(level="ordinal", points=(1, 2, 3, 4, 5))
    assert Scale.parse("1:5") != Scale(level="interval", points=(1, 2, 3, 4, 5))
    assert len({Scale.parse("1:5"), Scale.parse("1:5"), Scale.parse("1:7")}) == 2


def test_a_scale_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Scale.parse("1:5").level = "nominal"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"level": "ordinal"}, "lists its points"),
        ({"level": "ordinal", "points": [3]}, "at least two points"),
        ({"level": "ordinal", "points": [3, 2]}, "must rise"),
        ({"level": "ordinal", "points": [1, 2], "low": 1}, "not both"),
        ({"level": "interval"}, "needs low and high"),
        ({"level": "interval", "low": 2, "high": 1}, "low must be below high"),
        ({"level": "ratio", "low": -1}, "no negative values"),
        ({"level": "ratio", "points": [-1, 1]}, "no negative values"),
        ({"level": "binary", "points": [1, 2, 3]}, "two points"),
        ({"level": "interval", "low": 0, "high": 1, "labels": ["a", "b"]}, "continuous scale has none"),
        ({"level": "ordinal", "points": [1, 2], "labels": ["a", "b", "c"]}, "3 labels for 2 points"),
        ({"level": "ordinal", "labels": ["a", "A "]}, "same but for case"),
        ({"level": "ordinal", "labels": ["a", " "]}, "may not be blank"),
        ({"level": "ordinal", "labels": ["2", "1"]}, "another number than its point"),
        ({"level": "ordinal", "points": [1, math.inf]}, "finite"),
        ({"level": "likert", "points": [1, 2]}, "nominal"),
        ({"level": "ordinal", "points": [1, 2], "colour": "red"}, "Extra inputs"),
    ],
)
def test_a_scale_that_contradicts_itself_is_refused_with_the_reason(fields: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        Scale.model_validate(fields)


def test_labels_that_do_not_fit_a_scale_are_an_input_error() -> None:
    with pytest.raises(InputError, match=r"2 labels for 5 points \(1..5\)"):
        Scale.parse("1:5").with_labels(["bad", "good"])
    with pytest.raises(InputError, match="at least two points"):
        Scale.from_labels(["good"])


def test_a_scale_names_its_values_and_level() -> None:
    assert str(Scale.parse("1:5")) == "1..5 (ordinal)"
    assert str(Scale(level="ordinal", points=(1, 2, 4))) == "1, 2, 4 (ordinal)"
    assert str(Scale.parse("0.0:1.0")) == "0..1 (continuous, interval)"
    assert str(Scale(level="ratio")) == "0.. (continuous, ratio)"
