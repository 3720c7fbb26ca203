"""Biases and users of simulated dialogues: the systems that spoke in them are known to the checks."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.analyse.users.conftest import met
from tests.collect.conftest import RATER, write_study
from tests.simulate.conftest import FILMS, Toy, simulate

from dialgauge.analyse.checking import RaterChecks
from dialgauge.analyse.users import UserChecks, check_users
from dialgauge.collect.opening import register_study
from dialgauge.collect.plan import shares_of
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study
from dialgauge.model import Turn
from dialgauge.report.checks.loading import check_simulated, check_study
from dialgauge.report.checks.page import render_checks_page
from dialgauge.report.checks.record import checks_to_dict, checks_to_json
from dialgauge.report.checks.terminal import render_checks
from dialgauge.simulate.personas import make_personas
from dialgauge.stats.estimate import Estimate
from dialgauge.systems import Reply

from .conftest import collect, model_of

HOSTILE = "<script>alert(1)</script>\x1b[31m"
MISFITS = [item for item in FILMS if "horror" not in item.attributes]


def system(name: str, style: str) -> Toy:
    """Return a system that has a style of its own, and says more from dialogue to dialogue."""
    begun = 0

    def answer(turns: Sequence[Turn]) -> Reply:
        nonlocal begun
        begun += len(turns) == 1
        doublings = begun % 4
        words = [style, *(f"mark{k}" for k in range(doublings)), *["word"] * (10 * 2**doublings)]
        item = MISFITS[len(turns)]
        return Reply(text=f'"{item.title}" {" ".join(words)}', ranking=(item.id,), recommends=True)

    return Toy(answer, name=name)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[RaterChecks, UserChecks]:
    """Return the checks of a study of simulated dialogues, one of whose two raters likes length and its own system."""
    raters = [{**RATER, "name": "biased", "own_systems": ["mine"]}, {**RATER, "name": "fair"}]
    folder = read_study(write_study(tmp_path_factory.mktemp("study"), raters=raters, replicates=1))
    folder.targets_path.unlink()
    quality = {"ours": 0.3} | {f"mark{k}": 0.12 for k in range(3)}
    models = {
        "biased": model_of(quality=quality, bias=-0.25, spread=0.02, noise=0.02),
        "fair": model_of(seed=3, spread=0.02, noise=0.02),
    }
    who = make_personas(24)
    made = [simulate(one, persona) for one in (system("mine", "ours"), system("other", "plain")) for persona in who]
    with open_store(folder.store_url, create=True) as store:
        number = store.begin_run({"simulate": {}}, seed=1)
        store.simulated.write(number, store.simulated.register("agenda", {}), made)
        store.end_run(number, "done")
        register_study(folder, store)
        collect(folder, store, [shares_of(folder)], models)
        users = check_simulated(store)
        assert users is not None
        return check_study(store, folder.study), users


def test_a_rater_that_prefers_its_own_system_is_found_on_simulated_dialogues(
    found: tuple[RaterChecks, UserChecks],
) -> None:
    one = next(part for part in found[0].self_preferences if part.dimension is None)
    assert (one.n_own, one.n_other, one.own) == (24, 24, ("mine",))
    assert one.preference.low is not None
    assert one.preference.low > 0.1
    assert "self-preference" in {check.check for check in found[0].failed if check.rater == "biased"}


def test_a_rater_that_likes_length_is_found_on_simulated_dialogues_within_systems_too(
    found: tuple[RaterChecks, UserChecks],
) -> None:
    one = next(part for part in found[0].lengths if (part.rater, part.dimension) == ("biased", None))
    assert isinstance(one.difference, Estimate)
    assert one.difference.low is not None
    assert one.difference.low > 0.0
    assert isinstance(one.slope_within, Estimate)
    assert one.n_common == 48


def hostile() -> UserChecks:
    """Return users with names that could break a page or a terminal, all of whose checks fail or lack."""
    made = [
        met(
            f"p{i}",
            f"q{j}",
            system=f"{HOSTILE}{k}",
            accepts="x",
            turns=1,
            marks=["accepted unrecommended"],
            replicate=n,
        )
        for i in range(6)
        for j in range(2)
        for k in range(2)
        for n in (1, 2)
    ]
    users = check_users(made)
    assert users is not None
    return users


@pytest.mark.parametrize("width", [44, 60, 80, 100, 200])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_no_line_on_users_is_wider_than_the_terminal(
    found: tuple[RaterChecks, UserChecks], width: int, ascii_only: bool
) -> None:
    for users in (found[1], hostile()):
        text = render_checks(found[0], users=users, width=width, ascii_only=ascii_only)
        assert max(map(cell_len, text.splitlines())) <= min(width, 100)
        assert not ascii_only or text.isascii()
        assert "\x1b" not in text


def test_the_page_escapes_names_and_says_what_failed(found: tuple[RaterChecks, UserChecks]) -> None:
    page = render_checks_page(found[0], users=hostile())
    assert "<script>" not in page
    assert "Simulated users: 7 checks: 4 passed, 3 failed." in page
    assert "premature acceptance: 48 of 48 acceptances are such" in page
    assert "Simulated users" not in render_checks_page(found[0])


def test_columns_without_a_number_are_left_out(found: tuple[RaterChecks, UserChecks]) -> None:
    page = render_checks_page(found[0], users=found[1])
    assert "First over last" not in page
    assert '<th scope="col">Missing</th>' not in page


def test_the_record_has_the_users_and_null_without_any(found: tuple[RaterChecks, UserChecks]) -> None:
    record = json.loads(checks_to_json(found[0], users=found[1]), parse_constant=pytest.fail)
    assert record["users"]["users"] == ["agenda"]
    assert record["users"]["n_dialogues"] == 48
    assert {share["system"] for share in record["users"]["shares"]} == {None, "mine", "other"}
    assert checks_to_dict(found[0])["users"] is None


def test_a_store_without_simulated_dialogues_has_no_users(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db", create=True) as store:
        assert check_simulated(store) is None
