"""The budget of a study over several runs: what is not counted, what failed, and what comes before the first count."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialgauge.llm import CallFailedError, Completion, Request

from .conftest import RATER, Desk, Scripted, completion, write_study

PRICED: Mapping[str, object] = {**RATER, "endpoint": "https://there.invalid/v1", "price": {"input": 1.0, "output": 2.0}}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries come at once."""
    monkeypatch.setattr("dialgauge.collect.line.delay_before", lambda *_: 0.0)


def uncounted(_: Request) -> Completion:
    return completion('{"value": 4}', input_tokens=None, output_tokens=None)


def fails(**known: object) -> CallFailedError:
    return CallFailedError("broke off", sent="{}", seconds=0.1, **known)  # type: ignore[arg-type]


def bytes_in(request: Request) -> int:
    return sum(len(message.text.encode()) for message in request.messages)


def test_calls_that_the_endpoint_does_not_count_are_reckoned_over_all_runs_and_stay_unknown(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, budget={"tokens": 15_000}, raters=[{**PRICED, "max_tokens": 100}]))
    first = desk.collect(Scripted(uncounted))
    assert first.budget_spent
    assert 0 < first.tally.rated < 20
    assert (first.tally.uncounted, first.tally.unpriced) == (first.tally.rated, first.tally.rated)
    again = Scripted(uncounted)
    assert desk.collect(again).budget_spent
    assert again.requests == []
    with desk.open() as store:
        spent, attempts = store.spent(), store.attempts()
    assert 10_000 < spent.charged_tokens == spent.reckoned_tokens <= 15_000
    assert spent.charged_cost == pytest.approx(spent.reckoned_cost)
    assert (spent.input_tokens, spent.cost, spent.calls_of_unknown_cost) == (0, 0.0, spent.calls)
    assert attempts["input_tokens"].null_count() == attempts["cost"].null_count() == spent.calls


def test_a_cap_in_money_holds_over_runs_without_counts_too(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, budget={"cost": 0.01}, raters=[{**PRICED, "max_tokens": 100}]))
    calls = [desk.collect(Scripted(uncounted)).tally.attempts for _ in range(3)]
    assert calls[0] > 0
    assert calls[1:] == [0, 0]
    with desk.open() as store:
        assert 0.005 < store.spent().charged_cost <= 0.01


@pytest.mark.parametrize(
    ("known", "charged"),
    [
        ({"billable": True, "input_tokens": 400, "output_tokens": 4}, 404),
        ({"billable": True}, None),
        ({"billable": True, "input_tokens": 400}, 700),
        ({"billable": False}, 0),
        ({"billable": False, "status": 429, "throttled": True}, 0),
    ],
)
def test_a_call_that_failed_is_charged_as_counted_as_reckoned_or_not_at_all(
    tmp_path: Path, known: dict[str, object], charged: int | None
) -> None:
    limits = {"attempts": 1, "concurrency": 1}
    desk = Desk(write_study(tmp_path, n_targets=1, raters=[PRICED], budget={"cost": 5.0}, limits=limits))

    def failing(_: Request) -> str:
        raise fails(**known)

    model = Scripted(failing)
    assert desk.collect(model).tally.failed.total() == 4
    with desk.open() as store:
        spent, runs = store.spent(), store.runs()
    expected = 4 * charged if charged is not None else sum(bytes_in(r) for r in model.requests)
    assert spent.charged_tokens == expected if charged is not None else spent.charged_tokens > expected
    assert (spent.charged_cost > 0) == (charged != 0)
    whole = "output_tokens" in known or not known["billable"]
    assert (runs["cost"][0] is not None) == whole


def test_one_call_shows_what_an_endpoint_counts_before_others_go_where_there_is_a_cap(tmp_path: Path) -> None:
    def greedy(_: Request) -> Completion:
        return completion('{"value": 4}', input_tokens=4_000, output_tokens=2_000)

    desk = Desk(write_study(tmp_path, budget={"tokens": 10_000}, raters=[{**PRICED, "max_tokens": 10}]))
    model = Scripted(greedy)
    assert desk.collect(model).budget_spent
    assert (len(model.requests), model.most_in_flight) == (1, 1)
    free = Scripted(greedy)
    Desk(write_study(tmp_path / "free", raters=[{**PRICED, "max_tokens": 10}])).collect(free)
    assert free.most_in_flight > 1


@settings(max_examples=12, deadline=None)
@given(
    cap=st.integers(1_000, 30_000),
    shares=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30),
    lost=st.lists(st.sampled_from(["counted", "counted", "uncounted", "billed", "refused"]), min_size=1, max_size=7),
)
def test_what_is_charged_never_passes_the_cap_of_an_endpoint_with_a_token_a_byte_at_most(
    cap: int, shares: Sequence[float], lost: Sequence[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rater = {**PRICED, "max_tokens": 50}
        desk = Desk(write_study(Path(folder), budget={"tokens": cap, "cost": cap / 1e6}, raters=[rater]))
        n = [0]

        def answer(request: Request) -> Completion:
            n[0] += 1
            kind = lost[n[0] % len(lost)]
            if kind in {"billed", "refused"}:
                raise fails(billable=kind == "billed")
            if kind == "uncounted":
                return uncounted(request)
            share = shares[n[0] % len(shares)]
            used = {"input_tokens": int(share * bytes_in(request)), "output_tokens": int(share * 50)}
            return completion('{"value": 4}', **used)

        for _ in range(2):
            desk.collect(Scripted(answer))
            with desk.open() as store:
                spent = store.spent()
            assert spent.charged_tokens <= cap
            assert spent.charged_cost <= cap / 1e6 * (1 + 1e-9)
