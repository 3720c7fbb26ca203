"""Simulated users in words and tables: what their acceptance rests on, and how far replicates come out alike."""

from collections.abc import Iterator
from dataclasses import dataclass

from dialgauge.analyse.users import Replicability, UserChecks, UserShare
from dialgauge.analyse.users.records import (
    BROKEN,
    CHECKS,
    GOODBYES,
    OBEYS,
    PREMATURE,
    REPEATS,
    SAME_END,
    UNRECOMMENDED,
    Outcome,
    UserCheck,
)
from dialgauge.analyse.users.rules import FEWEST
from dialgauge.report.checks.numbers import two_digits, write_estimate
from dialgauge.report.numerals import drop_zeros, plural
from dialgauge.report.text import clean, join, typeset

ALL = "all together"

RULES = {
    OBEYS: "the accepted item fits the preference (an unknown item does not); fails where the whole interval of the "
    "share of acceptances lies below .50",
    UNRECOMMENDED: "the system had not recommended the accepted item by its title; fails where the whole interval of "
    "the share of acceptances lies above .10",
    PREMATURE: "such an acceptance in answer to the first reply of the system; fails likewise",
    REPEATS: "the user says the same three times; fails where the whole interval of the share of dialogues lies "
    "above .10",
    GOODBYES: "both sides say goodbye twice in a row; fails likewise",
    BROKEN: "the user gave no answer that could be read; fails likewise",
    SAME_END: "pairs of replicates of one system, persona and preference end alike; fails where the whole interval of "
    "the share lies below .50",
}
"""The rule of each check, in words."""

OUTCOMES: dict[Outcome, str] = {"accepted": "accepted", "turns": "turns", "success": "success"}

ON_ICC = (
    "Accepted, turns and success: the share of the variance of one dialogue that persona and preference account for, "
    "ICC(1); replicates leave the rest. Success: a target stood first in a ranking."
)


@dataclass(frozen=True, slots=True)
class UserRow:
    """One check: how it ended, what was found over all systems, ready to print."""

    check: str
    word: str
    count: str
    found: str
    failed: bool


@dataclass(frozen=True, slots=True)
class SystemRow:
    """The shares of one system, in the order of the checks, ready to print."""

    system: str
    acceptances: str
    shares: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplicateRow:
    """The replicability of one system, ready to print."""

    system: str
    combinations: str
    same: str
    chance: str
    icc: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UserSummary:
    """What the section on simulated users shows."""

    size: str
    score: str
    rows: tuple[UserRow, ...]
    systems: tuple[SystemRow, ...]
    replicates: tuple[ReplicateRow, ...]
    notes: tuple[str, ...]
    failed: tuple[str, ...]
    not_made: tuple[str, ...]
    level: str


def summarise_users(found: UserChecks) -> UserSummary:
    """Return what is shown of the checks of simulated users; all names are cleaned."""
    return UserSummary(
        size=say_size(found),
        score=say_score(found),
        rows=tuple(_list_rows(found)),
        systems=tuple(_list_systems(found)),
        replicates=tuple(_list_replicates(found.replicability)),
        notes=tuple(_notes(found)),
        failed=tuple(say_user_check(check) for check in found.failed),
        not_made=tuple(typeset(f"{check}: {reason}.") for check, reason in found.not_made.items()),
        level=f"{found.level * 100:g}",
    )


def say_size(found: UserChecks) -> str:
    """Say who the users are, and how much there is of them."""
    who = join([clean(name) for name in found.users])
    met = f"{plural(found.n_personas, 'persona')} and {plural(found.n_preferences, 'preference')}"
    dialogues, acceptances = plural(found.n_dialogues, "dialogue"), plural(found.n_acceptances, "acceptance")
    return f"Played by {who}: {dialogues} with {met}, {acceptances}."


def say_score(found: UserChecks) -> str:
    """Say how many checks were passed and failed."""
    if not found.checks:
        return "nothing could be checked yet."
    failed = len(found.failed)
    tail = f", {failed} failed" if failed else ""
    return f"{plural(len(found.checks), 'check')}: {len(found.checks) - failed} passed{tail}."


def say_user_check(check: UserCheck) -> str:
    """Say in a sentence what a check found."""
    return typeset(f"{check.check}: {drop_zeros(check.detail)}.")


def _list_rows(found: UserChecks) -> Iterator[UserRow]:
    verdicts = {check.check: check.passed for check in found.checks}
    for check in CHECKS:
        if check == SAME_END:
            if not found.replicability:
                continue
            first = found.replicability[0]
            count, result = f"{first.n_combinations:,} combinations", first.same_end
        else:
            share = _pooled(found, check)
            count, result = f"{share.hits:,} of {share.n:,} {share.counted}", share.result
        passed = verdicts.get(check)
        word = "not made" if passed is None else "passed" if passed else "failed"
        yield UserRow(check, word, count, write_estimate(result), failed=passed is False)


def _pooled(found: UserChecks, check: str) -> UserShare:
    return next(one for one in found.shares if one.check == check and one.system is None)


def _list_systems(found: UserChecks) -> Iterator[SystemRow]:
    for system in dict.fromkeys(one.system for one in found.shares if one.system is not None):
        shares = {one.check: one for one in found.shares if one.system == system}
        cells = tuple(_write(shares[check]) for check in CHECKS if check in shares)
        yield SystemRow(clean(system), f"{shares[OBEYS].n:,}", cells)


def _write(share: UserShare) -> str:
    return write_estimate(share.result)


def _list_replicates(replicability: tuple[Replicability, ...]) -> Iterator[ReplicateRow]:
    for one in replicability:
        yield ReplicateRow(
            system=ALL if one.system is None else clean(one.system),
            combinations=f"{one.n_combinations:,}",
            same=write_estimate(one.same_end),
            chance=two_digits(one.by_chance),
            icc=tuple(write_estimate(one.icc.get(outcome)) for outcome in OUTCOMES),
        )


def _notes(found: UserChecks) -> Iterator[str]:
    covers = dict.fromkeys(
        one.result.covers for one in found.shares if one.system is None and hasattr(one.result, "covers")
    )
    if covers:
        yield f"Intervals are for {join(list(covers))}."
    if found.n_failed:
        yield f"{plural(found.n_failed, 'dialogue')} failed at either side; such are not compared with replicates."
    if found.replicability and found.unreplicated:
        said = plural(found.unreplicated, "combination")
        yield f"{said} of system, persona and preference without a replicate: not compared."
    if found.n_acceptances < FEWEST:
        yield "With so few acceptances little can be said of them."
