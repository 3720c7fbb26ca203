"""From simulated dialogues to measures and abilities, systems side by side."""

from collections.abc import Collection, Sequence
from importlib.metadata import version

import numpy as np
import scipy

from dialgauge.analyse.abilities.columns import Columns
from dialgauge.analyse.abilities.dialogues import RECALLS, Facts, choose_basis, look_at, tabulate_dialogues
from dialgauge.analyse.abilities.failures import Sifted, failed_by_system
from dialgauge.analyse.abilities.findings import find, find_everyday, find_failed, say_unknown_ids
from dialgauge.analyse.abilities.pairs import tabulate_pairs
from dialgauge.analyse.abilities.personas import coordinate, measure_variance
from dialgauge.analyse.abilities.rated import count_strangers, made_up_among, tabulate_ratings
from dialgauge.analyse.abilities.records import FACETS, Abilities, Ability, Facet, Group, Measure, SystemAbilities
from dialgauge.analyse.abilities.titles import Titles
from dialgauge.analyse.results import Coefficient
from dialgauge.errors import InputError
from dialgauge.io.catalogues import TitleMatch
from dialgauge.model.item import Catalogue
from dialgauge.model.ratings import Ratings
from dialgauge.model.simulated import ReplyPair, SimulatedDialogue
from dialgauge.stats.abilities.formulas import FORMULAS, QUALITY, RELIABILITY, SINCERITY
from dialgauge.stats.arrays import Codes
from dialgauge.stats.ranges import require_open

GROUPED = ("acceptance", "recommender_sr@10", "conversation_sr@10", "recall@50")
"""The measures that are broken down, with Quality."""

_INNER = ("deceptive", "harmful_change", *(f"recall_of_ceiling@{k}" for k in RECALLS))
"""Columns that formulas take and that stand in the table in another form."""


def analyse_abilities(
    dialogues: Sequence[SimulatedDialogue],
    catalogue: Catalogue,
    *,
    pairs: Sequence[ReplyPair] = (),
    ratings: Ratings | None = None,
    made_up: Collection[str] = (),
    title_match: TitleMatch = "whole",
    level: float = 0.95,
) -> Abilities:
    """Return the measures and abilities of each system in ``dialogues``, with intervals.

    ``catalogue`` gives titles to the items of targets and rankings. ``pairs`` are replies to paraphrased turns, for
    Reliability; ``ratings`` have dialogue ids as targets and the dimensions of the instrument concept. Those by the
    raters in ``made_up``, such as the fake model, do not count. What lacks is a refusal that says so. Intervals are
    for new personas, preferences and dialogues at confidence ``level`` (0 to 1). A dialogue that failed by the system
    counts as not accepted, and as not successful unless success came before; one that failed otherwise is left out and
    counted. Raises InputError for a dialogue without targets, with one that is not in the catalogue, or without a turn
    of the system, a scale other than 1 to 5, and where no dialogue is left; OffScaleError for a rating off its scale.
    """
    require_open("level", level, 0.0, 1.0)
    if title_match not in {"whole", "substring"}:
        raise InputError(f"titles match 'whole' or as 'substring', got {title_match!r}")
    found = Sifted.of(dialogues)
    if not found.counted:
        raise InputError(f"of {len(dialogues)} dialogues none is whole; simulate some that end without a failure")
    check_dialogues(found.counted, catalogue)
    titles = Titles(catalogue, match=title_match)
    systems, facts = [], {}
    for name in sorted({dialogue.system for dialogue in found.counted}):
        own = [dialogue for dialogue in found.counted if dialogue.system == name]
        facts[name] = [look_at(dialogue, titles) for dialogue in own]
        columns = tabulate_dialogues(facts[name])
        if ratings is not None:
            rated = tabulate_ratings(ratings, [dialogue.id for dialogue in own], made_up=made_up)
            columns = Columns(columns.crossing, {**columns.columns, **rated})
        replies = tabulate_pairs([pair for pair in pairs if pair.system == name], titles.items_in)
        n_left_out = found.n_left_out(name)
        systems.append(_analyse_system(name, facts[name], columns, replies, n_left_out=n_left_out, level=level))
    fakes = made_up_among(ratings, made_up) if ratings is not None else ()
    return Abilities(
        data_set=catalogue.name,
        catalogue=catalogue.name,
        title_match=title_match,
        level=level,
        systems=tuple(systems),
        notes=(*_say_left_out(found, pairs, ratings), *say_unknown_ids(facts)),
        made_up=fakes,
        findings=(*find_failed(systems, found.without), *find(systems, made_up=fakes), *find_everyday(facts)),
        versions={"dialgauge": version("dialgauge"), "numpy": np.__version__, "scipy": scipy.__version__},
    )


