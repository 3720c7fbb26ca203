"""How ratings spread over a scale, as small bars."""

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from dialgauge.analyse.raters.parts import UseOfScale
from dialgauge.analyse.raters.records import RaterQuality
from dialgauge.report.numerals import percent
from dialgauge.report.text import clean

Counts = tuple[tuple[str, int], ...]

MOST_BARS = 25
BAR_WIDTH, BAR_HEIGHT = 9, 24


def main_use(rater: RaterQuality) -> UseOfScale:
    """Return the use of the scale that most dimensions have."""
    return max(rater.use, key=lambda use: len(use.dimensions))


def sum_uses(raters: Sequence[RaterQuality]) -> Counts:
    """Return the counts of all raters together on the scale that most dimensions have."""
    total: Counter[str] = Counter()
    for rater in raters:
        if rater.use:
            total.update(dict(main_use(rater).counts))
    return tuple(total.items())


def draw_bars(pairs: Counts) -> Markup:
    """Draw how ratings spread over a scale: a bar a point; nothing on scales with many points."""
    counts = [count for _, count in pairs]
    if not any(counts) or len(counts) > MOST_BARS:
        return Markup()
    heights = [max(1.0, BAR_HEIGHT * count / max(counts)) for count in counts]
    bar = Markup('<rect x="{}" y="{:.1f}" width="{}" height="{:.1f}"/>')
    bars = Markup().join(
        bar.format(i * BAR_WIDTH, BAR_HEIGHT - height, BAR_WIDTH - 1, height) for i, height in enumerate(heights)
    )
    words = ", ".join(f"{clean(label)}: {percent(count / sum(counts))}%" for label, count in pairs)
    frame = '<svg class="bars" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img"><title>{2}</title>{3}</svg>'
    return Markup(frame).format(BAR_WIDTH * len(counts) - 1, BAR_HEIGHT, words, bars)  # noqa: S704 (a constant)
