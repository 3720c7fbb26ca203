"""The forecast before ratings are collected, and the table after, for a terminal."""

from collections.abc import Mapping, Sequence

from dialgauge.collect.plan import Forecast
from dialgauge.collect.rate import Outcome
from dialgauge.collect.tally import Tally
from dialgauge.io.store import RaterCounts
from dialgauge.model import MISSING_REASONS, Budget
from dialgauge.report.collection.words import say_duration, say_money, say_tokens
from dialgauge.report.lines import GAP, WIDTH, Column, Lines, total_width
from dialgauge.report.numerals import DASH, percent, plural
from dialgauge.report.text import ELLIPSIS, clean, shorten_all

LONGEST_NAME = 24
"""Cells of the name of a rater where there is no room for more."""

MOST_ERRORS = 3
"""Texts of errors that are told of each rater."""


def render_forecast(
    forecasts: Sequence[Forecast], budget: Budget, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False
) -> str:
    """Return what each rater's part will take, and in all, as text: input by usual text, output at its limit."""
    lines = Lines(width=width, ascii_only=ascii_only)
    lacking = sum(one.planned - one.there for one in forecasts)
    planned = sum(one.planned for one in forecasts)
    wanted = plural(planned, "rating")
    lines.say(f"{lacking:,} of {wanted} to collect" if lacking else f"All there: {wanted}", style="bold")
    lines.line()
    tokens = [(one.use.input_tokens, one.use.output_tokens) if one.kind == "llm" else None for one in forecasts]
    columns = [
        Column(("", "kind"), [one.kind for one in forecasts], left=True, rank=2),
        Column(("ratings", "planned"), [f"{one.planned:,}" for one in forecasts]),
        Column(("", "there"), [f"{one.there:,}" for one in forecasts]),
        Column(("", "calls"), [f"{one.calls:,}" for one in forecasts]),
        Column(("tokens in", "about"), [say_tokens(n[0]) if n else DASH for n in tokens]),
        Column(("tokens out", "at most"), [say_tokens(n[1]) if n else DASH for n in tokens]),
        Column(("cost", "about"), [say_money(one.use.cost, budget.currency) for one in forecasts]),
    ]
    lines.table([_name_column([one.rater for one in forecasts], columns, lines), *columns])
    lines.line()
    lines.say(_say_budget(forecasts, budget), style="dim")
    return lines.to_text(styled=styled)


