"""What designs were searched for, in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.analyse.planning import StudyPlan
from dialgauge.report.planning.numbers import say_goal
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan.search import PricedLayout


@dataclass(frozen=True, slots=True)
class Wish:
    """What a design was searched for, in words, and what was found: the cheapest designs or why there is none."""

    title: str
    found: Sequence[PricedLayout] | Refusal

    @property
    def missing(self) -> str:
        """Why there is no such design, and what would help; empty where there is one."""
        if not isinstance(self.found, Refusal):
            return ""
        reason = self.found.reason
        return f"{reason[:1].upper()}{reason[1:]}. What would help: {self.found.remedy}."

    @property
    def caveat(self) -> str:
        """What to mind about the designs that were found; empty where there is nothing."""
        if isinstance(self.found, Refusal) or not any(has_few_raters(option) for option in self.found):
            return ""
        return (
            f"With {FEW_RATERS} raters the large-sample numbers are too good: simulate such a design before using it."
        )


def list_wishes(plan: StudyPlan) -> list[Wish]:
    """Return the searches for the cheapest design that were asked for."""
    options = plan.options
    width = "" if options.width is None else say_goal(options.width)
    lower = f"Rel(k) is shown to be at least {say_goal(options.wanted)} with power {say_goal(options.power)}"
    found = {
        f"Cheapest designs whose interval of Rel(1) is at most {width} wide": plan.for_width,
        f"Cheapest designs in which {lower}": plan.for_wanted,
    }
    return [Wish(title, designs) for title, designs in found.items() if designs is not None]


def has_few_raters(option: PricedLayout) -> bool:
    """Whether the pool is so small that the numbers of the search are too good."""
    return option.layout.n_raters <= FEW_RATERS
