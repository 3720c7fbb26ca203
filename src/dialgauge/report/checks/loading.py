"""From the store of a study to the checks of its model raters."""

from collections.abc import Collection

import polars as pl

from dialgauge.analyse.checking import CheckedRater, CheckMaterial, RaterChecks, check_raters
from dialgauge.analyse.users import UserChecks, check_users
from dialgauge.collect.checking import planted_for
from dialgauge.collect.code.words import SYSTEM, words_of
from dialgauge.io.store import RaterEntry, Store
from dialgauge.model import VARIANTS, Instrument, LlmRater, RaterCheck, Study

_PURPOSES = ("study", "planted")

_PLANTED = {
    "target": pl.String,
    "triplet": pl.String,
    "quality": pl.Int64,
    "dimension": pl.String,
    "sign": pl.Int64,
}


_TARGETS = {"target": pl.String, "system": pl.String, "words": pl.Int64}


def load_checks(store: Store, study: Study | None = None) -> tuple[RaterCheck, ...]:
    """Return the checks of the model raters in ``store`` that its ratings allow; none of an empty store."""
    return check_study(store, study).checks


def check_study(
    store: Store, study: Study | None = None, *, level: float = 0.95, only: Collection[str] | None = None
) -> RaterChecks:
    """Return all checks of the model raters in ``store``, and why others could not be made.

    ``study`` tells which systems are the raters' own; without it self-preference is not checked. ``only`` names the
    models that are checked (None: all). Asks no model. Raises InputError for a level outside (0, 1).
    """
    return check_raters(gather_material(store, study, only=only), source=store.location, level=level)


def check_simulated(store: Store, *, level: float = 0.95) -> UserChecks | None:
    """Return all checks of the simulated users of the dialogues in ``store``; None where it has none.

    Asks no model. Raises InputError for a level outside (0, 1).
    """
    return check_users(store.simulated, level=level)


def gather_material(store: Store, study: Study | None = None, *, only: Collection[str] | None = None) -> CheckMaterial:
    """Return the ratings that checks rest on: of models (all, or ``only`` some), their variants and people."""
    everyone = store.raters()
    models = [entry for entry in everyone if entry.kind == "llm"]
    entries = [entry for entry in models if only is None or (entry.base or entry.name) in only]
    own = {} if study is None else {one.name: one.own_systems for one in study.raters if isinstance(one, LlmRater)}
    raters = tuple(_describe(entry, entries, own.get(entry.name, ())) for entry in entries if entry.base is None)
    people = tuple(entry.name for entry in everyone if entry.kind == "human")
    names = [*(entry.name for entry in entries), *people]
    ratings = pl.concat(
        store.ratings(purpose=purpose, variants=True)
        .frame.filter(pl.col("rater").is_in(names))
        .select("target", "rater", "dimension", "replicate", "value", "missing", purpose=pl.lit(purpose))
        for purpose in ("study", "planted")
    )
    instrument = store.instrument()
    present = set(ratings["dimension"].unique())
    return CheckMaterial(
        raters=raters,
        scales={name: scale for name, scale in store.scales().items() if name in present},
        ratings=ratings,
        planted=_planted(instrument),
        calls=_calls(store, [rater.name for rater in raters if rater.several]),
        masses=_masses(store, [rater.name for rater in raters if rater.expected]),
        targets=_targets(store if raters else None),
        people=people,
    )


def _describe(entry: RaterEntry, entries: list[RaterEntry], own_systems: tuple[str, ...]) -> CheckedRater:
    prompt = entry.settings.get("prompt")
    per_call = prompt.get("dimensions_per_call") if isinstance(prompt, dict) else "one"
    variants = {one.variant: one.name for one in entries if one.base == entry.name and one.variant in VARIANTS}
    return CheckedRater(
        name=entry.name,
        variants=variants,
        several=per_call not in {"one", 1},
        expected=entry.settings.get("scoring") == "expected",
        own_systems=own_systems,
    )


def _targets(store: Store | None) -> pl.DataFrame:
    """Return the dialogues of the study: which system speaks in each, and how many words it has."""
    dialogues = () if store is None else store.targets()
    rows = [(one.id, one.system, len(words_of(one, SYSTEM))) for one in dialogues]
    return pl.DataFrame(rows, schema=_TARGETS, orient="row")


def _planted(instrument: Instrument | None) -> pl.DataFrame:
    dialogues = () if instrument is None else planted_for(instrument)
    rows = [
        (one.dialogue.id, one.triplet, int(one.quality), dimension, sign)
        for one in dialogues
        for dimension, sign in one.expected.items()
    ]
    return pl.DataFrame(rows, schema=_PLANTED, orient="row")


def _calls(store: Store, raters: list[str]) -> pl.DataFrame:
    """Return the calls for several dimensions that brought some value, with the keys in the order asked."""
    names = ["rater", "target", "replicate", "dimensions"]
    if not raters:
        return pl.DataFrame(
            schema=dict(zip(names, (pl.String(), pl.String(), pl.Int64(), pl.List(pl.String())), strict=True))
        )
    wanted = pl.col("rater").is_in(raters) & pl.col("state").is_in(["ok", "partial"])
    frame = store.attempts().filter(wanted & pl.col("purpose").is_in(_PURPOSES)).select(names)
    return frame.unique(maintain_order=True, keep="last")


def _masses(store: Store, raters: list[str]) -> pl.DataFrame:
    if not raters:
        return pl.DataFrame(schema={"rater": pl.String, "dimension": pl.String, "mass": pl.Float64})
    wanted = pl.col("rater").is_in(raters) & pl.col("purpose").is_in(_PURPOSES)
    return store.rating_details().filter(wanted & pl.col("expected")).select("rater", "dimension", "mass")
