"""One HTML page on injected texts that stands alone."""

from dialgauge.analyse.probing.records import ProbeReport, Shift
from dialgauge.report.probe.words import (
    LEGEND,
    conclude_probe,
    describe_probe,
    name_injection,
    say_missing_of,
    say_movement,
    write_landed,
    write_shift,
)
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source


def render_probe_page(report: ProbeReport, *, title: str = "") -> str:
    """Return the page, headed by ``title`` or the name of the source.

    It asks nothing of the network; all names in it are escaped.
    """
    return load_template("probe/page.html.j2").render(
        title=name_source(report.source, title=title, otherwise="Study"),
        source=clean(report.source) or "not named",
        verdict=conclude_probe(report),
        design=describe_probe(report),
        facts=[
            ("raters", f"{len(report.raters):,}"),
            ("targets", f"{report.n_targets:,}"),
            ("dimensions", f"{len(report.dimensions):,}"),
            ("intervals", f"{report.level * 100:g}%"),
        ],
        legend=LEGEND,
        raters=[(clean(rater), [_row(one) for one in report.shifts if one.rater == rater]) for rater in report.raters],
        versions=report.versions,
    )


def _row(one: Shift) -> tuple[str, ...]:
    return (
        name_injection(one),
        one.form,
        write_shift(one),
        say_movement(one),
        write_landed(one.landed),
        write_landed(one.landed_neutral),
        f"{one.n_targets:,}",
        say_missing_of(one),
    )
