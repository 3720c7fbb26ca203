"""Replicates of one system, persona and preference: how often they end alike, and what variance they leave."""

import numpy as np
import pytest

from dialgauge.analyse.users import Replicability, UserChecks, check_users
from dialgauge.analyse.users.records import SAME_END
from dialgauge.model.simulation import Simulation
from dialgauge.stats.estimate import Estimate, Refusal

from .conftest import met

RNG = np.random.default_rng(3)


def checked(simulations: list[Simulation]) -> UserChecks:
    found = check_users(simulations)
    assert found is not None
    return found


def one(found: UserChecks, system: str | None = None) -> Replicability:
    return next(part for part in found.replicability if part.system == system)


def drawn(*, system: str = "s", replicates: int = 3) -> list[Simulation]:
    """Return dialogues whose outcome goes with the persona, and with chance."""
    found = []
    for i in range(8):
        for j in range(6):
            for replicate in range(1, replicates + 1):
                accepts = "t" if RNG.random() < (0.9 if i % 2 else 0.2) else None
                turns = 1 + i % 3 + int(RNG.integers(3))
                found.append(met(f"p{i}", f"q{j}", system=system, replicate=replicate, accepts=accepts, turns=turns))
    return found


def test_without_replicates_the_check_is_refused_with_its_remedy() -> None:
    found = checked([met(f"p{i}", f"q{j}") for i in range(6) for j in range(6)])
    assert found.replicability == ()
    assert found.not_made[SAME_END].endswith("simulate again with --replicates 2 or more")


def test_the_share_that_ends_alike_is_that_of_pairs_of_replicates() -> None:
    ends = {"a": ("t", "t", None), "b": (None, None, None)}
    simulations = [met(p, replicate=n, accepts=end) for p, those in ends.items() for n, end in enumerate(those, 1)]
    more = [met(f"c{i}", replicate=n, accepts="t") for i in range(4) for n in (1, 2)]
    found = one(checked([*simulations, *more]))
    assert isinstance(found.same_end, Estimate)
    assert found.same_end.value == pytest.approx((1 + 3 + 4) / (3 + 3 + 4))
    assert found.by_chance == pytest.approx((10 * 9 / 2 + 4 * 3 / 2) / (14 * 13 / 2))
    assert (found.n_combinations, found.n_dialogues) == (6, 14)


@pytest.mark.parametrize("outcome", ["accepted", "turns"])
def test_the_share_of_variance_is_the_one_way_intraclass_correlation(outcome: str) -> None:
    simulations = drawn()
    table = np.array(
        [
            [float(s.dialogue.ended == "accepted") if outcome == "accepted" else len(s.dialogue.system_turns)]
            for s in simulations
        ]
    ).reshape(48, 3)
    between = 3 * np.var(table.mean(axis=1), ddof=1)
    within = np.mean(np.var(table, axis=1, ddof=1))
    result = one(checked(simulations)).icc[outcome]  # type: ignore[index]
    assert isinstance(result, Estimate)
    assert result.value == pytest.approx((between - within) / (between + 2 * within), abs=1e-12)
    assert result.low is not None
    assert result.low < result.value


def test_an_outcome_that_never_differs_is_refused_and_ends_alike_by_chance_too() -> None:
    found = one(checked([met(f"p{i}", replicate=n, accepts="x") for i in range(12) for n in (1, 2)]))
    assert isinstance(found.icc["accepted"], Refusal)
    assert found.icc["accepted"].reason == "it is the same in all dialogues"
    assert found.by_chance == 1.0


def test_replicates_that_end_otherwise_fail_and_such_that_end_alike_pass() -> None:
    apart = [
        met(f"p{i}", f"q{j}", replicate=n, accepts="t" if n == 1 else None)
        for i in range(8)
        for j in range(6)
        for n in (1, 2)
    ]
    alike = [
        met(f"p{i}", f"q{j}", replicate=n, accepts="t" if i % 2 else None)
        for i in range(8)
        for j in range(6)
        for n in (1, 2)
    ]
    assert [c.passed for c in checked(apart).checks if c.check == SAME_END] == [False]
    assert [c.passed for c in checked(alike).checks if c.check == SAME_END] == [True]


def test_combinations_with_one_dialogue_and_failed_dialogues_are_counted_and_left_out() -> None:
    broken = [met("z", replicate=n, ended="failed", failure="system: gone") for n in (1, 2)]
    found = checked([*drawn(), met("y"), *broken])
    assert found.unreplicated == 1
    assert one(found).n_dialogues == 144


def test_each_of_several_systems_has_variances_of_its_own_and_all_together_have_none() -> None:
    found = checked([*drawn(system="b"), *drawn(system="a")])
    assert [part.system for part in found.replicability] == [None, "a", "b"]
    assert one(found).icc == {}
    assert set(one(found, "a").icc) == {"accepted", "turns", "success"}
