"""One HTML page of decisions that stands alone: verdicts, gates, reasons, the policy, methods."""

from dialgauge.decide.decisions import Decision, Decisions
from dialgauge.report.checks.words import CheckSummary
from dialgauge.report.decide.verdicts import LEGEND, class_of, say_reasons, say_verdict, split_uses
from dialgauge.report.decide.words import conclude_decisions, say_gates, say_rater, tabulate_use
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source, typeset
from dialgauge.report.values import record_coefficient


def render_decision_page(decisions: Decisions, *, checks: CheckSummary | None = None, title: str = "") -> str:
    """Return the page, with a section on the ``checks`` of the raters where there are some.

    ``title`` heads it, by default the name of the source. It asks nothing of the network; all names and notes in it are
    escaped.
    """
    rows, policy = decisions.rows(), decisions.policy
    uses, unknown = split_uses(decisions)
    shown = {use.name for use in uses}
    by_row: dict[tuple[str, str], list[Decision]] = {row: [] for row in rows}
    for decision in decisions.decisions:
        by_row[decision.dimension, decision.rater].append(decision)
    return load_template("decide/page.html.j2").render(
        title=name_source(decisions.source, title=title),
        verdict=conclude_decisions(decisions),
        facts=_facts(decisions),
        checks=checks,
        uses=[clean(use.name) for use in uses],
        unknown=unknown,
        several=any(rater for _, rater in rows),
        rows=[
            (
                clean(dimension),
                say_rater(rater, decisions),
                [(class_of(d), say_verdict(d)) for d in by_row[dimension, rater] if d.use in shown],
            )
            for dimension, rater in rows
        ],
        gates=say_gates(decisions),
        passed=decisions.passed,
        details=[
            (
                clean(dimension),
                say_rater(rater, decisions),
                [(clean(d.use), say_verdict(d), say_reasons(d)) for d in found],
            )
            for (dimension, rater), found in by_row.items()
        ],
        findings=[typeset(clean(finding)) for finding in decisions.findings],
        policy=policy,
        legend=LEGEND,
        asked=[tabulate_use(use) for use in decisions.uses],
        methods=_methods(decisions),
        source=clean(decisions.source) or "not named",
        notes=[typeset(clean(note)) for note in decisions.notes],
        versions=decisions.versions,
    )


def _facts(decisions: Decisions) -> list[tuple[str, str]]:
    rows, policy = decisions.rows(), decisions.policy
    raters = {rater for _, rater in rows if rater}
    facts = [
        ("dimensions", f"{len({dimension for dimension, _ in rows}):,}"),
        ("raters", f"{len(raters):,}" if raters else say_rater("", decisions)),
        ("uses", f"{len(decisions.uses)}"),
        ("policy", f"{clean(policy.name)} {clean(policy.version)}"),
        ("its hash", policy.hash[:12]),
        ("intervals", f"{policy.level * 100:g}%"),
    ]
    if decisions.gates:
        facts.append(
            ("gates", "all passed" if decisions.passed else f"{sum(not g.passed for g in decisions.gates)} failed")
        )
    return facts


def _methods(decisions: Decisions) -> list[tuple[str, str]]:
    """Return each way in which a coefficient that decided was made, once, with what its interval covers."""
    found: dict[tuple[str, str], None] = {}
    for decision in decisions.decisions:
        record = record_coefficient(decision.estimate, level=decisions.policy.level)
        if record["method"] is not None:
            found[str(record["method"]), str(record["covers"])] = None
    return list(found)
