"""Sentences on what the numbers of a plan rest on."""

from collections.abc import Iterator

from dialgauge.analyse.planning.records import PlanOptions
from dialgauge.stats.components import Components
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.dstudy import Costs
from dialgauge.stats.plan import Layout
from dialgauge.stats.plan.search import LEAST_LOAD


def write_notes(options: PlanOptions, layout: Layout | None, components: Components | None) -> Iterator[str]:
    """Yield the sentences on what the numbers of a plan rest on."""
    yield (
        "The formulas know no severity of raters: each target has raters of its own there."
        + (" They also leave replicates out." if options.replicates > 1 else "")
    )
    if components is None:
        yield "Nothing was assumed of the ratings: give icc, components or a pilot for widths, power and costs."
    elif layout is None:
        yield "The planned design is open: give targets and raters for what it would show."
    if options.icc is not None:
        yield "From an ICC alone no severity of raters is assumed; components or a pilot are the better ground."
    yield from _notes_on_pilot(options)
    if layout is not None:
        yield from _notes_on_layout(layout)
    c = options.costs
    if c == Costs():
        yield "Costs are numbers of ratings; give what a rating, a rater and a target cost for money."
    else:
        yield f"Costs: {c.rating:g} per rating, {c.rater:g} per rater of the pool, {c.target:g} per target."


def _notes_on_pilot(options: PlanOptions) -> Iterator[str]:
    pilot = options.pilot
    if pilot is None:
        return
    rel, interval = pilot.rel_single, ""
    if rel.low is not None and rel.high is not None:
        interval = f", {100.0 * rel.level:g}% interval {rel.low:.3f} to {rel.high:.3f}"
    yield (
        f"Planned from a pilot, {pilot.name}: {pilot.design.n_targets} targets and {pilot.design.n_raters} raters, "
        f"Rel(1) {rel.value:.3f}{interval}."
    )
    if pilot.variance.rater is None:
        yield "The pilot could not tell severity from noise; where raters share targets, part of it is severity."


def _notes_on_layout(layout: Layout) -> Iterator[str]:
    if layout.nested:
        yield "Each rater rates one target only: severity cannot be told from noise, and counts as such."
    elif layout.load < LEAST_LOAD:
        yield f"Raters have {layout.load:.2g} targets each, too few to tell severity from noise; plan fewer raters."
    if layout.n_raters <= FEW_RATERS:
        yield f"With {layout.n_raters} raters the large-sample numbers are too good; simulate."
