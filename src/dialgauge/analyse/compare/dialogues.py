"""The measures and abilities of simulated dialogues, each as a case that systems can be compared on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dialgauge.analyse.abilities.columns import Column, Columns
from dialgauge.analyse.abilities.dialogues import Facts, choose_basis, tabulate_dialogues
from dialgauge.analyse.compare.cases import Case, Kind, Layout, make_panel, require_two
from dialgauge.analyse.compare.records import LeftOutSystem
from dialgauge.analyse.results import Coefficient
from dialgauge.errors import CannotEstimateError
from dialgauge.model.simulated import ReplyPair, SimulatedDialogue
from dialgauge.stats.abilities import Linear
from dialgauge.stats.abilities.formulas import COOPERATION, FORMULAS, IDENTITY, RELIABILITY, SOCIAL_AWARENESS, Formula
from dialgauge.stats.arrays import Codes
from dialgauge.stats.compare import SystemPanel
from dialgauge.stats.estimate import Estimate

LOWER_IS_BETTER = frozenset(
    {
        "recommender_at",
        "conversation_at",
        "user_at",
        "deceptive_item",
        "deceptive_as_published",
        "non_existent",
        "false_claims",
        "sensitivity",
    }
)

_INNER = frozenset({"deceptive", "harmful_change"})
"""Columns that formulas take under another name."""

_NEED_RATINGS = frozenset({COOPERATION.name, SOCIAL_AWARENESS.name, IDENTITY.name})

_SUPPOSED = (
    "acceptance",
    "user_at",
    "recall_of_ceiling@50",
    "recommender_sr@10",
    "recommender_at",
    "conversation_sr@10",
    "conversation_at",
    "non_existent",
    "false_claims",
    "consistent_action",
    "consistent_recommendation",
)


def choose_measures(facts: Sequence[Facts], *, paired: bool, rated: bool) -> tuple[str, ...]:
    """Return the measures that are compared where none is named: one of each kind, then the abilities.

    ``paired`` says that there are pairs of replies, ``rated`` that there are ratings.
    """
    deceptive = "deceptive_item" if choose_basis(facts) == "accepted item" else "deceptive_as_published"
    names = [name for name in _SUPPOSED if paired or not name.startswith("consistent")]
    names.insert(names.index("non_existent"), deceptive)
    without = ({RELIABILITY.name} if not paired else set()) | (_NEED_RATINGS if not rated else set())
    return (*names, *(f"ability:{name}" for name in FORMULAS if name not in without))


class DialogueCases:
    """Makes cases of measures by their names; ``ability:NAME`` is an ability. All systems share one coding."""

    def __init__(
        self, facts: Sequence[Facts], replies: Columns, pairs: Sequence[ReplyPair], *, level: float = 0.95
    ) -> None:
        self._level = level
        dialogues = [fact.dialogue for fact in facts]
        self._columns = tabulate_dialogues(facts).columns
        self._layout = lay_out(dialogues)
        self._replies = replies.columns
        self._reply_layout = _lay_out_pairs(pairs, dialogues) if pairs else None

    @property
    def names(self) -> tuple[str, ...]:
        """The measures, then the abilities."""
        measures = (*self._columns, *(self._replies if self._reply_layout else ()))
        return (*(name for name in measures if name not in _INNER), *(f"ability:{name}" for name in FORMULAS))

    @property
    def layout(self) -> Layout:
        """The systems, personas and preferences of the dialogues."""
        return self._layout

    def add(self, columns: Mapping[str, Column]) -> None:
        """Take further columns, a row per dialogue, for the abilities that rest on them."""
        self._columns = {**self._columns, **columns}

    def make(self, name: str) -> Case:
        """Return the case of one measure; raises CannotEstimateError where fewer than two systems have it."""
        if name.startswith("ability:"):
            return self._make_ability(FORMULAS[name.removeprefix("ability:")])
        if name in self._replies and self._reply_layout is not None:
            column, layout = self._replies[name], self._reply_layout
        else:
            column, layout = self._columns[name], self._layout
        kind = Kind(
            name=name,
            family=column.family,
            unit=column.unit,
            bounds=column.bounds,
            direction="lower_is_better" if name in LOWER_IS_BETTER else "higher_is_better",
        )
        case = _gather(
            kind,
            layout,
            {name: column},
            lambda columns: columns.ratio(name),
            lambda columns: columns.estimate(name, level=self._level),
        )
        once = layout is self._layout and set(column.denominators) <= {0.0, 1.0}
        return replace(case, panel=_panel_of(case, layout, column)) if once else case

    def _make_ability(self, formula: Formula) -> Case:
        kind = Kind(name=f"ability:{formula.name}", family="ability", unit="ability", bounds=formula.bounds)

        def take(columns: Columns) -> Linear:
            return columns.apply(formula)

        def rate(columns: Columns) -> Coefficient:
            return columns.rate(formula, level=self._level)

        if formula is not RELIABILITY:
            return _gather(kind, self._layout, self._columns, take, rate)
        if self._reply_layout is None:
            raise CannotEstimateError(
                "there are no pairs of replies to paraphrased turns", remedy="simulate with --pairs 1 or more"
            )
        return _gather(kind, self._reply_layout, self._replies, take, rate)

    def rate_dimension(self, case: Case) -> Case:
        """Return the case of a rated dimension with the means that it has as a measure, where it is one."""
        name = case.kind.name
        if name not in self._columns:
            return case
        means = []
        for system in case.systems:
            rows = np.flatnonzero(self._layout.system == self._layout.names.index(system))
            own = Columns(self._layout.crossing_of(rows), {name: _pick(self._columns[name], rows)})
            found = own.estimate(name, level=self._level)
            means.append(found if isinstance(found, Estimate) else None)
        return replace(case, means=tuple(means))


def lay_out(dialogues: Sequence[SimulatedDialogue]) -> Layout:
    """Return which system, persona and preference each dialogue has."""
    found = Layout.of(
        [d.system for d in dialogues], [d.persona.id for d in dialogues], [d.preference.id for d in dialogues]
    )
    return replace(found, dealt=True)


def _lay_out_pairs(pairs: Sequence[ReplyPair], dialogues: Sequence[SimulatedDialogue]) -> Layout:
    """Return the layout of pairs; the systems are those of the dialogues, so that their codes are the same."""
    names = tuple(sorted({dialogue.system for dialogue in dialogues}))
    found = Layout.of([p.system for p in pairs], [p.persona.id for p in pairs], [p.preference.id for p in pairs])
    system = np.array([names.index(pair.system) for pair in pairs], dtype=np.intp)
    return replace(found, names=names, system=system, dealt=True)


def _gather(
    kind: Kind,
    layout: Layout,
    columns: Mapping[str, Column],
    take: Callable[[Columns], Linear],
    rate: Callable[[Columns], Coefficient],
) -> Case:
    """Return the case with the estimate and the mean of each system; those without are left out with the reason."""
    systems, estimates, crossings, left_out, means = [], [], [], [], []
    for code, system in enumerate(layout.names):
        rows = np.flatnonzero(layout.system == code)
        own = Columns(layout.crossing_of(rows), {name: _pick(column, rows) for name, column in columns.items()})
        try:
            found = take(own)
        except CannotEstimateError as error:
            left_out.append(LeftOutSystem(system=system, reason=error.reason, remedy=error.remedy))
            continue
        systems.append(system)
        estimates.append(found)
        crossings.append(own.crossing)
        mean = rate(own)
        means.append(mean if isinstance(mean, Estimate) else None)
    require_two(systems, left_out)
    return Case(kind, tuple(systems), None, tuple(estimates), tuple(crossings), tuple(left_out), tuple(means))


def _pick(column: Column, rows: Codes) -> Column:
    return replace(
        column,
        numerators=np.asarray(column.numerators, dtype=np.float64)[rows].tolist(),
        denominators=np.asarray(column.denominators, dtype=np.float64)[rows].tolist(),
        ceilings=None if column.ceilings is None else np.asarray(column.ceilings, dtype=np.float64)[rows].tolist(),
    )


def _panel_of(case: Case, layout: Layout, column: Column) -> SystemPanel:
    kept = dict(_codes_of(case, layout))
    rows = np.array(
        [
            row
            for row, (code, under) in enumerate(zip(layout.system.tolist(), column.denominators, strict=True))
            if code in kept and under > 0.0
        ],
        dtype=np.intp,
    )
    return make_panel(layout, rows, np.asarray(column.numerators, dtype=np.float64)[rows], kept)


def _codes_of(case: Case, layout: Layout) -> Iterator[tuple[int, int]]:
    """Yield the code of each system in the layout and in the case."""
    for code, system in enumerate(case.systems):
        yield layout.names.index(system), code
