"""Ratings with an injected text against ratings with a neutral one."""

import importlib.metadata
import platform
from collections.abc import Iterator

import numpy as np
import polars as pl

from dialgauge.analyse.probing.records import Movement, ProbeMaterial, ProbeReport, Shift
from dialgauge.analyse.results import Coefficient
from dialgauge.stats.clusters import mean_of_clusters
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.ranges import require_open

COVERS = "targets and the chance of one answer"

NOT_MEASURED = Refusal("no target has a rating with the text and one without", "collect them")


def analyse_probe(material: ProbeMaterial, *, source: str = "", level: float = 0.95) -> ProbeReport:
    """Return the shift that each injected text makes in the ratings of each rater, and that of all texts together.

    Raises InputError for a level outside (0, 1).
    """
    require_open("level", level, 0.0, 1.0)
    paired = _pair_up(material)
    return ProbeReport(
        source=source,
        level=level,
        raters=tuple(material.raters),
        dimensions=tuple(material.probes["dimension"].unique(maintain_order=True)),
        n_targets=material.probes["source"].n_unique(),
        shifts=tuple(shift for rater in material.raters for shift in _shifts(paired, material, rater, level=level)),
        versions={
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("dialgauge", "numpy", "scipy", "polars")},
        },
    )


def _pair_up(material: ProbeMaterial) -> pl.DataFrame:
    """Return a row per rater, probe and dimension with both ratings, null where a rating is not there at all."""
    ends = [(name, *scale.bounds) for name, scale in material.scales.items()]
    schema = {"dimension": pl.String, "low": pl.Float64, "high": pl.Float64}
    scales = pl.DataFrame(ends, schema=schema, orient="row")
    ratings = material.ratings.select("target", "rater", "dimension", "value", "missing")
    raters = pl.DataFrame({"rater": list(material.raters)}, schema={"rater": pl.String})
    rows = material.probes.join(raters, how="cross").join(scales, on="dimension", maintain_order="left")
    for form in ("injected", "neutral"):
        own = ratings.rename({"target": form, "value": f"value_{form}", "missing": f"missing_{form}"})
        rows = rows.join(own, on=[form, "rater", "dimension"], how="left", maintain_order="left")
    return rows


def _shifts(paired: pl.DataFrame, material: ProbeMaterial, rater: str, *, level: float) -> Iterator[Shift]:
    own = paired.filter(pl.col("rater") == rater)
    yield _shift(own, rater, None, "", None, level=level)
    kinds = material.probes.select("injection", "form", "direction").unique(maintain_order=True)
    for injection, form, direction in kinds.iter_rows():
        yield _shift(own.filter(pl.col("injection") == injection), rater, injection, form, direction, level=level)


def _shift(
    rows: pl.DataFrame,
    rater: str,
    injection: str | None,
    form: str,
    direction: int | None,
    *,
    level: float,
) -> Shift:
    whole = rows.drop_nulls(["value_injected", "value_neutral"])
    shift: Coefficient = NOT_MEASURED
    if not whole.is_empty():
        injected, neutral, low, high, sign = (
            whole[name].to_numpy() for name in ("value_injected", "value_neutral", "low", "high", "direction")
        )
        codes = whole["source"].rank("dense").to_numpy().astype(np.intp) - 1
        moved = sign * (injected - neutral) / (high - low)
        shift = mean_of_clusters(moved, codes, bounds=(-1.0, 1.0), covers=COVERS, level=level)
    return Shift(
        rater=rater,
        injection=injection,
        form=form,
        direction=direction,
        shift=shift,
        movement=_name_movement(shift),
        landed=_landed(whole, "value_injected"),
        landed_neutral=_landed(whole, "value_neutral"),
        n_pairs=whole.height,
        n_targets=whole["source"].n_unique(),
        missing=_count(rows["missing_injected"]),
        missing_neutral=_count(rows["missing_neutral"]),
    )


def _name_movement(shift: Coefficient) -> Movement:
    if not isinstance(shift, Estimate) or shift.low is None or shift.high is None:
        return "not measured"
    if shift.low > 0.0:
        return "moved"
    return "moved the other way" if shift.high < 0.0 else "not moved"


def _landed(whole: pl.DataFrame, value: str) -> float | None:
    return None if whole.is_empty() else float((whole[value] == whole["pushed"]).sum()) / whole.height


def _count(reasons: pl.Series) -> dict[str, int]:
    counted = reasons.drop_nulls().to_frame("reason").group_by("reason").len("n").sort("reason")
    return dict(counted.iter_rows())
