r"""Systems compared for a paper: means and differences; needs ``\usepackage{booktabs}`` and nothing else."""

import re
from collections.abc import Sequence

from dialgauge.analyse.compare import SystemsComparison
from dialgauge.report.compare.words import (
    mean_of,
    say_verdict,
    title_of,
    write_ends,
    write_gap,
    write_mean,
    write_p,
    write_rank,
)
from dialgauge.report.latex import escape
from dialgauge.report.numerals import DASH, MINUS, plural

_TABLE = r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{<caption>}
  \label{tab:compare-<label>}
  \begin{tabular}{<spec>}
  \toprule
  <heads> \\
  \midrule
<rows>
  \bottomrule
  \end{tabular}

  \smallskip
  \parbox{0.95\linewidth}{\footnotesize <note>}
\end{table}
"""


def comparison_to_latex(found: Sequence[SystemsComparison]) -> str:
    """Return two tables per data set: means with ranks of all systems, and all differences."""
    return "\n".join(table for each in found for table in (_means(each), _differences(each)))


def _means(found: SystemsComparison) -> str:
    heads = " & ".join(["Measure", *(escape(system.system) for system in found.systems)])
    rows = []
    for m in found.measures:
        cells = [mean_of(m, system.system) for system in found.systems]
        values = ["--" if cell is None else f"{write_mean(cell, m)}" for cell in cells]
        ranks = ["" if cell is None else f"rank {write_rank(cell.rank)}" for cell in cells]
        rows += [_row([escape(title_of(m)), *values]), _row(["", *ranks])]
    level = rf"{found.level * 100:g}\,\%"
    return _fill(
        caption=f"Means of {_say_sizes(found)}, with {level} intervals, and ranks (1 is best).",
        label=f"{_key(found)}means",
        spec="l" * (1 + len(found.systems)),
        heads=heads,
        rows="\n".join(rows),
        note="Ranks follow from the verdicts over the whole table, and are open as far as no difference is shown. "
        + _version(found),
    )


def _differences(found: SystemsComparison) -> str:
    rows = []
    for m in found.measures:
        for number, d in enumerate(m.differences):
            cells = [
                escape(title_of(m)) if number == 0 else "",
                rf"{escape(d.first)} $-$ {escape(d.second)}",
                write_gap(d.difference.value, m),
                write_ends(d.simultaneous, m),
                _less(write_p(d.p_pairs)),
                _less(write_p(d.p_table)),
                escape(say_verdict(d, m)),
            ]
            rows.append(_row(cells))
    refusal = r"\multicolumn{6}{l}{\emph{not comparable: %s}}"
    rows += [_row([escape(title_of(r.name)), refusal % escape(r.reason)]) for r in found.refused]
    level = rf"{found.level * 100:g}\,\%"
    return _fill(
        caption=f"Differences between {_say_sizes(found)}, with {level} intervals for all pairs together.",
        label=f"{_key(found)}differences",
        spec="l l r@{~}l r r l",
        heads=r"Measure & Systems & \multicolumn{2}{c}{Difference} & $p$, pairs & $p$, table & Verdict",
        rows="\n".join(rows),
        note=_note(found),
    )


def _row(cells: Sequence[str]) -> str:
    return rf"  {' & '.join(cells)} \\".replace(MINUS, "$-$").replace(DASH, "--")


def _less(p: str) -> str:
    return p.replace("<", "$<$")


def _say_sizes(found: SystemsComparison) -> str:
    on = f" on {escape(found.data_set)}" if found.data_set else ""
    return f"{plural(len(found.systems), 'system')}{on}"


def _key(found: SystemsComparison) -> str:
    key = re.sub(r"[^a-z0-9-]+", "-", found.data_set.lower()).strip("-")
    return f"{key}-" if key else ""


def _note(found: SystemsComparison) -> str:
    routes = {m.route for m in found.measures}
    mixed = "linear mixed models of each pair, systems fixed and personas, preferences, dialogues and raters random"
    clustered = "standard errors clustered by persona and preference"
    if not routes:
        return f"Nothing could be compared. {_version(found)}"
    if len(routes) == 2:
        how = f"{mixed}; those of ratios and abilities by {clustered}"
    else:
        how = mixed if "mixed" in routes else clustered
    pairs = []
    if "mixed" in routes:
        pairs.append("Bonferroni over the pairs of a measure")
    if "clustered" in routes:
        pairs.append(
            r"by the largest $|t|$ over the pairs (Hothorn, Bretz and Westfall 2008)"
            + (" where errors are clustered" if len(routes) == 2 else "")
        )
    return (
        f"Differences by {how}. $p$, pairs: {', or '.join(pairs)}; $p$, table: over all "
        f"{plural(found.n_comparisons, 'comparison')} (Holm 1979), by which the verdict is. Not shown does not mean "
        f"alike. {_version(found)}"
    )


def _version(found: SystemsComparison) -> str:
    return f"Computed with Dialgauge {escape(found.versions.get('dialgauge', ''))}."


def _fill(**parts: str) -> str:
    return re.sub(r"<(caption|label|spec|heads|rows|note)>", lambda place: parts[place[1]], _TABLE)
