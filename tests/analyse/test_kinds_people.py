"""People who rated elsewhere beside the raters of a study: joined by name, and compared where values can be."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import pearsonr
from scipy.stats import t as student

from dialgauge import from_frame
from dialgauge.analyse.kinds import AgreementWithPeople, agree_with_people, compare_kinds, join_people
from dialgauge.errors import InputError
from dialgauge.model import Ratings
from dialgauge.stats.agreement.alpha import krippendorff_alpha
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal

KINDS = {"model": "model"}


def table(rows: list[tuple[str, str, str, float | None]], scale: str = "1:5") -> Ratings:
    frame = pl.DataFrame(rows, schema=["target", "rater", "dimension", "value"], orient="row")
    return from_frame(frame, target="target", rater="rater", dimension="dimension", value="value", scale=scale)


def draw(*, dimension: str = "good", n: int = 40, scale: str = "1:5") -> tuple[Ratings, Ratings]:
    """Return the ratings of a study by one model, and those of three people for each target, under other names."""
    rng = np.random.default_rng(2)
    shared = rng.normal(size=n)
    own = [(f"t{i}", "model", dimension, float(np.clip(round(3 + shared[i]), 1, 5))) for i in range(n)]
    people = [
        (f"t{i}", f"row {3 * i + j}", "overall", float(np.clip(round(2 + shared[i] + 0.5 * rng.normal()), 1, 3)))
        for i in range(n)
        for j in range(3)
    ]
    return table([*own]), table([*people], scale)


def agree(own: Ratings, people: Ratings, names: Mapping[str, str]) -> AgreementWithPeople:
    (found,) = agree_with_people(join_people(own, people, KINDS, names=names))
    return found


def means(own: Ratings, people: Ratings) -> tuple[Floats, Floats]:
    first = people.frame.group_by("target").agg(pl.col("value").mean()).sort("target")["value"].to_numpy()
    return first, own.frame.sort("target")["value"].to_numpy()


def value(found: object) -> float:
    assert isinstance(found, Estimate)
    return found.value


def test_means_are_compared_target_by_target() -> None:
    own, people = draw()
    found = agree(own, people, {"overall": "good"})
    first, second = means(own, people)
    assert (found.people_dimension, found.kind, found.n_targets, found.n_people) == ("overall", "model", 40, 120)
    assert found.k == pytest.approx(3.0)
    assert value(found.observed) == pytest.approx(pearsonr(first, second).statistic, abs=1e-12)
    assert value(found.difference) == pytest.approx(float((second - first).mean()), abs=1e-12)
    assert isinstance(found.difference, Estimate)
    error = (second - first).std(ddof=1) / np.sqrt(40)
    assert found.difference.high == pytest.approx(value(found.difference) + student.ppf(0.975, 39) * error, abs=1e-10)
    codes = np.tile(np.arange(40), 2)
    alpha = krippendorff_alpha(np.concatenate([first, second]), codes, metric="interval")
    assert value(found.alpha) == pytest.approx(alpha.value, abs=1e-12)
    assert value(found.corrected) > value(found.observed)


def test_on_scales_of_their_own_correlations_stay_and_values_are_not_compared() -> None:
    own, people = draw(scale="1:3")
    found = agree(own, people, {"overall": "good"})
    assert found.scales_differ
    assert isinstance(found.alpha, Refusal)
    assert isinstance(found.difference, Refusal)
    assert "different scales" in found.alpha.reason
    same = agree(*draw(), {"overall": "good"})
    assert value(found.observed) == value(same.observed)


def test_the_model_of_kinds_gives_no_difference_there_and_much_the_same_correlation() -> None:
    joined = join_people(*draw(scale="1:3"), KINDS, names={"overall": "good"})
    assert joined.apart == {"good"}
    (dimension,) = compare_kinds(joined.ratings, joined.kinds, reference="people", apart=joined.apart).dimensions
    (pair,) = dimension.pairs
    assert isinstance(pair.difference, Refusal)
    assert pair.difference_se is None
    assert not any("rates" in sentence for sentence in pair.findings)
    (plain,) = agree_with_people(joined)
    assert value(pair.correlation_as_rated) == pytest.approx(value(plain.corrected), abs=0.05)


def test_dimensions_of_one_name_need_no_pair_and_others_are_named_as_left_out() -> None:
    own, people = draw(dimension="overall")
    more = from_frame(
        pl.DataFrame({"target": ["t1"], "rater": ["x"], "dimension": ["charm"], "value": [1.0]}), scale="1:5"
    )
    both = replace(
        people, frame=pl.concat([people.frame, more.frame]), scales={**people.scales, "charm": more.scale_for("charm")}
    )
    joined = join_people(own, both, KINDS)
    assert dict(joined.names) == {"overall": "overall"}
    assert any("Left out, rated by people only: 'charm'" in note for note in joined.ratings.notes)


def test_a_rater_that_sees_nothing_is_not_shown_to_agree() -> None:
    own, people = draw()
    order = np.random.default_rng(5).permutation(40)
    blind = replace(own, frame=own.frame.with_columns(value=own.frame["value"].to_numpy()[order]))
    found = agree(blind, people, {"overall": "good"})
    for one in (found.observed, found.corrected):
        assert isinstance(one, Estimate)
        assert one.low is not None
        assert one.high is not None
        assert one.low < 0.0 < one.high


def test_targets_that_one_side_lacks_are_left_out_of_the_means() -> None:
    own, people = draw()
    fewer = replace(people, frame=people.frame.filter(pl.col("target") < "t3"))
    found = agree(own, fewer, {"overall": "good"})
    assert found.n_targets == fewer.frame["target"].n_unique()


@pytest.mark.parametrize(
    ("names", "word"),
    [
        ({}, "none is called the same; name pairs with --map"),
        ({"nothing": "good"}, "'nothing' is no dimension that people rated"),
        ({"overall": "bad"}, "'bad' is no dimension that the study rated"),
    ],
)
def test_names_that_pair_nothing_are_one_line_with_a_remedy(names: Mapping[str, str], word: str) -> None:
    with pytest.raises(InputError, match=word):
        join_people(*draw(), KINDS, names=names)


def test_no_shared_target_and_a_rater_on_both_sides_are_refused() -> None:
    own, people = draw()
    moved = replace(people, frame=people.frame.with_columns(target=pl.lit("z") + pl.col("target")))
    with pytest.raises(InputError, match="no target of the study was rated by people"):
        join_people(own, moved, KINDS, names={"overall": "good"})
    twice = replace(people, frame=people.frame.with_columns(rater=pl.lit("model"), replicate=pl.int_range(1, 121)))
    with pytest.raises(InputError, match="'model' is a rater on both sides"):
        join_people(own, twice, KINDS, names={"overall": "good"})
