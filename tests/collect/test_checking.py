"""What checks ask for: bounded, once, by variants that the store knows as such."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from dialgauge.collect.checking import (
    MOST_DIMENSIONS,
    MOST_PLANTED,
    MOST_TARGETS,
    choose_evenly,
    choose_targets,
    open_checks,
    planted_for,
)
from dialgauge.collect.plan import Share, forecast, tasks_of
from dialgauge.instruments import load_instrument
from dialgauge.io.store import RaterEntry
from dialgauge.model import LlmRater

from .conftest import RATER, Desk, write_study


def opened(root: Path, **tables: object) -> tuple[Desk, list[Share], dict[str, RaterEntry]]:
    desk = Desk(write_study(root, **tables))  # type: ignore[arg-type]
    folder = desk.folder
    with desk.open() as store:
        rounds = open_checks(folder, store)
        return desk, [share for shares in rounds for share in shares], {one.name: one for one in store.raters()}


def variant_of(share: Share, entries: Mapping[str, RaterEntry]) -> str | None:
    return entries[share.rater.name].variant


@pytest.mark.parametrize("instrument", ["crs_que", "concept", "user_states"])
def test_variants_rate_few_dimensions_on_few_targets_and_on_the_planted_ones(tmp_path: Path, instrument: str) -> None:
    desk, shares, entries = opened(tmp_path, n_targets=40, instrument=instrument)
    n_planted = len(planted_for(desk.folder.instrument))
    for share in shares:
        assert share.targets is not None
        assert share.replicates == (1,)
        if share.purpose == "study":
            assert len(share.targets) == MOST_TARGETS
            assert len(share.dimensions) <= MOST_DIMENSIONS
        else:
            assert len(share.targets) == n_planted == 18
            most = MOST_DIMENSIONS if variant_of(share, entries) else MOST_PLANTED + MOST_DIMENSIONS
            assert len(share.dimensions) <= most
    assert {(variant_of(share, entries), share.purpose) for share in shares} == {
        (variant, purpose) for variant in (None, "other answers", "reversed scale") for purpose in ("study", "planted")
    }


def test_the_forecast_is_what_the_tasks_come_to(tmp_path: Path) -> None:
    desk, shares, _ = opened(tmp_path, n_targets=30, instrument="crs_que")
    with desk.open() as store:
        for share, one in zip(shares, forecast(desk.folder, store, shares), strict=True):
            tasks = list(tasks_of(desk.folder, store, share))
            assert one.calls == len(tasks)
            assert one.planned == sum(len(task.dimensions) for task in tasks)
            assert {task.dialogue.id for task in tasks} == set(share.targets or ())


def test_a_variant_says_in_the_store_whose_it_is_and_what_is_different(tmp_path: Path) -> None:
    _, shares, entries = opened(tmp_path, raters=[{**RATER, "answers": "free"}])
    variants = {one.variant: one for one in entries.values() if one.base == "m"}
    assert set(variants) == {"other answers", "reversed scale"}
    assert variants["other answers"].settings["answers"] == "schema"
    assert variants["reversed scale"].settings["listing"] == "reversed"
    assert all(share.backwards == (variant_of(share, entries) == "reversed scale") for share in shares)


def test_no_part_of_one_rater_is_under_way_with_another_part_of_it(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, raters=[RATER, {**RATER, "name": "n"}], instrument="concept"))
    with desk.open() as store:
        rounds = open_checks(desk.folder, store)
        bases = {one.name: one.base or one.name for one in store.raters()}
    for shares in rounds:
        owners = [bases[share.rater.name] for share in shares]
        assert len(owners) == len(set(owners))


def test_several_dimensions_a_call_are_put_in_the_declared_and_in_the_reverse_order(tmp_path: Path) -> None:
    prompt = {"dimensions_per_call": "all", "order": "shuffled"}
    desk, shares, entries = opened(tmp_path, instrument="crs_que", prompt=prompt)
    by_variant = {variant_of(share, entries): share for share in shares if share.purpose == "study"}
    assert set(by_variant) == {"same dimensions", "other answers", "reversed questions"}
    same, turned = by_variant["same dimensions"], by_variant["reversed questions"]
    assert turned.dimensions == same.dimensions[::-1]
    with desk.open() as store:
        for share in (same, turned):
            assert {task.dimensions for task in tasks_of(desk.folder, store, share)} == {share.dimensions}


def test_calls_of_three_dimensions_hold_the_same_three_in_both_orders(tmp_path: Path) -> None:
    desk, shares, entries = opened(tmp_path, instrument="crs_que", prompt={"dimensions_per_call": 3})
    calls = {}
    with desk.open() as store:
        for share in shares:
            if share.purpose == "study":
                tasks = tasks_of(desk.folder, store, share)
                calls[variant_of(share, entries)] = {task.dimensions for task in tasks}
    assert all(len(call) == 3 for call in calls["reversed questions"])
    assert calls["reversed questions"] == {call[::-1] for call in calls["same dimensions"]}


def test_the_studys_own_calls_for_several_dimensions_are_left_alone(tmp_path: Path) -> None:
    _, shares, entries = opened(tmp_path, instrument="crs_que", prompt={"dimensions_per_call": "all"})
    assert [share.purpose for share in shares if variant_of(share, entries) is None] == ["planted"]


def test_expected_scores_have_no_variant_with_other_answers(tmp_path: Path) -> None:
    _, _, entries = opened(tmp_path, raters=[{**RATER, "scoring": "expected"}], instrument="concept")
    assert {one.variant for one in entries.values()} == {None, "reversed scale"}


def test_a_continuous_scale_has_no_variant_with_its_answers_reversed(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path))
    own = (desk.root / "small.toml").read_text().replace('level = "ordinal"', 'level = "interval"')
    (desk.root / "small.toml").write_text(own.replace("points = [1, 2, 3, 4, 5]", "low = 0.0\nhigh = 1.0"))
    with desk.open() as store:
        open_checks(desk.folder, store)
        assert {one.variant for one in store.raters()} == {None, "other answers"}


def test_an_instrument_without_planted_dialogues_is_checked_on_its_own_targets(tmp_path: Path) -> None:
    _, shares, _ = opened(tmp_path)
    assert {share.purpose for share in shares} == {"study"}


def test_a_rater_that_listens_is_not_given_planted_dialogues(tmp_path: Path) -> None:
    _, shares, _ = opened(tmp_path, raters=[{**RATER, "audio": True}], instrument="concept")
    assert {share.purpose for share in shares} == {"study"}


def test_code_raters_are_not_checked(tmp_path: Path) -> None:
    code = {"name": "words", "kind": "code", "measures": ["turns"]}
    _, shares, _ = opened(tmp_path, raters=[RATER, code])
    assert all(isinstance(share.rater, LlmRater) for share in shares)


def test_a_smaller_draw_of_targets_is_part_of_a_larger_one_and_another_seed_draws_others(tmp_path: Path) -> None:
    desk, *_ = opened(tmp_path, n_targets=50)
    with desk.open() as store:
        few, many, others = (choose_targets(store, n, seed=s) for n, s in ((5, 1), (20, 1), (20, 2)))
    assert many[:5] == few
    assert set(many) != set(others)


def test_dimensions_are_chosen_from_every_group_before_any_second() -> None:
    instrument = load_instrument("user_states")
    chosen = choose_evenly(instrument, instrument.dimension_names, 10)
    assert len({instrument.dimension(name).group for name in chosen}) == 10
    assert list(chosen) == [name for name in instrument.dimension_names if name in set(chosen)]
    assert choose_evenly(instrument, instrument.dimension_names, 1000) == instrument.dimension_names
