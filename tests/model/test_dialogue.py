"""Dialogues: what they hold, and how they are written."""

import pytest
from pydantic import ValidationError

from dialgauge.model import Dialogue, Turn

TURNS = (Turn(speaker="user", text="Hello."),)


def test_a_dialogue_without_a_system_is_written_as_before_there_was_one() -> None:
    plain = Dialogue(id="a", turns=TURNS)
    assert plain.model_dump_json() == (
        '{"id":"a","turns":[{"speaker":"user","text":"Hello.","start":null,"end":null}],"audio":null}'
    )
    assert set(plain.model_dump()) == {"id", "turns", "audio"}


def test_a_dialogue_with_a_system_is_read_back_equal() -> None:
    named = Dialogue(id="a", turns=TURNS, system="s")
    assert Dialogue.model_validate_json(named.model_dump_json()) == named
    assert named.model_dump()["system"] == "s"


@pytest.mark.parametrize("name", ["", " s", "s\nt"])
def test_the_name_of_a_system_has_no_blanks_around_it_and_no_line_breaks(name: str) -> None:
    with pytest.raises(ValidationError):
        Dialogue(id="a", turns=TURNS, system=name)
