"""Systems compared: numbers by hand, verdicts that are held together, and what is left out."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student
from tests.analyse.abilities.examples import CATALOGUE, make_pairs
from tests.analyse.compare.examples import make_dialogues, make_rated, make_values

from dialgauge.analyse.abilities import analyse_abilities
from dialgauge.analyse.compare import (
    Difference,
    SecondRoute,
    SystemsComparison,
    Terms,
    compare_dialogues,
    compare_ratings,
)
from dialgauge.analyse.compare.fitting import hold_together
from dialgauge.errors import InputError
from dialgauge.model.scale import Scale
from dialgauge.stats.estimate import Estimate

HALF, MOST = (True, False), (True, True, True, False, True)
ACCEPTANCE = Terms(measures=("acceptance",))


def compare(means: tuple[float, ...] = (0.0, 1.5), **options: object) -> SystemsComparison:
    rated = make_rated(make_values(means))
    terms = Terms(**options)  # type: ignore[arg-type]
    return compare_ratings(
        rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences, terms=terms
    )


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def test_a_balanced_difference_is_that_of_means_with_the_error_of_mean_squares() -> None:
    values = make_values((0.0, 1.5))
    rated = make_rated(values)
    (trust,) = compare_ratings(
        rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences
    ).measures
    (found,) = trust.differences
    table = values[..., 0]
    gaps = table[0] - table[1]
    n, m = gaps.shape
    a, b = gaps.mean(axis=1) - gaps.mean(), gaps.mean(axis=0) - gaps.mean()
    rest = table - table.mean(axis=2, keepdims=True) - table.mean(axis=1, keepdims=True)
    rest += table.mean(axis=(1, 2), keepdims=True)
    ms_a, ms_b = m * (a @ a) / (n - 1), n * (b @ b) / (m - 1)
    ms_e = (rest**2).sum() / (2 * (n - 1) * (m - 1))  # of one value; a difference has twice that
    assert not trust.boundary, "with a component at the edge, mean squares would be another answer"
    error = np.sqrt((ms_a + ms_b - 2.0 * ms_e) / (n * m))
    assert found.difference.value == pytest.approx(gaps.mean(), abs=1e-9)
    assert width(found.difference) / 2.0 / student.ppf(0.975, found.df) == pytest.approx(error, rel=1e-5)
    assert found.n_paired == n * m


def test_the_difference_of_an_ability_has_the_error_of_two_crossed_groupings() -> None:
    dialogues = [*make_dialogues("a", accepts=MOST), *make_dialogues("b", accepts=HALF)]
    found = compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=("quality",)))
    (difference,) = found.measure("ability:quality").differences
    # of each dialogue: acceptance, recall of 1 of 2 targets, and both success rates
    hits = np.array([[d.ended == "accepted" for d in dialogues[i : i + 24]] for i in (0, 24)], dtype=float)
    recall = np.array([[_recall(d) for d in dialogues[i : i + 24]] for i in (0, 24)])
    quality = 5.0 / 3.0 * (hits + recall + hits)
    assert difference.difference.value == pytest.approx(quality[0].mean() - quality[1].mean(), abs=1e-12)
    u = (quality[0] - quality[0].mean() - quality[1] + quality[1].mean()) / 24
    table = u.reshape(12, 2)
    p, q, cell = (table.sum(axis=1) ** 2).sum(), (table.sum(axis=0) ** 2).sum(), (table**2).sum()
    variance = max(12 / 11 * p + 2 * q - 24 / 23 * cell, 12 / 11 * p, 2 * q)
    t = abs(difference.difference.value) / np.sqrt(variance)
    assert difference.df == 1.0, "two preferences"
    assert difference.p == pytest.approx(2.0 * student.sf(t, 1))


def _recall(dialogue: object) -> float:
    ranking = getattr(dialogue, "system_turns")[-1].ranking  # noqa: B009
    targets = getattr(dialogue, "targets")  # noqa: B009
    return len(set(ranking) & set(targets)) / len(targets)


def test_systems_that_met_other_personas_have_a_wider_interval() -> None:
    values = make_values((0.0, 1.5))
    widths = []
    for own_users in (False, True):
        rated = make_rated(values, own_users=own_users)
        found = compare_ratings(rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences)
        widths.append(width(found.measures[0].differences[0].difference))
        assert any("met different users" in finding for finding in found.findings) == own_users
    assert widths[0] < widths[1]


def test_without_personas_and_preferences_dialogues_are_the_unit_and_nothing_is_paired() -> None:
    values = make_values((0.0, 1.5))
    rated = make_rated(values)
    found = compare_ratings(rated.ratings, rated.systems)
    (trust,) = found.measures
    (difference,) = trust.differences
    flat = values[..., 0].reshape(2, -1)
    pooled = np.sqrt(flat.var(axis=1, ddof=1).sum() / flat.shape[1])
    assert difference.n_paired == 0
    assert found.systems[0].n_personas is None
    assert width(difference.difference) / 2.0 / student.ppf(0.975, difference.df) == pytest.approx(pooled, rel=1e-6)
    assert "Neither personas nor preferences are named" in found.findings[0]


@settings(max_examples=12)
@given(shift=st.floats(-5.0, 5.0), factor=st.floats(0.1, 3.0))
def test_differences_keep_their_p_when_all_values_are_shifted_and_stretched(shift: float, factor: float) -> None:
    values = make_values((0.0, 0.6), n_personas=5, n_preferences=3)
    found = []
    for each in (values, shift + factor * values):
        rated = make_rated(each)
        compared = compare_ratings(rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences)
        found.append(compared.measures[0].differences[0])
    before, after = found
    assert after.difference.value == pytest.approx(factor * before.difference.value, rel=1e-6, abs=1e-9)
    assert after.p == pytest.approx(before.p, rel=1e-4)
    assert after.verdict == before.verdict


def test_names_of_systems_in_another_order_turn_the_sign_and_keep_the_verdict() -> None:
    values = make_values((0.0, 1.5))
    verdicts = []
    for names in (("low", "zenith"), ("zenith", "low")):
        rated = make_rated(values, names=names)
        found = compare_ratings(rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences)
        (difference,) = found.measures[0].differences
        winner = difference.first if difference.verdict == "first" else difference.second
        verdicts.append((names.index(winner), difference.verdict, difference.difference.value))
    assert [verdict[0] for verdict in verdicts] == [1, 1]
    assert [verdict[1] for verdict in verdicts] == ["second", "first"]
    assert verdicts[0][2] == pytest.approx(-verdicts[1][2])


@pytest.mark.parametrize(("direction", "verdict"), [("higher_is_better", "second"), ("lower_is_better", "first")])
def test_which_system_is_better_follows_the_direction_of_the_scale(direction: str, verdict: str) -> None:
    scale = Scale.model_validate({"level": "interval", "low": -20.0, "high": 20.0, "direction": direction})
    rated = make_rated(make_values((0.0, 2.5)), scale=scale)
    found = compare_ratings(rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences)
    (difference,) = found.measures[0].differences
    assert difference.verdict == verdict
    ranks = [mean.rank.rank for mean in found.measures[0].means]
    assert ranks == ([2.0, 1.0] if verdict == "second" else [1.0, 2.0])


def test_a_difference_is_within_the_margin_only_where_the_whole_interval_is() -> None:
    (plain,) = compare((0.0, 0.0)).measures[0].differences
    ends = plain.simultaneous
    assert ends.low is not None
    assert ends.high is not None
    edge = max(-ends.low, ends.high)
    for margin, within in ((edge * 1.001, True), (edge * 0.999, False)):
        (difference,) = compare((0.0, 0.0), margin=margin).measures[0].differences
        assert difference.within_margin is within
    assert plain.within_margin is None


def test_with_one_measure_the_p_of_the_table_is_that_over_pairs() -> None:
    for difference in compare((0.0, 0.5, 1.0)).measures[0].differences:
        assert difference.p <= difference.p_pairs == difference.p_table


def test_with_several_measures_all_their_p_are_held_together_by_holm() -> None:
    found = compare((0.0, 0.5, 1.0))
    (trust,) = found.measures
    shaped = [replace(d, p=p, p_pairs=p) for d, p in zip(trust.differences, (0.001, 0.01, 0.4), strict=True)]
    doubled = [replace(trust, differences=tuple(shaped)), replace(trust, differences=tuple(shaped))]
    held = [d for m in hold_together(doubled, Terms()) for d in m.differences]
    assert [d.p_table for d in held] == pytest.approx([0.006, 0.04, 0.8] * 2)  # 6, 5 (so 6), 4, 3 (so 4), 2, 1 times p
    assert [d.verdict != "not shown" for d in held] == [True, True, False] * 2


def test_no_p_of_the_table_is_below_that_over_pairs() -> None:
    found = compare_dialogues([*make_dialogues("a", accepts=MOST), *make_dialogues("b", accepts=HALF)], CATALOGUE)
    assert found.n_comparisons > 5
    assert all(d.p_table >= d.p_pairs for m in found.measures for d in m.differences)


def test_dialogues_that_failed_at_the_users_side_are_left_out_and_a_different_number_of_them_is_a_finding() -> None:
    dialogues = [*make_dialogues("a", accepts=MOST, failed=5), *make_dialogues("b", accepts=HALF)]
    found = compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=("acceptance",)))
    assert [(s.n_dialogues, s.n_failed, s.n_left_out) for s in found.systems] == [(19, 0, 5), (24, 0, 0)]
    assert "a 5 of 24 and b 0 of 24" in found.findings[0]
    assert "those that survived" in found.findings[0]
    assert found.measures[0].n == 43
    assert found.notes == ("Left out: 5 of 48 dialogues, which failed, and not by the system.",)


def test_a_system_without_a_value_is_left_out_of_that_measure_with_the_reason() -> None:
    dialogues = [
        *make_dialogues("a", accepts=MOST),
        *make_dialogues("b", accepts=HALF),
        *make_dialogues("c", accepts=(False,)),
    ]
    found = compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=("user_at", "acceptance")))
    assert [mean.system for mean in found.measure("acceptance").means] == ["a", "b", "c"]
    (left,) = found.measure("user_at").left_out
    assert (left.system, left.reason) == ("c", "no recommendation was accepted")
    assert [mean.system for mean in found.measure("user_at").means] == ["a", "b"]


def test_one_value_of_a_system_gives_no_verdict_by_the_clustered_route() -> None:
    dialogues = [*make_dialogues("a", accepts=MOST), *make_dialogues("b", accepts=(True, *(False,) * 23))]
    found = compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=("user_at",)))
    (refused,) = found.refused
    assert refused.reason.endswith(
        "only a can be used; of b: 1 dialogue has a value, fewer than the 5 that an error is told from"
    )


def test_ratings_that_are_made_up_do_not_count_and_are_said() -> None:
    rated = make_rated(make_values((0.0, 1.5), n_raters=2))
    found = compare_ratings(rated.ratings, rated.systems, made_up=("r1", "elsewhere"))
    assert found.measures[0].n_raters == 1
    assert found.findings[0].startswith("The ratings by r1 are made up")
    nothing = compare_ratings(rated.ratings, rated.systems, made_up=("r0", "r1"))
    assert [refused.reason for refused in nothing.refused] == ["all its ratings are made up, by a fake model"]


def test_replicates_of_a_rater_count_once() -> None:
    rated = make_rated(make_values((0.0, 1.5)))
    again = rated.ratings.frame.with_columns(replicate=pl.lit(2, pl.Int64))
    twice = replace(rated.ratings, frame=pl.concat([rated.ratings.frame, again]))
    once = compare_ratings(rated.ratings, rated.systems).measures[0]
    assert compare_ratings(twice, rated.systems).measures[0].differences == once.differences


def test_few_raters_and_few_preferences_are_said() -> None:
    rated = make_rated(make_values((0.0, 1.5), n_raters=3))
    found = compare_ratings(rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences)
    assert any("There are 8 personas and 6 preferences in all" in finding for finding in found.findings)
    assert any("3 raters, who are taken as given" in finding for finding in found.measures[0].findings)
    assert any("at most 3 raters, taken as given" in finding for finding in found.findings)
    assert found.measures[0].cannot_tell["rater x system"] == "3 raters are taken as given"
    assert "raters" not in found.measures[0].differences[0].difference.covers


def test_the_second_route_gives_much_the_same_errors_on_complete_data() -> None:
    route = compare((0.0, 1.5)).measures[0].second_route
    assert isinstance(route, SecondRoute)
    assert route.ratio == pytest.approx(1.0, abs=0.35)
    assert not route.disagrees


def test_what_a_difference_takes_shrinks_with_the_difference() -> None:
    n = []
    for wanted in (0.8, 1.6):
        found = compare((0.0, 0.5, 1.0), difference=wanted)
        designs = found.measures[0].needed
        assert isinstance(designs, tuple)
        assert [design.alpha for design in designs] == pytest.approx([0.05 / 3] * len(designs)), "divided by the pairs"
        n.append(min(design.n_dialogues for design in designs))
    assert n[0] > n[1]


def test_what_a_difference_takes_is_by_proportion_for_abilities_and_ratios() -> None:
    rng = np.random.default_rng(2)
    accepts = [[bool(x) for x in rng.random(24) < share] for share in (0.8, 0.4)]
    dialogues = [*make_dialogues("a", accepts=accepts[0]), *make_dialogues("b", accepts=accepts[1])]
    sizes = []
    for wanted in (6.0, 9.0):
        found = compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=("quality",), difference=wanted))
        designs = found.measure("ability:quality").needed
        assert isinstance(designs, tuple)
        assert all(design.by_proportion and design.n_personas <= 48 for design in designs)
        sizes.append(designs[0].n_dialogues)
    assert sizes[0] >= sizes[1]


def test_pairs_of_replies_and_their_ability_are_compared_by_the_clustered_route() -> None:
    dialogues = [*make_dialogues("a", accepts=MOST), *make_dialogues("b", accepts=HALF)]
    pairs = [pair for start in range(0, 48, 6) for pair in make_pairs(dialogues[start : start + 6])]
    found = compare_dialogues(dialogues, CATALOGUE, pairs=pairs)
    assert found.measure("consistent_action").route == "clustered"
    assert found.measure("ability:reliability").route == "clustered"
    assert any("8 of 48 pairs of replies" in note for note in found.notes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measures": ("acceptence",)}, "there is no measure 'acceptence' in these data; did you mean acceptance"),
        ({"systems": ("a", "z")}, "there is no system 'z' in these data; there are a, b"),
        ({"systems": ("a",)}, "a comparison takes two systems or more, got 'a' alone"),
        ({"margin": 0.1}, "--margin is in the unit of a measure, and these have several"),
        ({"margin": -0.1}, "the margin must be above 0"),
        ({"difference": 0.0}, "the wanted difference must be above 0"),
        ({"power": 1.0}, "the power must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_asked_is_said(options: dict[str, object], said: str) -> None:
    dialogues = [*make_dialogues("a", accepts=MOST), *make_dialogues("b", accepts=HALF)]
    with pytest.raises(InputError, match=said.replace("(", "\\(")):
        compare_dialogues(dialogues, CATALOGUE, terms=Terms(**options))  # type: ignore[arg-type]


def test_one_system_alone_is_refused() -> None:
    with pytest.raises(InputError, match="takes two systems, and only 'a' has dialogues"):
        compare_dialogues(make_dialogues("a", accepts=HALF), CATALOGUE)
    rated = make_rated(make_values((0.0,)))
    with pytest.raises(InputError, match="takes two systems"):
        compare_ratings(rated.ratings, rated.systems)


def test_targets_without_a_persona_are_left_out_and_counted() -> None:
    rated = make_rated(make_values((0.0, 1.5)))
    personas = {target: name for target, name in rated.personas.items() if name != "p0"}
    found = compare_ratings(rated.ratings, rated.systems, personas=personas, preferences=rated.preferences)
    assert found.measures[0].n == 84
    assert found.notes[-1].startswith("Left out: 12 of 96 targets")


def test_systems_whose_means_differ_by_rounding_alone_share_a_rank() -> None:
    dialogues = [
        *make_dialogues("a", accepts=MOST),
        *make_dialogues("b", accepts=HALF),
        *make_dialogues("c", accepts=HALF),
    ]
    found = compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=("acceptance",)))
    assert [mean.rank.rank for mean in found.measure("acceptance").means] == [1.0, 2.5, 2.5]


def test_a_third_system_moves_no_difference_interval_nor_p_of_two_others() -> None:
    values = make_values((0.0, 1.0, 0.3), n_personas=10, n_preferences=6)
    values[2] += 6.0 * np.random.default_rng(8).normal(size=values[2].shape)
    three, two = make_rated(values), make_rated(values[:2])
    together, alone = (
        compare_ratings(r.ratings, r.systems, personas=r.personas, preferences=r.preferences).measures[0]
        for r in (three, two)
    )
    among = next(d for d in together.differences if (d.first, d.second) == ("one", "two"))
    (pair,) = alone.differences
    assert among.difference == pair.difference
    assert (among.p, among.df) == (pair.p, pair.df)
    assert among.p_pairs == pytest.approx(min(3.0 * pair.p, 1.0))


def test_persona_that_cannot_be_told_from_the_system_is_the_first_finding_and_not_covered() -> None:
    rated = make_rated(make_values((0.0, 1.5), n_personas=1, n_preferences=12), own_users=True)
    found = compare_ratings(rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences)
    assert found.findings[0].startswith("Systems cannot be told from personas (one and two)")
    for d in found.measures[0].differences:
        assert "persona" not in d.difference.covers
        assert "preferences" in d.difference.covers
    shared = make_rated(make_values((0.0, 1.5), n_personas=8, n_preferences=12))
    usual = compare_ratings(shared.ratings, shared.systems, personas=shared.personas, preferences=shared.preferences)
    assert not any("cannot be told from" in finding for finding in usual.findings)


def test_a_system_with_fewer_than_five_rated_dialogues_is_left_out_with_the_reason() -> None:
    values = make_values((0.0, 1.5), n_personas=4, n_preferences=1, n_raters=6)
    rated = make_rated(values)
    found = compare_ratings(rated.ratings, rated.systems, personas=rated.personas)
    (refused,) = found.refused
    assert "4 dialogues were rated, fewer than the 5" in refused.reason
    assert refused.remedy == "rate 5 dialogues of each system or more"


def test_means_are_those_of_abilities_with_the_same_intervals() -> None:
    rng = np.random.default_rng(5)
    dialogues = [
        dialogue
        for system, share, n in (("a", 0.7, 12), ("b", 0.4, 9), ("c", 0.5, 12))
        for dialogue in make_dialogues(system, accepts=[bool(x) for x in rng.random(24) < share], n_personas=n)
    ]
    abilities = analyse_abilities(dialogues, CATALOGUE)
    found = compare_dialogues(dialogues, CATALOGUE)
    compared = 0
    for system in abilities.systems:
        theirs = {m.name: m.result for m in system.measures} | {f"ability:{a.name}": a.result for a in system.abilities}
        for measure in found.measures:
            own = next((mean.mean for mean in measure.means if mean.system == system.system), None)
            there = theirs.get(measure.name)
            if own is None or not isinstance(there, Estimate):
                continue
            compared += 1
            assert own.value == pytest.approx(there.value, abs=1e-12)
            assert (own.low, own.high) == pytest.approx((there.low, there.high), abs=1e-9)
    assert compared > 20


def test_a_difference_that_is_not_that_of_the_means_is_said_with_the_reason() -> None:
    rng = np.random.default_rng(6)
    a = make_dialogues("a", accepts=[bool(x) for x in rng.random(24) < 0.6])
    b = make_dialogues("b", accepts=[bool(x) for x in rng.random(24) < 0.5])
    hard = {"0", "1", "2", "3", "4"}
    a = [d if d.persona.id not in hard else e for d, e in zip(a, make_dialogues("a", accepts=(False,)), strict=True)]
    b = [d if d.persona.id not in hard else e for d, e in zip(b, make_dialogues("b", accepts=(False,)), strict=True)]
    apart = compare_dialogues([*a, *(d for d in b if d.persona.id not in hard)], CATALOGUE, terms=ACCEPTANCE)
    same = compare_dialogues([*a, *b], CATALOGUE, terms=ACCEPTANCE)
    said = "The difference of the means is not the difference that is judged, for Acceptance"
    assert any(finding.startswith(said) for finding in apart.findings)
    assert not any(finding.startswith(said) for finding in same.findings)


def test_ranks_are_open_exactly_as_far_as_the_verdicts_of_the_table_are() -> None:
    found = compare((0.0, 0.1, 4.0))
    for shown in (found, replace(found, measures=hold_together([found.measures[0]] * 2, Terms()))):
        for measure in shown.measures:
            for mean in measure.means:
                lost = sum(
                    d.verdict != "not shown" and mean.system in {d.first, d.second} and _winner(d) != mean.system
                    for d in measure.differences
                )
                won = sum(d.verdict != "not shown" and _winner(d) == mean.system for d in measure.differences)
                assert (mean.rank.low, mean.rank.high) == (1 + lost, 3 - won)
                assert mean.rank.low <= mean.rank.rank <= mean.rank.high


def _winner(difference: Difference) -> str:
    return difference.first if difference.verdict == "first" else difference.second


def test_a_system_beside_itself_is_said_to_behave_identically_and_nothing_disagrees() -> None:
    accepts = [bool(x) for x in np.random.default_rng(7).random(24) < 0.6]
    dialogues = [*make_dialogues("a", accepts=accepts), *make_dialogues("b", accepts=accepts)]
    found = compare_dialogues(dialogues, CATALOGUE)
    assert any("a and b behaved identically in all 24 shared dialogues" in finding for finding in found.findings)
    assert not any("two routes" in finding for finding in found.findings)
    other = [*make_dialogues("a", accepts=accepts), *make_dialogues("b", accepts=[not x for x in accepts])]
    assert not any("identically" in finding for finding in compare_dialogues(other, CATALOGUE).findings)


def test_the_clustered_route_contradicts_nobody_with_fewer_than_six_of_either_grouping() -> None:
    for n, known in ((5, False), (6, True)):
        rated = make_rated(make_values((0.0, 2.5), n_personas=8, n_preferences=n))
        found = compare_ratings(rated.ratings, rated.systems, personas=rated.personas, preferences=rated.preferences)
        (difference,) = found.measures[0].differences
        assert (difference.p_route is not None) == known
        assert known or not any("clustered route" in finding for finding in found.findings)


@pytest.mark.parametrize("asked", ["Quality", "ability:quality", "QUALITY", "user at", "User AT", "Non-existent items"])
def test_measures_are_understood_as_they_are_printed_in_any_capitals(asked: str) -> None:
    dialogues = [*make_dialogues("a", accepts=MOST), *make_dialogues("b", accepts=HALF)]
    found = compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=(asked,)))
    names = [m.name for m in found.measures] + [r.name for r in found.refused]
    assert names in [["ability:quality"], ["user_at"], ["non_existent"]]


def test_a_system_that_is_nearly_named_is_suggested() -> None:
    dialogues = [*make_dialogues("retrieval", accepts=MOST), *make_dialogues("overlap", accepts=HALF)]
    with pytest.raises(InputError, match=r"no system 'Retreival' in these data; did you mean retrieval\?"):
        compare_dialogues(dialogues, CATALOGUE, terms=Terms(systems=("Retreival", "overlap")))
    with pytest.raises(InputError, match=r"no measure 'Qualty' in these data; did you mean ability:quality\?"):
        compare_dialogues(dialogues, CATALOGUE, terms=Terms(measures=("Qualty",)))


def test_designs_are_few_cheapest_first_and_more_raters_never_take_more_dialogues() -> None:
    rated = make_rated(make_values((0.0, 1.5), n_raters=4))
    found = compare_ratings(
        rated.ratings,
        rated.systems,
        personas=rated.personas,
        preferences=rated.preferences,
        terms=Terms(difference=1.0),
    )
    designs = found.measures[0].needed
    assert isinstance(designs, tuple)
    assert 1 <= len(designs) <= 6
    assert all(d.n_preferences > 1 for d in designs), "the verdict is for other preferences too"
    ratings = [d.n_dialogues * (d.n_raters or 1) for d in designs]
    assert ratings == sorted(ratings)
    by_raters = sorted(designs, key=lambda d: d.n_raters or 0)
    assert [d.n_dialogues for d in by_raters] == sorted((d.n_dialogues for d in by_raters), reverse=True)
