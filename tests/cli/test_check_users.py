"""``dialgauge check`` and ``dialgauge abilities`` on simulated users: the built-in ones pass, bad ones fail plainly."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.simulate.conftest import FILMS, WANT, Toy, recommend, simulate, stage

from dialgauge.cli import run
from dialgauge.io.store import open_store
from dialgauge.io.study import init_study
from dialgauge.model import Turn
from dialgauge.model.simulated import Persona, Preference, UserTurn
from dialgauge.model.simulation import UserCall
from dialgauge.simulate.hearing import Heard
from dialgauge.simulate.personas import make_personas
from dialgauge.simulate.users import Answer, User

CODE = """
name = "s"
instrument = "concept"
raters = [{ name = "counts", kind = "code", measures = ["turns"] }]
"""

MISFIT = next(item for item in FILMS if "horror" not in item.attributes)


@dataclass
class Hasty:
    """Accepts, at the first reply, a film that nobody named and that does not fit: what small models do."""

    name: str = "hasty"
    template: str | None = None
    calls: Sequence[UserCall] = ()

    @property
    def settings(self) -> dict[str, object]:
        return {}

    def begin(self, persona: Persona, preference: Preference, *, seed: int) -> User:  # noqa: ARG002
        return self

    async def close(self) -> None: ...

    async def open(self) -> UserTurn:
        return UserTurn(text="Hi")

    async def feel(self, turns: Sequence[Turn], heard: Heard) -> str:
        return f"{len(turns)} {heard.text[:3]}"

    async def answer(self, turns: Sequence[Turn], heard: Heard, *, feeling: str, last: bool) -> Answer:  # noqa: ARG002
        turn = UserTurn(text="I take it.", accepting=True, accepts=MISFIT.id, accepts_title=MISFIT.title)
        return Answer(turn=turn, leaving=False)

    async def reword(self, turns: Sequence[Turn], number: int) -> str | None:
        return None if number else turns[-1].text


@pytest.fixture
def hasty(tmp_path: Path) -> str:
    """Return a study without a model rater whose simulated users accept at once."""
    folder = tmp_path / "s"
    init_study(folder, instrument="concept", examples=False)
    (folder / "study.toml").write_text(CODE, encoding="utf-8")
    on = stage(users=Hasty())
    who = make_personas(12)
    found = [simulate(Toy(lambda _: recommend("Psycho")), persona, wants=WANT, on=on) for persona in who]
    with open_store(folder / "study.db", create=True) as store:
        number = store.begin_run({"simulate": {}}, seed=1)
        store.simulated.write(number, store.simulated.register("hasty", {}), found)
        store.end_run(number, "done")
    return str(folder)


def test_users_that_accept_at_once_fail_plainly_without_any_model_rater(
    hasty: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "c.html"
    assert run(["check", hasty, "--html", str(page)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "No model rater to check." in out
    assert "Simulated users. Played by hasty: 12 dialogues with 12 personas and 1 preference, 12 acceptances." in out
    assert "acceptance obeys the preference: 0 of 12 acceptances fit the preference, .00 [.00, .26]" in out
    assert "premature acceptance: 12 of 12 acceptances are such, 1.00 [.74, 1.00]" in out
    assert "simulate again with --replicates 2 or more" in out
    assert '<h2 id="users-head">Simulated users</h2>' in page.read_text(encoding="utf-8")


def test_abilities_say_that_acceptance_rests_on_such_users(hasty: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["abilities", hasty]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Acceptance rests on users that mostly accept what does not fit their preference" in out


def test_built_in_users_pass_and_their_replicates_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = str(tmp_path / "s")
    asked = ["--system", "attributes", "--system", "popularity", "--personas", "12", "--preferences", "6"]
    assert run(["simulate", study, *asked, "--replicates", "2", "--pairs", "0"]) == 0
    (tmp_path / "s/study.toml").write_text(CODE, encoding="utf-8")
    capsys.readouterr()
    assert run(["check", study, "--json"]) == 0
    users = json.loads(capsys.readouterr().out)["users"]
    assert [check["passed"] for check in users["checks"]] == [True] * 7
    assert users["finding"] is None
    assert [part["system"] for part in users["replicability"]] == [None, "attributes", "popularity"]
    assert users["shares"][0]["result"]["covers"] == "personas and preferences"
    assert run(["abilities", study]) == 0
    assert "Acceptance rests on" not in capsys.readouterr().out
