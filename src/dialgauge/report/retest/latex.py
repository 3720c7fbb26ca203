r"""The tables of the three studies for a paper; they need ``\usepackage{booktabs}`` and nothing else."""

import re
from collections.abc import Sequence
from itertools import chain

from dialgauge.analyse.retest.classes import CLASSES
from dialgauge.analyse.retest.records import PARTS, BandCounts, Correspondence, GroupSummary, Part, Retest, Universality
from dialgauge.report.latex import escape
from dialgauge.report.numerals import MINUS, decimal
from dialgauge.report.retest.words import MEASURES, SHORT_FORMS, SYMBOLS, say_group

_TABLE = r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{<caption>}
  \label{tab:<label>}
  \begin{tabular}{<spec>}
  \toprule
<head>
  \midrule
<rows>
  \bottomrule
  \end{tabular}
\end{table}
"""


def retest_to_latex(analysis: Retest) -> str:
    """Return all tables one after the other."""
    return "\n".join(retest_tables(analysis).values())


def retest_tables(analysis: Retest) -> dict[str, str]:
    """Return each table by its name: classes per rater, correspondence per pair, concordance, agreement of values."""
    found: dict[str, str] = {}
    for part in PARTS:
        for number, rater in enumerate(analysis.raters, start=1):
            found[f"classes-{part}-{number}"] = _classes(analysis, rater, part, f"classes-{part}-{number}")
    for study in analysis.universality:
        for number, pair in enumerate(study.pairs, start=1):
            name = f"correspondence-{study.part}-{number}"
            found[name] = _correspondence(pair, study.part, name)
        found[f"concordance-{study.part}"] = _concordance(study)
    if analysis.values.bands:
        found["agreement"] = _agreement(analysis)
    return found


def _fill(label: str, caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    parts = {
        "caption": caption,
        "label": f"retest-{label}",
        "spec": "l" * left + " " + "r" * (len(head) - left),
        "head": rf"  {' & '.join(head)} \\",
        "rows": "\n".join(rf"  {' & '.join(cells)} \\" for cells in rows),
    }
    return re.sub(r"<(\w+)>", lambda place: parts[place[1]], _TABLE)


def _classes(analysis: Retest, rater: str, part: Part, label: str) -> str:
    rows = [s for s in analysis.summaries if s.rater == rater and s.part == part]
    caption = (
        f"{SYMBOLS[part]} of {escape(rater)} by group of dimensions ({SHORT_FORMS[analysis.form]} form): lowest, "
        "highest, mean, and dimensions by class, in parentheses those whose lower limit is in the class too."
    )
    head = ["Group", "$n$", "Min", "Max", "Mean", *(name.capitalize() for name in CLASSES), "Excluded"]
    return _fill(label, caption, head, [_summary(s) for s in rows])


def _summary(s: GroupSummary) -> list[str]:
    counts = [f"{s.counts[name]} ({s.supported[name]})" if s.counts[name] else "--" for name in CLASSES]
    ends = [_number(value) for value in (s.lowest, s.highest, s.average)]
    return [escape(say_group(s.group)), str(s.n), *ends, *counts, str(s.n_excluded)]


def _correspondence(pair: Correspondence, part: Part, label: str) -> str:
    a, b = escape(pair.first), escape(pair.second)
    share = "" if pair.same is None else f"; {pair.n_same} of {pair.n} dimensions are in one class"
    caption = f"Classes of {SYMBOLS[part]} by {a} (rows) and {b} (columns){share}."
    head = [f"{a} / {b}", *(name.capitalize() for name in CLASSES)]
    rows = [[name.capitalize(), *map(str, row)] for name, row in zip(CLASSES, pair.table, strict=True)]
    return _fill(label, caption, head, rows)


def _concordance(study: Universality) -> str:
    pairs = len(study.groups[-1].counts)
    caption = (
        f"Pairs of raters that put a dimension into one class of {SYMBOLS[study.part]}, by group; dimensions that are "
        "at least excellent by all raters, in parentheses those whose lower limits all say so."
    )
    head = ["Group", "$n$", *(f"{c} of {pairs - 1}" for c in range(pairs)), "Excellent by all", "No class"]
    rows = [
        [
            escape(say_group(g.group)),
            str(g.n),
            *map(str, g.counts),
            f"{g.excellent} ({g.supported})",
            str(g.n_left_out),
        ]
        for g in study.groups
    ]
    return _fill(f"concordance-{study.part}", caption, head, rows)


def _agreement(analysis: Retest) -> str:
    scope = "excellent by all raters" if analysis.values.scope == "excellent" else "that nobody excludes"
    caption = f"Agreement of values on {len(analysis.values.dimensions)} dimensions {scope}: dimensions by band."
    pairs = analysis.values.bands[0].pairs
    head = ["Measure", "Band", *(f"{escape(a)} / {escape(b)}" for a, b in pairs), "In all pairs"]
    rows = list(chain.from_iterable(_bands(found) for found in analysis.values.bands))
    return _fill("agreement", caption, head, rows, left=2)


def _bands(found: BandCounts) -> list[list[str]]:
    return [
        [
            escape(MEASURES[found.measure]) if not i else "",
            escape(word),
            *(str(row[i]) for row in found.counts),
            str(found.in_all[i]),
        ]
        for i, word in enumerate(found.bands)
    ]


def _number(value: float | None) -> str:
    return "--" if value is None else decimal(value).replace(MINUS, "$-$")
