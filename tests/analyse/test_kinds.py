"""Kinds of rater compared, from ratings to sentences."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.kinds import KindReliability, KindsComparison, PairOfKinds, compare_kinds, kinds_from_rows
from dialgauge.analyse.kinds.pairs import PerfectCorrelation, Worth
from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.errors import InputError
from dialgauge.io import from_frame
from dialgauge.model import Ratings
from dialgauge.stats.estimate import Refusal

from .conftest import ends, known

KINDS = {**{f"p{i}": "human" for i in range(6)}, "m0": "llm", "m1": "llm"}

ONE_MODEL = {rater: kind for rater, kind in KINDS.items() if rater != "m1"}


def study(
    seed: int = 0,
    *,
    models: int = 2,
    replicates: int = 2,
    rho: float = 0.8,
    n_targets: int = 50,
    dimensions: tuple[str, ...] = ("trust",),
    noise: float = 0.5,
) -> Ratings:
    """Make ratings from 1 to 7 by six people, of whom three rate each target, and by models, who rate all of them."""
    rng = np.random.default_rng(seed)
    rows = []
    for dimension in dimensions:
        u = rng.multivariate_normal([0.0, 0.0], [[1.0, rho], [rho, 1.0]], size=n_targets)
        severity = dict(zip(KINDS, 0.4 * rng.normal(size=len(KINDS)), strict=True))
        for t in range(n_targets):
            people = [(f"p{j}", 0, 1) for j in rng.choice(6, 3, replace=False)]
            for rater, kind, times in [*people, *((f"m{j}", 1, replicates) for j in range(models))]:
                for s in range(times):
                    e = (1.0, noise)[kind] * rng.normal()
                    y = 4.0 + 0.8 * kind + u[t, kind] + severity[rater] + e
                    rows.append((f"d{t:02d}", rater, dimension, s + 1, float(np.clip(np.round(y), 1, 7))))
    frame = pl.DataFrame(rows, schema=["target", "rater", "dimension", "replicate", "value"], orient="row")
    return from_frame(frame, scale="1:7")


def parts(result: KindsComparison) -> tuple[KindReliability, KindReliability, PairOfKinds]:
    (d,) = result.dimensions
    (human, llm), (pair,) = d.kinds, d.pairs
    return human, llm, pair


@pytest.fixture(scope="module")
def compared() -> KindsComparison:
    return compare_kinds(study(), KINDS)


def test_the_kind_with_most_raters_is_the_reference_and_comes_first(compared: KindsComparison) -> None:
    human, llm, pair = parts(compared)
    assert compared.reference == "human"
    assert dict(compared.kinds) == {"human": 6, "llm": 2}
    assert (human.kind, llm.kind, pair.first, pair.second) == ("human", "llm", "human", "llm")
    assert (human.raters, llm.raters) == (tuple(f"p{i}" for i in range(6)), ("m0", "m1"))


def test_another_reference_can_be_named_and_turns_the_difference_around(compared: KindsComparison) -> None:
    one, two = parts(compared)[2], parts(compare_kinds(study(), KINDS, reference="llm"))[2]
    assert (two.first, two.second) == ("llm", "human")
    assert known(two.difference).value == pytest.approx(-known(one.difference).value)
    assert known(two.correlation).value == pytest.approx(known(one.correlation).value)


def test_each_kind_has_its_reliability_with_an_interval(compared: KindsComparison) -> None:
    for kind in parts(compared)[:2]:
        v = kind.variance
        assert isinstance(v.rater, float)
        assert isinstance(v.residual, float)
        error = v.rater + (v.target_x_rater or 0.0) + v.residual
        assert known(kind.rel_single).value == pytest.approx(v.target / (v.target + error))
        for coefficient in (kind.rel_single, kind.rel_k, kind.rel_single_relative, kind.rel_k_relative):
            low, high = ends(coefficient)
            assert low < known(coefficient).value < high
        assert known(kind.rel_k).value > known(kind.rel_single).value
        assert kind.this_rater_only is None
    assert parts(compared)[1].variance.target_x_rater is not None


def test_rel_k_averages_over_raters_and_their_replicates(compared: KindsComparison) -> None:
    llm = parts(compared)[1]
    v = llm.variance
    assert isinstance(v.rater, float)
    assert isinstance(v.residual, float)
    assert (llm.k, llm.replicates) == (2.0, 2.0)
    error = (v.rater + (v.target_x_rater or 0.0) + v.residual / 2.0) / 2.0
    assert known(llm.rel_k).value == pytest.approx(v.target / (v.target + error))


def test_people_alone_get_nearly_the_reliability_that_they_have_in_the_model_of_both(compared: KindsComparison) -> None:
    # the models' ratings add information, so the two are not equal
    ratings = study()
    people = replace(ratings, frame=ratings.frame.filter(pl.col("rater").str.starts_with("p")))
    (alone,) = analyse_reliability(people).dimensions
    assert known(parts(compared)[0].rel_single).value == pytest.approx(alone.rel_single.value, abs=0.05)


def test_the_correlation_without_noise_is_higher_than_that_of_observed_means(compared: KindsComparison) -> None:
    pair = parts(compared)[2]
    rho, observed = known(pair.correlation), known(pair.observed)
    low, high = ends(rho)
    assert observed.value < rho.value
    assert low < 0.8 < high
    assert pair.ceiling is not None
    assert observed.value < pair.ceiling < 1.0
    assert pair.correlation_as_rated is None
    assert pair.n_shared == 50


def test_the_difference_of_the_means_is_found(compared: KindsComparison) -> None:
    pair = parts(compared)[2]
    low, high = ends(pair.difference)
    assert low < 0.8 < high
    assert pair.difference_se is not None
    assert pair.difference_se > 0.0
    assert pair.difference_df is not None
    assert pair.difference_df >= 1.0


def test_models_and_people_are_exchanged_in_both_readings(compared: KindsComparison) -> None:
    human, llm, pair = parts(compared)
    assert isinstance(pair.worth, Worth)
    one, other = known(human.rel_single).value, known(llm.rel_single).value
    assert known(pair.worth.equal).value == pytest.approx(one / (1 - one) / (other / (1 - other)))
    # the models see too little of what people see: rho^2 is below the reliability of one person
    assert known(pair.correlation).value ** 2 < one
    assert isinstance(pair.worth.stand_in, Refusal)


def test_where_both_see_nearly_the_same_models_can_stand_in_for_people() -> None:
    pair = parts(compare_kinds(study(1, rho=0.98), KINDS))[2]
    assert isinstance(pair.worth, Worth)
    assert isinstance(pair.worth.stand_in, float)
    assert pair.worth.stand_in >= known(pair.worth.equal).value  # they must see the same, too
    assert pair.worth.stand_in < 1.0
    assert any(
        sentence == "To stand in for one rater of human one rater of llm is enough." for sentence in pair.findings
    )


def test_the_sentences_name_the_kinds_and_the_numbers(compared: KindsComparison) -> None:
    pair = parts(compared)[2]
    text = " ".join(pair.findings)
    assert "what human and llm see in the targets correlates" in text
    assert "Their observed means correlate" in text
    assert "It rests on 2 raters of llm" in text
    assert "is as reliable as" in text
    assert any("relative figures" in sentence for sentence in compared.dimensions[0].findings)


def test_one_model_with_replicates_is_refused_as_a_kind_and_described_as_this_rater_only() -> None:
    _, llm, pair = parts(compare_kinds(study(models=1, replicates=3), ONE_MODEL))
    assert llm.basis == "replicates"
    assert isinstance(llm.variance.rater, Refusal)
    assert "one rater of this kind" in llm.variance.rater.reason
    for coefficient in (llm.rel_single, llm.rel_k, llm.rel_single_relative, llm.rel_k_relative):
        assert isinstance(coefficient, Refusal)
    assert llm.this_rater_only is not None
    one, many = known(llm.this_rater_only), known(llm.this_rater_only_k)
    assert one.value < many.value < 1.0
    assert one.covers == "targets; this rater only"
    low, high = ends(pair.correlation)
    assert low < 0.8 < high


def test_one_model_without_replicates_has_a_correlation_as_rated_only() -> None:
    human, llm, pair = parts(
        compare_kinds(study(models=1, replicates=1), {k: v for k, v in KINDS.items() if k != "m1"})
    )
    assert known(human.rel_single).value > 0.0
    assert llm.basis == "single"
    assert isinstance(llm.variance.residual, Refusal)
    assert isinstance(llm.this_rater_only, Refusal)
    assert isinstance(pair.correlation, Refusal)
    assert isinstance(pair.perfect, Refusal)
    assert isinstance(pair.worth, Refusal)
    assert pair.ceiling is None
    assert pair.correlation_as_rated is not None
    assert known(pair.correlation_as_rated).value > known(pair.observed).value  # the people's noise is taken out
    assert any("noise of single ratings left in" in sentence for sentence in pair.findings)


def test_a_model_that_repeats_itself_exactly_is_taken_once_and_told_so() -> None:
    result = compare_kinds(study(models=1, replicates=3, noise=0.0), ONE_MODEL)
    _, llm, pair = parts(result)
    assert llm.basis == "identical"
    assert llm.variance.residual == 0.0
    assert isinstance(llm.this_rater_only, Refusal)
    assert known(pair.correlation).value > 0.5
    assert isinstance(pair.perfect, PerfectCorrelation)
    assert any("no evidence of being right" in sentence for sentence in result.dimensions[0].findings)


def test_a_kind_whose_ratings_are_constant_is_left_out_with_its_reason_and_the_others_go_on() -> None:
    ratings = study()
    constant = pl.when(pl.col("rater").str.starts_with("m")).then(4.0).otherwise(pl.col("value"))
    (d,) = compare_kinds(replace(ratings, frame=ratings.frame.with_columns(value=constant)), KINDS).dimensions
    assert [kind.kind for kind in d.kinds] == ["human"]
    assert d.pairs == ()
    (left,) = d.left_out
    assert left.kind == "llm"
    assert "equal" in left.reason
    assert any(sentence.startswith("llm is left out") for sentence in d.findings)


def test_a_dimension_in_which_everything_is_constant_is_refused_and_the_others_go_on() -> None:
    ratings = study(dimensions=("trust", "ease"))
    constant = pl.when(pl.col("dimension") == "ease").then(4.0).otherwise(pl.col("value"))
    result = compare_kinds(replace(ratings, frame=ratings.frame.with_columns(value=constant)), KINDS)
    assert [d.name for d in result.dimensions] == ["trust"]
    assert [r.name for r in result.refused] == ["ease"]
    assert any("of 1 dimensions" in sentence for sentence in result.findings)


def test_a_kind_that_did_not_rate_a_dimension_is_left_out_of_it_with_the_reason() -> None:
    ratings = study(dimensions=("trust", "ease"))
    rated = ~((pl.col("dimension") == "ease") & pl.col("rater").str.starts_with("m"))
    trust, ease = compare_kinds(replace(ratings, frame=ratings.frame.filter(rated)), KINDS).dimensions
    assert (len(trust.pairs), len(ease.pairs)) == (1, 0)
    assert ease.findings[0] == "llm is left out: it has no rating with a value here."


def test_a_nominal_dimension_is_refused() -> None:
    ratings = study()
    scales = {name: scale.model_copy(update={"level": "nominal"}) for name, scale in ratings.scales.items()}
    (refused,) = compare_kinds(replace(ratings, scales=scales), KINDS).refused
    assert "nominal" in refused.reason


def test_missing_ratings_are_counted_by_kind() -> None:
    ratings = study()
    empty = (pl.col("rater") == "m0") & (pl.col("target") == "d03")
    frame = ratings.frame.with_columns(
        value=pl.when(empty).then(None).otherwise(pl.col("value")),
        missing=pl.when(empty).then(pl.lit("empty")).otherwise(None),
    )
    result = compare_kinds(replace(ratings, frame=frame), KINDS)
    assert [kind.n_missing for kind in result.dimensions[0].kinds] == [0, 2]
    assert "2 of 200 ratings by llm are missing and were left out." in result.dimensions[0].findings


def test_three_kinds_are_compared_two_by_two() -> None:
    kinds = {**KINDS, "p4": "expert", "p5": "expert"}
    result = compare_kinds(study(n_targets=40), kinds, reference="human")
    pairs = [(pair.first, pair.second) for pair in result.dimensions[0].pairs]
    assert pairs == [("human", "expert"), ("human", "llm"), ("expert", "llm")]
    assert all(isinstance(p.perfect, Refusal) or p.perfect.df == 2 for p in result.dimensions[0].pairs)


@pytest.mark.parametrize(
    ("kinds", "options", "message"),
    [
        ({k: v for k, v in KINDS.items() if k != "p3"}, {}, "no kind is given for 'p3'"),
        (dict.fromkeys(KINDS, "human"), {}, "1 kinds of rater occur"),
        ({name: name for name in KINDS}, {}, "8 kinds of rater occur"),
        (KINDS, {"reference": "robot"}, "no rater is of the kind 'robot'"),
        (KINDS, {"level": 1.0}, "confidence level"),
        (KINDS, {"k": 0.0}, "must be positive"),
    ],
)
def test_what_cannot_be_used_is_refused_at_the_door(
    kinds: dict[str, str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        compare_kinds(study(), kinds, **options)


def test_kinds_can_come_from_a_column_of_the_table() -> None:
    ratings = study()
    column = ratings.frame.select("row", value=pl.col("rater").replace_strict(KINDS))
    assert kinds_from_rows(ratings, column) == KINDS


@pytest.mark.parametrize(("where", "value", "message"), [("m0", None, "has no kind"), ("d00", "robot", "has one kind")])
def test_a_rater_of_two_kinds_or_none_is_named(where: str, value: str | None, message: str) -> None:
    ratings = study()
    here = (pl.col("rater") == where) | ((pl.col("target") == where) & (pl.col("rater") == "m0"))
    kind = pl.when(here).then(pl.lit(value, dtype=pl.String)).otherwise(pl.col("rater").replace_strict(KINDS))
    with pytest.raises(InputError, match=f"'m0'.*{message}"):
        kinds_from_rows(ratings, ratings.frame.select("row", value=kind))


def test_real_people_split_at_random_into_two_kinds_see_the_same_in_the_targets(crowd: Ratings) -> None:
    names = ("accuracy", "novelty", "satisfaction")
    some = replace(
        crowd,
        frame=crowd.frame.filter(pl.col("dimension").is_in(names)),
        scales={name: crowd.scales[name] for name in names},
    )
    people = crowd.frame["rater"].unique().sort().to_list()
    halves = np.random.default_rng(0).permutation(len(people)) % 2
    result = compare_kinds(some, {rater: ("one", "two")[half] for rater, half in zip(people, halves, strict=True)})
    assert [d.name for d in result.dimensions] == list(names)
    for d in result.dimensions:
        (pair,) = d.pairs
        low, high = ends(pair.correlation)
        assert high == 1.0
        assert low > 0.6
        assert isinstance(pair.perfect, PerfectCorrelation)
        assert pair.perfect.p > 0.05
        assert known(pair.observed).value == pytest.approx(pair.ceiling, abs=0.1)


def test_raters_who_agree_perfectly_leave_no_noise_to_divide_and_are_refused() -> None:
    rows = [
        {"target": f"t{t}", "rater": rater, "value": None if t % 3 == 0 else 1 + t % 5}
        for t in range(12)
        for rater in ("p0", "p1", "m0", "m1")
    ]
    ratings = from_frame(rows, target="target", rater="rater", value="value", scale="1:5")
    result = compare_kinds(ratings, {"p0": "human", "p1": "human", "m0": "llm", "m1": "llm"})
    (refused,) = result.refused
    assert not result.dimensions
    assert refused.reason
