"""An instrument is a named set of dimensions, each answered on a scale."""

import pytest
from pydantic import ValidationError

from dialgauge.errors import InstrumentError
from dialgauge.model import Dimension, Instrument, Question, Scale

FIVE = Scale.parse("1:5")


def instrument(*dimensions: Dimension, scale: Scale | None = FIVE) -> Instrument:
    return Instrument(name="quick", version="1", title="Quick", scale=scale, dimensions=dimensions)


def dimension(name: str, scale: Scale | None = None) -> Dimension:
    return Dimension(name=name, title=name.title(), questions=(Question(text="It was fine."),), scale=scale)


def test_a_dimension_is_answered_on_its_own_scale_or_else_on_that_of_the_instrument() -> None:
    seven = Scale.parse("1:7")
    quick = instrument(dimension("tone"), dimension("pace", seven))
    assert quick.scale_for("tone") == FIVE
    assert quick.scale_for("pace") == seven
    assert quick.scale_for(quick.dimension("pace")) == seven


def test_an_unknown_dimension_is_an_error_that_names_near_ones() -> None:
    with pytest.raises(InstrumentError, match=r"'quick' has no dimension 'tones'; did you mean 'tone'\?$"):
        instrument(dimension("tone"), dimension("pace")).dimension("tones")


def test_a_dimension_defined_twice_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="'tone' is defined twice"):
        instrument(dimension("tone"), dimension("pace"), dimension("tone"))


def test_a_dimension_without_any_scale_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="'pace' has no scale"):
        instrument(dimension("tone", FIVE), dimension("pace"), scale=None)


def test_a_foreign_dimension_without_a_scale_has_none_in_an_instrument_without_one() -> None:
    with pytest.raises(InstrumentError, match="'pace' has no scale"):
        instrument(dimension("tone", FIVE), scale=None).scale_for(dimension("pace"))


def test_instruments_are_equal_when_their_contents_are() -> None:
    assert instrument(dimension("tone")) == instrument(dimension("tone"))
    assert instrument(dimension("tone")) != instrument(dimension("pace"))


@pytest.mark.parametrize("name", ["", " tone", "tone ", "a\nb"])
def test_a_name_has_no_blanks_around_it_and_no_line_breaks(name: str) -> None:
    with pytest.raises(ValidationError):
        Dimension(name=name, title="x")
