"""Verdicts: where the interval lies, what vetoes, and what must never happen."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.analyse.systems import SystemMeans
from dialgauge.decide import Decision, Decisions, Evidence, Gate, Policy, decide_uses, load_policy
from dialgauge.decide.evidence import Unit
from dialgauge.decide.expectation import targets_per_system_until, targets_until
from dialgauge.decide.judge import VERDICTS
from dialgauge.errors import PolicyError
from dialgauge.model import RaterCheck
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.meansquares import MeanSquares, icc_forms


def estimate(value: float, low: float | None, high: float | None) -> Estimate:
    flags: Any = ("no_interval",) if low is None else ()
    return Estimate(value, low, high, 0.95, "made up", "targets", 400, flags)


def evidence(
    single: Estimate | Refusal,
    *,
    k: float = 4.0,
    unit: Unit = "raters",
    rater: str = "",
    **more: Any,  # noqa: ANN401
) -> Evidence:
    """Return evidence in which the mean of k follows from one rating by the formula of Spearman and Brown."""

    def up(r: float | None) -> float | None:
        return None if r is None else k * r / (1.0 + (k - 1.0) * r)

    mean = single
    if isinstance(single, Estimate):
        mean = replace(single, value=up(single.value) or 0.0, low=up(single.low), high=up(single.high))
    given_: dict[str, Any] = {"n_targets": 100, "n_ratings": 400, "n_missing": 0, "per_target": k, **more}
    return Evidence(dimension="accuracy", rater=rater, unit=unit, single=single, mean=mean, k=k, **given_)


def policy(**use: Any) -> Policy:  # noqa: ANN401 (any field of a use)
    whole: dict[str, Any] = {
        "name": "u",
        "kind": "per-target",
        "coefficient": "mean",
        "threshold": 0.75,
        "minimum_targets": 20,
        "most_missing": 0.1,
        "most_k": 20,
        **use,
    }
    return Policy.model_validate({"name": "p", "version": "1", "uses": [whole]})


LIVE: Mapping[str, Any] = {"kind": "real-time", "coefficient": "single", "threshold": 0.9, "most_k": 1}


def verdict_of(one: Evidence, rules: Policy, **options: Any) -> Decision:  # noqa: ANN401 (those of decide_uses)
    (found,) = decide_uses([one], rules, **options).decisions
    return found


def rank(decision: Decision) -> int:
    return VERDICTS.index(decision.verdict)


def test_a_lower_limit_that_reaches_the_threshold_is_trusted() -> None:
    found = verdict_of(evidence(estimate(0.93, 0.90, 0.95)), policy(**LIVE))
    assert found.verdict == "trust"
    assert "lower limit reaches .900" in found.reasons[0]
    assert ".930" in found.reasons[0]


def test_a_value_above_the_threshold_is_not_enough() -> None:
    found = verdict_of(evidence(estimate(0.93, 0.89, 0.95)), policy(**LIVE))
    assert found.verdict == "collect n more"
    assert found.n is not None
    assert found.n > 0
    assert "expected" in found.reasons[0]


def test_an_upper_limit_below_the_threshold_rules_the_use_out() -> None:
    found = verdict_of(evidence(estimate(0.8, 0.7, 0.85)), policy(**LIVE))
    assert (found.verdict, found.undecided) == ("do not use", False)
    assert "even the upper limit is below .900" in found.reasons[0]


def test_the_least_number_of_raters_is_suggested_whose_lower_limit_reaches_the_threshold() -> None:
    found = verdict_of(evidence(estimate(0.4, 0.3, 0.5)), policy())
    assert (found.verdict, found.k, found.words) == ("average k raters", 7.0, "average 7 raters")
    assert 7 * 0.3 / (1 + 6 * 0.3) >= 0.75 > 6 * 0.3 / (1 + 5 * 0.3)


def test_averaging_beyond_what_the_policy_allows_is_not_suggested() -> None:
    found = verdict_of(evidence(estimate(0.4, 0.3, 0.5)), policy(most_k=6))
    assert found.verdict == "collect n more"


def test_averaging_replicates_is_said_to_leave_the_bias() -> None:
    found = verdict_of(evidence(estimate(0.4, 0.3, 0.5), unit="replicates", rater="gpt"), policy())
    assert found.words == "average 7 replicates"
    assert any("not what it gets wrong every time" in reason for reason in found.reasons)


def test_the_stated_k_is_looked_at_and_not_the_collected_one() -> None:
    single = estimate(0.6, 0.55, 0.65)
    assert verdict_of(evidence(single), policy(k=1, most_k=1)).verdict == "do not use"
    assert verdict_of(evidence(single), policy(k=8)).verdict == "trust"


def test_an_estimate_below_the_threshold_within_its_interval_is_open_and_expected_to_fail() -> None:
    found = verdict_of(evidence(estimate(0.88, 0.83, 0.92)), policy(**LIVE))
    assert found.verdict == "collect n more"
    assert "expected to rule the use out" in found.reasons[0]


def test_a_refusal_is_never_trusted_and_carries_its_remedy() -> None:
    found = verdict_of(evidence(Refusal("all ratings are 4", "use targets that differ")), policy())
    assert (found.verdict, found.undecided) == ("do not use", True)
    assert "use targets that differ" in found.reasons[0]


def test_an_estimate_without_an_interval_is_unknown() -> None:
    found = verdict_of(evidence(estimate(0.99, None, None)), policy())
    assert (found.verdict, found.undecided) == ("do not use", True)


def test_too_few_targets_are_not_trusted_however_reliable() -> None:
    found = verdict_of(evidence(estimate(0.99, 0.97, 1.0), n_targets=12), policy())
    assert (found.verdict, found.n, found.n_unit) == ("collect n more", 8, "targets")


def test_too_much_missing_is_not_trusted_and_the_ratings_that_lack_are_counted() -> None:
    one = evidence(estimate(0.99, 0.97, 1.0), n_ratings=300, n_missing=100)
    found = verdict_of(one, policy())
    assert (found.verdict, found.n, found.n_unit) == ("collect n more", 60, "ratings")
    assert "100 of 400 ratings are missing (25.0%)" in found.reasons[-1]


def test_a_failed_check_vetoes_a_repeating_rater() -> None:
    good = evidence(estimate(0.99, 0.97, 1.0), unit="replicates", rater="gpt")
    check = RaterCheck(rater="gpt", dimension=None, check="known groups in order", passed=False, detail="2 of 9 are")
    found = verdict_of(good, policy(), checks=[check])
    assert found.verdict == "do not use"
    assert found.reasons[-1] == "rater gpt failed the check “known groups in order” (2 of 9 are)"
    assert found.vetoes == found.reasons[-1:]
    assert verdict_of(good, policy(), checks=[replace(check, passed=True)]).verdict == "trust"
    assert verdict_of(good, policy(), checks=[replace(check, dimension="novelty")]).verdict == "trust"


def test_a_failed_check_of_one_in_a_panel_is_told_and_of_all_vetoes() -> None:
    panel = evidence(estimate(0.99, 0.97, 1.0), panel=("a", "b"))
    failed = [RaterCheck(rater=name, dimension=None, check="constant answers", passed=False) for name in "ab"]
    one = verdict_of(panel, policy(), checks=failed[:1])
    assert one.verdict == "trust"
    assert "1 of 2 raters failed a check: a" in one.reasons[-1]
    assert verdict_of(panel, policy(), checks=failed).verdict == "do not use"


def test_systems_cannot_be_compared_without_a_column_of_systems() -> None:
    rules = policy(kind="compare-systems", coefficient="systems", most_k=1)
    found = verdict_of(evidence(estimate(0.9, 0.8, 0.95)), rules)
    assert (found.verdict, found.undecided) == ("do not use", True)
    assert "--system" in found.reasons[0]


def test_more_targets_per_system_are_suggested_where_systems_are_hardly_told_apart() -> None:
    means = SystemMeans(
        reliability=estimate(0.8, 0.4, 0.97), n_systems=4, n_targets=80, per_system=20.0, shared_raters=True
    )
    rules = policy(kind="compare-systems", coefficient="systems", most_k=1)
    found = verdict_of(evidence(estimate(0.9, 0.8, 0.95), systems=means), rules)
    assert (found.verdict, found.n_unit) == ("collect n more", "targets per system")
    # F = 1 / (1 - .8) = 5 and F / F_crit = 1 / (1 - .4), so F_crit = 3; 1 + n / 5 = 3 / (1 - .75) = 12 at n = 55
    assert found.n == 35


def test_without_a_mean_one_rating_is_trusted_only_where_it_suffices() -> None:
    no_mean = Refusal("the means of the targets do not differ", "use targets that differ")
    good, poor = (
        replace(evidence(single), mean=no_mean) for single in (estimate(0.9, 0.8, 1), estimate(0.7, 0.6, 0.8))
    )
    assert verdict_of(good, policy()).verdict == "trust"
    assert (verdict_of(poor, policy()).verdict, verdict_of(poor, policy()).undecided) == ("do not use", True)


@pytest.mark.parametrize(
    ("single", "verdict"),
    [
        (estimate(0.9, 0.8, 1.0), "trust"),
        (estimate(0.8, 0.7, 0.9), "collect n more"),
        (estimate(0.6, 0.5, 0.7), "do not use"),
    ],
)
def test_categories_are_decided_by_one_rating_for_every_rater_and_are_never_averaged(
    single: Estimate, verdict: str
) -> None:
    no_mean = Refusal("categories without an order have no mean over replicates", "read the coefficient of one rating")
    one = replace(evidence(single, unit="replicates", rater="gpt", measure="nominal alpha"), mean=no_mean)
    found = verdict_of(one, policy())
    assert (found.verdict, found.undecided) == (verdict, False)
    assert found.coefficient == "the nominal alpha of one rating"
    assert "categories without an order have no mean, so one rating decides" in found.reasons


def test_more_that_would_let_a_use_pass_is_kept_apart_from_more_that_would_rule_it_out() -> None:
    likely = verdict_of(evidence(estimate(0.93, 0.88, 0.96)), policy(**LIVE))
    unlikely = verdict_of(evidence(estimate(0.87, 0.82, 0.92)), policy(**LIVE))
    few = verdict_of(evidence(estimate(0.99, 0.97, 1.0), n_targets=12), policy())
    assert [d.verdict for d in (likely, unlikely, few)] == ["collect n more"] * 3
    assert [d.expected for d in (likely, unlikely, few)] == ["pass", "rule out", None]
    assert likely.words == f"collect {likely.n} more targets"
    assert unlikely.words == f"unlikely, {unlikely.n} more targets to rule it out"


def test_few_raters_are_told_beside_the_verdict() -> None:
    few = replace(estimate(0.9, 0.8, 1), flags=("few_raters",))
    assert "fewer than six raters" in verdict_of(evidence(few), policy()).reasons[-1]


def test_an_override_makes_a_group_stricter() -> None:
    rules = policy(overrides=[{"groups": ["safety"], "threshold": 0.95}])
    one = evidence(estimate(0.75, 0.7, 0.8))
    assert verdict_of(one, rules).verdict == "trust"
    assert verdict_of(replace(one, group="safety"), rules).verdict == "average k raters"


def test_an_override_on_what_is_not_there_is_told() -> None:
    rules = policy(overrides=[{"dimensions": ["saftey"], "threshold": 0.95}])
    assert any("saftey" in finding for finding in decide_uses([evidence(estimate(0.9, 0.8, 1))], rules).findings)


def gated(use: Mapping[str, Any], *gates: Gate) -> Decisions:
    return decide_uses([evidence(estimate(0.4, 0.3, 0.5))], policy(**use), gates=gates)


def test_a_gate_needs_trust_and_averaging_passes_only_where_the_use_says_so() -> None:
    assert not gated({}, Gate.parse("accuracy:u")).passed
    assert gated({"average_passes": True}, Gate.parse("accuracy:u")).passed
    assert gated({"threshold": 0.5}, Gate(None, "u")).passed
    assert gated({}).passed


@pytest.mark.parametrize("text", ["accuracy", ":u", "accuracy:", "accuracy:other", "none:u"])
def test_a_gate_on_nothing_is_refused(text: str) -> None:
    with pytest.raises(PolicyError):
        gated({}, Gate.parse(text))


def test_a_use_that_the_policy_does_not_have_is_refused() -> None:
    with pytest.raises(PolicyError, match="has no use 'x'; it has u"):
        decide_uses([evidence(estimate(0.9, 0.8, 1))], policy(), uses=["x"])


def test_every_decision_says_by_which_policy() -> None:
    rules = load_policy()
    found = decide_uses([evidence(estimate(0.9, 0.8, 1))], rules).decisions
    assert {(d.policy, d.policy_version, d.policy_hash) for d in found} == {("default", "1", rules.hash)}


# ------------------------------------------------------------------------------------------------------- how many more


@pytest.mark.parametrize(("rho", "threshold", "n", "k"), [(0.8, 0.75, 60, 4), (0.5, 0.4, 40, 3), (0.93, 0.9, 40, 4)])
def test_the_targets_that_lack_are_those_at_which_the_exact_interval_passes(
    rho: float, threshold: float, n: int, k: int
) -> None:
    """The exact F interval at mean squares that give rho is taken as what is to be expected."""

    def low(n_: int) -> float:
        between, within = 1.0 + (k - 1.0) * rho, 1.0 - rho
        found = icc_forms(MeanSquares(n_, k, between, within, within, within))[0].estimate
        assert isinstance(found, Estimate)
        assert found.low is not None
        return found.low

    exact = next(m for m in range(n, 20_000) if low(m) >= threshold)
    odds = [r / (1.0 - r) for r in (rho, low(n), threshold)]
    found = targets_until(*odds, n=n, per_target=k)
    assert found == pytest.approx(exact, rel=0.08)


def test_no_number_of_targets_is_expected_to_pass_where_the_estimate_is_at_the_threshold() -> None:
    assert targets_until(3.0, 2.0, 3.0, n=50, per_target=4) == math.inf
    assert targets_per_system_until(0.0, 0.0, 0.75, per_system=10) == math.inf


def test_after_exact_repetition_the_distance_of_the_limit_shrinks_with_the_targets() -> None:
    assert targets_until(math.inf, 4.0, 9.0, n=50, per_target=4) == 100.0


# ------------------------------------------------------------------------------------------------ what must not happen

SHARE = st.floats(0.01, 0.99)


@st.composite
def intervals(draw: st.DrawFn) -> Estimate:
    low, value, high = sorted((draw(SHARE), draw(SHARE), draw(SHARE)))
    return estimate(value, low, high)


@st.composite
def uses(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "coefficient": draw(st.sampled_from(["single", "mean"])),
        "threshold": draw(st.floats(0.05, 0.95)),
        "most_k": draw(st.integers(1, 40)),
        "most_more": draw(st.integers(1, 2000)),
        "minimum_targets": draw(st.integers(2, 200)),
        "most_missing": draw(st.floats(0.0, 0.5)),
    }


@given(intervals(), uses(), SHARE, st.integers(0, 200))
def test_a_higher_lower_limit_never_gives_a_worse_verdict(
    found: Estimate, use: dict[str, Any], lift: float, missing: int
) -> None:
    assert found.low is not None
    higher = replace(found, low=found.low + lift * (found.value - found.low))
    before, after = (verdict_of(evidence(e, n_missing=missing), policy(**use)) for e in (found, higher))
    assert rank(after) <= rank(before)


@given(intervals(), uses(), uses(), st.integers(0, 200))
def test_a_stricter_policy_never_gives_a_better_verdict(
    found: Estimate, use: dict[str, Any], other: dict[str, Any], missing: int
) -> None:
    strict = {name: (max if name in {"threshold", "minimum_targets"} else min)(use[name], other[name])
              for name in use if name != "coefficient"}  # fmt: skip
    one = evidence(found, n_missing=missing)
    assert rank(verdict_of(one, policy(**use | strict))) >= rank(verdict_of(one, policy(**use)))


@given(uses(), st.booleans())
def test_the_unknown_is_never_trusted(use: dict[str, Any], refused: bool) -> None:
    single = Refusal("unknown", "more") if refused else estimate(0.99, None, None)
    found = verdict_of(evidence(single), policy(**use))
    assert found.verdict == "do not use"
    assert found.undecided


@given(st.floats(0.05, 0.6), st.floats(1.5, 39.0))
def test_a_suggested_number_of_raters_is_the_least_that_suffices(low: float, enough: float) -> None:
    odds = low / (1.0 - low)

    def at(k: float) -> float:
        return k * odds / (1.0 + k * odds)

    rules = policy(coefficient="single", threshold=at(enough), most_k=40)
    decision = verdict_of(evidence(estimate(low, low, 0.99)), rules)
    assert decision.verdict == "average k raters"
    assert decision.k is not None
    assert at(decision.k) >= at(enough) * (1.0 - 1e-8)
    assert at(decision.k - 1) < at(enough)
