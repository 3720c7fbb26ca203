"""Ratings in, the three studies of repeated measurement out."""

import importlib.metadata
import platform
from typing import get_args

import numpy as np

from dialgauge.analyse.retest.across import compare_classes
from dialgauge.analyse.retest.between import Comparison, Scope, Weights, compare_raters
from dialgauge.analyse.retest.cube import build_cube
from dialgauge.analyse.retest.records import PARTS, Form, Retest
from dialgauge.analyse.retest.sentences import answer_hypotheses, find_findings
from dialgauge.analyse.retest.within import Options, measure_repeats, summarise_groups
from dialgauge.errors import InputError
from dialgauge.model import Ratings
from dialgauge.stats.ranges import require_open

DOMINANT = 0.99
"""Share of the most frequent value from which a dimension is excluded."""


def analyse_retest(
    ratings: Ratings,
    *,
    form: Form = "printed",
    agreement_on: Scope = "excellent",
    weights: Weights = "quadratic",
    dominant: float = DOMINANT,
    level: float = 0.95,
) -> Retest:
    """Compute how well raters repeat themselves, and whether they agree on what is reliable and in their values.

    Raters are language models, or whoever rated the same targets several times; ``Ratings.frame`` tells the times apart
    by ``replicate``. A dimension is excluded for a rater who gave one value in at least the share ``dominant`` of the
    ratings. ``form`` chooses the mean square that counts as error in ICC(3,1) and ICC(3,k): within targets ("printed")
    or residual ("shrout-fleiss"). Study 3 compares the dimensions that are at least excellent by all raters, or with
    ``agreement_on="all"`` all that nobody excludes; ``weights`` are those of kappa on ordinal scales. ``level`` is the
    confidence level in (0, 1). What cannot be estimated is refused in its place. Raises ``InputError`` for options out
    of range, for ratings without a value, and where no rater rated a target twice. Source: Krzemińska et al. (2026).
    """
    _check_options(form, agreement_on, weights)
    require_open("the confidence level", level, 0.0, 1.0)
    require_open("the share of the most frequent value", dominant, 0.0, 1.0)
    cube = build_cube(ratings)
    repeats = measure_repeats(ratings, cube, Options(form, level, dominant))
    summaries = summarise_groups(repeats, cube.raters)
    both = (compare_classes(repeats, cube.raters, part=part, level=level) for part in PARTS)
    universality = [found for found in both if found is not None]
    excellent = universality[0].excellent if universality else ()
    comparison = Comparison(agreement_on, weights, level)
    values = compare_raters(ratings, cube, repeats, excellent=excellent, options=comparison)
    return Retest(
        source=ratings.source,
        level=level,
        form=form,
        dominant=dominant,
        raters=cube.raters,
        dimensions=cube.dimensions,
        n_targets=len(cube.targets),
        n_ratings=int(np.sum(~np.isnan(cube.values))),
        replicates=cube.replicates,
        repeats=repeats,
        summaries=summaries,
        universality=universality,
        values=values,
        hypotheses=answer_hypotheses(summaries, universality, values),
        findings=(*ratings.findings, *find_findings(repeats, form, dominant, once=cube.once)),
        notes=ratings.notes,
        versions=_versions(),
    )


def _versions() -> dict[str, str]:
    names = ("dialgauge", "numpy", "scipy", "polars")
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in names}}


def _check_options(form: str, scope: str, weights: str) -> None:
    known = (("form", form, Form), ("agreement-on", scope, Scope), ("weights", weights, Weights))
    for what, word, allowed in known:
        if word not in get_args(allowed):
            raise InputError(f"{what}: there is no {word!r}; choose among {', '.join(get_args(allowed))}")
