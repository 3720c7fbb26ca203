"""When a check of simulated users is passed, and what is said of it."""

from collections.abc import Mapping, Sequence

from dialgauge.analyse.checking.rules import say
from dialgauge.analyse.users.records import CHECKS, OBEYS, SAME_END, Replicability, UserCheck, UserShare
from dialgauge.stats.estimate import Estimate

LEAST_OBEYING = 0.5
"""Share of acceptances that must be able to fit the preference."""

MOST_WRONG = 0.1
"""Share of acceptances, or of dialogues, in which something may go wrong at the user's side."""

LEAST_SAME = 0.5
"""Share of pairs of replicates that must be able to end alike."""

FEWEST = 10
"""Acceptances, dialogues or replicated combinations below which no verdict is given."""

NO_REPLICATES = (
    "no combination of system, persona and preference was simulated twice; simulate again with --replicates 2 or more"
)


def judge_users(
    shares: Sequence[UserShare], replicability: Sequence[Replicability]
) -> tuple[tuple[UserCheck, ...], Mapping[str, str]]:
    """Return the verdicts over all systems together, and the reason for each check without one.

    The obeying share, and that of replicates that end alike, fail where the whole interval lies below one half; the
    shares of what goes wrong where it lies above .10.
    """
    found: list[UserCheck] = []
    not_made: dict[str, str] = {}
    for check in CHECKS:
        judged = _judge_replicates(replicability) if check == SAME_END else _judge_share(_pooled(shares, check))
        if isinstance(judged, str):
            not_made[check] = judged
        else:
            found.append(judged)
    return tuple(found), not_made


def _pooled(shares: Sequence[UserShare], check: str) -> UserShare:
    return next(one for one in shares if one.check == check and one.system is None)


def _judge_share(found: UserShare) -> UserCheck | str:
    if found.n < FEWEST:
        return f"there are {found.n} {found.counted}, and it takes {FEWEST}; simulate more dialogues"
    if not isinstance(found.result, Estimate):
        return f"{found.result.reason}; {found.result.remedy}"
    low, high = found.result.low, found.result.high
    if low is None or high is None:
        return "the share has no interval; simulate more personas and preferences"
    passed = high >= LEAST_OBEYING if found.check == OBEYS else low <= MOST_WRONG
    what = "fit the preference" if found.check == OBEYS else "are such"
    detail = f"{found.hits:,} of {found.n:,} {found.counted} {what}, {say(found.result)} ({found.result.covers})"
    return UserCheck(check=found.check, passed=passed, detail=detail)


def _judge_replicates(replicability: Sequence[Replicability]) -> UserCheck | str:
    if not replicability:
        return NO_REPLICATES
    found = replicability[0]
    if found.n_combinations < FEWEST:
        return f"{found.n_combinations} combinations have replicates, and it takes {FEWEST}; simulate more of them"
    if not isinstance(found.same_end, Estimate):
        return f"{found.same_end.reason}; {found.same_end.remedy}"
    if found.same_end.high is None:
        return "the share has no interval; simulate more personas and preferences"
    detail = (
        f"{say(found.same_end)} of the pairs of replicates end alike ({found.same_end.covers}), by chance "
        f"{found.by_chance:.2f}; {found.n_combinations:,} combinations, {found.n_dialogues:,} dialogues"
    )
    return UserCheck(check=SAME_END, passed=found.same_end.high >= LEAST_SAME, detail=detail)
