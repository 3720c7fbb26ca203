"""Decisions in words: the sentence above the table, gates, and what a use asks for."""

from collections import Counter
from collections.abc import Mapping

from dialgauge.decide.decisions import Decisions
from dialgauge.decide.policy import Override, Use
from dialgauge.report.decide.verdicts import UNLIKELY
from dialgauge.report.numerals import DASH, percent, plural
from dialgauge.report.text import clean, join

ALL_RATERS = "all together"
ALL_PEOPLE = "all people"

_COEFFICIENTS = {"single": "one rating", "mean": "mean of k", "systems": "means over a system’s targets"}


def describe_decisions(decisions: Decisions) -> str:
    """Say what was decided about, by which policy."""
    policy = decisions.policy
    rows, uses = decisions.rows(), len(decisions.uses)
    dimensions = plural(len({dimension for dimension, _ in rows}), "dimension")
    raters = len({rater for _, rater in rows if rater})
    whom = f" × {plural(raters, 'rater')}" if raters else ""
    return (
        f"{dimensions}{whom} × {plural(uses, 'use')}, by the policy {clean(policy.name)} {clean(policy.version)} "
        f"({policy.hash[:12]}), {policy.level * 100:g}% intervals"
    )


def conclude_decisions(decisions: Decisions) -> str:
    """Say in one sentence for each use how many dimensions may be put to it."""
    parts = []
    for use in decisions.uses:
        counts = Counter[str](d.verdict for d in decisions.decisions if d.use == use.name)
        total = sum(counts.values())
        counts[UNLIKELY] = sum(d.use == use.name and d.expected == "rule out" for d in decisions.decisions)
        counts["collect n more"] -= counts[UNLIKELY]
        more = [f"{counts[v]} {words}" for v, words in _AFTER.items() if counts[v]]
        parts.append(f"{clean(use.name)}: {counts['trust']} of {total} trusted{''.join(f', {m}' for m in more)}")
    return f"{'; '.join(parts)}.{_say_vetoed(decisions)}"


_AFTER: Mapping[str, str] = {"average k raters": "after averaging", "collect n more": "open", UNLIKELY: "unlikely"}


def _say_vetoed(decisions: Decisions) -> str:
    """Say that failed checks vetoed, and whose verdicts; nothing where none did."""
    vetoed = [d for d in decisions.decisions if d.vetoes]
    if not vetoed:
        return ""
    raters = list(dict.fromkeys(clean(d.rater) for d in vetoed if d.rater))
    of = f" of {join(raters[:4])}{f' and {len(raters) - 4} more' if len(raters) > 4 else ''}" if raters else ""
    return f" A failed check vetoed {len(vetoed):,} of {len(decisions.decisions):,} verdicts{of}."


def say_rater(decision_rater: str, decisions: Decisions) -> str:
    """Write who rated; of all raters together, that they are people where this is known."""
    if decision_rater:
        return clean(decision_rater)
    people = any(d.rater_kind == "human" for d in decisions.decisions if not d.rater)
    return ALL_PEOPLE if people else ALL_RATERS


def say_gates(decisions: Decisions, most: int | None = None) -> list[str]:
    """Write each gate (``most`` of them) with what became of it, those that fail first."""
    ordered = sorted(decisions.gates, key=lambda gate: gate.passed)
    shown = ordered if most is None or len(ordered) <= most + 1 else ordered[:most]
    more = [f"{len(ordered) - len(shown)} more; page and JSON have all"] if len(ordered) > len(shown) else []
    lines = [
        f"{'passed' if gate.passed else 'FAILED'}  {clean(gate.dimension)}:{clean(gate.use)}"
        f"{f' by {clean(gate.rater)}' if gate.rater else ''}: {gate.words}"
        for gate in shown
    ]
    return [*lines, *more]


def tabulate_use(use: Use) -> tuple[str, ...]:
    """Return what a use asks for, cell by cell: name, kind, coefficient, threshold, targets, missing, most, special."""
    k = DASH if use.coefficient != "mean" else "as collected" if use.k is None else f"{use.k}"
    return (
        clean(use.name),
        use.kind,
        _COEFFICIENTS[use.coefficient],
        k,
        f"{use.threshold:.2f}".removeprefix("0"),
        f"{use.minimum_targets:,}",
        f"{percent(use.most_missing)}%",
        f"{use.most_k:,}",
        "; ".join(_say_override(override) for override in use.overrides) or DASH,
    )


def _say_override(override: Override) -> str:
    whom = join([clean(name) for name in (*override.dimensions, *override.groups)])
    asked = [
        *([] if override.threshold is None else [f"{override.threshold:.2f}".removeprefix("0")]),
        *([] if override.minimum_targets is None else [f"{override.minimum_targets:,} targets"]),
        *([] if override.most_missing is None else [f"{percent(override.most_missing)}% missing"]),
    ]
    return f"{whom}: {', '.join(asked)}"
