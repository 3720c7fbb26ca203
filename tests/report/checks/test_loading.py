"""Checks out of a real store: a fake model that sees fails nothing, one that is blind or odd fails what it should."""

from pathlib import Path

import pytest
from tests.collect.conftest import RATER, Scripted, completion, write_study

from dialgauge.analyse.checking import RaterChecks
from dialgauge.analyse.checking.records import CHECKS
from dialgauge.collect.checking import open_checks
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study
from dialgauge.llm import Completion, Request
from dialgauge.report.checks.loading import load_checks
from dialgauge.stats.estimate import Estimate

from .conftest import check, collect, model_of, see_quality


def failed(found: RaterChecks, rater: str = "m") -> set[str]:
    return {one.check for one in found.failed if one.rater == rater}


def made(found: RaterChecks, rater: str = "m") -> set[str]:
    return {one.check for one in found.checks if one.rater == rater}


def test_a_rater_that_sees_quality_passes_and_a_blind_one_fails_the_known_groups(tmp_path: Path) -> None:
    sees = model_of(quality=see_quality("concept"))
    found = check(tmp_path, {"m": sees, "blind": model_of(seed=3)})
    assert failed(found) == set()
    assert failed(found, "blind") == {"known groups in order"}
    groups = {one.rater: one for one in found.known_groups}
    assert groups["m"].right.value > 0.95
    assert groups["blind"].right.low is not None
    assert groups["blind"].right.low < 0.5
    difference = groups["m"].differences[None]
    assert isinstance(difference, Estimate)
    assert difference.value == pytest.approx(0.7, abs=0.1)


def test_what_was_collected_for_the_checks_is_not_asked_for_again(tmp_path: Path) -> None:
    folder = read_study(write_study(tmp_path, instrument="concept"))
    models = {"m": model_of()}
    with open_store(folder.store_url, create=True) as store:
        rounds = open_checks(folder, store)
        assert collect(folder, store, rounds, models) == sum(
            len(share.targets or ()) * len(share.dimensions) for shares in rounds for share in shares
        )
        assert collect(folder, store, open_checks(folder, store), models) == 0
        assert store.ratings().frame["rater"].unique().to_list() == ["m"]
        assert load_checks(store) == load_checks(store) != ()


def test_every_check_is_made_or_has_a_reason_whatever_the_study_asks(tmp_path: Path) -> None:
    one = check(tmp_path / "one", {"m": model_of()}, n_targets=12)
    several = check(tmp_path / "all", {"m": model_of()}, n_targets=12, prompt={"dimensions_per_call": "all"})
    expected = check(tmp_path / "expected", {"m": model_of()}, n_targets=12, rater={"scoring": "expected"})
    answers, known = "free against constrained answers", "known groups in order"
    assert made(one) == {"constant answers", answers, "order of the answers", known}
    assert made(several) == {
        "constant answers",
        "answers in key order",
        answers,
        "order of the questions",
        "halo under another order",
        known,
    }
    assert made(expected) == {"constant answers", "mass on the scale", "order of the answers", known}
    for found in (one, several, expected):
        assert len(made(found) | {n.check for n in found.not_made}) == len(CHECKS)


def test_a_model_that_is_the_same_in_every_form_fails_no_contrast(tmp_path: Path) -> None:
    found = check(tmp_path, {"m": model_of(noise=0.0)}, n_targets=20, prompt={"dimensions_per_call": "all"})
    contrasts = [one for one in found.contrasts if one.dimension is None]
    assert {one.check for one in contrasts} == {"free against constrained answers", "order of the questions"}
    for one in contrasts:
        assert isinstance(one.difference, Estimate)
        assert one.difference.value == 0.0
        assert one.changed == 0.0
        assert one.n_targets == 38


def test_a_model_that_answers_three_whatever_it_reads_is_found_out(tmp_path: Path) -> None:
    found = check(tmp_path, {"m": Scripted(lambda _: '{"value": 3}')}, n_targets=15)
    assert failed(found) == {"constant answers", "known groups in order"}


def test_a_model_that_takes_the_first_answer_listed_is_found_out(tmp_path: Path) -> None:
    def first(request: Request) -> str:
        scale = request.messages[0].text.rpartition("Scale: ")[2]
        return '{"value": 5}' if scale.startswith(("5", "one of 5")) else '{"value": 1}'

    found = check(tmp_path, {"m": Scripted(first)}, n_targets=15)
    assert "order of the answers" in failed(found)
    assert "free against constrained answers" not in failed(found)


def test_a_model_that_counts_along_its_keys_is_found_out(tmp_path: Path) -> None:
    def count(request: Request) -> str:
        assert request.schema is None or list(request.schema["properties"])
        told = request.messages[0].text
        keys = [part.split(")")[0] for part in told.split("(key: ")[1:]]
        return "{" + ", ".join(f'"{key}": {i % 5 + 1}' for i, key in enumerate(keys)) + "}"

    prompt = {"dimensions_per_call": "all"}
    found = check(tmp_path, {"m": Scripted(count)}, n_targets=15, rate=True, prompt=prompt)
    assert {"answers in key order", "order of the questions"} <= failed(found)


def test_refusals_of_free_answers_are_counted_for_the_variant_alone(tmp_path: Path) -> None:
    def free_only(request: Request) -> str | Completion:
        return completion("", refusal="no") if request.schema is None else '{"value": 3}'

    found = check(tmp_path, {"m": Scripted(free_only)}, n_targets=5)
    (whole,) = (c for c in found.contrasts if c.dimension is None and c.check.startswith("free"))
    assert (dict(whole.missing), set(whole.missing_variant), whole.n_pairs) == ({}, {"refused"}, 0)
    assert any(n.check.startswith("free") for n in found.not_made)


def test_a_study_without_planted_dialogues_is_checked_on_the_rest(tmp_path: Path) -> None:
    found = check(tmp_path, {"m": model_of()}, n_targets=15, instrument="small.toml")
    assert made(found) == {"constant answers", "free against constrained answers", "order of the answers"}
    (why,) = (n.reason for n in found.not_made if n.check == "known groups in order")
    assert why == "not available: there are no planted dialogues for the instrument"


def test_before_anything_is_collected_nothing_is_checked(tmp_path: Path) -> None:
    folder = read_study(write_study(tmp_path, raters=[RATER]))
    with open_store(folder.store_url, create=True) as store:
        assert load_checks(store) == ()
        open_checks(folder, store)
        assert load_checks(store) == ()
