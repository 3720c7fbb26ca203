"""The limits of the bands in a figure whose vertical axis is a reliability."""

import altair as alt

from dialgauge.report.theme import FAINT
from dialgauge.report.words import BANDS

WORDED_LIMITS = (
    "".join(f"datum.value == {limit} ? '{word}  {limit:.2f}' : " for limit, word in BANDS)
    + "format(datum.value, '.2f')"
)
"""Labels of an axis of reliabilities (a Vega expression): the limits of the bands with their words."""


def rule_bands(y_scale: alt.Scale) -> alt.Chart:
    """Return a line across for the lower limit of each band."""
    rows: list[dict[str, object]] = [{"limit": limit} for limit, _ in BANDS]
    chart: alt.Chart = alt.Chart(alt.InlineData(values=rows)).mark_rule(color=FAINT, strokeWidth=1.5)
    return chart.encode(y=alt.Y("limit:Q", scale=y_scale))
