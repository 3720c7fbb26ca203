"""The figures of a plan with the words that belong to them."""

from dialgauge.analyse.planning import Curve, StudyPlan
from dialgauge.report.figures import Figure
from dialgauge.report.numerals import decimal
from dialgauge.report.planning.charts import draw_curve, draw_decision
from dialgauge.report.planning.numbers import say_coefficient, say_power
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean

CAPTIONS = {
    "least_detectable_icc": "The first targets buy the most: the curves are steep on the left and flat on the right. "
    "More raters per target help as well.",
    "power": "How probable it is that the study shows what is true. The further the true ICC(1) lies above the one to "
    "be ruled out, the surer.",
    "width": "How wide the interval of the reliability of one rating will be. Half of it takes four times the targets.",
}


def draw_plan(plan: StudyPlan) -> tuple[tuple[Figure, str], ...]:
    """Return the figures of the formulas, each with its caption."""
    return tuple((_draw(curve), CAPTIONS[curve.name]) for curve in plan.curves)


def draw_pilot(plan: StudyPlan) -> Figure | None:
    """Return what more raters would make of the pilot; ``None`` where there is none."""
    study, k = plan.decision, plan.options.per_target
    if study is None:
        return None
    first, last = study.curve[0].reliability, study.curve[-1].reliability
    title = f"Reliability against the number of raters: {clean(study.name)}"
    description = f"It rises from {decimal(first.value)} for one rater to {decimal(last.value)} for {len(study.curve)}."
    svg = finish_svg(draw_decision(study, k), name="figure-pilot", title=title, description=description)
    return Figure(name="pilot", title=title, description=description, svg=svg)


def _draw(curve: Curve) -> Figure:
    description = f"{curve.y_label} against {curve.x_label}, a curve for each of {len(curve.series)} {curve.by}."
    if curve.mark is not None:
        x, y = curve.mark
        at = f"{x:g}" if x >= 1.0 else decimal(x)
        value = say_power(y) if curve.name == "power" else say_coefficient(y)
        description += f" The planned study has {value} at {at}."
    name = f"figure-{curve.name.replace('_', '-')}"
    svg = finish_svg(draw_curve(curve), name=name, title=curve.title, description=description)
    return Figure(name=curve.name, title=curve.title, description=description, svg=svg)
