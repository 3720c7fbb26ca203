"""How dimensions are put to a model and how an answer is to look."""

import json

import jsonschema
import pytest

from dialgauge.collect.forms import Form, answer_format, answer_schema, make_form
from dialgauge.model import Dimension, Instrument, Scale

INSTRUMENT = Instrument(
    name="mixed",
    version="1",
    title="Mixed",
    dimensions=(
        Dimension(name="trust", title="Trust", scale=Scale.parse("1:5")),
        Dimension(name="risk", title="Risk", scale=Scale(level="binary", labels=("absent", "present"))),
        Dimension(name="mood", title="Mood", scale=Scale(level="nominal", labels=("calm", "tense"))),
        Dimension(name="share", title="Share", scale=Scale.parse("0.0:1.0")),
        Dimension(name="half", title="Half steps", scale=Scale(level="ordinal", points=(0.0, 0.5, 1.0))),
        Dimension(name="seconds", title="Seconds", scale=Scale(level="ratio")),
    ),
)
FORMS = {dimension.name: make_form(INSTRUMENT, dimension) for dimension in INSTRUMENT.dimensions}

GOOD = {"trust": 4, "risk": "present", "mood": "calm", "share": 0.25, "half": 0.5, "seconds": 12.5}
VALUES = {"trust": 4.0, "risk": 1.0, "mood": 1.0, "share": 0.25, "half": 0.5, "seconds": 12.5}


@pytest.mark.parametrize("name", list(FORMS))
def test_an_answer_that_follows_the_schema_is_read_as_its_value(name: str) -> None:
    schema = answer_schema([FORMS[name]], rationale=False)
    jsonschema.validate({"value": GOOD[name]}, schema)
    assert FORMS[name].read(GOOD[name]) == VALUES[name]


@pytest.mark.parametrize(
    ("name", "answer"),
    [("trust", 6), ("trust", 3.5), ("risk", "maybe"), ("share", 1.5), ("half", 0.25), ("seconds", -1)],
)
def test_an_answer_off_the_scale_breaks_the_schema(name: str, answer: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"value": answer}, answer_schema([FORMS[name]], rationale=False))


def test_the_rationale_stands_before_the_value_in_schema_and_example() -> None:
    one, several = [FORMS["trust"]], [FORMS["trust"], FORMS["mood"]]
    assert list(answer_schema(one, rationale=True)["properties"]) == ["rationale", "value"]
    assert answer_schema(one, rationale=True)["required"] == ["rationale", "value"]
    nested = answer_schema(several, rationale=True)["properties"]
    assert list(nested) == ["trust", "mood"]
    assert list(nested["mood"]["properties"]) == ["rationale", "value"]
    assert '"trust": {"rationale": "...", "value": "..."}' in answer_format(several, rationale=True, free=False)


def test_each_of_several_dimensions_has_its_own_key() -> None:
    schema = answer_schema(list(FORMS.values()), rationale=False)
    jsonschema.validate(GOOD, schema)
    assert schema["required"] == list(FORMS)
    assert json.loads(json.dumps(schema)) == schema


def test_the_scale_is_told_in_words() -> None:
    assert FORMS["trust"].words == "a whole number from 1 to 5"
    assert FORMS["mood"].words == 'one of "calm", "tense"'
    assert FORMS["share"].words == "any number from 0 to 1"
    assert FORMS["seconds"].words == "any number from 0"
    assert FORMS["half"].words == "one of 0, 0.5, 1"


def test_a_coded_binary_scale_is_answered_by_its_points() -> None:
    form = make_form(INSTRUMENT, INSTRUMENT.dimension("risk"), coded=True)
    assert form.codes == ("0", "1")
    assert form.words == "0 = absent; 1 = present"
    assert isinstance(form, Form)
    assert answer_format([form], rationale=False, free=False).endswith("nothing else: 0, 1.")
