r"""The table of agreement for a paper; it needs ``\usepackage{booktabs}`` and nothing else."""

import re

from dialgauge.analyse.agreement import Agreement, AgreementCoefficient
from dialgauge.report.agreement.sentences import SCOPES, say_ratings, say_weights
from dialgauge.report.agreement.words import estimate_of, main_ac, title_of_ac, title_of_metrics
from dialgauge.report.latex import escape
from dialgauge.report.numerals import MINUS, decimal, plural

_TABLE = r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{<caption>}
  \label{tab:agreement}
  \begin{tabular}{l rr r@{~}l r r r@{~}l}
  \toprule
  & \multicolumn{2}{c}{Observed} & \multicolumn{6}{c}{Corrected for chance} \\
  \cmidrule(lr){2-3} \cmidrule(lr){4-9}
  Dimension & same & weighted & \multicolumn{2}{c}{$\alpha_{\mathrm{<metric>}}$} & Fleiss & B-P
  & \multicolumn{2}{c}{<ac>} \\
  \midrule
<rows>
  \bottomrule
  \end{tabular}

  \smallskip
  \parbox{0.95\linewidth}{\footnotesize <note>}
\end{table}
"""


def agreement_to_latex(analysis: Agreement) -> str:
    """Return the table as LaTeX with caption, label ``tab:agreement`` and a note on methods."""
    rows = [_cells(analysis, number) for number in range(len(analysis.dimensions))]
    refusal = r"\multicolumn{8}{l}{\emph{not estimable: %s}}"
    rows += [[escape(r.name), refusal % escape(r.reason)] for r in analysis.refused]
    parts = {
        "caption": _caption(analysis),
        "metric": escape(title_of_metrics(analysis) or "ordinal"),
        "ac": title_of_ac(analysis),
        "rows": "\n".join(rf"  {' & '.join(cells)} \\" for cells in rows),
        "note": _note(analysis),
    }
    return re.sub(r"<(\w+)>", lambda place: parts[place[1]], _TABLE)


def _cells(analysis: Agreement, number: int) -> list[str]:
    d = analysis.dimensions[number]
    values = [_value(d.get(name)) for name in ("percent_agreement", "percent_weighted")]
    kappas = [_value(d.get(name)) for name in ("fleiss_kappa", "brennan_prediger")]
    return [escape(d.name), *values, *_interval(d.get("alpha")), *kappas, *_interval(main_ac(d))]


def _interval(coefficient: AgreementCoefficient | None) -> tuple[str, str]:
    found = estimate_of(coefficient)
    if found is None or found.low is None or found.high is None:
        return _value(coefficient), ""
    return _value(coefficient), f"[{_math(found.low)}, {_math(found.high)}]"


def _value(coefficient: AgreementCoefficient | None) -> str:
    found = estimate_of(coefficient)
    return "--" if found is None else _math(found.value)


def _math(value: float) -> str:
    return decimal(value).replace(MINUS, "$-$")


def _caption(analysis: Agreement) -> str:
    design = analysis.design
    sizes = f"{plural(design.n_targets, 'target')}, {plural(design.n_raters, 'rater')}, {say_ratings(analysis)} ratings"
    rated = plural(len(analysis.dimensions), "rated dimension")
    return rf"Agreement of raters on {rated}: {sizes} per dimension, with {analysis.level * 100:g}\,\% intervals."


def _note(analysis: Agreement) -> str:
    version = escape(analysis.versions.get("dialgauge", ""))
    return (
        "Same: share of pairs of ratings of one target that are equal; weighted: with near misses counted by "
        f"{escape(say_weights(analysis))}, as in the columns Fleiss (kappa), B-P (Brennan and Prediger) and AC2. "
        r"$\alpha$: Krippendorff's alpha. The coefficients differ in what they take chance to be. "
        f"Intervals are for {SCOPES[analysis.raters]}. Computed with Dialgauge {version}."
    )
