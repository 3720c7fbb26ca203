r"""The table of a plan for a paper; it needs ``\usepackage{booktabs}`` and nothing else."""

import importlib.metadata
import re

from dialgauge.analyse.planning import StudyPlan
from dialgauge.report.latex import escape
from dialgauge.report.numerals import decimal
from dialgauge.report.planning.numbers import say_amount, say_coefficient, say_goal, say_power, say_width

_TABLE = r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{<caption>}
  \label{tab:plan}
  \begin{tabular}{<spec>}
  \toprule
<heads>
  \midrule
<rows>
  \bottomrule
  \end{tabular}

  \smallskip
  \parbox{0.95\linewidth}{\footnotesize <note><bold> Computed with Dialgauge <version>.}
\end{table}
"""


def plan_to_latex(plan: StudyPlan) -> str:
    """Return the table of designs as LaTeX, or that of what targets buy where nothing was assumed of the ratings.

    The planned row is bold; the label is ``tab:plan``.
    """
    parts = _designs(plan) if plan.components is not None else _targets(plan)
    planned = any(row.planned for row in (plan.table or plan.by_targets))
    parts["bold"] = " The planned study is in bold." if planned else ""
    parts["version"] = escape(importlib.metadata.version("dialgauge"))
    return re.sub(r"<(\w+)>", lambda place: parts[place[1]], _TABLE)


def _designs(plan: StudyPlan) -> dict[str, str]:
    options = plan.options
    k, wanted, level = options.per_target, say_goal(options.wanted), escape(options.level_text)
    rows = [
        _row(
            [
                f"{row.layout.n_targets:,}",
                f"{row.layout.n_raters:,}",
                f"{row.layout.n_ratings:,}",
                decimal(row.width_single),
                decimal(row.width_k),
                _math(say_power(row.power)),
                say_amount(row.cost),
            ],
            bold=row.planned,
        )
        for row in plan.table
    ]
    rel_k = decimal(plan.table[0].rel_k) if plan.table else "--"
    return {
        "caption": f"Designs with {k} raters per target: expected width of the {level} intervals, power and cost.",
        "spec": "rrr rr rr",
        "heads": r"  & & & \multicolumn{2}{c}{Width} & & \\"
        "\n"
        r"  \cmidrule(lr){4-5}"
        "\n"
        rf"  Targets & Raters & Ratings & Rel(1) & Rel({k}) & Power & Cost \\",
        "rows": "\n".join(rows),
        "note": f"Rel({k}) is assumed to be {rel_k}. Power: probability that the lower limit of its interval reaches "
        f"{wanted}. Expected REML information on a random, even assignment of raters; large-sample.",
    }


def _targets(plan: StudyPlan) -> dict[str, str]:
    options, rows = plan.options, plan.by_targets
    widths = [say_goal(width.at) for width in rows[0].widths]
    powers = [say_goal(power.at) for power in max((row.powers for row in rows), key=len)]
    first, last = 3, 2 + len(widths)
    groups = [rf"  & & \multicolumn{{{len(widths)}}}{{c}}{{Width at ICC(1)}}", rf"\cmidrule(lr){{{first}-{last}}}"]
    if powers:
        groups[0] += rf" & \multicolumn{{{len(powers)}}}{{c}}{{Power for a correlation of}}"
        groups[1] += rf" \cmidrule(lr){{{last + 1}-{last + len(powers)}}}"
    cells = [
        _row(
            [
                f"{row.targets:,}",
                say_coefficient(row.least_icc),
                *(_math(say_width(width.value)) for width in row.widths),
                *(_math(say_power(power.value)) for power in row.powers),
                *["--"] * (len(powers) - len(row.powers)),
            ],
            bold=row.planned,
        )
        for row in rows
    ]
    level = escape(options.level_text)
    return {
        "caption": f"What targets buy, by formula, with {options.per_target} raters per target.",
        "spec": f"rr {'r' * len(widths)} {'r' * len(powers)}".rstrip(),
        "heads": f"{groups[0]} \\\\\n  {groups[1]}\n  {' & '.join(['Targets', 'Least ICC(1)', *widths, *powers])} \\\\",
        "rows": "\n".join(cells),
        "note": f"Least ICC(1) shown to exceed {options.ruled_out:g} with power {say_goal(options.power)}, one-sided "
        f"$\\alpha = {options.alpha:g}$ (Walter, Eliasziw and Donner 1998); width of the {level} interval (Donner and "
        "Eliasziw 1987); two-sided test of a correlation (Fisher 1921).",
    }


def _row(cells: list[str], *, bold: bool) -> str:
    written = [rf"\textbf{{{cell}}}" if bold else cell for cell in cells]
    return rf"  {' & '.join(written)} \\"


def _math(number: str) -> str:
    return number.replace(">", r"$>$").replace("<", r"$<$")
