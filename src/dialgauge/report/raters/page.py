"""One HTML page on the raters that stands alone: verdict, who is worth a look and why, all raters, figures, methods."""

from markupsafe import Markup

from dialgauge.analyse.raters.limits import FALSE_SHARE, MOSTLY_FAST, NO_AGREEMENT, NOISY, SEVERE, STRAIGHT
from dialgauge.analyse.raters.parts import RaterSpeed, StraightLining
from dialgauge.analyse.raters.records import RaterReport
from dialgauge.report.numerals import DASH, decimal, percent
from dialgauge.report.raters.bars import draw_bars, sum_uses
from dialgauge.report.raters.charts import draw_rater_figures
from dialgauge.report.raters.gaps import list_rater_gaps, say_who
from dialgauge.report.raters.rasch import MODELS, list_rasch_gaps, tabulate_rasch
from dialgauge.report.raters.rows import LeftOut, make_left_out, make_profile, make_row
from dialgauge.report.raters.words import RULE_WORDS, conclude_raters, say_k
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source, typeset
from dialgauge.report.words import say_kind
from dialgauge.stats.estimate import Refusal

MOST_ROWS = 500
"""Raters in the table of the page; CSV and JSON have all."""


def render_rater_page(report: RaterReport) -> str:
    """Return the page. It asks nothing of the network; all names and notes in it are escaped."""
    shown = report.raters[:MOST_ROWS]
    return load_template("raters/page.html.j2").render(
        verdict=conclude_raters(report),
        title=name_source(report.source),
        source=clean(report.source) or "not named",
        level=f"{report.level * 100:g}",
        unit=report.norms.unit,
        facts=_facts(report),
        findings=[typeset(clean(finding)) for finding in report.findings],
        profiles=[make_profile(rater) for rater in report.flagged],
        rows=[make_row(rater) for rater in shown],
        more=len(report.raters) - len(shown),
        columns=_columns(report),
        usual=_usual(report),
        usual_bars=draw_bars(sum_uses(report.raters)),
        left=_left_out(report),
        k=say_k(report) if report.k else DASH,
        figures=[(f, Markup(f.svg)) for f in draw_rater_figures(report)],  # noqa: S704 (Vega escapes its texts)
        rasch_model=None if report.rasch is None else MODELS[report.rasch.model],
        rasch=[] if report.rasch is None else tabulate_rasch(report.rasch),
        rasch_gaps=[] if report.rasch is None else list_rasch_gaps(report.rasch),
        gaps=[(say_who(gap), gap) for gap in list_rater_gaps(report)],
        rules=_rules(),
        false_share=percent(FALSE_SHARE),
        notes=[typeset(clean(note)) for note in report.notes],
        versions=report.versions,
    )


def _facts(report: RaterReport) -> list[tuple[str, str]]:
    design = report.design
    loads = [rater.n_targets for rater in report.raters]
    spread = f"{min(loads):,} to {max(loads):,}" if min(loads) != max(loads) else f"{loads[0]:,} each"
    links = "connected" if design.connected else f"{design.n_components} groups without a link"
    share = report.norms.rater_share
    return [
        ("raters", f"{len(report.raters):,}"),
        ("worth a look", f"{len(report.flagged):,}"),
        ("targets", f"{design.n_targets:,}"),
        ("targets per rater", spread),
        ("design", f"{say_kind(design)}, {links}"),
        ("variance due to severity", DASH if share is None else f"{percent(share)}%"),
    ]


def _columns(report: RaterReport) -> dict[str, bool]:
    """Say which columns of the table hold anything."""
    return {
        "straight": any(isinstance(rater.straight_lining, StraightLining) for rater in report.raters),
        "halo": any(not isinstance(rater.halo, Refusal) for rater in report.raters),
        "seconds": any(isinstance(rater.speed, RaterSpeed) for rater in report.raters),
    }


def _usual(report: RaterReport) -> dict[str, str]:
    """Return what is usual in the panel, for the foot of the table."""
    norms = report.norms
    return {
        "agreement": DASH if norms.agreement is None else decimal(norms.agreement, 2),
        "straight": DASH if norms.straight is None else f"{percent(norms.straight)}%",
        "halo": DASH if norms.halo is None else decimal(norms.halo, 2),
        "seconds": DASH if norms.seconds is None else f"{norms.seconds:,.0f}",
    }


def _left_out(report: RaterReport) -> list[LeftOut]:
    found = []
    if report.but_severe is not None:
        whom = "worth a look" if report.but_severe is report.together else "worth a look for more than severity"
        found.append(make_left_out(report.but_severe, whom))
    if report.together is not None and report.but_severe is not report.together:
        found.append(make_left_out(report.together, "worth a look"))
    return found


def _rules() -> list[tuple[str, str]]:
    """Return each rule with when it is met."""
    tested = ", and the test finds it"
    limits = {
        "one_value": "one value throughout, over five or more targets, which the habits of the others make unlikely",
        "straight_lining": f"one value for all dimensions of at least {percent(STRAIGHT)}% of the targets{tested}",
        "speed": f"over {percent(MOSTLY_FAST)}% of three or more answers took less than a third of the panel’s median",
        "noise": f"residual variance at least {NOISY:g} times that of the others{tested}",
        "agreement": f"correlation with the others’ means of at most {decimal(NO_AGREEMENT, 2)}{tested} below theirs",
        "severity": f"over {SEVERE:g} standard deviations of one rating from the mean of the raters{tested}",
    }
    return [(word, limits[rule]) for rule, word in RULE_WORDS.items()]
