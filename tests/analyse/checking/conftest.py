"""Tables of ratings with known properties."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from dialgauge.analyse.checking import CheckedRater, CheckMaterial
from dialgauge.model import Scale, Variant

FIVE = Scale.parse("1:5")

Row = tuple[str, str, str, str, int, float | None, str | None]
"""Purpose, target, rater, dimension, replicate, value, missing."""

SCHEMA = {
    "purpose": pl.String(),
    "target": pl.String(),
    "rater": pl.String(),
    "dimension": pl.String(),
    "replicate": pl.Int64(),
    "value": pl.Float64(),
    "missing": pl.String(),
}
PLANTED = {
    "target": pl.String(),
    "triplet": pl.String(),
    "quality": pl.Int64(),
    "dimension": pl.String(),
    "sign": pl.Int64(),
}
CALLS = {
    "rater": pl.String(),
    "target": pl.String(),
    "replicate": pl.Int64(),
    "dimensions": pl.List(pl.String()),
}
TARGETS = {"target": pl.String(), "system": pl.String(), "words": pl.Int64()}
MASSES = {"rater": pl.String(), "dimension": pl.String(), "mass": pl.Float64()}


def rows_of(
    rater: str,
    value: Callable[[int, str], float | None],
    *,
    n: int = 12,
    dimensions: Sequence[str] = ("a", "b"),
    purpose: str = "study",
) -> list[Row]:
    """Return ratings of n targets; a value of None is a rating that was refused."""
    found: list[Row] = []
    for i in range(n):
        for name in dimensions:
            v = value(i, name)
            found.append((purpose, f"t{i:02d}", rater, name, 1, v, "refused" if v is None else None))
    return found


def material_of(
    rows: Iterable[Row],
    *,
    variants: Mapping[Variant, str] | None = None,
    several: bool = False,
    expected: bool = False,
    scales: Mapping[str, Scale] | None = None,
    planted: Iterable[tuple[str, str, int, str, int]] = (),
    calls: Iterable[tuple[str, str, int, list[str]]] = (),
    masses: Iterable[tuple[str, str, float | None]] = (),
    targets: Iterable[tuple[str, str | None, int]] = (),
    people: Sequence[str] = (),
    others: Mapping[str, tuple[str, ...]] | None = None,
    own_systems: tuple[str, ...] = (),
) -> CheckMaterial:
    """Return the material of the rater "m", and of the models ``others`` with their own systems."""
    ratings = pl.DataFrame(list(rows), schema=SCHEMA, orient="row")
    names = ratings["dimension"].unique(maintain_order=True)
    return CheckMaterial(
        raters=(
            CheckedRater(
                name="m", variants=variants or {}, several=several, expected=expected, own_systems=own_systems
            ),
            *(CheckedRater(name=name, own_systems=own) for name, own in (others or {}).items()),
        ),
        scales=scales or dict.fromkeys(names, FIVE),
        ratings=ratings,
        planted=pl.DataFrame(list(planted), schema=PLANTED, orient="row"),
        calls=pl.DataFrame(list(calls), schema=CALLS, orient="row"),
        masses=pl.DataFrame(list(masses), schema=MASSES, orient="row"),
        targets=pl.DataFrame(list(targets), schema=TARGETS, orient="row"),
        people=tuple(people),
    )
