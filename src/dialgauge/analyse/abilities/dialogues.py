"""What each simulated dialogue adds to the computed measures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dialgauge.analyse.abilities.claims import claims_falsely
from dialgauge.analyse.abilities.columns import Column, Columns
from dialgauge.analyse.abilities.failures import failed_by_system
from dialgauge.analyse.abilities.records import Basis, Family
from dialgauge.analyse.abilities.titles import Titles
from dialgauge.io.catalogues import count_titles
from dialgauge.model.simulated import SimulatedDialogue, SystemTurn, UserTurn
from dialgauge.stats.abilities.counting import first_turn, recall_at, recall_ceiling

RECALLS = (1, 10, 25, 50)
SUCCESSES = (3, 5, 10)

_NO_SUCCESS = ("no dialogue had such a turn", "look at the success rates, or simulate more dialogues")
_NO_ACCEPTANCE = ("no recommendation was accepted", "look at the acceptance rate, or simulate more dialogues")
_NO_RECORD = ("no accepted item is recorded", "simulate with Dialgauge, which records it")
_NO_TITLE = ("no text has a title in quotation marks or before a year", "have the system write titles so")
_NO_OFFER = ("no turn recommends an item by its title", "have the system name what it recommends")
_NO_RANKING = ("no last turn has a ranking", "give rankings, as a system with one does")


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found out about one dialogue.

    ``turns`` are the proper turns of the system; ``recommender`` and ``conversation`` the numbers of the first that
    succeeded, ``conversation_surely`` that of the first that did not only by an everyday word, ``accepted`` that of the
    accepting user turn; None where there is none. ``deceptive`` is None where that cannot be told. ``offers`` are the
    turns that recommend by title, ``false_claims`` those of them that claim a wanted attribute which the catalogue
    denies. ``ranked`` counts the ids in rankings, ``unknown`` those that the catalogue does not have.
    """

    dialogue: SimulatedDialogue
    turns: tuple[SystemTurn, ...]
    recommender: int | None
    conversation: int | None
    conversation_surely: int | None
    accepted: int | None
    names_target: bool
    deceptive: bool | None
    titles: int
    strange: int
    offers: int
    false_claims: int
    ranked: int
    unknown: int


def look_at(dialogue: SimulatedDialogue, titles: Titles) -> Facts:
    """Find out what happened in a dialogue; where the system failed, nothing was accepted."""
    turns = tuple(turn for turn in dialogue.system_turns if turn.failure is None)
    users = () if failed_by_system(dialogue) else dialogue.user_turns
    targets = frozenset(dialogue.targets)
    accepted = first_turn([turn.accepting for turn in users])
    ranked = [name for turn in turns for name in turn.ranking]
    accepting = users[accepted - 1] if accepted else None
    n_titles, n_strange = count_titles(title for turn in turns for title in titles.written_in(turn.text))
    wanted = dialogue.preference.attributes
    offers = [told for turn in turns if (told := claims_falsely(turn, wanted, titles)) is not None]
    return Facts(
        dialogue=dialogue,
        turns=turns,
        recommender=first_turn([bool(turn.ranking) and turn.ranking[0] in targets for turn in turns]),
        conversation=first_turn([titles.names_any(turn.text, dialogue.targets) for turn in turns]),
        conversation_surely=first_turn([titles.names_surely(turn.text, dialogue.targets) for turn in turns]),
        accepted=accepted,
        names_target=accepting is not None and titles.names_any(accepting.text, dialogue.targets),
        deceptive=_is_deceptive(accepting, targets),
        titles=n_titles,
        strange=n_strange,
        offers=len(offers),
        false_claims=sum(offers),
        ranked=len(ranked),
        unknown=sum(name not in titles.items for name in ranked),
    )


def _is_deceptive(turn: UserTurn | None, targets: frozenset[str]) -> bool | None:
    """Whether the accepted item does not fit; None where none is recorded. A title of no catalogue fits nothing."""
    if turn is None or (turn.accepts is None and turn.accepts_title is None):
        return None
    return turn.accepts not in targets


def choose_basis(facts: Sequence[Facts]) -> Basis:
    """Return what deceptive acceptances are read off: the accepted item wherever one is recorded."""
    return "accepted item" if any(fact.deceptive is not None for fact in facts) else "as published"


