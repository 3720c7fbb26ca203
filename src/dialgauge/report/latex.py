r"""The reliability table for a paper; it needs ``\usepackage{booktabs}`` and nothing else."""

import re
from collections.abc import Sequence

from dialgauge.analyse.results import Coefficient, Reliability
from dialgauge.report.average import asks_for_k, is_about, say_k
from dialgauge.report.numerals import MINUS, decimal, fixed, percent, plural
from dialgauge.report.sentences import say_ratings
from dialgauge.report.text import clean, join
from dialgauge.stats.estimate import Estimate

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "[": "{[}",
    "]": "{]}",
    "−": "$-$",
    "×": r"$\times$",
    "…": r"\ldots{}",
    "–": "--",
    "—": "---",
    "’": "'",
} | {sign: f"\\{sign}" for sign in "{}$&#%_"}

_TABLE = r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{<caption>}
  \label{tab:reliability}
  \begin{tabular}{<spec>}
  \toprule
  & & \multicolumn{<n>}{c}{Variance (\%)} & \multicolumn{2}{c}{One rater} & \multicolumn{2}{c}{<k>} & \\
  <rules>
  Dimension & Mean & <facets> & \multicolumn{2}{c}{Rel(1)} & \multicolumn{2}{c}{Rel($k$)} & $\alpha_{\mathrm{ord}}$ \\
  \midrule
<rows>
  \bottomrule
  \end{tabular}

  \smallskip
  \parbox{0.95\linewidth}{\footnotesize <note>}
\end{table}
"""

_SHARES = {"target": "target", "rater": "rater", "target_x_rater": r"t$\times$r", "residual": "residual"}


def to_latex(analysis: Reliability) -> str:
    """Return the table as LaTeX with caption, label ``tab:reliability`` and a note on methods."""
    facets = [f for f in _SHARES if any(f in d.variance.shares() for d in analysis.dimensions)] or [
        "target",
        "residual",
    ]
    rows = "\n".join(rf"  {' & '.join(cells)} \\" for cells in _cells(analysis, facets))
    last = len(facets) + 2
    columns = {
        "n": str(len(facets)),
        "spec": f"l r {'r ' * len(facets)}r@{{~}}l r@{{~}}l r",
        "rules": " ".join(
            rf"\cmidrule(lr){{{a}-{b}}}" for a, b in ((3, last), (last + 1, last + 2), (last + 3, last + 4))
        ),
        "facets": " & ".join(_SHARES[f] for f in facets),
    }
    sign, number = r"\approx" if is_about(analysis) else "=", say_k(analysis)
    k = f"$k {sign}$ {number} rater{'' if number == '1' else 's'}"
    parts = {"caption": _caption(analysis), "k": k, "rows": rows, "note": _note(analysis), **columns}
    return re.sub(r"<(\w+)>", lambda place: parts[place[1]], _TABLE)


def escape(text: str) -> str:
    """Return ``text`` so that LaTeX prints it as it is."""
    return "".join(_SPECIAL.get(sign, sign) for sign in clean(text))


def _cells(analysis: Reliability, facets: Sequence[str]) -> list[list[str]]:
    """Return the cells of each row; coefficients have three decimals, so that right alignment aligns their points."""
    rows = []
    for d in analysis.dimensions:
        shares = d.variance.shares()
        cells = [escape(d.name), _math(fixed(d.mean.value))]
        cells += [percent(shares[f]) if f in shares else "--" for f in facets]
        cells += [*_interval(d.rel_single), *_interval(d.rel_k), _value(d.alpha_ordinal)]
        rows.append(cells)
    width = len(facets) + 6
    refusal = r"\multicolumn{%d}{l}{\emph{not estimable: %s}}"
    return [*rows, *([escape(r.name), refusal % (width, escape(r.reason))] for r in analysis.refused)]


def _interval(coefficient: Coefficient) -> tuple[str, str]:
    if not isinstance(coefficient, Estimate) or coefficient.low is None or coefficient.high is None:
        return _value(coefficient), ""
    return _value(coefficient), f"[{_math(decimal(coefficient.low))}, {_math(decimal(coefficient.high))}]"


def _value(coefficient: Coefficient) -> str:
    return _math(decimal(coefficient.value)) if isinstance(coefficient, Estimate) else "--"


def _math(number: str) -> str:
    return number.replace(MINUS, "$-$")


def _caption(analysis: Reliability) -> str:
    design = analysis.design
    rated = plural(len(analysis.dimensions), "rated dimension")
    sizes = f"{plural(design.n_targets, 'target')}, {plural(design.n_raters, 'rater')}, {say_ratings(analysis)} ratings"
    level = rf"{analysis.level * 100:g}\,\%"
    return f"Reliability of {rated}: {sizes} per dimension, with {level} intervals."


def _note(analysis: Reliability) -> str:
    methods = list(dict.fromkeys(d.rel_k.method for d in analysis.dimensions))
    covers = list(dict.fromkeys(d.rel_k.covers for d in analysis.dimensions))
    origin = "the number asked for" if asks_for_k(analysis) else "the harmonic mean of raters per target"
    text = (
        "Rel(1) and Rel($k$): share of the variance of one rating, and of the mean of $k$ ratings by fresh raters, "
        f"that is due to targets; $k$ is {origin}."
    )
    if methods:
        text += (
            f" Method: {escape('; '.join(methods))}; the intervals cover the sampling of {escape(join(covers, 'or'))}."
        )
    version = analysis.versions.get("dialgauge", "")
    return (
        text
        + rf" $\alpha_{{\mathrm{{ord}}}}$: Krippendorff's ordinal alpha. Computed with Dialgauge {escape(version)}."
    )
