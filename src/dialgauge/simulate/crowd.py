"""A small crowd study out of nothing: raters, dialogues and CRS-Que ratings with known shares of variance."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.errors import InputError
from dialgauge.instruments import load_instrument
from dialgauge.io import from_frame
from dialgauge.model import Ratings
from dialgauge.seeding import child_rng

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Profile:
    """The shares of variance of one dimension before it is cut to points; the residual takes what is left of 1."""

    name: str
    target: float
    rater: float

    @property
    def residual(self) -> float:
        """The share of what neither target nor rater explains."""
        return 1.0 - self.target - self.rater


PROFILES = (
    Profile("accuracy", target=0.62, rater=0.08),  # good already with a few raters
    Profile("novelty", target=0.25, rater=0.20),
    Profile("explainability", target=0.30, rater=0.15),
    Profile("perceived_usefulness", target=0.42, rater=0.14),
    Profile("cui_humanness", target=0.05, rater=0.25),  # poor: dialogues hardly differ
    Profile("cui_rapport", target=0.20, rater=0.50),  # raters differ much in severity
    Profile("trust_confidence", target=0.30, rater=0.20),
    Profile("satisfaction", target=0.40, rater=0.15),
)
"""The dimensions of the study. Before the cut, the reliability of one rating is ``target``, as all shares sum to 1."""

COMMON_TARGET, COMMON_RATER, COMMON_RESIDUAL = 0.6, 0.4, 0.3
"""Shares of each facet's variance that all dimensions have in common: good dialogues are good in many ways, severe
raters are severe in many, and one rating spills over to the next (halo)."""

CUTS = (-1.6, -0.7, 0.1, 1.1)
"""Where the latent value, with variance 1, is cut to the points 1 to 5."""


def generate_crowd_study(
    *,
    seed: int,
    n_targets: int = 60,
    n_raters: int = 40,
    raters_per_target: int = 5,
    missing_share: float = 0.01,
) -> Ratings:
    """Return the ratings of a simulated crowd study, the same for the same arguments.

    Each of ``n_targets`` dialogues is rated by ``raters_per_target`` raters, one more or one less, out of ``n_raters``,
    who are not equally active; ``missing_share`` (0 to below 1) of the cells are empty. The dimensions are those of
    `PROFILES`: latent target, rater and residual effects are normal, correlated between dimensions, and their sum is
    cut at `CUTS`. Raises InputError when there are too few targets or raters for the design.
    """
    if n_targets < 1 or not 1 <= raters_per_target < n_raters or not 0.0 <= missing_share < 1.0:
        msg = (
            "a crowd study needs targets, more raters than each target has, and a missing share in [0, 1), got "
            f"n_targets={n_targets}, n_raters={n_raters}, raters_per_target={raters_per_target}, "
            f"missing_share={missing_share}"
        )
        raise InputError(msg)
    target, rater = _assign(n_targets, n_raters, raters_per_target, child_rng(seed, "crowd", "design"))
    points = _rate(target, rater, seed)
    empty = child_rng(seed, "crowd", "missing").random(points.shape) < missing_share
    table = pl.DataFrame(
        {
            "dialogue_id": _name("dialogue", target, n_targets),
            "rater_id": _name("rater", rater, n_raters),
            **{profile.name: points[:, d] for d, profile in enumerate(PROFILES)},
        }
    ).with_columns(
        pl.when(pl.Series(~empty[:, d])).then(pl.col(profile.name)).alias(profile.name)
        for d, profile in enumerate(PROFILES)
    )
    ratings = from_frame(table, target="dialogue_id", rater="rater_id", instrument=load_instrument("crs_que"))
    return replace(ratings, source=f"simulated crowd study, seed {seed}")


def _assign(n_targets: int, n_raters: int, per_target: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Deal raters to targets: those with the least load for their activity first, with some chance."""
    activity = rng.uniform(0.6, 1.4, n_raters)
    load = np.zeros(n_raters)
    pairs = []
    for target in range(n_targets):
        k = int(np.clip(per_target + rng.integers(-1, 2), 1, n_raters))
        chosen = np.argsort(load / activity + rng.random(n_raters))[:k]
        load[chosen] += 1
        pairs += [(int(rater), target) for rater in chosen]
    rater, target_codes = np.array(sorted(pairs), dtype=np.intp).T
    return target_codes, rater


def _rate(target: Codes, rater: Codes, seed: int) -> NDArray[np.int64]:
    """Return the points, shape (ratings, dimensions)."""
    shares = np.array([(p.target, p.rater, p.residual) for p in PROFILES])
    u = _effects(int(target.max()) + 1, COMMON_TARGET, child_rng(seed, "crowd", "targets"))
    v = _effects(int(rater.max()) + 1, COMMON_RATER, child_rng(seed, "crowd", "raters"))
    e = _effects(len(target), COMMON_RESIDUAL, child_rng(seed, "crowd", "residual"))
    root = np.sqrt(shares)
    latent = root[:, 0] * u[target] + root[:, 1] * v[rater] + root[:, 2] * e
    points: NDArray[np.int64] = np.searchsorted(np.asarray(CUTS), latent) + 1
    return points


def _effects(n: int, common: float, rng: np.random.Generator) -> Floats:
    """Return standard normal effects, shape (n, dimensions), with the correlation ``common`` between dimensions."""
    together, alone = rng.standard_normal((n, 1)), rng.standard_normal((n, len(PROFILES)))
    effects: Floats = np.sqrt(common) * together + np.sqrt(1.0 - common) * alone
    return effects


def _name(kind: str, codes: Codes, n: int) -> list[str]:
    width = max(2, len(str(n)))
    return [f"{kind}_{code + 1:0{width}d}" for code in codes]