def render_outcome(
    outcome: Outcome,
    counts: Sequence[RaterCounts],
    forecasts: Sequence[Forecast],
    budget: Budget,
    *,
    copies: Mapping[str, int],
    width: int = WIDTH,
    styled: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return how a collection ended: for each rater what is there, what is missing and why, as text.

    ``copies`` counts for each rater the answers that are those of another replicate, byte for byte.
    """
    lines = Lines(width=width, ascii_only=ascii_only)
    tally = outcome.tally
    lines.say(say_state(outcome), style="bold")
    lines.line()
    by_rater = {one.rater: one for one in counts}
    planned = {one.rater: one.planned for one in forecasts}
    shown = [by_rater.get(name, RaterCounts(rater=name, with_value=0, missing={})) for name in planned]
    reasons = [reason for reason in MISSING_REASONS if any(one.missing.get(reason) for one in shown)]
    columns = [
        Column(("ratings", "planned"), [f"{planned[one.rater]:,}" for one in shown]),
        Column(("with", "value"), [f"{one.with_value:,}" for one in shown]),
        *(
            Column(("missing" if i == 0 else "", reason), [f"{one.missing.get(reason, 0):,}" for one in shown])
            for i, reason in enumerate(reasons)
        ),
        Column(("not yet", "asked"), [f"{_not_asked(one, planned[one.rater]):,}" for one in shown]),
        Column(("missing", "%"), [percent(missing_share(one, planned[one.rater])) for one in shown]),
    ]
    lines.table([_name_column([one.rater for one in shown], columns, lines), *columns])
    lines.line()
    lines.say(_say_use(tally, budget.currency), style="dim")
    lines.section("Copies", _say_copies({name: n for name, n in copies.items() if name in planned}))
    lines.section("Ratings beyond the plan", _say_beyond(shown))
    lines.section("Why calls failed", say_errors(tally))
    stopped = [f"{clean(name)}: {clean(why)}" for name, why in outcome.stopped.items()]
    lines.section("What stopped early, and why", stopped)
    return lines.to_text(styled=styled)


def _say_copies(copies: Mapping[str, int]) -> list[str]:
    return [
        f"{clean(name)}: {plural(n, 'answer')} with the same bytes as another replicate, id included. Something on the "
        "way keeps copies (a cache); they say nothing of how well the model repeats itself."
        for name, n in copies.items()
    ]


def _say_beyond(counts: Sequence[RaterCounts]) -> list[str]:
    return [
        f"{clean(one.rater)}: {one.beyond:,} more than planned, of replicates, dimensions or targets that the study "
        "asked for before. They are kept, and analyses have them."
        for one in counts
        if one.beyond
    ]


def say_errors(tally: Tally) -> list[str]:
    """Return for each rater what was said most often where its calls failed, with how often."""
    told = []
    for name, texts in sorted(tally.errors.items()):
        most = [f"{n:,} × {clean(text)}" for text, n in texts.most_common(MOST_ERRORS)]
        other = texts.total() - sum(n for _, n in texts.most_common(MOST_ERRORS))
        told.append(f"{clean(name)}: {'; '.join(most)}" + (f"; {other:,} × something else" if other else ""))
    return told


def _name_column(names: Sequence[str], others: Sequence[Column], lines: Lines) -> Column:
    """Return the names of raters, as long as there is room beside ``others``."""
    room = lines.width - total_width(others) - len(GAP)
    shown = shorten_all([clean(name) for name in names], max(LONGEST_NAME, room), lines.write(ELLIPSIS))
    return Column(("", "rater"), shown, left=True)


def _say_use(tally: Tally, currency: str) -> str:
    """Return calls, tokens, money and time in a sentence; what is not known is not zero."""
    failed = f", {tally.failed.total():,} of them failed" if tally.failed else ""
    calls = plural(tally.attempts, "call")
    if tally.by_code:
        calls += " by code" if tally.by_code == tally.attempts else f" ({tally.by_code:,} by code)"
    if tally.by_code == tally.attempts > 0:
        return f"This time: {calls}{failed}; {say_duration(tally.seconds)}."
    answered = tally.attempts - tally.failed.total() - (tally.by_code - tally.code_failed)
    tokens = f"{say_tokens(tally.input_tokens)} tokens in, {say_tokens(tally.output_tokens)} out"
    cost = say_money(tally.cost, currency)
    if tally.uncounted:
        tokens = f"{tokens} and those of {plural(tally.uncounted, 'answer')} that the endpoint did not count"
    if tally.unpriced:
        cost = "cost unknown" if tally.unpriced == answered else f"{cost} and the unknown cost of {tally.unpriced:,}"
    if answered and tally.uncounted == answered:
        tokens = "tokens unknown"
    return f"This time: {calls}{failed}; {tokens}; {cost}; {say_duration(tally.seconds)}."


def missing_share(counts: RaterCounts, planned: int) -> float:
    """Return the share (0 to 1) of the planned ratings of a rater that lack; "not-applicable" is an answer."""
    there = counts.with_value + counts.missing.get("not-applicable", 0)
    return 1.0 - there / planned if planned else 0.0


def _not_asked(counts: RaterCounts, planned: int) -> int:
    return max(0, planned - counts.with_value - sum(counts.missing.values()))


def say_state(outcome: Outcome) -> str:
    """Say how a collection ended, and what it brought."""
    tally = outcome.tally
    new = f"{plural(tally.rated, 'new rating')} with a value, {tally.missing.total():,} missing"
    if tally.elsewhere:
        new += f", {tally.elsewhere:,} that another process had first"
    if outcome.interrupted:
        return f"Interrupted; what was answered is kept: {new}. The same command goes on from here."
    if outcome.budget_spent:
        return f"The budget is spent: {new}. With a larger budget the same command goes on from here."
    return f"{'Stopped early' if outcome.stopped else 'Done'}: {new}."


def _say_budget(forecasts: Sequence[Forecast], budget: Budget) -> str:
    costs = [one.use.cost for one in forecasts]
    unknown = [one.rater for one in forecasts if one.use.cost is None]
    total = sum(cost for cost in costs if cost is not None)
    caps = [
        f"{budget.cost:g} {budget.currency}" if budget.cost is not None else "",
        f"{budget.tokens:,} tokens" if budget.tokens is not None else "",
    ]
    cap = " and ".join(cap for cap in caps if cap)
    known = f"In all about {say_money(total, budget.currency)}"
    if unknown:
        names = f"unknown for {', '.join(map(clean, unknown))} (no price in study.toml)"
        known = f"{known}, and {names}" if total else f"The cost is {names}"
    return f"{known}. " + (
        f"The budget stops at {cap}." if cap else "There is no cap; [budget] in study.toml sets one."
    )
