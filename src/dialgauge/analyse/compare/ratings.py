"""Rated dimensions, each as a case that systems can be compared on: a row per dialogue and rater."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from dialgauge.analyse.compare.cases import Case, Kind, Layout, encode, make_panel, require_two
from dialgauge.analyse.compare.records import LeftOutSystem
from dialgauge.errors import CannotEstimateError
from dialgauge.model.ratings import Ratings
from dialgauge.stats.abilities import take_ratio
from dialgauge.stats.arrays import Codes, Floats

_NO_RATING = ("no dialogue of this system has a rating with a value", "rate dialogues of every system")


class RatingCases:
    """Makes cases of rated dimensions; ``targets`` are the dialogues in the order of ``layout``.

    Replicates of a rater on a dialogue are averaged, as they repeat one view; missing ratings are left out. Ratings by
    the raters in ``made_up`` do not count.
    """

    def __init__(
        self, ratings: Ratings, layout: Layout, targets: Sequence[str], *, made_up: Collection[str] = ()
    ) -> None:
        self._ratings = ratings
        self._made_up = list(made_up)
        self._layout = layout
        self._places = pl.DataFrame({"target": list(targets), "place": range(len(targets))})

    def make(self, name: str) -> Case:
        """Return the case of one dimension.

        Raises CannotEstimateError for a nominal scale, and where fewer than two systems were rated.
        """
        scale = self._ratings.scale_for(name)
        if scale.level == "nominal":
            raise CannotEstimateError(
                "the scale is nominal: its categories have no mean", remedy="compare the shares of each category"
            )
        kind = Kind(
            name=name,
            family="rated",
            unit="rating",
            bounds=scale.bounds,
            direction=scale.direction,
            scale=str(scale),
        )
        rows, rater, values = self._read(name)
        present = np.unique(self._layout.system[rows])
        names = self._layout.names
        kept = {int(code): number for number, code in enumerate(present)}
        gone = tuple(
            LeftOutSystem(system=system, reason=_NO_RATING[0], remedy=_NO_RATING[1])
            for code, system in enumerate(names)
            if code not in kept
        )
        systems = tuple(names[code] for code in present)
        require_two(systems, gone)
        case = Case(kind, systems, make_panel(self._layout, rows, values, kept, rater), (), (), gone)
        return self._with_clusters(case, rows, values)

    def _read(self, name: str) -> tuple[Codes, Codes, Floats]:
        """Return the dialogue, the rater and the mean value of each dialogue that a rater rated."""
        given = self._ratings.of(name).drop_nulls("value").join(self._places, on="target")
        frame = given.filter(~pl.col("rater").is_in(self._made_up))
        if given.height and not frame.height:
            raise CannotEstimateError(
                "all its ratings are made up, by a fake model", remedy="have it rated by people, a real model or code"
            )
        frame = frame.group_by("place", "rater").agg(pl.col("value").mean()).sort("place", "rater")
        rater = encode(frame["rater"].to_list())
        return frame["place"].to_numpy().astype(np.intp), rater, frame["value"].to_numpy().astype(np.float64)

    def _with_clusters(self, case: Case, rows: Codes, values: Floats) -> Case:
        """Add the mean over dialogues of each system, for the route that knows no raters."""
        dialogues, place = np.unique(rows, return_inverse=True)
        means = np.bincount(place, values) / np.bincount(place)
        estimates, crossings = [], []
        for system in case.systems:
            own = self._layout.system[dialogues] == self._layout.names.index(system)
            estimates.append(take_ratio(means[own], np.ones(int(own.sum()))))
            crossings.append(self._layout.crossing_of(dialogues[own]))
        return replace(case, estimates=tuple(estimates), crossings=tuple(crossings))
