"""Evidence from ratings and from the store of a study."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.retest.study import analyse_retest
from dialgauge.analyse.systems import analyse_systems
from dialgauge.decide import decide_uses, gather_ratings, gather_study, load_policy
from dialgauge.errors import InputError
from dialgauge.io import from_frame
from dialgauge.io.store import RaterEntry, Store, open_store
from dialgauge.model import Attempt, Dialogue, Dimension, Instrument, LlmRater, Rating, Scale, Study, Turn
from dialgauge.simulate.crowd import generate_crowd_study
from dialgauge.simulate.retest import generate_retest_study
from dialgauge.stats.estimate import Refusal

INSTRUMENT = Instrument(
    name="two", version="1", title="Two", dimensions=(Dimension(name="calm", title="Calm"),),
    scale=Scale(level="interval", low=-9.0, high=9.0),
)  # fmt: skip


def test_a_crowd_is_looked_at_together_with_the_numbers_of_the_reliability_table() -> None:
    ratings = generate_crowd_study(seed=1)
    analysis = {d.name: d for d in analyse_reliability(ratings).dimensions}
    found = gather_ratings(ratings)
    assert [e.dimension for e in found] == list(ratings.dimensions)
    assert all(e.rater == "" and e.unit == "raters" for e in found)
    assert {e.dimension: e.mean for e in found if e.dimension in analysis} == {n: d.rel_k for n, d in analysis.items()}
    assert found[0].panel == tuple(sorted(ratings.frame["rater"].unique()))


def test_replicates_are_looked_at_rater_by_rater_with_the_numbers_of_the_retest_table() -> None:
    ratings = generate_retest_study(seed=1, n_targets=40)
    repeats = {(r.dimension, r.rater): r for r in analyse_retest(ratings).repeats}
    found = gather_ratings(ratings)
    assert {(e.dimension, e.rater): e.single for e in found} == {key: r.single for key, r in repeats.items()}
    assert {e.unit for e in found} == {"replicates"}
    assert {e.group for e in found} >= {"engagement"}


def test_another_basis_is_refused() -> None:
    with pytest.raises(InputError, match="one of auto, crowd, repeat, got 'both'"):
        gather_ratings(generate_crowd_study(seed=1), basis="both")  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------------ systems


def systems_table(spread: float, *, n: int = 40) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    rows = [
        {
            "dialogue": f"{s}-{t}",
            "rater": r,
            "system": f"s{s}",
            "score": spread * s + true + 0.3 * rng.standard_normal(),
        }
        for s in range(3)
        for t in range(n)
        for true in [rng.standard_normal()]
        for r in "ab"
    ]
    return pl.DataFrame(rows)


def read(frame: pl.DataFrame) -> tuple[object, dict[str, str]]:
    ratings = from_frame(frame.drop("system"), target="dialogue", rater="rater", scale="-99.0:99.0", dimensions="score")
    return ratings, dict(frame.select("dialogue", "system").unique().iter_rows())


def test_the_reliability_of_system_means_is_one_minus_one_over_f() -> None:
    frame = systems_table(0.4)
    ratings, systems = read(frame)
    found = analyse_systems(ratings, systems)["score", ""]  # type: ignore[arg-type]
    assert not isinstance(found, Refusal)
    scores = frame.group_by("system", "dialogue").agg(pl.col("score").mean())
    groups = [g["score"].to_numpy() for _, g in scores.group_by("system")]
    between = 40 * np.var([g.mean() for g in groups], ddof=1)
    within = np.mean([g.var(ddof=1) for g in groups])
    assert found.reliability.value == pytest.approx(1.0 - within / between, abs=1e-12)
    assert (found.n_systems, found.n_targets, found.per_system, found.shared_raters) == (3, 120, 40.0, True)


def test_clearly_different_systems_are_trusted_and_alike_ones_are_not() -> None:
    verdicts = []
    for spread in (3.0, 0.0):
        ratings, systems = read(systems_table(spread))
        evidence = gather_ratings(ratings, systems=systems)  # type: ignore[arg-type]
        (decision,) = decide_uses(evidence, load_policy(), uses=["compare-systems"]).decisions
        verdicts.append(decision.verdict)
    assert verdicts[0] == "trust"
    assert verdicts[1] != "trust"


def test_raters_of_one_system_each_are_told_apart_from_shared_ones() -> None:
    ratings, systems = read(systems_table(0.4).with_columns(rater=pl.col("rater") + pl.col("system")))
    evidence = gather_ratings(ratings, systems=systems)  # type: ignore[arg-type]
    (decision,) = decide_uses(evidence, load_policy(), uses=["compare-systems"]).decisions
    assert any("severity may look like a difference between systems" in reason for reason in decision.reasons)


def test_one_system_cannot_be_compared() -> None:
    ratings, systems = read(systems_table(0.4))
    found = analyse_systems(ratings, dict.fromkeys(systems, "only"))["score", ""]  # type: ignore[arg-type]
    assert isinstance(found, Refusal)


# -------------------------------------------------------------------------------------------------------------- store


def fill(store: Store, *, replicates: int) -> None:
    """Fill a store with two people, a model of ``replicates``, and code."""
    study = Study(name="s", instrument="two", raters=(LlmRater(name="gpt", kind="llm", model="m"),))
    people = [RaterEntry(name=name, kind="human") for name in ("ann", "bob")]
    store.register(study, INSTRUMENT, *people, RaterEntry(name="length", kind="code"))
    store.add_targets(Dialogue(id=f"t{i}", turns=(Turn(speaker="user", text=f"{i}"),)) for i in range(30))
    run = store.begin_run({}, seed=1)
    rng = np.random.default_rng(1)
    true = rng.standard_normal(30)
    items = []
    for rater, n in (("ann", 1), ("bob", 1), ("gpt", replicates), ("length", 1)):
        for i in range(30):
            for r in range(1, n + 1):
                key: Any = {"rater": rater, "target": f"t{i}", "replicate": r}
                attempt = Attempt(
                    **key,
                    dimensions=("calm",),
                    number=1,
                    started=datetime.now(UTC),
                    seconds=0.1,
                    state="ok",
                    request="",
                )
                items.append((attempt, [Rating(**key, dimension="calm", value=float(true[i] + 0.3 * rng.normal()))]))
    store.write(run, items)


def test_people_are_taken_together_models_by_replicates_and_code_is_left_out(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db", create=True) as store:
        fill(store, replicates=3)
        found = gather_study(store)
        evidence, notes = found.evidence, found.notes
    assert [(e.rater, e.unit, e.k) for e in evidence] == [("", "raters", 2.0), ("gpt", "replicates", 3.0)]
    assert evidence[0].panel == ("ann", "bob")
    assert notes[-1].startswith("Left out: length;")


def test_a_model_that_rated_once_is_unknown_and_never_trusted(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db", create=True) as store:
        fill(store, replicates=1)
        evidence = gather_study(store).evidence
    decisions = decide_uses(evidence, load_policy()).decisions
    assert {(d.verdict, d.undecided) for d in decisions if d.rater == "gpt"} == {("do not use", True)}


def test_an_empty_study_is_refused(tmp_path: Path) -> None:
    with (
        open_store(tmp_path / "s.db", create=True) as store,
        pytest.raises(InputError, match="no ratings by people or models"),
    ):
        gather_study(store)
