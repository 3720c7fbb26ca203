"""Biases out of a real store: fake models that like length or their own systems are found beside one that does not."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.collect.conftest import RATER, write_study

from dialgauge.analyse.checking import RaterChecks
from dialgauge.collect.checking import open_checks
from dialgauge.collect.opening import prompt_of, register_study
from dialgauge.collect.plan import shares_of
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.store import RaterEntry, open_store
from dialgauge.io.study import read_study
from dialgauge.model import Attempt, Dialogue, Rating, Turn
from dialgauge.report.checks.biases import summarise_biases
from dialgauge.report.checks.loading import check_study
from dialgauge.report.checks.page import render_checks_page
from dialgauge.report.checks.record import checks_to_json
from dialgauge.report.checks.terminal import render_checks
from dialgauge.report.checks.words import summarise_checks
from dialgauge.stats.estimate import Estimate

from .conftest import collect, model_of

N = 48
LONGER, MINE = 0.1, 0.25


def dialogue(i: int) -> Dialogue:
    """Return a dialogue of one of three systems with 8, 16, 32 or 64 words of the system, marked for fake models."""
    doublings = i % 4
    marks = [f"mark{k}" for k in range(doublings)]
    style = ["ours"] if i % 3 == 0 else ["plain"]
    words = [*marks, *style, *["word"] * (8 * 2**doublings - len(marks) - 1)]
    turns = (Turn(speaker="user", text=f"Request {i} with some words"), Turn(speaker="system", text=" ".join(words)))
    return Dialogue(id=f"d{i:02d}", turns=turns, system=["<i>mine</i>", "other", "third"][i % 3])


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> RaterChecks:
    """Return the checks of a model that likes length and its own system, and of two that do not."""
    root = tmp_path_factory.mktemp("study")
    raters = [{**RATER, "name": name} for name in ("biased", "fair", "fair too")]
    raters[0]["own_systems"] = ["<i>mine</i>"]
    folder = read_study(write_study(root, raters=raters))
    write_dialogues([dialogue(i) for i in range(N)], folder.targets_path)
    quality = {f"mark{k}": LONGER for k in range(3)} | {"ours": MINE}
    models = {
        "biased": model_of(quality=quality, bias=-0.25, spread=0.03, noise=0.03),
        "fair": model_of(seed=3),
        "fair too": model_of(seed=4),
    }
    with open_store(folder.store_url, create=True) as store:
        register_study(folder, store)
        collect(folder, store, [shares_of(folder)], models)
        collect(folder, store, open_checks(folder, store), models)
        return check_study(store, folder.study)


def test_people_in_the_store_are_the_others(tmp_path: Path) -> None:
    folder = read_study(write_study(tmp_path, raters=[{**RATER, "name": name} for name in ("m", "n")]))
    write_dialogues([dialogue(i) for i in range(N)], folder.targets_path)
    with open_store(folder.store_url, create=True) as store:
        register_study(folder, store)
        collect(folder, store, [shares_of(folder)], {"m": model_of(), "n": model_of(seed=5)})
        store.register(
            folder.study, folder.instrument, RaterEntry(name="p", kind="human"), template=prompt_of(folder).text
        )
        run, now = store.begin_run({}, seed=1), datetime.now(UTC)
        for i in range(12):
            key = {"target": f"d{i:02d}", "rater": "p", "replicate": 1}
            sent = Attempt(**key, dimensions=("trust",), number=1, started=now, seconds=1.0, state="ok", request="?")  # type: ignore[arg-type]
            store.write(run, [(sent, [Rating(**key, dimension="trust", value=float(1 + i % 5))])])  # type: ignore[arg-type]
        found = {(one.rater, one.dimension): one for one in check_study(store, folder.study).lengths}
    assert (found["m", "trust"].beside, found["m", "trust"].n_common) == ("people", 12)
    assert (found["m", "ease"].beside, found["m", "ease"].difference) == (None, None)


def failed(found: RaterChecks, check: str) -> set[str]:
    return {one.rater for one in found.failed if one.check == check}


def test_a_model_that_likes_length_is_found_and_its_slope_is_what_was_put_in(found: RaterChecks) -> None:
    one = next(b for b in found.lengths if (b.rater, b.dimension) == ("biased", None))
    assert isinstance(one.difference, Estimate)
    assert one.difference.value == pytest.approx(LONGER, abs=0.03)
    assert one.beside == "other models"
    assert failed(found, "length bias") == {"biased"}


def test_a_model_that_likes_its_own_system_is_found_and_by_how_much(found: RaterChecks) -> None:
    one = next(b for b in found.self_preferences if b.dimension is None)
    assert one.preference.value == pytest.approx(MINE, abs=0.05)
    assert one.first.value > 0.7
    assert one.first_others.low is not None
    assert one.first_others.low < 0.5
    assert failed(found, "self-preference") == {"biased"}
    assert {n.rater for n in found.not_made if n.check == "self-preference"} == {"fair", "fair too"}


def test_without_the_study_no_system_is_a_raters_own(tmp_path: Path) -> None:
    folder = read_study(write_study(tmp_path, raters=[{**RATER, "own_systems": ["s"]}]))
    with open_store(folder.store_url, create=True) as store:
        register_study(folder, store)
        known, unknown = (check_study(store, study) for study in (folder.study, None))
    reasons = [n.reason for one in (known, unknown) for n in one.not_made if n.check == "self-preference"]
    assert reasons == ["it has rated no dialogue in a dimension with a better end", "no system of its own is named"]


def test_the_section_has_order_length_and_own_systems_of_each_rater(found: RaterChecks) -> None:
    summary = summarise_biases(found, full=True)
    assert summary is not None
    assert [row.bias for row in summary.rows if row.rater == "biased"] == [
        "order of the answers",
        "length, per doubling",
        "length within systems",
        "own systems",
        "own first, of pairs",
    ]
    assert {row.bias for row in summary.rows if row.failed} == {"length, per doubling", "own systems"}
    assert {row.dimension for row in summary.by_dimension} == {"trust", "ease"}
    assert any("association" in note for note in summary.notes)
    assert any("biased, fair and fair too" in note for note in summary.notes)
    plain = summarise_checks(found).biases
    assert plain is not None
    assert plain.by_dimension == ()


def test_a_study_without_any_bias_measured_has_no_section(found: RaterChecks) -> None:
    nothing = RaterChecks(source="", level=0.95, raters=found.raters, checks=())
    assert summarise_biases(nothing) is None
    assert "Biases" not in render_checks(nothing)
    assert 'id="biases"' not in render_checks_page(nothing)


def test_the_terminal_has_the_biases_unless_it_is_brief(found: RaterChecks) -> None:
    text = render_checks(found)
    assert "\nBiases\n" in text
    assert "length, per doubling" in text
    assert "they may be better" in text
    narrow = " ".join(render_checks(found, width=60).split())
    assert "- biased, own first, of pairs: ." in narrow
    assert "- fair, order of the answers: difference " in narrow
    assert "\nBiases\n" not in render_checks(found, brief=True)


def test_the_page_has_the_biases_with_names_escaped(found: RaterChecks) -> None:
    page = render_checks_page(found)
    assert '<h3 id="biases">Biases</h3>' in page
    assert "By dimension" in page
    assert "<i>mine" not in page
    assert "&lt;i&gt;mine" in page


def test_the_record_has_order_length_and_own_systems(found: RaterChecks) -> None:
    biases = json.loads(checks_to_json(found))["biases"]
    assert [len(biases[name]) for name in ("order", "length", "self_preference")] == [9, 9, 3]
    assert {one["check"] for one in biases["order"]} == {"order of the answers"}
    length = biases["length"][0]
    assert (length["rater"], length["dimension"], length["beside"]) == ("biased", None, "other models")
    assert length["difference"]["low"] > 0.05
    own = biases["self_preference"][0]
    assert (own["own"], own["n_own"], own["n_other"]) == (["<i>mine</i>"], 16, 32)
    assert own["first"]["method"].startswith("share of pairs")
