"""The table for a paper."""

import re
from dataclasses import replace

import pytest

from dialgauge.analyse.results import Reliability, VarianceComponents
from dialgauge.report.latex import escape, to_latex

from .conftest import estimate, make_dimension


def rows_of(table: str) -> list[list[str]]:
    """Return the cells of the rows between the rules."""
    body = table.split(r"\midrule")[1].split(r"\bottomrule", maxsplit=1)[0]
    return [re.split(r" (?<!\\)& ", line.strip().removesuffix(r" \\")) for line in body.strip().splitlines()]


def columns_of(table: str) -> int:
    """Count the columns that the table declares."""
    declared = re.search(r"\\begin\{tabular\}\{(.*)\}\n", table)
    assert declared is not None
    return len(re.findall(r"[lr]", re.sub(r"@\{~\}", "", declared[1])))


def test_every_row_has_a_cell_for_every_column(analysis: Reliability) -> None:
    table = to_latex(replace(analysis, refused=()))
    assert {len(row) for row in rows_of(table)} == {columns_of(table)} == {10}


def test_a_row_shows_the_numbers_with_their_intervals(analysis: Reliability) -> None:
    assert rows_of(to_latex(analysis))[0] == [
        "accuracy", "3.49", "33", "15", "52", ".327", "[.247, .397]", ".717", "[.637, .787]", ".280",
    ]  # fmt: skip


def test_a_refused_dimension_has_a_row_with_its_reason(analysis: Reliability) -> None:
    last = rows_of(to_latex(analysis))[-1]
    assert last[0] == "constant"
    assert (
        last[1] == r"\multicolumn{9}{l}{\emph{not estimable: all 1053 ratings are 4: there is no variance to divide}}"
    )


def test_a_negative_number_has_a_minus_sign(analysis: Reliability) -> None:
    negative = replace(make_dimension("negative"), alpha_ordinal=estimate(-0.317))
    assert rows_of(to_latex(replace(analysis, dimensions=(negative,))))[0][-1] == "$-$.317"


def test_a_model_with_replicates_has_one_more_column(analysis: Reliability) -> None:
    variance = VarianceComponents(target=0.4, rater=0.2, target_x_rater=0.3, residual=0.1)
    table = to_latex(replace(analysis, dimensions=(replace(make_dimension("twice"), variance=variance),), refused=()))
    assert {len(row) for row in rows_of(table)} == {columns_of(table)} == {11}
    assert r"t$\times$r" in table


def test_caption_label_and_note_are_there_and_only_booktabs_is_needed(analysis: Reliability) -> None:
    table = to_latex(analysis)
    assert r"\caption{Reliability of 5 rated dimensions: 200 targets, 117 raters, 1,053 ratings per dimension" in table
    assert r"\label{tab:reliability}" in table
    assert (
        "Method: REML crossed, absolute, profile likelihood; the intervals cover the sampling of targets and raters."
        in table
    )
    assert re.findall(r"\\usepackage\{(\w+)\}", table) == ["booktabs"]


def test_braces_and_environments_are_balanced_even_with_hostile_names(hostile: Reliability) -> None:
    table = to_latex(hostile)
    plain = re.sub(r"\\[{}]", "", table)
    assert plain.count("{") == plain.count("}")
    assert re.findall(r"\\begin\{(\w+)\}", table) == re.findall(r"\\end\{(\w+)\}", table)[::-1]
    assert len({len(row) for row in rows_of(table)[:-1]}) == 1


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("a_b & 5% #1 $x$", r"a\_b \& 5\% \#1 \$x\$"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("[x] ~ ^", r"{[}x{]} \textasciitilde{} \textasciicircum{}"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
        ("two\nlines", r"two\textbackslash{}nlines"),
    ],
)
def test_what_means_something_to_latex_is_escaped(name: str, escaped: str) -> None:
    assert escape(name) == escaped
