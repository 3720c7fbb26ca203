"""Shares of what simulated users do: counted from what is recorded, judged by intervals over who was simulated."""

import pytest
from scipy.stats import beta

from dialgauge.analyse.users import UserChecks, UserShare, check_users
from dialgauge.analyse.users.records import BROKEN, CHECKS, GOODBYES, OBEYS, PREMATURE, REPEATS, UNRECOMMENDED
from dialgauge.errors import InputError
from dialgauge.model.simulation import Simulation
from dialgauge.stats.estimate import Estimate, Refusal

from .conftest import met


def checked(simulations: list[Simulation]) -> UserChecks:
    found = check_users(simulations)
    assert found is not None
    return found


def share(found: UserChecks, check: str, system: str | None = None) -> UserShare:
    return next(one for one in found.shares if (one.check, one.system) == (check, system))


def verdicts(found: UserChecks) -> dict[str, bool]:
    return {check.check: check.passed for check in found.checks}


def crowd(**settings: object) -> list[Simulation]:
    """Return eight personas with six preferences, all alike."""
    return [met(f"p{i}", f"q{j}", **settings) for i in range(8) for j in range(6)]  # type: ignore[arg-type]


def test_without_simulated_dialogues_there_is_nothing_to_check() -> None:
    assert check_users([]) is None


def test_acceptances_count_by_the_item_that_was_accepted_and_an_unknown_item_does_not_fit() -> None:
    found = checked([met("a", accepts="t"), met("b", accepts="x"), met("c", accepts=""), met("d")])
    one = share(found, OBEYS)
    assert (one.hits, one.n, one.counted) == (1, 3, "acceptances")
    assert found.n_acceptances == 3


def test_what_is_noticed_counts_once_a_dialogue() -> None:
    found = checked(
        [
            met("a", accepts="x", turns=1, marks=["accepted unrecommended", "accepted unfit"]),
            met("b", accepts="x", turns=2, marks=["accepted unrecommended"]),
            met("c", marks=["user repeats", "user repeats", "system repeats"]),
            met("d", marks=["goodbyes"]),
            met("e", ended="failed", failure="user: no answer that can be read"),
            met("f", ended="failed", failure="system: timeout"),
        ]
    )
    expected = {UNRECOMMENDED: (2, 2), PREMATURE: (1, 2), REPEATS: (1, 6), GOODBYES: (1, 6), BROKEN: (1, 6)}
    assert {check: (share(found, check).hits, share(found, check).n) for check in expected} == expected
    assert found.n_failed == 2


def test_an_acceptance_at_the_first_reply_of_what_it_recommends_is_not_premature() -> None:
    found = checked([met("a", accepts="t", turns=1)])
    assert share(found, PREMATURE).hits == 0


def test_users_that_want_what_they_say_fail_nothing() -> None:
    found = checked([*crowd(accepts="t"), *crowd(accepts="t", replicate=2)])
    assert set(verdicts(found)) == set(CHECKS)
    assert found.failed == ()
    assert found.finding is None


def test_users_that_accept_at_once_fail_plainly_and_a_sentence_says_so() -> None:
    found = checked(crowd(accepts="x", turns=1, marks=["accepted unrecommended", "accepted unfit"]))
    assert {check for check, passed in verdicts(found).items() if not passed} == {OBEYS, UNRECOMMENDED, PREMATURE}
    assert found.finding is not None
    assert found.finding.startswith(
        "Acceptance rests on users that mostly accept what does not fit their preference, accept what was never "
        "recommended and accept at the first reply what it does not recommend: "
    )


def test_users_that_loop_say_goodbye_and_break_down_fail_these_checks() -> None:
    found = checked(crowd(marks=["user repeats", "goodbyes"], ended="failed", failure="user: nothing"))
    assert {check.check for check in found.failed} == {REPEATS, GOODBYES, BROKEN}


def test_half_of_acceptances_against_the_preference_is_not_yet_shown_to_be_most() -> None:
    half = [met(f"p{i}", f"q{j}", accepts="t" if (i + j) % 2 else "x") for i in range(8) for j in range(6)]
    assert verdicts(checked(half))[OBEYS]


def test_the_interval_is_that_of_clopper_and_pearson_for_the_fewer_clusters_where_all_are_alike() -> None:
    result = share(checked(crowd(accepts="t")), OBEYS).result
    assert isinstance(result, Estimate)
    assert (result.value, result.high) == (1.0, 1.0)
    assert result.low == pytest.approx(beta.ppf(0.025, 6, 1), abs=1e-12)
    assert result.covers == "personas and preferences"


@pytest.mark.parametrize(
    ("personas", "preferences", "covers"),
    [
        (6, 6, "personas and preferences"),
        (7, 2, "personas, these preferences only"),
        (2, 7, "preferences, these personas only"),
        (3, 2, "combinations of these personas and preferences"),
    ],
)
def test_an_interval_names_what_it_is_for(personas: int, preferences: int, covers: str) -> None:
    result = share(
        checked([met(f"p{i}", f"q{j}") for i in range(personas) for j in range(preferences)]), REPEATS
    ).result
    assert isinstance(result, Estimate)
    assert result.covers == covers


def test_too_few_combinations_are_refused_with_a_remedy() -> None:
    found = checked([met("a", replicate=i) for i in range(1, 13)])
    assert isinstance(share(found, REPEATS).result, Refusal)
    assert "simulate with more personas and preferences" in found.not_made[REPEATS]


def test_few_acceptances_get_no_verdict() -> None:
    found = checked([*crowd(), met("p0", "q9", accepts="x")])
    assert OBEYS not in verdicts(found)
    assert found.not_made[OBEYS] == "there are 1 acceptances, and it takes 10; simulate more dialogues"


def test_systems_stand_beside_all_together() -> None:
    found = checked([*crowd(accepts="t", system="good"), *crowd(accepts="x", system="bad")])
    values = {system: share(found, OBEYS, system).result for system in (None, "good", "bad")}
    assert {name: value.value for name, value in values.items() if isinstance(value, Estimate)} == {
        None: 0.5,
        "good": 1.0,
        "bad": 0.0,
    }


def test_a_level_outside_its_range_is_refused() -> None:
    with pytest.raises(InputError, match="level"):
        check_users([met()], level=1.0)
