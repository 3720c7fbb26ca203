"""What a comparison of systems is made from, and what it returns."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate


@dataclass(frozen=True, slots=True, eq=False)
class SystemPanel:
    """Values of systems: a row for each, a dialogue's measure or one rating of it; all arrays have the shape (n,).

    The codes of systems, personas, preferences, dialogues and raters count from 0. Codes of personas and preferences
    are common to the systems; a code of ``dialogue`` stands for one dialogue, so it has one system, one persona and one
    preference. ``rater`` is None where nobody rated, and each row is then a measure of the dialogue.
    Raises InputError for arrays that do not fit together, a value that is not finite, or a negative code.
    """

    values: Floats
    system: Codes
    persona: Codes
    preference: Codes
    dialogue: Codes
    rater: Codes | None = None

    def __post_init__(self) -> None:
        check_rows(self)

    def __len__(self) -> int:
        return int(self.values.size)


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference of two systems: ``first`` minus ``second``, both codes of systems.

    ``difference`` has its own interval; ``simultaneous`` is the same value with an interval that holds for all pairs
    of systems together. ``p`` is two-sided, of no difference; ``p_adjusted`` the single-step max |t| over all pairs of
    systems (Hothorn, Bretz and Westfall 2008). ``df`` are the degrees of freedom of ``difference``. ``n_paired``
    counts the combinations of persona and preference that both systems met.
    """

    first: int
    second: int
    difference: Estimate
    simultaneous: Estimate
    p: float
    p_adjusted: float
    df: float
    n_paired: int


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The rank of a system, 1 is best, with an interval that holds for all systems together.

    ``rank`` is 1 + the number of systems strictly above, the mean over ties; ``low`` and ``high`` come from the
    simultaneous intervals of the differences (Mohamad, van Zwet and Goeman 2019).
    """

    rank: float
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems compared: means, all pairs of them (``first`` < ``second``, in the order of codes) and ranks.

    ``means`` are marginal over personas and preferences. ``variance`` holds the variance components by name, in the
    square of the values' unit, and is empty for the clustered route; those in ``boundary`` were estimated at 0, those
    in ``left_out`` cannot be told from another in these data, each with the reason. ``n`` counts the values used.
    """

    means: tuple[Estimate, ...]
    contrasts: tuple[Contrast, ...]
    ranks: tuple[RankInterval, ...]
    method: str
    variance: Mapping[str, float]
    boundary: tuple[str, ...]
    left_out: Mapping[str, str]
    n: int


@dataclass(frozen=True, slots=True)
class NeededDesign:
    """What a true difference of ``difference`` needs to be shown with ``power`` at the two-sided level ``alpha``.

    ``n_dialogues`` are those of each system: every persona with every preference once, or as many with the only persona
    that is known. ``n_raters`` rate every dialogue; None where nobody rates. ``n_pool`` is how many preferences there
    are where each persona has ``n_preferences`` of them alone, None where all have the same. ``by_proportion`` says
    that the study at hand was scaled as a whole.
    """

    difference: float
    power: float
    alpha: float
    n_personas: int
    n_preferences: int
    n_dialogues: int
    n_raters: int | None
    n_pool: int | None = None
    by_proportion: bool = False


def check_rows(panel: SystemPanel) -> None:
    """Raise InputError unless the arrays of ``panel`` fit together and a dialogue belongs to one of everything."""
    n = panel.values.size
    for name in ("system", "persona", "preference", "dialogue", "rater"):
        codes = getattr(panel, name)
        if codes is None:
            continue
        if codes.shape != (n,) or panel.values.shape != (n,):
            raise InputError(f"{n} values need as many codes of {name}, got an array of shape {codes.shape}")
        if n and codes.min() < 0:
            raise InputError(f"codes of {name} count from 0, got {codes.min()} in row {int(codes.argmin())}")
    if not np.isfinite(panel.values).all():
        row = int(np.argmin(np.isfinite(panel.values)))
        raise InputError(f"a value must be finite, got {panel.values[row]} in row {row}; leave missing values out")
    if not n:
        return
    _, first, dense = np.unique(panel.dialogue, return_index=True, return_inverse=True)
    for name in ("system", "persona", "preference"):
        codes = getattr(panel, name)
        wrong = codes != codes[first][dense]
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"dialogue {panel.dialogue[row]} has a second {name} in row {row}; give each dialogue a code of its own"
            )
