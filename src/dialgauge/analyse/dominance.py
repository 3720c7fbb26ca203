"""Targets that hold many more ratings than the others, such as those that every rater sees to check their attention."""

import numpy as np

from dialgauge.analyse.tables import Block
from dialgauge.errors import CannotEstimateError
from dialgauge.stats.agreement.alpha import Metric, krippendorff_alpha
from dialgauge.stats.arrays import Codes, Floats

TIMES_USUAL = 4.0
"""Ratings of a target, in medians over all targets, from which it stands out."""

WEIGHTY = 0.05
"""Share of all ratings that targets which stand out must hold to count."""

FEW = 0.1
"""Share of the targets that those which stand out may be."""

MOST_NAMES = 4


def find_dominant(block: Block) -> Codes:
    """Return the codes of the few targets that hold a share of the ratings far beyond their number; mostly none."""
    counts = np.bincount(block.target)
    out = np.flatnonzero(counts > TIMES_USUAL * np.median(counts)) if len(counts) else np.array([], dtype=np.int64)
    weighty = counts[out].sum() >= WEIGHTY * counts.sum()
    return out if weighty and len(out) <= max(1.0, FEW * len(counts)) else out[:0]


def say_dominant(block: Block, values: Floats, *, metric: Metric, alpha: float, name: str = "alpha") -> list[str]:
    """Say which targets dominate, and what ``alpha`` would be without them; nothing where none do.

    ``values`` has shape (n,), one entry a rating of ``block``; ``name`` is what alpha is called.
    """
    out = find_dominant(block)
    if not len(out):
        return []
    inside = np.isin(block.target, out)
    labels = [str(block.labels[int(np.argmax(block.target == code))]) for code in out]
    left = len(labels) - MOST_NAMES
    shown = ", ".join(labels[:MOST_NAMES]) + (f" and {left} more" if left > 0 else "")
    try:
        rest = krippendorff_alpha(values[~inside], block.target[~inside], metric=metric).value
        without = f"{name} is {_number(rest)} instead of {_number(alpha)}"
    except CannotEstimateError:
        without = f"{name} cannot be computed"
    one = len(out) == 1
    sentence = (
        f"{len(out)} of {block.design.n_targets} targets ({shown}) {'holds' if one else 'hold'} {inside.mean():.0%} of "
        f"the ratings; without {'it' if one else 'them'} {without}."
    )
    return [sentence]


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1.0 else f"{value:.3f}"