def _analyse_system(
    name: str, facts: Sequence[Facts], columns: Columns, replies: Columns, *, n_left_out: int, level: float
) -> SystemAbilities:
    tables = {formula: replies if formula == RELIABILITY.name else columns for formula in FORMULAS}
    compared = [formula for formula in FORMULAS.values() if formula is not SINCERITY]
    crossing = columns.crossing
    return SystemAbilities(
        system=name,
        n_dialogues=len(facts),
        n_pairs=len(replies.crossing),
        n_personas=np.unique(crossing.persona).size,
        n_preferences=np.unique(crossing.preference).size,
        n_failed=sum(failed_by_system(fact.dialogue) for fact in facts),
        n_left_out=n_left_out,
        deceptive_basis=choose_basis(facts),
        measures=(*_measures(columns, level), *_measures(replies, level)),
        abilities=tuple(
            Ability(
                name=formula.name,
                measures=formula.measures,
                result=tables[formula.name].rate(formula, level=level),
                persona=measure_variance(tables[formula.name], formula, level=level),
            )
            for formula in FORMULAS.values()
        ),
        coordination=coordinate(tables, compared, level=level),
        groups=tuple(
            Group(facet=facet, level=each, n_dialogues=rows.size, results=_break_down(columns, rows, level))
            for facet in FACETS
            for each, rows in _rows_by(facts, facet).items()
        ),
    )


def _measures(columns: Columns, level: float) -> list[Measure]:
    found = []
    for name, column in columns.columns.items():
        if name in _INNER:
            continue
        used = [i for i, under in enumerate(column.denominators) if under > 0.0]
        tops = [column.ceilings[i] for i in used] if column.ceilings is not None else []
        found.append(
            Measure(
                name=name,
                family=column.family,
                unit=column.unit,
                result=columns.estimate(name, level=level),
                denominator=round(sum(column.denominators)),
                counted=column.counted,
                ceiling=sum(tops) / len(tops) if tops else None,
            )
        )
    return found


def _break_down(columns: Columns, rows: Codes, level: float) -> dict[str, Coefficient]:
    results = {name: columns.estimate(name, level=level, rows=rows) for name in GROUPED}
    return {**results, QUALITY.name: columns.rate(QUALITY, level=level, rows=rows)}


def _rows_by(facts: Sequence[Facts], facet: Facet) -> dict[str, Codes]:
    rows: dict[str, list[int]] = {}
    for number, fact in enumerate(facts):
        for each in _levels_of(fact.dialogue, facet):
            rows.setdefault(each, []).append(number)
    return {each: np.array(rows[each], dtype=np.intp) for each in sorted(rows)}


def _levels_of(dialogue: SimulatedDialogue, facet: Facet) -> tuple[str, ...]:
    match facet:
        case "emotion":
            return (dialogue.persona.emotion,)
        case "age":
            return (dialogue.persona.age,)
        case "attribute":
            return dialogue.preference.attributes


def check_dialogues(dialogues: Sequence[SimulatedDialogue], catalogue: Catalogue) -> None:
    """Raise InputError for a dialogue without targets, or with one of no catalogue, or whole and without a reply."""
    for dialogue in dialogues:
        if not dialogue.targets:
            raise InputError(f"the dialogue {dialogue.id!r} has no target; give a preference that some item fits")
        if not dialogue.system_turns and not failed_by_system(dialogue):
            raise InputError(f"the dialogue {dialogue.id!r} has no turn of the system; leave it out, or say it failed")
        if strange := [target for target in dialogue.targets if target not in catalogue.by_id]:
            raise InputError(
                f"the target {strange[0]!r} of the dialogue {dialogue.id!r} is not in the catalogue "
                f"{catalogue.name!r}; give the catalogue that the dialogues were simulated with"
            )


def _say_left_out(found: Sifted, pairs: Sequence[ReplyPair], ratings: Ratings | None) -> list[str]:
    said = []
    if n := len(found.left_out):
        total = n + len(found.counted)
        said.append(f"Left out: {n} of {total} dialogues, which failed, and not by the system.")
    if n := sum(pair.failed for pair in pairs):
        said.append(f"Left out: {n} of {len(pairs)} pairs of replies, as one of the replies failed.")
    systems = {dialogue.system for dialogue in found.counted}
    if n := sum(pair.system not in systems for pair in pairs):
        said.append(f"Left out: {n} of {len(pairs)} pairs of replies, of systems without dialogues.")
    if ratings is not None and (n := count_strangers(ratings, [dialogue.id for dialogue in found.counted])):
        said.append(f"Left out: ratings of {n} targets that are none of these dialogues.")
    return said
