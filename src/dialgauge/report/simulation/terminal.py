"""The forecast before dialogues are simulated, and the table after, for a terminal."""

from collections.abc import Mapping, Sequence
from typing import get_args

from dialgauge.io.words import clip
from dialgauge.model.simulated import End
from dialgauge.model.simulation import MARKS
from dialgauge.report.collection.words import say_duration, say_money
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.numerals import percent, plural
from dialgauge.report.text import ELLIPSIS, clean, shorten_all
from dialgauge.simulate.course import SimulationOutcome
from dialgauge.simulate.plan import Plan, SystemForecast

LONGEST_NAME = 30

LONGEST_FAILURE = 160
"""Characters of the first failure of a kind."""

_WORDS = {
    "user repeats": "the user said the same three times",
    "system repeats": "the system said the same three times",
    "goodbyes": "both sides said goodbye to and fro",
    "unknown items": "the system gave items that the catalogue does not have, or has more than once",
    "no title": "the system recommended and named no title that is known",
    "accepted unrecommended": "the user accepted what was never recommended",
    "accepted unfit": "the user accepted what does not fit",
}


def render_forecast(
    forecasts: Sequence[SystemForecast],
    plan: Plan,
    *,
    users: str,
    width: int = WIDTH,
    styled: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return what the dialogues will take at most, as text."""
    lines = Lines(width=width, ascii_only=ascii_only)
    planned, there = sum(one.planned for one in forecasts), sum(one.there for one in forecasts)
    wanted = plural(planned, "dialogue")
    lines.say(
        f"{planned - there:,} of {wanted} to simulate" if planned > there else f"All there: {wanted}", style="bold"
    )
    each = len(plan.users) / max(1, plan.n_personas)
    crossed = [plural(plan.n_personas, "persona"), f"{each:g} of {plural(plan.n_preferences, 'preference')}"]
    crossed += [plural(plan.replicates, "replicate")] if plan.replicates > 1 else []
    lines.say(f"{plural(len(forecasts), 'system')} × {' × '.join(crossed)}; users: {clean(users)}", style="dim")
    lines.line()
    columns = [
        _names([one.system for one in forecasts], lines),
        Column(("dialogues", "planned"), [f"{one.planned:,}" for one in forecasts]),
        Column(("", "there"), [f"{one.there:,}" for one in forecasts]),
        Column(("replies", "at most"), [f"{one.replies:,}" for one in forecasts]),
    ]
    if any(one.calls for one in forecasts):
        columns.append(Column(("user calls", "at most"), [f"{one.calls:,}" for one in forecasts]))
    lines.table(columns)
    return lines.to_text(styled=styled)


def render_outcome(
    outcome: SimulationOutcome,
    counts: Mapping[str, Mapping[str, int]],
    *,
    currency: str,
    width: int = WIDTH,
    styled: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return how a simulation ended: for each system of ``counts`` how its dialogues ended, and what was noticed."""
    lines = Lines(width=width, ascii_only=ascii_only)
    tally = outcome.tally
    lines.say(say_state(outcome), style="bold")
    lines.line()
    if counts:
        totals = [sum(ended.values()) for ended in counts.values()]
        columns = [_names(list(counts), lines), Column(("dialogues", "in all"), [f"{n:,}" for n in totals])]
        columns += [Column(("", end), [f"{ended.get(end, 0):,}" for ended in counts.values()]) for end in get_args(End)]
        accepted = [percent(ended.get("accepted", 0) / n) for ended, n in zip(counts.values(), totals, strict=True)]
        lines.table([*columns, Column(("accepted", "%"), accepted)])
        lines.line()
    lines.say(_say_use(outcome, currency), style="dim")
    noticed = [f"{_WORDS[mark]}: {plural(tally.noticed[mark], 'dialogue')}" for mark in MARKS if tally.noticed[mark]]
    lines.section("Noticed this time", noticed)
    failed = [
        f"{clean(what)}: {n:,}, such as {clean(clip(tally.examples[what], LONGEST_FAILURE))}"
        for what, n in tally.failures.most_common()
    ]
    lines.section("Failed this time", failed)
    lines.section(
        "What stopped early, and why", [f"{clean(name)}: {clean(why)}" for name, why in outcome.stopped.items()]
    )
    return lines.to_text(styled=styled)


def say_state(outcome: SimulationOutcome) -> str:
    """Say how a simulation ended, and what it brought."""
    tally = outcome.tally
    new = f"{plural(tally.ended.total(), 'new dialogue')}, {plural(tally.pairs, 'pair')} of replies to a paraphrase"
    if outcome.interrupted:
        return f"Interrupted; what was finished is kept: {new}. The same command goes on from here."
    if outcome.budget_spent:
        return f"The budget is spent: {new}. With a larger budget the same command goes on from here."
    if outcome.stopped:
        return f"Stopped early: {new}."
    if tally.lacking:
        lacking = plural(tally.lacking, "dialogue")
        return f"Not finished, {lacking} still lacking: {new}. The same command goes on from here."
    return f"Done: {new}."


def say_speed(per_minute: float) -> str:
    """Write dialogues a minute: ``0.6``, ``5,435``."""
    return f"{per_minute:,.0f}" if per_minute >= 10 else f"{per_minute:.1f}"


def _say_use(outcome: SimulationOutcome, currency: str) -> str:
    tally = outcome.tally
    said = [say_duration(tally.seconds)]
    if tally.ended:
        said.append(f"{say_speed(tally.per_minute)} dialogues a minute")
    if tally.calls:
        cost = say_money(tally.cost, currency)
        if tally.unpriced:
            cost = (
                "cost unknown"
                if tally.unpriced == tally.calls
                else f"{cost} and the unknown cost of {tally.unpriced:,}"
            )
        said += [plural(tally.calls, "call") + " of the model user", cost]
    for n, why in (
        (tally.postponed - tally.away, "the user could not be asked"),
        (tally.away, "the system could not be reached before its first reply"),
    ):
        if n:
            said.append(f"{plural(n, 'dialogue')} postponed and not kept, because {why}")
    return f"This time: {'; '.join(said)}."


def _names(names: Sequence[str], lines: Lines) -> Column:
    return Column(("", "system"), shorten_all(map(clean, names), LONGEST_NAME, lines.write(ELLIPSIS)), left=True)
