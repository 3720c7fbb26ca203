"""The table of a plan for a paper."""

import re

import pytest

from dialgauge.analyse.planning import PlanOptions, StudyPlan, plan_study
from dialgauge.report.planning.latex import plan_to_latex


def rows_of(table: str) -> list[list[str]]:
    """Return the cells of the rows between the rules."""
    body = table.split(r"\midrule")[1].split(r"\bottomrule", maxsplit=1)[0]
    return [re.split(r" & ", line.strip().removesuffix(r" \\")) for line in body.strip().splitlines()]


def columns_of(table: str) -> int:
    declared = re.search(r"\\begin\{tabular\}\{([lr ]*)\}\n", table)
    assert declared is not None
    return declared[1].count("r")


def test_designs_are_a_row_each_with_the_planned_one_in_bold(full: StudyPlan) -> None:
    table = plan_to_latex(full)
    assert {len(row) for row in rows_of(table)} == {columns_of(table)} == {7}
    (bold,) = [row for row in rows_of(table) if row[0].startswith(r"\textbf")]
    assert bold[:3] == [r"\textbf{60}", r"\textbf{20}", r"\textbf{240}"]
    assert bold[-1] == r"\textbf{440}"
    assert "The planned study is in bold." in table


def test_where_nothing_is_assumed_it_is_what_targets_buy(sized: StudyPlan, bare: StudyPlan) -> None:
    table = plan_to_latex(sized)
    assert {len(row) for row in rows_of(table)} == {columns_of(table)} == {10}
    (bold,) = [row for row in rows_of(table) if row[0].startswith(r"\textbf")]
    assert [re.sub(r"\\textbf\{(.*)\}", r"\1", cell) for cell in bold] == [
        "200", ".0604", ".127", ".137", ".120", ".074", ".291", ".812", ".991", "$>$.999",
    ]  # fmt: skip
    assert "in bold" not in plan_to_latex(bare)


def test_a_study_too_small_for_a_correlation_keeps_its_columns() -> None:
    table = plan_to_latex(plan_study(PlanOptions(targets=3)))
    assert {len(row) for row in rows_of(table)} == {columns_of(table)}
    tiny = plan_to_latex(plan_study(PlanOptions(targets=2, per_target=2)))
    assert "--" in tiny


@pytest.mark.parametrize("name", ["bare", "sized", "full", "hostile"])
def test_braces_and_environments_are_balanced_and_only_booktabs_is_needed(
    name: str, request: pytest.FixtureRequest
) -> None:
    table = plan_to_latex(request.getfixturevalue(name))
    plain = re.sub(r"\\[{}]", "", table)
    assert plain.count("{") == plain.count("}")
    assert re.findall(r"\\begin\{(\w+)\}", table) == re.findall(r"\\end\{(\w+)\}", table)[::-1]
    assert re.findall(r"\\usepackage\{(\w+)\}", table) == ["booktabs"]
    assert r"\label{tab:plan}" in table
    assert table.isascii()
    assert r"95\%" in table
