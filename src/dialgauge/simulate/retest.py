"""Repeated ratings by language models out of nothing: dimensions in groups, known reliability of one rating."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.errors import InputError
from dialgauge.model import RATING_SCHEMA, Dimension, Instrument, Level, Ratings, Scale
from dialgauge.seeding import child_rng

Floats = NDArray[np.float64]

CENTRE, SPREAD = 50.0, 10.0
"""Mean and standard deviation of one rating on a continuous scale."""

CUTS: dict[Level, tuple[float, ...]] = {"binary": (0.4,), "ordinal": (-1.2, -0.4, 0.4, 1.2), "nominal": (-0.6, 0.6)}
"""Where the latent value, with variance 1, is cut to points."""

SCALES: dict[Level, Scale] = {
    "interval": Scale(level="interval", low=CENTRE - 100.0, high=CENTRE + 100.0),
    "binary": Scale(level="binary", points=(0, 1)),
    "ordinal": Scale(level="ordinal", points=(1, 2, 3, 4, 5)),
    "nominal": Scale(level="nominal", points=(1, 2, 3)),
}


@dataclass(frozen=True, slots=True)
class RepeatProfile:
    """One dimension: the share ``icc`` (0 to 1) of the variance of one rating that a rater repeats.

    It is the ICC on a continuous scale, and that of the latent value where this is cut to points. ``shared`` (0 to 1)
    is the share of the repeated part that all raters have in common. ``icc`` may differ by rater: one entry each.
    """

    name: str
    group: str
    icc: float | tuple[float, ...]
    level: Level = "interval"
    shared: float = 0.9


REPEAT_PROFILES = (
    RepeatProfile("pace_of_replies", "adaptive timing", 0.97),
    RepeatProfile("pause_length", "adaptive timing", 1.0),
    RepeatProfile("warmth", "affect alignment", 0.93, "ordinal"),
    RepeatProfile("frustration", "affect alignment", (0.95, 0.92, 0.60)),
    RepeatProfile("attention", "engagement", 0.80),
    RepeatProfile("wants_to_go_on", "engagement", 0.97, "binary"),
    RepeatProfile("kind_of_request", "intention", 0.96, "nominal"),
    RepeatProfile("curiosity", "intention", 0.35),
)
"""The dimensions of a small study by three raters."""


def generate_retest_study(
    profiles: Sequence[RepeatProfile] = REPEAT_PROFILES,
    *,
    seed: int,
    n_targets: int = 80,
    raters: Sequence[str] = ("model-a", "model-b", "model-c"),
    n_replicates: int = 4,
    missing_share: float = 0.0,
) -> Ratings:
    """Return the ratings of a simulated study of repeated measurement, the same for the same arguments.

    Every rater rates each of ``n_targets`` targets ``n_replicates`` times on every dimension; ``missing_share`` (0 to
    below 1) of the answers could not be read ("unparsed"). Common, own and error parts are normal and independent.
    Raises InputError where there are fewer than two targets or a profile does not fit the raters.
    """
    if n_targets < 2 or n_replicates < 1 or not raters or not profiles or not 0.0 <= missing_share < 1.0:
        msg = (
            "a study of repeated measurement needs dimensions, raters, two targets and a missing share in [0, 1), got "
            f"{len(profiles)} dimensions, {len(raters)} raters, n_targets={n_targets}, missing_share={missing_share}"
        )
        raise InputError(msg)
    shape = (len(raters), n_targets, n_replicates)
    values = np.stack([_rate(profile, shape, seed) for profile in profiles])
    empty = child_rng(seed, "retest", "missing").random(values.shape) < missing_share
    dimension, rater, target, replicate = (axis.ravel() for axis in np.indices(values.shape))
    width = len(str(n_targets))
    names = [f"segment-{t + 1:0{width}d}" for t in range(n_targets)]
    frame = pl.DataFrame(
        {
            "target": pl.Series(names).gather(target),
            "rater": pl.Series(list(raters)).gather(rater),
            "dimension": pl.Series([profile.name for profile in profiles]).gather(dimension),
            "replicate": replicate + 1,
            "value": pl.Series(values.ravel()).set(pl.Series(empty.ravel()), None),
            "missing": pl.Series(["unparsed"], dtype=pl.String).gather(np.zeros(values.size, dtype=np.intp)),
            "row": np.arange(2, values.size + 2),
        },
        schema_overrides=dict(RATING_SCHEMA),
    ).with_columns(missing=pl.when(pl.col("value").is_null()).then(pl.col("missing")))
    return Ratings(
        frame=frame,
        scales={profile.name: SCALES[profile.level] for profile in profiles},
        instrument=_describe(profiles),
        source=f"simulated study of repeated measurement, seed {seed}",
    )


def _rate(profile: RepeatProfile, shape: tuple[int, int, int], seed: int) -> Floats:
    """Return the ratings of one dimension, shape (raters, targets, replicates)."""
    n_raters, n_targets, _ = shape
    icc = np.broadcast_to(profile.icc, n_raters) if isinstance(profile.icc, float) else np.asarray(profile.icc)
    if len(icc) != n_raters or not 0.0 <= icc.min() <= icc.max() <= 1.0:
        msg = f"the dimension {profile.name!r} has the reliabilities {profile.icc} for {n_raters} raters; give one each"
        raise InputError(msg)
    rng = child_rng(seed, "retest", profile.name)
    common, own = rng.standard_normal((1, n_targets, 1)), rng.standard_normal((n_raters, n_targets, 1))
    repeated = np.sqrt(profile.shared) * common + np.sqrt(1.0 - profile.shared) * own
    share = icc[:, None, None]
    latent: Floats = np.sqrt(share) * repeated + np.sqrt(1.0 - share) * rng.standard_normal(shape)
    if profile.level == "interval":
        return CENTRE + SPREAD * latent
    points = np.asarray(SCALES[profile.level].points, dtype=np.float64)
    found: Floats = points[np.searchsorted(np.asarray(CUTS[profile.level]), latent)]
    return found


def _describe(profiles: Sequence[RepeatProfile]) -> Instrument:
    return Instrument(
        name="simulated",
        version="1",
        title="Simulated user states",
        dimensions=tuple(
            Dimension(name=p.name, title=p.name.replace("_", " "), group=p.group, scale=SCALES[p.level])
            for p in profiles
        ),
    )
