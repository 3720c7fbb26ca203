"""Who meets a system that is added later: the users whom the others met, unless others are asked for."""

from pathlib import Path

from dialgauge.io.simulated import read_simulations

from .conftest import Command


def users_of(study: Path) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for one in read_simulations(study):
        dialogue = one.dialogue
        found.setdefault(dialogue.system, set()).add((dialogue.persona.id, dialogue.preference.id))
    return found


def test_a_system_that_is_added_later_meets_the_users_of_the_others(tmp_path: Path, dialgauge: Command) -> None:
    first = dialgauge("simulate", "s", "--system", "popularity", "--personas", "6", "--preferences", "2", "--pool", "5")
    assert first.returncode == 0, first.stderr
    assert "1 system × 6 personas × 2 of 5 preferences" in dialgauge("simulate", "s", "--system", "attributes").stdout
    found = users_of(tmp_path / "s")
    assert found["attributes"] == found["popularity"]
    assert len(found["attributes"]) == 12
    assert dialgauge("simulate", "s", "--system", "attributes", "--personas", "7").returncode == 0
    assert len(users_of(tmp_path / "s")["attributes"]) == 14


def test_a_system_that_has_changed_is_shown_as_it_was_and_that_is_said(tmp_path: Path, dialgauge: Command) -> None:
    module = tmp_path / "own.py"
    module.write_text("def reply(turns):\n    return 'Which genre?'\n", encoding="utf-8")
    arguments = ("simulate", "s", "--system", "own:reply", "--personas", "2", "--preferences", "1")
    assert dialgauge(*arguments).returncode == 0
    assert "has changed" not in dialgauge(*arguments).stderr
    module.write_text("def reply(turns):\n    return 'What do you like?'\n", encoding="utf-8")
    again = dialgauge(*arguments)
    assert again.returncode == 0
    assert "own:reply has changed since its dialogues were simulated" in again.stderr
    more = dialgauge(*arguments[:-3], "3", "--preferences", "1")
    assert more.returncode == 2
    assert "has changed since dialogues of the system" in more.stderr


def test_the_first_failure_of_a_kind_is_shown_whole(tmp_path: Path, dialgauge: Command) -> None:
    (tmp_path / "own.py").write_text("def reply(turns):\n    raise KeyError('oops')\n", encoding="utf-8")
    run = dialgauge("simulate", "s", "--system", "bad=own:reply", "--personas", "2", "--preferences", "1")
    assert "KeyError: 'oops'" in run.stdout
