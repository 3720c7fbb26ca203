"""The figures of a plan: named, described, marked."""

from xml.etree import ElementTree as ET

import pytest

from dialgauge.analyse.planning import PlanOptions, StudyPlan, plan_study
from dialgauge.report.figures import Figure
from dialgauge.report.planning import charts
from dialgauge.report.planning.figures import draw_pilot, draw_plan

SVG = "{http://www.w3.org/2000/svg}"


def parse(figure: Figure) -> ET.Element:
    return ET.fromstring(figure.svg)  # noqa: S314 (our own output)


def texts(figure: Figure) -> list[str]:
    return [element.text or "" for element in parse(figure).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def figures(full: StudyPlan) -> dict[str, Figure]:
    return {figure.name: figure for figure, _ in draw_plan(full)}


def test_there_is_a_figure_with_a_caption_for_each_curve(full: StudyPlan) -> None:
    drawn = draw_plan(full)
    assert [figure.name for figure, _ in drawn] == ["least_detectable_icc", "power", "width"]
    assert all(caption.endswith(".") for _, caption in drawn)


def test_each_figure_is_named_and_described_for_those_who_cannot_see_it(figures: dict[str, Figure]) -> None:
    for figure in figures.values():
        root = parse(figure)
        assert root.get("role") == "img"
        assert (root[0].text, root[1].text) == (figure.title, figure.description)
    assert "The planned study has" in figures["width"].description


def test_the_planned_study_is_marked_with_its_value(figures: dict[str, Figure]) -> None:
    # Walter, Eliasziw and Donner (1998), by hand: ln C = 2.486475 sqrt(2 * 4 / (3 * 59)) = .52862, theta = .17419
    assert "planned: .148" in texts(figures["least_detectable_icc"])
    assert any(text.startswith("planned: ") for text in texts(figures["power"]))


def test_the_series_are_named_by_their_level(figures: dict[str, Figure]) -> None:
    assert {"2", "3", "4", "5", "10", "raters per target"} <= set(texts(figures["least_detectable_icc"]))
    assert {".20", ".35", ".40", ".60", ".80", "ICC(1)"} <= set(texts(figures["width"]))


def test_the_planned_series_alone_is_red(figures: dict[str, Figure]) -> None:
    lines = [path.get("stroke") for path in parse(figures["power"]).iter(f"{SVG}path")]
    assert lines.count("#D55E00") >= 1
    assert len({stroke for stroke in lines if stroke and stroke.startswith("#")}) >= 5


@pytest.mark.parametrize(
    ("options", "low", "high"),
    [
        (PlanOptions(targets=10), 0.9, 0.95),
        (PlanOptions(targets=400), 0.15, 0.4),  # the rest of the axis would be flat
        (PlanOptions(targets=400, icc=0.6), 0.6, 0.75),  # but for the planned study
    ],
)
def test_the_axis_of_power_ends_where_all_have_it(options: PlanOptions, low: float, high: float) -> None:
    (curve,) = [curve for curve in plan_study(options).curves if curve.name == "power"]
    assert low <= charts._last_of_interest(curve) <= high


def test_without_a_design_nothing_is_marked(bare: StudyPlan) -> None:
    assert not any(text.startswith("planned") for figure, _ in draw_plan(bare) for text in texts(figure))
    assert draw_pilot(bare) is None


def test_the_curve_of_a_pilot_marks_the_planned_number_of_raters(piloted: StudyPlan) -> None:
    figure = draw_pilot(piloted)
    assert figure is not None
    assert piloted.decision is not None
    value = piloted.decision.curve[4].reliability.value
    assert f"Rel(5) = {value:.3f}".replace("0.", ".") in texts(figure)
    assert {"1", "20", "moderate  0.50", "good  0.75"} <= set(texts(figure))


def test_more_raters_than_the_curve_has_are_not_marked(piloted: StudyPlan) -> None:
    assert piloted.options.pilot is not None
    many = plan_study(PlanOptions(targets=60, per_target=25, pilot=piloted.options.pilot))
    figure = draw_pilot(many)
    assert figure is not None
    assert not any(text.startswith("Rel(25)") for text in texts(figure))


def test_hostile_names_are_text(hostile: StudyPlan) -> None:
    figure = draw_pilot(hostile)
    assert figure is not None
    assert not list(parse(figure).iter(f"{SVG}script"))
    assert "\x1b" not in figure.svg
    assert "\u202e" not in figure.svg


def test_no_identifier_occurs_twice_on_the_page(full: StudyPlan) -> None:
    ids = [element.get("id") for figure, _ in draw_plan(full) for element in parse(figure).iter() if element.get("id")]
    assert len(ids) == len(set(ids))
