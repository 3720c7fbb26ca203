"""Measures and abilities for a terminal: systems side by side, each with its interval."""

from collections.abc import Sequence

from dialgauge.analyse.abilities.records import Abilities, SystemAbilities
from dialgauge.report.abilities.words import (
    ABILITIES,
    COVERS,
    FAMILIES,
    FORMULAS,
    PERSONA_SHARES,
    digits_of,
    list_gaps,
    measures_by_family,
    name_of,
    names_of,
    persona_shares,
    result_of,
    say_failed,
    say_size,
    scores_of,
    title_of,
    write_result,
)
from dialgauge.report.lines import WIDTH, Column, Lines, total_width
from dialgauge.report.numerals import DASH, decimal
from dialgauge.report.text import clean, shorten_all, typeset
from dialgauge.stats.estimate import Estimate

LONGEST_NAME = 17


def render_abilities(
    found: Sequence[Abilities], *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False
) -> str:
    """Return abilities, measures, findings and gaps of each data set as text.

    No line is wider than ``width`` (44 to 100; systems that have no room stand in further tables below). ``styled``
    adds the codes of terminals for bold and dim; ``ascii_only`` writes all signs and names in ASCII.
    """
    writer = _Writer(width=width, ascii_only=ascii_only)
    for number, each in enumerate(found):
        if number:
            writer.line()
        writer.add(each)
    return writer.to_text(styled=styled)


class _Writer(Lines):
    """Writes the parts of an analysis."""

    def add(self, found: Abilities) -> None:
        for note in found.notes:
            self.say(clean(note), style="dim")
        if found.notes:
            self.line()
        self.say(say_size(found), style="bold")
        self.add_failed(found)
        self.add_abilities(found)
        self.add_measures(found)
        self.section("Findings", [typeset(clean(sentence)) for sentence in found.findings])
        gaps = [
            f"{g.what}{f' ({g.systems})' if g.systems else ''}: {g.reason}. What would help: {g.remedy}."
            for g in list_gaps(found)
        ]
        self.section("What could not be computed, why, and what would help", gaps)

    def add_failed(self, found: Abilities) -> None:
        self.line()
        self.say("Dialogues that count", style="bold")
        self._table(found, ["Failed by the system"], [[say_failed(system)] for system in found.systems])

    def add_abilities(self, found: Abilities) -> None:
        scores = [scores_of(system) for system in found.systems]
        known = [name for name in ABILITIES if any(isinstance(score[name], Estimate) for score in scores)]
        shares = {
            title: own for title, own in persona_shares(found).items() if any(isinstance(one, Estimate) for one in own)
        }
        self.line()
        self.say(f"Abilities, 0 to 5, {found.level * 100:g}% intervals", style="bold")
        if not known:
            self.say("None could be computed.")
            return
        labels = [ABILITIES[name] for name in known]
        cells = [[write_result(score[name], None) for name in known] for score in scores]
        if shares:
            labels += ["", "due to persona", *(f"  {title}" for title in shares)]
            for number, column in enumerate(cells):
                column += ["", "", *(write_result(own[number]) for own in shares.values())]
        self._table(found, labels, cells)
        for name in known:
            self.say(f"{name_of(name)}: {FORMULAS[name]}.", style="dim")
        if shares:
            self.say(PERSONA_SHARES, style="dim")

    def add_measures(self, found: Abilities) -> None:
        for family, measures in measures_by_family(found).items():
            self.line()
            self.say(FAMILIES[family], style="bold")
            cells = [
                [write_result(result_of(s, m.name), m.unit, digits=digits_of(m.unit)) for m in measures]
                for s in found.systems
            ]
            labels = [title_of(m.name) for m in measures]
            limited = [m.name for m in measures if any(_ceiling(s, m.name) is not None for s in found.systems)]
            labels += [f"  ceiling @{name.partition('@')[2]}" for name in limited]
            for column, system in zip(cells, found.systems, strict=True):
                tops = [_ceiling(system, name) for name in limited]
                column += [DASH if top is None else decimal(top) for top in tops]
            self._table(found, labels, cells)
        self.say(
            f"In brackets: {found.level * 100:g}% interval, for {COVERS}. AT: mean turn of the first success.",
            style="dim",
        )

    def _table(self, found: Abilities, labels: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
        """Add the systems side by side, in as many tables as the width asks for."""
        names = shorten_all(names_of(found.systems), LONGEST_NAME)
        first = Column(("", ""), labels, left=True)
        others = [Column(("", name), column, left=True) for name, column in zip(names, cells, strict=True)]
        while others:
            n = len(others)
            while n > 1 and total_width([first, *others[:n]]) > self.width:
                n -= 1
            self.table([first, *others[:n]])
            others = others[n:]
            if others:
                self.line()


def _ceiling(system: SystemAbilities, name: str) -> float | None:
    """Return what a system could have at most; None where nothing limits it or it has no value."""
    measure = system.measure(name)
    return None if measure is None else measure.ceiling
