"""A plan as plain records: a JSON object, rows of a flat table, CSV."""

import importlib.metadata
import json
import math
import platform
from collections.abc import Sequence
from dataclasses import asdict

import polars as pl

from dialgauge.analyse.dstudy import DecisionStudy
from dialgauge.analyse.planning import Answer, Curve, PlanRow, StudyPlan, TargetsRow
from dialgauge.report.needs import record_needed
from dialgauge.report.planning.sentences import name_scores
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan import Simulation
from dialgauge.stats.plan.search import PricedLayout
from dialgauge.stats.plan.simulation import MonteCarlo, Simulated

Json = dict[str, object]


def plan_to_dict(plan: StudyPlan) -> Json:
    """Return all of ``plan`` as dicts, lists, texts, numbers and None, ready for strict JSON.

    The keys are described in docs/planning.md. What cannot be had has the value None, a reason and a remedy.
    """
    options = plan.options
    return {
        "design": _design(plan),
        "assumed": _assumed(plan),
        "wanted": {
            "reliability": options.wanted,
            "power": options.power,
            "alpha": options.alpha,
            "level": options.level,
            "ruled_out": options.ruled_out,
            "width": options.width,
        },
        "costs": asdict(options.costs),
        "answers": [_answer(answer) for answer in plan.answers],
        "by_targets": [_targets(row) for row in plan.by_targets],
        "table": [_designs(row) for row in plan.table],
        "for_width": _search(plan.for_width),
        "for_wanted": _search(plan.for_wanted),
        "simulation": None if plan.simulation is None else _simulation(plan, plan.simulation),
        "decision": None if plan.decision is None else _decision(plan.decision),
        "curves": [_curve(curve) for curve in plan.curves],
        "notes": list(plan.notes),
        "seed": options.seed,
        "versions": list_versions(),
    }


def plan_to_json(plan: StudyPlan) -> str:
    """Return `plan_to_dict` as strict JSON in ASCII: numbers are finite, and what is missing is null."""
    return json.dumps(plan_to_dict(plan), allow_nan=False, indent=2) + "\n"


def list_versions() -> dict[str, str]:
    """Return the versions of what the numbers were computed with."""
    names = ("dialgauge", "numpy", "scipy")
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in names}


def plan_to_frame(plan: StudyPlan) -> pl.DataFrame:
    """Return the table of designs, or that of what targets buy where nothing was assumed of the ratings."""
    if plan.components is not None:
        return pl.DataFrame([_designs(row) for row in plan.table])
    return pl.DataFrame([_flat(row) for row in plan.by_targets])


def plan_to_csv(plan: StudyPlan) -> str:
    """Return `plan_to_frame` as CSV with a header; what is missing is an empty cell."""
    return plan_to_frame(plan).write_csv()


def _value(value: float | Refusal) -> Json:
    """Return a number, or None with reason and remedy; the two are None where there is a number."""
    if isinstance(value, Refusal):
        return {"value": None, "reason": value.reason, "remedy": value.remedy}
    return {"value": value, "reason": None, "remedy": None}


def _design(plan: StudyPlan) -> Json:
    options, layout = plan.options, plan.layout
    return {
        "targets": options.targets,
        "raters": options.raters,
        "per_target": options.per_target,
        "replicates": options.replicates,
        "ratings": None if layout is None else layout.n_ratings,
        "targets_per_rater": None if layout is None else layout.load,
    }


def _assumed(plan: StudyPlan) -> Json | None:
    options, components = plan.options, plan.components
    if components is None:
        return None
    single, mean = (components.reliability(score) for score in name_scores(plan).values())
    origin = next(name for name in ("icc", "components", "pilot") if getattr(options, name) is not None)
    pilot = None if options.pilot is None else options.pilot.name
    return {"from": origin, "pilot": pilot, "variance": asdict(components), "rel_single": single, "rel_k": mean}


def _answer(answer: Answer) -> Json:
    return {
        "key": answer.key,
        "group": answer.group,
        "label": answer.label,
        **_value(answer.value),
        "unit": answer.unit or None,
        "source": answer.source,
        "remark": answer.remark or None,
    }