def tabulate_dialogues(facts: Sequence[Facts]) -> Columns:
    """Return the computed measures, a row per dialogue."""
    columns = {**_recalls(facts), **_successes(facts), **_acceptances(facts), **_sincerity(facts)}
    basis = "deceptive_item" if choose_basis(facts) == "accepted item" else "deceptive_as_published"
    columns["deceptive"] = columns[basis]
    return Columns.of([f.dialogue.persona for f in facts], [f.dialogue.preference for f in facts], columns)


def _recalls(facts: Sequence[Facts]) -> dict[str, Column]:
    last = [fact.turns[-1].ranking if fact.turns else () for fact in facts]
    ranked = [float(bool(ranking)) for ranking in last]
    found = {}
    for k in RECALLS:
        values = [recall_at(ranking, f.dialogue.targets, k=k) for ranking, f in zip(last, facts, strict=True)]
        tops = [recall_ceiling(f.dialogue.targets, k=k) for f in facts]
        found[f"recall@{k}"] = _mean_of(values, ranked, ceilings=tops)
        shares = [value / top for value, top in zip(values, tops, strict=True)]
        found[f"recall_of_ceiling@{k}"] = _mean_of(shares, ranked)
    return found


def _mean_of(
    values: Sequence[float],
    used: Sequence[float],
    *,
    ceilings: Sequence[float] | None = None,
) -> Column:
    return Column(
        family="recommendation",
        unit="share",
        numerators=values,
        denominators=used,
        counted="dialogues",
        binary=False,
        ceilings=ceilings,
        why_none=_NO_RANKING,
    )


def _successes(facts: Sequence[Facts]) -> dict[str, Column]:
    found = {}
    for who in ("recommender", "conversation"):
        turns = [fact.recommender if who == "recommender" else fact.conversation for fact in facts]
        for k in SUCCESSES:
            hits = [float(turn is not None and turn <= k) for turn in turns]
            found[f"{who}_sr@{k}"] = Column("success", "share", hits, [1.0] * len(facts), "dialogues")
        longest = max(len(fact.turns) for fact in facts)
        found[f"{who}_at"] = _turns("success", turns, "successes", _NO_SUCCESS, longest=longest)
    return found


def _acceptances(facts: Sequence[Facts]) -> dict[str, Column]:
    turns = [fact.accepted for fact in facts]
    longest = max(len(fact.dialogue.user_turns) for fact in facts)
    hits = [float(turn is not None) for turn in turns]
    return {
        "acceptance": Column("acceptance", "share", hits, [1.0] * len(facts), "dialogues"),
        "user_at": _turns("acceptance", turns, "acceptances", _NO_ACCEPTANCE, longest=longest),
    }


def _turns(
    family: Family, turns: Sequence[int | None], counted: str, why_none: tuple[str, str], *, longest: int
) -> Column:
    """Return the mean number of a turn where there is one; ``longest`` is the last that there could be."""
    return Column(
        family=family,
        unit="turn",
        numerators=[float(turn or 0) for turn in turns],
        denominators=[float(turn is not None) for turn in turns],
        counted=counted,
        bounds=(1.0, float(max(longest, 1))),
        binary=False,
        why_none=why_none,
    )


def _sincerity(facts: Sequence[Facts]) -> dict[str, Column]:
    def column(
        over: Callable[[Facts], float], under: Callable[[Facts], float], counted: str, why: tuple[str, str]
    ) -> Column:
        return Column("sincerity", "share", [over(f) for f in facts], [under(f) for f in facts], counted, why_none=why)

    accepted = any(fact.accepted is not None for fact in facts)
    return {
        "deceptive_as_published": column(
            lambda f: float(f.accepted is not None and not f.names_target),
            lambda f: float(f.accepted is not None),
            "acceptances",
            _NO_ACCEPTANCE,
        ),
        "deceptive_item": column(
            lambda f: float(bool(f.deceptive)),
            lambda f: float(f.deceptive is not None),
            "acceptances with a recorded item",
            _NO_RECORD if accepted else _NO_ACCEPTANCE,
        ),
        "non_existent": column(lambda f: float(f.strange), lambda f: float(f.titles), "titles", _NO_TITLE),
        "false_claims": column(
            lambda f: float(f.false_claims), lambda f: float(f.offers), "turns that recommend by title", _NO_OFFER
        ),
    }
