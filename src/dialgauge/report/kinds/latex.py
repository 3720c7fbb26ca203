r"""The table of kinds of rater for a paper; it needs ``\usepackage{booktabs}`` and nothing else."""

import re

from dialgauge.analyse.kinds import DimensionKinds, KindsComparison
from dialgauge.report.kinds.rows import MARK, Cell, rows_of_kinds, rows_of_pairs
from dialgauge.report.kinds.words import say_kinds
from dialgauge.report.latex import escape
from dialgauge.report.numerals import DASH, MINUS, plural

_TABLE = r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{<caption>}
  \label{tab:kinds}
  \begin{tabular}{l l r@{~}l r@{~}l r@{~}l r r r@{~}l}
  \toprule
  & & \multicolumn{4}{c}{Rel(1)} & \multicolumn{4}{c}{Correlation} & \multicolumn{2}{c}{Difference} \\
  \cmidrule(lr){3-6} \cmidrule(lr){7-10} \cmidrule(lr){11-12}
  Dimension & Kinds & \multicolumn{2}{c}{first} & \multicolumn{2}{c}{second} & \multicolumn{2}{c}{without noise}
  & observed & ceiling & \multicolumn{2}{c}{of means} \\
  \midrule
<rows>
  \bottomrule
  \end{tabular}

  \smallskip
  \parbox{0.95\linewidth}{\footnotesize <note>}
\end{table}
"""


def kinds_to_latex(comparison: KindsComparison) -> str:
    """Return a row per dimension and pair of kinds as LaTeX with caption, label ``tab:kinds`` and a note."""
    rows = [cells for d in comparison.dimensions for cells in _rows(d)]
    refusal = r"\multicolumn{11}{l}{\emph{not estimable: %s}}"
    rows += [[escape(refused.name), refusal % escape(refused.reason)] for refused in comparison.refused]
    parts = {
        "caption": _caption(comparison),
        "rows": "\n".join(rf"  {' & '.join(cells)} \\" for cells in rows),
        "note": _note(comparison),
    }
    return re.sub(r"<(\w+)>", lambda place: parts[place[1]], _TABLE)


def _rows(d: DimensionKinds) -> list[list[str]]:
    kinds = {row.kind: row for row in rows_of_kinds(d)}
    if not d.pairs:
        nothing = r"\multicolumn{8}{l}{\emph{no second kind}}"
        return [[escape(d.name), escape(row.kind), *_cell(row.rel_single), nothing] for row in kinds.values()]
    rows = []
    for number, pair in enumerate(rows_of_pairs(d)):
        numbers = [*_cell(pair.correlation), _math(pair.observed.value), _math(pair.ceiling), *_cell(pair.difference)]
        own = [*_cell(kinds[pair.first].rel_single), *_cell(kinds[pair.second].rel_single)]
        rows.append([escape(d.name) if number == 0 else "", escape(f"{pair.first}, {pair.second}"), *own, *numbers])
    return rows


def _cell(cell: Cell) -> tuple[str, str]:
    mark = f"$^{{{MARK}}}$" if cell.mark else ""
    return _math(cell.value) + mark, _math(cell.interval)


def _math(number: str) -> str:
    return number.replace(DASH, "--").replace(MINUS, "$-$")


def _caption(comparison: KindsComparison) -> str:
    rated = plural(len(comparison.dimensions), "rated dimension")
    sizes = f"{escape(say_kinds(comparison))}, {plural(comparison.n_targets, 'target')}"
    return rf"Kinds of rater on {rated}: {sizes}, with {comparison.level * 100:g}\,\% intervals."


def _note(comparison: KindsComparison) -> str:
    version = escape(comparison.versions.get("dialgauge", ""))
    return (
        "Rel(1): share of the variance of one rating by a fresh rater of the kind that is due to targets. Correlation "
        "without noise: of the target effects of both kinds in one variance model (REML), with a profile likelihood "
        "interval; observed: of the plain means; ceiling: what noise alone would leave of a perfect correlation. "
        rf"Difference: mean of the second kind less that of the first. $^{{{MARK}}}$ holds for the one rater that each "
        f"target has, or with the noise of single ratings left in. Computed with Dialgauge {version}."
    )