def _targets(row: TargetsRow) -> Json:
    return {
        "targets": row.targets,
        "least_detectable_icc": row.least_icc,
        "least_detectable_icc_on_grid": row.least_icc_on_grid,
        "icc_width": [{"icc": width.at, "width": width.value} for width in row.widths],
        "correlation_power": [{"r": power.at, "power": power.value} for power in row.powers],
        "planned": row.planned,
    }


def _flat(row: TargetsRow) -> Json:
    """Return the same with a column for each ICC and correlation."""
    return {
        "targets": row.targets,
        "least_detectable_icc": row.least_icc,
        "least_detectable_icc_on_grid": row.least_icc_on_grid,
        **{f"icc_width_at_{width.at:g}": width.value for width in row.widths},
        **{f"correlation_power_at_{power.at:g}": power.value for power in row.powers},
        "planned": row.planned,
    }


def _designs(row: PlanRow) -> Json:
    layout = row.layout
    return {
        "targets": layout.n_targets,
        "raters": layout.n_raters,
        "per_target": layout.per_target,
        "replicates": layout.replicates,
        "targets_per_rater": row.load,
        "ratings": layout.n_ratings,
        "width_single": row.width_single,
        "rel_k": row.rel_k,
        "width_k": row.width_k,
        "power": row.power,
        "cost": row.cost,
        "planned": row.planned,
    }


def _search(found: Sequence[PricedLayout] | Refusal | None) -> Json | None:
    """Return the cheapest designs of a search, or why there is none; None where no search was asked for."""
    if found is None:
        return None
    if isinstance(found, Refusal):
        return {"designs": [], **asdict(found)}
    return {"designs": [_priced(option) for option in found], "reason": None, "remedy": None}


def _priced(option: PricedLayout) -> Json:
    layout, precision = option.layout, option.precision
    return {
        "targets": layout.n_targets,
        "raters": layout.n_raters,
        "per_target": layout.per_target,
        "replicates": layout.replicates,
        "ratings": layout.n_ratings,
        "cost": option.cost,
        "k": option.score.k,
        "reliability": precision.value,
        "low": precision.low,
        "high": precision.high,
        "width": precision.width,
    }


def _simulation(plan: StudyPlan, simulation: Simulation) -> Json:
    return {
        "runs": simulation.runs,
        "model": simulation.model,
        "points": plan.options.points,
        "no_fit": simulation.no_fit,
        "no_interval": simulation.no_interval,
        "boundary": {facet.replace("cell", "target_x_rater"): n for facet, n in simulation.boundary.items()},
        "scores": [{"score": name, **_simulated(found)} for name, found in plan.simulated.items()],
    }


def _simulated(found: Simulated) -> Json:
    return {
        "truth": found.truth,
        "mean": _monte_carlo(found.mean),
        "sd": found.sd,
        "width": _monte_carlo(found.width),
        "coverage": _monte_carlo(found.coverage),
        "wanted": found.wanted,
        "power": None if found.power is None else _monte_carlo(found.power),
    }


def _monte_carlo(number: MonteCarlo) -> Json:
    error = number.standard_error if math.isfinite(number.standard_error) else None
    return {"value": number.value, "standard_error": error, "n": number.n}


def _decision(study: DecisionStudy) -> Json:
    return {
        "dimension": study.name,
        "level": study.level,
        "raters_needed": [record_needed(needed) for needed in study.needed],
        "curve": [
            {"k": p.k, "value": p.reliability.value, "low": p.reliability.low, "high": p.reliability.high}
            for p in study.curve
        ],
        "grid": [
            {
                "k": p.k,
                "replicates": p.replicates,
                "value": p.reliability.value,
                "low": p.reliability.low,
                "high": p.reliability.high,
            }
            for p in study.grid
        ],
    }


def _curve(curve: Curve) -> Json:
    return {
        "name": curve.name,
        "title": curve.title,
        "x_label": curve.x_label,
        "y_label": curve.y_label,
        "x": curve.x.tolist(),
        "by": curve.by,
        "series": [{"level": level, "y": y.tolist()} for level, y in curve.series.items()],
        "mark": None if curve.mark is None else {"x": curve.mark[0], "y": curve.mark[1]},
    }
