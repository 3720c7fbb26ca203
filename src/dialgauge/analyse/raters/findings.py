"""Plain sentences on the raters together. They say who differs and how, and accuse nobody."""

from collections.abc import Sequence

from dialgauge.analyse.raters.limits import FALSE_SHARE, NO_AGREEMENT, NOISY, SEVERE
from dialgauge.analyse.raters.parts import Change, Severity, Without
from dialgauge.analyse.raters.records import RaterQuality, RaterReport, Rule

MOST_NAMES = 4

SMALL = 0.005
"""A change of Rel(k) below this is none."""


def findings_of(report: RaterReport) -> tuple[str, ...]:
    """Return the sentences that change what one may conclude, the weightiest first."""
    return (
        *_how_many(report),
        *_care(report),
        *_scatter(report),
        *_severity(report),
        *_dropping(report),
        *_design(report),
    )


def _how_many(report: RaterReport) -> list[str]:
    n, flagged = len(report.raters), len(report.flagged)
    if not flagged:
        return ["The one rater cannot be compared." if n == 1 else f"None of the {n} raters stands out by any rule."]
    head = f"{flagged} of {n} raters {'is' if flagged == 1 else 'are'} worth a look: {_names(report.flagged)}."
    return [f"{head} Of those found by a test, at most {FALSE_SHARE:.0%} are expected to be there by chance."]


def _care(report: RaterReport) -> list[str]:
    found = []
    if same := _by(report, "one_value"):
        found.append(f"{_count(same)} used one value throughout: {_names(same)}.")
    if lines := _by(report, "straight_lining"):
        found.append(
            f"{_count(lines)} gave all dimensions one value more often than the others do and than their own use of "
            f"the scale explains: {_names(lines)}."
        )
    if fast := _by(report, "speed"):
        found.append(
            f"{_count(fast)} took less than {report.norms.threshold or 0.0:.0f} seconds for most answers, a third of "
            f"the panel's median: {_names(fast)}."
        )
    return found


def _scatter(report: RaterReport) -> list[str]:
    found = []
    if noisy := _by(report, "noise"):
        found.append(
            f"{_count(noisy)} scatter{'s' if len(noisy) == 1 else ''} at least {NOISY:g} times as much as the others "
            f"once targets and severity are accounted for: {_names(noisy)}."
        )
    if apart := _by(report, "agreement"):
        found.append(
            f"{_count(apart)} hardly follow{'s' if len(apart) == 1 else ''} the others on the same targets "
            f"(correlation of at most {NO_AGREEMENT:g}): {_names(apart)}."
        )
    return found


def _severity(report: RaterReport) -> list[str]:
    severe = _by(report, "severity")
    if not severe:
        return []
    lower = [r for r in severe if isinstance(r.severity, Severity) and r.severity.estimate.value < 0.0]
    higher = [r for r in severe if r not in lower]
    parts = [f"{len(some)} {word} ({_names(some)})" for some, word in ((lower, "lower"), (higher, "higher")) if some]
    share = report.norms.rater_share
    total = "" if share is None else f" Differences in severity make up {share:.0%} of the variance of one rating."
    verb = "differs" if len(severe) == 1 else "differ"
    level = f"{_count(severe)} {verb} in severity by more than {SEVERE:g} standard deviations of one rating"
    return [f"{level}: {' and '.join(parts)}.{total}"]


def _dropping(report: RaterReport) -> list[str]:
    if report.together is None:
        return []
    found = []
    singles = [r.without for r in report.flagged if r.without is not None]
    moved = [without for without in singles if _words_changed(without)]
    if len(report.flagged) > 1:
        whom = "any one of them" if len(singles) == len(report.flagged) else f"any one of the first {len(singles)}"
        cases = f"{len(moved)} case{'' if len(moved) == 1 else 's'}"
        inside = ", always within the interval" if all(c.within for w in moved for c in _words_changed(w)) else ""
        words = f"changes the word of some dimension in {cases}{inside}" if moved else "changes no word"
        found.append(f"Leaving out {whom} {words}.")
    if report.but_severe is not None:
        whom = "flagged" if report.but_severe is report.together else "flagged for something other than severity"
        found.append(_say_without(report.but_severe, whom))
    if report.but_severe is not report.together:
        found.append(_say_without(report.together, "flagged"))
    if any(_by(report, rule) for rule in ("noise", "agreement", "severity")):
        found.append(
            "Leaving out raters because they differ raises the agreement of the rest whatever the truth is: look at "
            "what they did before deciding. Severity alone is no fault, and averages out over raters."
        )
    return found


def _say_without(without: Without, whom: str) -> str:
    n = len(without.raters)
    who = f"Without the {'rater' if n == 1 else f'{n} raters'} {whom} ({without.n_ratings:,} ratings)"
    return f"{who} {say_changes(without)}."


def say_changes(without: Without) -> str:
    """Say what dropping raters changes: the span of the changes of Rel(k), and every word that changes."""
    pairs = [(c, c.rel_k[1] - c.rel_k[0]) for c in without.changes if c.rel_k[1] is not None]
    if not pairs:
        return "no dimension could be estimated"
    smallest, largest = min(d for _, d in pairs), max(d for _, d in pairs)
    span = (
        f"Rel(k) changes by less than {_number(SMALL)}"
        if max(abs(smallest), abs(largest)) < SMALL
        else f"Rel(k) changes by {_signed(smallest)}"
        if smallest == largest
        else f"Rel(k) changes by {_signed(smallest)} to {_signed(largest)}"
    )
    words = [f"{c.dimension} from {c.band[0]} to {c.band[1]}" for c in _words_changed(without)]
    changed = f"the word changes for {_some(words)}" if words else "no word changes"
    outside = [c.dimension for c, _ in pairs if c.within is False]
    beyond = f", beyond the interval for {_some(outside)}" if outside else ", within the intervals"
    lost = [c.dimension for c in without.changes if c.refusal is not None]
    gone = f"; {_some(lost)} could no longer be estimated" if lost else ""
    return f"{span}{beyond}, and {changed}{gone}"


def _words_changed(without: Without) -> list[Change]:
    return [c for c in without.changes if c.band[1] is not None and c.band[1] != c.band[0]]


def _design(report: RaterReport) -> list[str]:
    found: list[str] = []
    if not any(isinstance(rater.severity, Severity) for rater in report.raters):
        return found
    if report.design.few_raters:
        found.append(
            f"With {report.design.n_raters} raters the mean that each is held against is largely made of the others at "
            "hand: read the differences as differences between these raters."
        )
    if not report.design.connected:
        found.append(
            f"Raters and targets fall into {report.design.n_components} groups that share no rating: severities in "
            "different groups are comparable only if the groups' targets are equally good on average."
        )
    return found


def _by(report: RaterReport, rule: Rule) -> list[RaterQuality]:
    return [r for r in report.raters if any(flag.rule == rule for flag in r.flags)]


def _count(raters: Sequence[RaterQuality]) -> str:
    return f"{len(raters)} rater{'' if len(raters) == 1 else 's'}"


def _names(raters: Sequence[RaterQuality]) -> str:
    return _some([r.name for r in raters])


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES} more"


def _number(value: float) -> str:
    return f"{abs(value):.3f}".removeprefix("0")


def _signed(value: float) -> str:
    return ("−" if value < 0.0 else "+") + _number(value)
