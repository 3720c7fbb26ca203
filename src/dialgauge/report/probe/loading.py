"""From the store of a study to the shifts that injected texts make."""

import polars as pl

from dialgauge.analyse.probing import ProbeMaterial, ProbeReport, analyse_probe
from dialgauge.collect.probing import ProbePlan
from dialgauge.io.store import Store

_PROBES = {
    "injection": pl.String,
    "form": pl.String,
    "direction": pl.Int64,
    "source": pl.String,
    "dimension": pl.String,
    "pushed": pl.Float64,
    "injected": pl.String,
    "neutral": pl.String,
}


def report_probe(store: Store, plan: ProbePlan, *, level: float = 0.95) -> ProbeReport:
    """Return the shifts in the ratings of ``plan`` that ``store`` has, of all its model raters.

    Asks no model. Raises InputError for a level outside (0, 1).
    """
    raters = tuple(entry.name for entry in store.raters() if entry.kind == "llm" and entry.base is None)
    rows = [
        (
            probe.injection.name,
            probe.injection.form,
            probe.injection.direction,
            probe.source,
            dimension,
            probe.pushed,
            probe.injected.id,
            probe.neutral.id,
        )
        for probe in plan.probes
        for dimension in probe.dimensions
    ]
    ratings = store.ratings(purpose="probe").frame.filter(pl.col("replicate") == 1)
    scales = store.scales()
    material = ProbeMaterial(
        raters=raters,
        scales={name: scales[name] for name in plan.dimensions},
        probes=pl.DataFrame(rows, schema=_PROBES, orient="row"),
        ratings=ratings,
    )
    return analyse_probe(material, source=store.location, level=level)
