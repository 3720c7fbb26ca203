"""Is one system better than another? From simulated dialogues, or from ratings, to differences with verdicts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version

from dialgauge.analyse.abilities.columns import Column
from dialgauge.analyse.abilities.dialogues import look_at
from dialgauge.analyse.abilities.failures import Sifted, count_failed
from dialgauge.analyse.abilities.pairs import tabulate_pairs
from dialgauge.analyse.abilities.rated import POINTS, RATED, count_strangers, tabulate_ratings
from dialgauge.analyse.abilities.study import check_dialogues
from dialgauge.analyse.abilities.titles import Titles
from dialgauge.analyse.compare.cases import Case, Layout
from dialgauge.analyse.compare.dialogues import DialogueCases, choose_measures, lay_out
from dialgauge.analyse.compare.findings import find_in_measure, find_in_table
from dialgauge.analyse.compare.fitting import Terms, hold_together, measure_case
from dialgauge.analyse.compare.naming import find_name, suggest
from dialgauge.analyse.compare.ratings import RatingCases
from dialgauge.analyse.compare.records import ComparedMeasure, RefusedMeasure, SystemFacts, SystemsComparison
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.io.catalogues import TitleMatch
from dialgauge.model.item import Catalogue
from dialgauge.model.ratings import Ratings
from dialgauge.model.simulated import ReplyPair, SimulatedDialogue


def compare_dialogues(
    dialogues: Sequence[SimulatedDialogue],
    catalogue: Catalogue,
    *,
    pairs: Sequence[ReplyPair] = (),
    ratings: Ratings | None = None,
    made_up: Collection[str] = (),
    title_match: TitleMatch = "whole",
    terms: Terms | None = None,
) -> SystemsComparison:
    """Compare the systems in ``dialogues`` on measures, rated dimensions and abilities.

    ``pairs`` are replies to paraphrased turns, ``ratings`` have dialogue ids as targets; those by the raters in
    ``made_up``, such as the fake model, do not count. A dialogue that failed by the system counts as not accepted, and
    as not successful unless success came before; those that failed otherwise are left out and counted per system. What
    cannot be compared is refused with its reason. Raises InputError for fewer than two systems, a measure or a system
    of another name, and what `analyse_abilities` raises.
    """
    terms = terms or Terms()
    chosen = _choose_systems([dialogue.system for dialogue in dialogues], terms)
    asked = [dialogue for dialogue in dialogues if dialogue.system in chosen]
    found = Sifted.of(asked)
    kept = found.counted
    check_dialogues(kept, catalogue)
    _require_two([dialogue.system for dialogue in kept])
    titles = Titles(catalogue, match=title_match)
    facts = [look_at(dialogue, titles) for dialogue in kept]
    whole = [pair for pair in pairs if not pair.failed and pair.system in {dialogue.system for dialogue in kept}]
    cases = DialogueCases(facts, tabulate_pairs(whole, titles.items_in), whole, level=terms.level)
    ids = [dialogue.id for dialogue in kept]
    rated = None if ratings is None else RatingCases(ratings, lay_out(kept), ids, made_up=made_up)
    if ratings is not None:
        cases.add(_tabulate_rated(ratings, ids, made_up))
    dimensions = ratings.dimensions if ratings is not None else ()
    usual = choose_measures(facts, paired=bool(whole), rated=bool(dimensions))
    usual = (*(n for n in usual if ":" not in n), *dimensions, *(n for n in usual if ":" in n))
    names = _choose_measures(usual, (*cases.names, *dimensions), terms)
    measures, refused = _compare(
        names,
        lambda name: cases.rate_dimension(rated.make(name)) if rated and name in dimensions else cases.make(name),
        cases.layout,
        terms,
    )
    notes = [*_say_pairs(pairs, chosen), *_say_strangers(ratings, ids)]
    if found.left_out:
        notes.append(f"Left out: {len(found.left_out)} of {len(asked)} dialogues, which failed, and not by the system.")
    fakes = _find_made_up(ratings, made_up)
    return _finish(measures, refused, cases.layout, found, fakes, terms, catalogue.name, notes)


def compare_ratings(
    ratings: Ratings,
    systems: Mapping[str, str],
    *,
    personas: Mapping[str, str] | None = None,
    preferences: Mapping[str, str] | None = None,
    made_up: Collection[str] = (),
    terms: Terms | None = None,
) -> SystemsComparison:
    """Compare systems on the dimensions of ``ratings``.

    ``systems`` gives the system of each target, which is a dialogue; ``personas`` and ``preferences`` who talked to it
    and for what. Without personas, those who rated are taken as the users where every dialogue was rated once. Where
    neither is known, dialogues are the unit, and systems are not paired. Targets that lack one of these are left out
    and counted; ratings by the raters in ``made_up`` do not count. Raises InputError for fewer than
    two systems, and for a dimension or a system of another name.
    """
    terms = terms or Terms()
    chosen = _choose_systems(
        [systems[target] for target in ratings.frame["target"].unique() if target in systems], terms
    )
    raters = _find_users(ratings) if personas is None else {}
    personas = personas if personas is not None else raters or None
    known = [given for given in (personas, preferences) if given is not None]
    targets = [
        target
        for target in ratings.frame["target"].unique(maintain_order=True).to_list()
        if systems.get(target) in chosen and all(target in given for given in known)
    ]
    _require_two([systems[target] for target in targets])
    layout = Layout.of(
        [systems[target] for target in targets],
        None if personas is None else [personas[target] for target in targets],
        None if preferences is None else [preferences[target] for target in targets],
    )
    names = _choose_measures(ratings.dimensions, ratings.dimensions, terms)
    measures, refused = _compare(names, RatingCases(ratings, layout, targets, made_up=made_up).make, layout, terms)
    notes = list(ratings.notes)
    if raters:
        notes.append(
            "Every dialogue was rated once, and its rater is taken as its persona, so that systems with the same "
            "raters are paired."
        )
    if n := ratings.n_targets - len(targets):
        why = "which name no system, persona or preference that is compared"
        notes.append(f"Left out: {n} of {ratings.n_targets} targets, {why}.")
    found = _finish(measures, refused, layout, Sifted((), ()), _find_made_up(ratings, made_up), terms, "", notes)
    return replace(found, source=ratings.source)


def _find_users(ratings: Ratings) -> Mapping[str, str]:
    """Return who rated each target, where each was rated by one and several of these rated more than one."""
    pairs = ratings.frame.select("target", "rater").unique()
    n_targets, n_raters = pairs["target"].n_unique(), pairs["rater"].n_unique()
    if not pairs.height == n_targets > n_raters > 1:
        return {}
    return dict(pairs.iter_rows())


def _compare(
    names: Sequence[str], make: Callable[[str], Case], layout: Layout, terms: Terms
) -> tuple[tuple[ComparedMeasure, ...], tuple[RefusedMeasure, ...]]:
    measures, refused = [], []
    for name in names:
        try:
            measures.append(measure_case(make(name), layout, terms, n_measures=len(names)))
        except CannotEstimateError as error:
            refused.append(RefusedMeasure(name=name, reason=error.reason, remedy=error.remedy))
    _require_one_unit(measures, terms)
    return hold_together(measures, terms), tuple(refused)


def _finish(
    measures: Sequence[ComparedMeasure],
    refused: Sequence[RefusedMeasure],
    layout: Layout,
    sifted: Sifted,
    made_up: Sequence[str],
    terms: Terms,
    data_set: str,
    notes: Sequence[str],
) -> SystemsComparison:
    facts = tuple(_count(layout, code, sifted) for code in range(len(layout.names)))
    found = SystemsComparison(
        data_set=data_set,
        level=terms.level,
        seed=terms.seed,
        systems=facts,
        measures=tuple(replace(m, findings=(*m.findings, *find_in_measure(m))) for m in measures),
        refused=tuple(refused),
        declared=bool(terms.measures),
        simulated=layout.dealt,
        margin=terms.margin,
        wanted=terms.difference,
        power=terms.power,
        notes=tuple(notes),
        versions={name: version(name) for name in ("dialgauge", "numpy", "scipy")},
    )
    return replace(found, findings=find_in_table(found, layout, made_up))


def _count(layout: Layout, code: int, sifted: Sifted) -> SystemFacts:
    own = layout.system == code
    n = {
        name: len(set(codes[own].tolist())) if name in layout.known else None
        for name, codes in (("persona", layout.persona), ("preference", layout.preference))
    }
    return SystemFacts(
        system=layout.names[code],
        n_dialogues=int(own.sum()),
        n_failed=count_failed(sifted.counted, layout.names[code]),
        n_left_out=sifted.n_left_out(layout.names[code]),
        n_personas=n["persona"],
        n_preferences=n["preference"],
    )


def _choose_systems(present: Sequence[str], terms: Terms) -> frozenset[str]:
    """Return the systems to compare; InputError for one that the data do not have."""
    names = sorted(set(present))
    absent = [name for name in terms.systems if name not in names]
    if absent:
        raise InputError(f"there is no system {absent[0]!r} in these data; {suggest(absent[0], names)}")
    return frozenset(terms.systems or names)


def _require_two(systems: Sequence[str]) -> None:
    names = sorted(set(systems))
    if len(names) < 2:
        there = f"only {names[0]!r} has" if names else "no system has"
        raise InputError(f"a comparison takes two systems, and {there} dialogues that can be used; add another system")


def _choose_measures(usual: Sequence[str], possible: Sequence[str], terms: Terms) -> tuple[str, ...]:
    """Return the measures to compare; names may be those that are printed, or lack the ``ability:``."""
    if not terms.measures:
        return tuple(usual)
    found = []
    for name in dict.fromkeys(terms.measures):
        full = find_name(name, possible)
        if full is None:
            raise InputError(f"there is no measure {name!r} in these data; {suggest(name, possible)}")
        found.append(full)
    return tuple(dict.fromkeys(found))


def _require_one_unit(measures: Sequence[ComparedMeasure], terms: Terms) -> None:
    """Raise InputError where a margin or a wanted difference would mean different things."""
    option = "--margin" if terms.margin is not None else "--difference" if terms.difference is not None else ""
    units = list(dict.fromkeys(measure.scale or measure.unit for measure in measures))
    if option and len(units) > 1:
        raise InputError(
            f"{option} is in the unit of a measure, and these have several ({', '.join(units)}); choose measures of "
            "one unit with --measure"
        )


def _tabulate_rated(ratings: Ratings, ids: Sequence[str], made_up: Collection[str]) -> Mapping[str, Column]:
    """Return the rated measures of the abilities; none where they are on another scale than the formulas take."""
    own = [name for name in RATED if name in ratings.scales]
    if any(ratings.scale_for(name).bounds != POINTS for name in own):
        return {}
    return tabulate_ratings(ratings, ids, made_up=made_up)


def _find_made_up(ratings: Ratings | None, made_up: Collection[str]) -> tuple[str, ...]:
    present = set() if ratings is None else set(ratings.frame["rater"])
    return tuple(sorted(present.intersection(made_up)))


def _say_pairs(pairs: Sequence[ReplyPair], chosen: Collection[str]) -> list[str]:
    own = [pair for pair in pairs if pair.system in chosen]
    n = sum(pair.failed for pair in own)
    return [f"Left out: {n} of {len(own)} pairs of replies, as one of the replies failed."] if n else []


def _say_strangers(ratings: Ratings | None, ids: Sequence[str]) -> list[str]:
    n = 0 if ratings is None else count_strangers(ratings, ids)
    return [f"Left out: ratings of {n} targets that are none of these dialogues."] if n else []
