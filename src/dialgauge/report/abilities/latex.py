r"""Measures and abilities for a paper, systems side by side; needs ``\usepackage{booktabs}`` and nothing else."""

import re
from collections.abc import Sequence

from dialgauge.analyse.abilities.records import Abilities, Unit
from dialgauge.analyse.results import Coefficient
from dialgauge.report.abilities.words import (
    ABILITIES,
    COVERS,
    FAMILIES,
    digits_of,
    measures_by_family,
    result_of,
    scores_of,
    title_of,
    write_interval,
    write_value,
)
from dialgauge.report.latex import escape
from dialgauge.report.numerals import MINUS
from dialgauge.report.text import join
from dialgauge.stats.estimate import Estimate

_TABLE = r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{<caption>}
  \label{tab:abilities-<label>}
  \begin{tabular}{<spec>}
  \toprule
  & <heads> \\
  \midrule
<rows>
  \bottomrule
  \end{tabular}
\end{table}
"""


def abilities_to_latex(found: Sequence[Abilities]) -> str:
    """Return a table per data set: abilities first, then the measures that some system has a value of."""
    return "\n".join(map(_table, found))


def _table(found: Abilities) -> str:
    heads = " & ".join(rf"\multicolumn{{2}}{{c}}{{{escape(system.system)}}}" for system in found.systems)
    parts = {
        "caption": _caption(found),
        "label": re.sub(r"[^a-z0-9-]+", "-", found.data_set.lower()).strip("-") or "data",
        "spec": "l " + " ".join(["r@{~}l"] * len(found.systems)),
        "heads": heads,
        "rows": "\n".join(_rows(found)),
    }
    return re.sub(r"<(\w+)>", lambda place: parts[place[1]], _TABLE)


def _rows(found: Abilities) -> list[str]:
    scores = [scores_of(system) for system in found.systems]
    known = [name for name in ABILITIES if any(isinstance(score[name], Estimate) for score in scores)]
    rows = [_head("Abilities, 0 to 5", found)] if known else []
    rows += [_row(ABILITIES[name], [_cell(score[name], None, 2) for score in scores]) for name in known]
    for family, measures in measures_by_family(found).items():
        rows += [r"  \addlinespace", _head(FAMILIES[family], found)]
        for m in measures:
            cells = [_cell(result_of(s, m.name), m.unit, digits_of(m.unit)) for s in found.systems]
            rows.append(_row(title_of(m.name), cells))
    return rows


def _head(text: str, found: Abilities) -> str:
    return rf"  \multicolumn{{{1 + 2 * len(found.systems)}}}{{l}}{{\emph{{{escape(text)}}}}} \\"


def _row(title: str, cells: Sequence[str]) -> str:
    return rf"  \quad {escape(title.lstrip('– '))} & {' & '.join(cells)} \\"


def _cell(result: Coefficient | None, unit: Unit | None, digits: int) -> str:
    value = write_value(result, unit, digits=digits) if isinstance(result, Estimate) else "--"
    interval = write_interval(result, unit, digits=digits)
    return f"{value} & {interval}".replace(MINUS, "$-$")


def _caption(found: Abilities) -> str:
    sizes = [system.n_dialogues for system in found.systems]
    n = str(sizes[0]) if len(set(sizes)) == 1 else f"{min(sizes)} to {max(sizes)}"
    names = join([escape(system.system) for system in found.systems])
    how = "whole titles" if found.title_match == "whole" else "titles as substrings"
    level = rf"{found.level * 100:g}\,\%"
    sizes_said = f"{n} dialogues per system, {how}, {level} intervals for {COVERS}"
    return f"Measures and abilities of {names} on {escape(found.data_set)}: {sizes_said}."
