"""Self-preference: whether a rater puts systems of its own model or family above others more than other raters do."""

from collections.abc import Callable

import numpy as np
import polars as pl

from dialgauge.analyse.checking.cells import average_ratings, directed, others_of, pair_cells
from dialgauge.analyse.checking.linear import (
    FEWEST_OF_EACH,
    Halves,
    Linear,
    average,
    compare_means,
    count_pairs,
    estimate_difference,
    estimate_share,
)
from dialgauge.analyse.checking.records import Beside, CheckedRater, CheckMaterial, SelfPreference
from dialgauge.stats.estimate import Refusal

Parts = list[pl.DataFrame]


def find_self_preference(
    material: CheckMaterial, rater: CheckedRater, *, level: float
) -> tuple[SelfPreference, ...] | Refusal:
    """Return the comparison over all dimensions, then for each; a Refusal where it cannot be made.

    It takes dimensions with a better end, and in each five targets of own and five of other systems that other raters
    have rated too. Models that have own systems among those compared are no other raters: what they prefer is in
    question as well.
    """
    halves = material.targets.with_row_index("place").drop_nulls("system")
    halves = halves.with_columns(own=pl.col("system").is_in(list(rater.own_systems)))
    rated = average_ratings(material, [rater.name]).filter(pl.col("dimension").is_in(directed(material)))
    cells = rated.join(halves, on="target", maintain_order="left").drop_nulls("system")
    problem = _find_problem(rater, rated, cells)
    if problem is not None:
        return problem
    systems = cells["system"].unique().to_list()
    others = others_of(material, rater, systems=systems)
    for beside, names in others:
        common = pair_cells(cells, average_ratings(material, names))
        parts = [part for name in material.scales if _enough(part := common.filter(pl.col("dimension") == name))]
        if parts:
            sizes = (None, parts), *((part["dimension"][0], [part]) for part in parts)
            found = _Comparison(material, rater, beside, level)
            return tuple(found.make(name, some) for name, some in sizes)
    if not others:
        return Refusal("no other rater without a system of its own among these is there", "have people rate them")
    return Refusal(
        f"other raters have not rated {FEWEST_OF_EACH} dialogues of its own systems and {FEWEST_OF_EACH} of others "
        "that it has rated",
        "collect them",
    )


def _find_problem(rater: CheckedRater, rated: pl.DataFrame, cells: pl.DataFrame) -> Refusal | None:
    """Say why the ratings by ``rater`` cannot be split into own and other systems; None where they can."""
    here, name = "it has rated no dialogue", "name the system of each dialogue"
    problems = (
        (not rater.own_systems, "no system of its own is named", "give own_systems in study.toml"),
        (rated.is_empty(), f"{here} in a dimension with a better end", "collect ratings"),
        (cells.is_empty(), f"{here} that names its system", name),
        (cells["system"].n_unique() < 2, "the dialogues that it has rated are of one system", "add other systems"),
        (not cells["own"].any(), f"{here} of a system of its own", "check own_systems in study.toml"),
        (bool(cells["own"].all()), f"{here} of other systems than its own", "add other systems"),
    )
    return next((Refusal(reason, remedy) for holds, reason, remedy in problems if holds), None)


def _enough(part: pl.DataFrame) -> bool:
    own = int(part["own"].sum())
    return min(own, part.height - own) >= FEWEST_OF_EACH


class _Comparison:
    """Compares one rater with others, on all dimensions and on each."""

    def __init__(self, material: CheckMaterial, rater: CheckedRater, beside: Beside, level: float) -> None:
        self._rater, self._beside, self._level = rater, beside, level
        self._n_targets = material.targets.height
        system = material.targets["system"].fill_null("").rank("dense").to_numpy().astype(np.intp) - 1
        own = material.targets["system"].is_in(list(rater.own_systems)).fill_null(value=False)
        self._halves = Halves(own.to_numpy().astype(np.intp), system)

    def make(self, name: str | None, parts: Parts) -> SelfPreference:
        """Return the comparison over the dimensions of ``parts``."""
        y, others = pl.col("y"), pl.col("y_others")
        halves, level = self._halves, self._level
        preference, difference, of_others = (self._each(parts, v, compare_means) for v in (y - others, y, others))
        first, first_others = (self._each(parts, v, count_pairs) for v in (y, others))
        own = halves.own[preference.used] == 1
        named = pl.concat(parts).filter("own")["system"]
        return SelfPreference(
            rater=self._rater.name,
            dimension=name,
            own=tuple(sorted(named.unique())),
            beside=self._beside,
            preference=estimate_difference(preference, halves, most=2.0, level=level),
            difference=estimate_difference(difference, halves, most=1.0, level=level),
            difference_others=estimate_difference(of_others, halves, most=1.0, level=level),
            first=estimate_share(first, halves, level=level),
            first_others=estimate_share(first_others, halves, level=level),
            n_own=int(own.sum()),
            n_other=int((~own).sum()),
        )

    def _each(self, parts: Parts, y: pl.Expr, compare: Callable[..., Linear]) -> Linear:
        found = []
        for part in parts:
            values = part.select(y=y)["y"].to_numpy()
            own, place, n = (part[name].to_numpy().astype(np.intp) for name in ("own", "place", "n"))
            found.append(compare(values, own, target=place, n_targets=self._n_targets, n=n))
        return average(found)
