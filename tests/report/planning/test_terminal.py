"""A plan in a terminal: its numbers, its width, its safety."""

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from dialgauge.analyse.planning import PlanOptions, StudyPlan, plan_study
from dialgauge.report.planning.numbers import say_power
from dialgauge.report.planning.terminal import render_plan
from dialgauge.stats.components import Components
from dialgauge.stats.dstudy import Costs
from dialgauge.stats.estimate import Refusal


def flat(plan: StudyPlan) -> str:
    return " ".join(render_plan(plan).split())


def rows_below(text: str, title: str) -> list[str]:
    """Return the rows of the table below ``title``."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(title))
    rule = next(i for i in range(start, len(lines)) if set(lines[i]) == {"─"})
    return lines[rule + 1 : next((i for i in range(rule, len(lines)) if not lines[i]), len(lines))]


def test_the_four_numbers_of_the_study_of_redial_are_shown(sized: StudyPlan) -> None:
    # definitions.md: least detectable ICC .062 (on a grid; exactly .0604), width .120 at .6, power .812 and .991
    text = render_plan(sized)
    assert re.search(r"^least ICC\(1\) shown to exceed 0 .* \.0604 ", text, re.MULTILINE)
    assert "searched on a grid of 200 values from 0.01 to 0.95, as a published study did, it would be 0.062" in text
    (planned,) = [row for row in rows_below(text, "What targets buy") if row.startswith(">")]
    assert planned.split() == [">", "200", ".0604", ".127", ".137", ".120", ".074", ".291", ".812", ".991", ">.999"]


def test_nothing_known_still_gives_what_targets_buy(bare: StudyPlan) -> None:
    text = render_plan(bare)
    assert text.startswith("targets and raters left open, 5 raters per target; nothing assumed of the ratings\n")
    assert [row.split()[0] for row in rows_below(text, "What targets buy")] == ["25", "50", "100", "200", "400"]
    assert "Nothing was assumed of the ratings" in text
    assert "Sources" not in text


def test_every_answer_stands_in_its_group_with_its_source(full: StudyPlan) -> None:
    text = render_plan(full)
    assert text.index("Formulas, one-way") < text.index("Correlations of two dimensions") < text.index("Planned design")
    for answer in full.answers:
        assert answer.label in flat(full)
    cited = {int(n) for n in re.findall(r" \[(\d)\]$", text, re.MULTILINE)}
    listed = {int(n) for n in re.findall(r"^\[(\d)\] ", text, re.MULTILINE)}
    assert cited == listed == set(range(1, len(listed) + 1))


def test_the_decimal_points_of_the_answers_stand_below_each_other(full: StudyPlan) -> None:
    full_text = render_plan(full)
    number = re.compile(r"(?: |>)[\d,]*(\.)\d+ +(?:targets)? +\[\d\]$", re.MULTILINE)
    found = [match.start(1) - full_text.rfind("\n", 0, match.start(1)) for match in number.finditer(full_text)]
    assert len(found) > 10
    assert len(set(found)) == 1


def test_the_table_of_designs_marks_the_planned_one(full: StudyPlan) -> None:
    rows = rows_below(render_plan(full), "Designs with 4 raters per target")
    assert len(rows) == len(full.table)
    (planned,) = [row.split() for row in rows if row.startswith(">")]
    (row,) = [row for row in full.table if row.planned]
    assert planned[:6] == [">", "60", "20", "12.0", "240", f"{row.width_single:.3f}"[1:]]
    assert planned[-1] == "440"


def test_the_cheapest_designs_are_shown_for_each_goal(full: StudyPlan) -> None:
    text = render_plan(full)
    for title in ("Cheapest designs whose interval of Rel(1)", "Cheapest designs in which Rel(k)"):
        assert 1 <= len([row for row in rows_below(text, title) if row[:1] == " "]) <= 5
    assert "at most .20 wide" in text
    assert "at least .50 with power .80" in text


def test_a_goal_out_of_reach_says_why_and_what_would_help() -> None:
    said = flat(plan_study(PlanOptions(icc=0.2, wanted=0.99)))
    assert "No design within the limits shows a reliability of at least .99" in said
    assert "No layout within the limits achieves the goal. What would help: allow more targets" in said


def test_an_answer_that_cannot_be_given_has_a_dash_and_its_reason() -> None:
    text = render_plan(plan_study(PlanOptions(icc=0.3, ruled_out=0.4)))
    assert re.search(r"^targets to show that it exceeds 0.4 .* – +targets", text, re.MULTILINE)
    assert "not possible: an ICC(1) of 0.300 does not exceed 0.4" in " ".join(text.split())


def test_a_design_with_few_raters_is_to_be_simulated_first() -> None:
    plan = plan_study(PlanOptions(targets=200, components=Components(target=0.35, rater=0.15, residual=0.5),
                                  costs=Costs(rater=50)))  # fmt: skip
    assert "with so few raters, simulate it first" in flat(plan)
    assert "With 6 raters the large-sample numbers are too good: simulate such a design" in flat(plan)


def test_simulated_numbers_have_their_monte_carlo_error_and_failures_are_counted(full: StudyPlan) -> None:
    text = render_plan(full)
    rows = rows_below(text, "Simulated studies of the planned design")
    assert [row.split()[0] for row in rows[:2]] == ["Rel(4)", "Rel(1)"]
    assert all(row.count("±") >= 3 for row in rows[:2])
    said = "6 studies, analysed by the crossed model: 0 gave no estimate, 0 an estimate without an interval; "
    assert said in flat(full)


def test_where_no_simulated_study_gave_an_interval_the_counts_stand_alone(full: StudyPlan) -> None:
    assert full.simulation is not None
    none = replace(full.simulation, no_fit=6, boundary={"cell": 2, "rater": 1})
    text = " ".join(render_plan(replace(full, simulation=none, simulated={})).split())
    assert "6 gave no estimate" in text
    assert "a variance was estimated as zero, that of target × rater in 2 and rater in 1" in text


def test_a_pilot_tells_the_raters_needed_and_the_curve(piloted: StudyPlan) -> None:
    text = render_plan(piloted)
    assert piloted.decision is not None
    needed = rows_below(text, "Raters per target that warmth needs, from the pilot")
    assert [row.split()[0] for row in needed] == [".50", ".60", ".75", ".80", ".90"]
    assert needed[0].split()[1:] == [
        str(piloted.decision.needed[0].by_value),
        str(piloted.decision.needed[0].by_lower_limit),
    ]
    curve = rows_below(text, "k raters")
    assert [row.split()[0] for row in curve] == ["1", "2", "3", "5", "10", "20"]
    assert re.fullmatch(r" +5  \.\d{3} \[\.\d{3}, \.\d{3}\]  (poor|moderate|good)", curve[3])
    assert "assumed from the pilot (warmth)" in flat(piloted)


def test_a_reliability_out_of_reach_is_said_to_be(piloted: StudyPlan) -> None:
    assert piloted.decision is not None
    none = Refusal("no number of raters is enough", "rate more targets")
    unknown = replace(piloted.decision.needed[0], by_lower_limit=none)
    text = render_plan(replace(piloted, decision=replace(piloted.decision, needed=(unknown,))))
    assert "cannot be reached" in text


@pytest.mark.parametrize("width", [44, 60, 80, 100])
@pytest.mark.parametrize("name", ["bare", "sized", "full", "piloted", "hostile"])
def test_no_line_is_wider_than_the_terminal(name: str, width: int, request: pytest.FixtureRequest) -> None:
    text = render_plan(request.getfixturevalue(name), width=width)
    assert max(map(cell_len, text.splitlines())) <= width


def test_a_narrow_terminal_is_told_that_columns_are_missing(full: StudyPlan) -> None:
    assert "Some columns do not fit this terminal" in " ".join(render_plan(full, width=44).split())
    assert "Some columns do not fit" not in render_plan(full)


def test_no_text_of_a_file_can_steer_the_terminal(hostile: StudyPlan) -> None:
    for styled in (False, True):
        text = render_plan(hostile, styled=styled)
        assert "\x1b[31m" not in text
        assert "\x07" not in text
        assert "\u202e" not in text
    assert "\x1b" not in render_plan(hostile)


def test_ascii_output_is_ascii(full: StudyPlan, hostile: StudyPlan) -> None:
    for plan in (full, hostile):
        text = render_plan(plan, ascii_only=True)
        assert text.isascii()
        assert "\\x" not in text.replace("\\x1b", "").replace("\\x07", "")
    assert "+/-" in render_plan(full, ascii_only=True)


def test_styles_add_codes_and_change_no_character(full: StudyPlan) -> None:
    styled = render_plan(full, styled=True)
    assert "\x1b[" in styled
    assert re.sub(r"\x1b\[[0-9;]*m", "", styled) == render_plan(full)


@pytest.mark.parametrize(("power", "said"), [(0.9996, ">.999"), (0.9994, ".999"), (0.0004, "<.001"), (0.5, ".500")])
def test_a_probability_is_never_printed_as_certain(power: float, said: str) -> None:
    assert say_power(power) == said


def test_replicates_are_a_column_of_their_own_where_they_are_planned() -> None:
    components = Components(target=0.3, rater=0.05, target_x_rater=0.05, residual=0.6)
    plan = plan_study(PlanOptions(targets=30, raters=8, per_target=3, replicates=2, components=components, width=0.3))
    text = render_plan(plan)
    assert "3 raters per target, 2 replicates, 180 ratings" in " ".join(text.split())
    assert "repl." in text
